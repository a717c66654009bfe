// Collects what is wrong with a request, mistakes and unreadable files together, so that a user
// sees everything at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace dcpbench::cli {

class Problems {
 public:
  void add(std::string message, core::ErrorKind kind = core::ErrorKind::usage);
  void add(const core::Error& error);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  // Throws all of it as one Error: usage if any is, else the kind of the first.
  void throw_if_any() const;

  // Calls `make` and returns its value; what it throws as core::Error is added and a
  // default-constructed value returned.
  template <class Make>
  auto collect(Make make) -> decltype(make()) {
    try {
      return make();
    } catch (const core::Error& error) {
      add(error);
      return {};
    }
  }

 private:
  std::vector<std::string> messages_;
  core::ErrorKind kind_ = core::ErrorKind::usage;
};

}  // namespace dcpbench::cli

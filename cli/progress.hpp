// One line on standard error with the share done and an estimate of the time left; silent unless
// standard error is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace dcpbench::cli {

class Progress {
 public:
  Progress(std::size_t total, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `label` is what is being worked on now.
  void show(const std::string& label);
  void advance() { ++done_; }
  // Removes the line, before anything else is written.
  void clear();

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool enabled_;
  bool visible_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace dcpbench::cli

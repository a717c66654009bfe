#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcpbench::core {

// Streaming SHA-256 over text made of integers and separators. Move-only through its pointer.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view text);
  // Decimal digits and one trailing space.
  void add(std::int64_t number);
  // Lower-case hex; the object can't be used afterwards.
  std::string finish();

 private:
  void flush();
  void* context_;
  std::string buffer_;
};

}  // namespace dcpbench::core

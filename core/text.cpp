#include "core/text.hpp"

#include <fmt/format.h>

#include <limits>

namespace dcpbench::core {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

std::string escaped(std::string_view text, std::size_t max_bytes, bool keep_line_ends) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (result.size() >= max_bytes) return result + "...";
    const std::size_t length = utf8_length(text, at);
    // U+0080 to U+009F are control characters too.
    const bool control = byte_at(text, at) < 0x20 || byte_at(text, at) == 0x7f ||
                         (length == 2 && byte_at(text, at) == 0xc2 && byte_at(text, at + 1) < 0xa0);
    if ((length == 0 || control) && !(keep_line_ends && text[at] == '\n')) {
      result += fmt::format("\\x{:02X}", byte_at(text, at));
      ++at;
      continue;
    }
    result += text.substr(at, length);
    at += length;
  }
  return result;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() - at < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte_at(text, at + 1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  return escaped(text, max_bytes, false);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, std::numeric_limits<std::size_t>::max(), true);
}

}  // namespace dcpbench::core

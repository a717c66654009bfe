#include "datasets/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace dcpbench::datasets {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Bytes of the UTF-8 character that starts at `at`; 0 if there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF).
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

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (result.size() >= max_bytes) return result + "...";
    const std::size_t length = utf8_length(text, at);
    // U+0080 to U+009F are control characters too.
    const bool control = byte_at(text, at) < 0x20 || byte_at(text, at) == 0x7f ||
                         (length == 2 && byte_at(text, at) == 0xc2 && byte_at(text, at + 1) < 0xa0);
    if (length == 0 || control) {
      result += fmt::format("\\x{:02X}", byte_at(text, at));
      ++at;
      continue;
    }
    result += text.substr(at, length);
    at += length;
  }
  return result;
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

void append(std::string& list, std::string_view item, std::string_view separator) {
  if (!list.empty()) list += separator;
  list += item;
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace dcpbench::datasets

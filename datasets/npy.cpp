#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "core/error.hpp"
#include "datasets/readers.hpp"
#include "datasets/row_builder.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

// The header of an NPY file is a Python dict literal: {'descr': '<i8', 'fortran_order': False,
// 'shape': (4,), } (numpy.lib.format, versions 1.0 to 3.0).
struct Header {
  std::string descr;
  std::string shape;  // as written, without spaces: (4,)
};

// Their bytes still count in 64 bits.
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 60;
constexpr std::size_t kMaxHeaderBytes = 65536;

[[noreturn]] void refuse(const Input& input, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{}: {}", input.path(), why));
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

// The text of `key`'s value in the dict literal, up to the comma at its own level; empty if absent.
std::string_view member(std::string_view dict, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    std::size_t at = dict.find(quoted);
    if (at == dict.npos) continue;
    at = dict.find(':', at + quoted.size());
    if (at == dict.npos) return {};
    int depth = 0;
    std::size_t end = ++at;
    for (; end < dict.size(); ++end) {
      const char c = dict[end];
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
    }
    return trim(dict.substr(at, end - at));
  }
  return {};
}

Header read_header(Input& input) {
  const std::string_view start = input.peek(12);
  if (start.size() < 10) refuse(input, "truncated NPY header");
  const int version = start[6];
  if (version < 1 || version > 3)
    refuse(input, fmt::format("NPY version {}, known are 1 to 3", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (start.size() < 8 + length_bytes) refuse(input, "truncated NPY header");
  const std::uint64_t length = little_endian(start.substr(8, length_bytes));
  if (length > kMaxHeaderBytes) refuse(input, fmt::format("NPY header of {} bytes", length));
  const std::size_t total = 8 + length_bytes + static_cast<std::size_t>(length);
  const std::string_view all = input.peek(total);
  if (all.size() < total) refuse(input, "truncated NPY header");
  const std::string_view dict = all.substr(8 + length_bytes);
  Header header{std::string(member(dict, "descr")), std::string(member(dict, "shape"))};
  std::erase(header.shape, ' ');
  input.consume(total);
  return header;
}

struct IntegerType {
  bool is_signed = true;
  bool big_endian = false;
  std::size_t bytes = 8;
};

IntegerType integer_type(const Input& input, std::string_view descr) {
  const bool quoted = descr.size() >= 2 && (descr.front() == '\'' || descr.front() == '"');
  const std::string_view type = quoted ? descr.substr(1, descr.size() - 2) : descr;
  if (type.find('O') != type.npos && quoted) {
    refuse(input, "object arrays hold Python pickles, which are not read; save lengths as int64");
  }
  const std::string_view order = "<>|=";
  if (quoted && type.size() == 3 && order.find(type[0]) != order.npos &&
      (type[1] == 'i' || type[1] == 'u') &&
      (type[2] == '1' || type[2] == '2' || type[2] == '4' || type[2] == '8')) {
    return {type[1] == 'i', type[0] == '>', static_cast<std::size_t>(type[2] - '0')};
  }
  refuse(input, fmt::format("array of type {}, expected integers; save lengths as int64",
                            descr.empty() ? "unknown" : printable(descr)));
}

// (4,) -> 4.
std::uint64_t one_dimension(const Input& input, std::string_view shape) {
  std::uint64_t count = 0;
  const char* end = shape.data() + shape.size();
  if (shape.starts_with('(')) {
    const auto [rest, error] = std::from_chars(shape.data() + 1, end, count);
    const bool is_1d = std::string_view(rest, static_cast<std::size_t>(end - rest)) == ",)";
    if (is_1d && (error == std::errc::result_out_of_range || count >= kMaxElements)) {
      refuse(input, fmt::format("shape {} is beyond the limit of {} elements", printable(shape),
                                kMaxElements));
    }
    if (error == std::errc() && is_1d) return count;
  }
  refuse(input, fmt::format("shape {}, expected 1-D", printable(shape)));
}

std::string_view decode(std::string_view bytes, IntegerType type, std::array<char, 24>& text) {
  std::array<char, 8> copy{};
  std::copy(bytes.begin(), bytes.end(), copy.begin());
  if (type.big_endian)
    std::reverse(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(type.bytes));
  std::uint64_t value = little_endian(std::string_view(copy.data(), type.bytes));
  char* end = nullptr;
  if (type.is_signed) {
    const unsigned unused = static_cast<unsigned>(64 - 8 * type.bytes);
    // Arithmetic shift (C++20) extends the sign.
    const auto extended = std::bit_cast<std::int64_t>(value << unused) >> unused;
    end = std::to_chars(text.data(), text.data() + text.size(), extended).ptr;
  } else {
    end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  }
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

}  // namespace

Dataset read_npy(Input& input, const ReadOptions& options) {
  const Header header = read_header(input);
  const IntegerType type = integer_type(input, header.descr);
  const std::uint64_t count = one_dimension(input, header.shape);
  if (options.column) {
    refuse(input, fmt::format("--column {}: an NPY array has no columns; leave it out",
                              printable(*options.column)));
  }
  ColumnTable table;
  table.names = {""};
  table.has_names = false;
  RowBuilder rows(input.path(), "element", options, std::move(table), Selection{});
  std::array<char, 24> text{};
  std::uint64_t read = 0;
  while (read < count && input.peek(type.bytes).size() == type.bytes) {
    const std::string_view window = input.window();
    const std::uint64_t here = std::min<std::uint64_t>(window.size() / type.bytes, count - read);
    for (std::uint64_t i = 0; i < here; ++i) {
      const std::string_view value =
          decode(window.substr(static_cast<std::size_t>(i) * type.bytes, type.bytes), type, text);
      rows.add(static_cast<std::int64_t>(++read), std::span(&value, 1));
    }
    input.consume(static_cast<std::size_t>(here) * type.bytes);
  }
  if (read < count) {
    refuse(input,
           fmt::format("truncated NPY: header says {} elements ({} bytes), {} bytes found", count,
                       count * type.bytes, read * type.bytes + input.window().size()));
  }
  std::uint64_t left = 0;
  while (!input.peek(1).empty()) {
    left += input.window().size();
    input.consume(input.window().size());
  }
  if (left > 0) {
    refuse(input,
           fmt::format("{} bytes follow the {} elements of the header; save one array per file",
                       left, count));
  }
  return rows.finish(input.is_gzip() ? "gzip NPY" : "NPY", {});
}

}  // namespace dcpbench::datasets

#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dcpbench::report {

namespace {

constexpr std::size_t kLineWidth = 120;

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

}  // namespace

int decimals_for(double value, int digits) {
  if (!(std::fabs(value) > 0) || !std::isfinite(value)) return std::clamp(digits - 1, 0, 9);
  // The exponent after rounding: 0.99999 is 1.000.
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::atoi(rounded.c_str() + rounded.find('e') + 1);
  return std::clamp(digits - 1 - exponent, 0, 9);
}

std::string significant(double value, int digits) {
  return fmt::format("{:.{}f}", value, decimals_for(value, digits));
}

std::string with_deviation(const MeanAndDeviation& value, int decimals) {
  if (!(value.deviation > 0)) return fmt::format("{:.{}f}", value.mean, decimals);
  return fmt::format("{:.{}f}+-{:.{}f}", value.mean, decimals, value.deviation, decimals);
}

std::string percent(double fraction) {
  const double value = fraction * 100;
  return fmt::format("{:.{}f} %", value, std::fabs(value) < 9.95 ? 1 : 0);
}

std::string grouped(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string wrapped(std::string_view prefix, const std::vector<std::string>& items) {
  std::string text(prefix);
  std::size_t line = width(prefix);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::string item = items[i];
    if (i + 1 < items.size()) item += ',';
    if (i > 0 && line + 1 + width(item) > kLineWidth) {
      text += "\n#  ";
      line = 3;
    }
    text += ' ';
    text += item;
    line += 1 + width(item);
  }
  text += '\n';
  return text;
}

std::string Columns::format() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    widths.push_back(std::max(width(column.name), width(column.unit)));
  }
  for (const std::vector<std::string>& row : rows_) {
    if (row.size() != columns_.size()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  const auto append_row = [&](std::string_view start, const auto& cell_of) {
    std::string line(start);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string fill(widths[i] - width(cell), ' ');
      const bool is_left = i == 0 || i + 1 == columns_.size();
      if (i > 0) line += ' ';
      if (!is_left) line += fill;
      line += cell;
      if (is_left) line += fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line;
    text += '\n';
  };
  append_row("# ", [&](std::size_t i) -> const std::string& { return columns_[i].name; });
  append_row("# ", [&](std::size_t i) -> const std::string& { return columns_[i].unit; });
  for (const std::vector<std::string>& row : rows_) {
    if (row.size() == columns_.size()) {
      append_row("  ", [&](std::size_t i) -> const std::string& { return row[i]; });
    } else {
      text += row.front();
      text += '\n';
    }
  }
  return text;
}

}  // namespace dcpbench::report

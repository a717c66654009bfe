// Pieces of terminal text. Internal to report/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "report/statistics.hpp"

namespace dcpbench::report {

using core::printable;
// Limit of a message or a path, in bytes.
inline constexpr std::size_t kLongText = 1000;

// Decimals that show `digits` significant digits of `value` in fixed notation, from 0 to 9.
int decimals_for(double value, int digits);
// 0.01234, 12.34, 12345 for 4 digits.
std::string significant(double value, int digits);
// "12.34", or "12.34+-0.21" when there is a deviation to show.
std::string with_deviation(const MeanAndDeviation& value, int decimals);
// "31 %", below 10 % with one decimal: "6.4 %".
std::string percent(double fraction);
// 1234567 -> "1,234,567".
std::string grouped(std::int64_t number);

// `items` joined by ", " after `prefix`, wrapped to 120 columns; continuation lines start with "#
// ".
std::string wrapped(std::string_view prefix, const std::vector<std::string>& items);

// Rows of cells under a header of two lines (name, unit), both after '#'. Columns are as wide as
// their widest cell; the first and the last are left-aligned. Rows of a single cell are printed as
// they are.
class Columns {
 public:
  struct Column {
    std::string name, unit;
  };
  explicit Columns(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void add_line(std::string line) { rows_.push_back({std::move(line)}); }
  [[nodiscard]] std::string format() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dcpbench::report

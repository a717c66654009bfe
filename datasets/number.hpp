// Numbers as they stand in text, read exactly: no rounding through floating point, so that 8.192e3
// is 8192 and 131072.5 is never 131072.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "datasets/faults.hpp"

namespace dcpbench::datasets {

// (-1)^negative * mantissa * 10^exponent. The mantissa has at most 19 digits and no trailing zero;
// `exact` is false when more digits were given than it holds, and those are cut off.
struct Decimal {
  bool negative = false;
  std::uint64_t mantissa = 0;
  std::int32_t exponent = 0;    // 0 for zero
  std::int32_t last_place = 0;  // power of ten of the last digit given that isn't 0
  bool exact = true;
};

// An integer, decimal or scientific number that fills the whole of `text`; else nothing.
std::optional<Decimal> parse_decimal(std::string_view text);

struct LengthText {
  std::int64_t value = 0;
  std::optional<Fault> fault;  // why `value` is no length
};
// A length of 1 to core::kMaxTokens from trimmed text: 512, 512.0, 5.12e2. Missing values are "",
// "-", NA, N/A, NaN, null, nil and None in any case.
LengthText parse_length(std::string_view text);

// Whether the text starts like a number (digit, sign or point): not a column's name.
[[nodiscard]] bool looks_like_number(std::string_view text);
[[nodiscard]] bool is_missing_value(std::string_view text);

}  // namespace dcpbench::datasets

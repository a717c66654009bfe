#include "datasets/number.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/sequence.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

namespace {

constexpr std::int64_t kMaxExponent = 100'000;  // far beyond any use; keeps sums in range
constexpr int kMaxDigits = 19;                  // 10^19 - 1 fits 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::uint64_t shifted(std::uint64_t value, std::int64_t places) {
  for (std::int64_t i = 0; i < places; ++i) value *= 10;
  return value;
}

// A group of exactly three digits at `at`.
bool three_digits(std::string_view text, std::size_t at) {
  return text.size() >= at + 3 && is_digit(text[at]) && is_digit(text[at + 1]) &&
         is_digit(text[at + 2]) && (text.size() == at + 3 || !is_digit(text[at + 3]));
}

// 1,024 | 1'024 | 1_024 | 1 024 (also with no-break spaces) | 1.048.576
bool has_thousands_separators(std::string_view text) {
  constexpr std::array<std::string_view, 8> kSeparators = {
      ",", "'", "_", " ", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99", "."};
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0 || at > 3) return false;
  for (const std::string_view separator : kSeparators) {
    std::size_t place = at;
    int groups = 0;
    while (text.substr(place).starts_with(separator) &&
           three_digits(text, place + separator.size())) {
      place += separator.size() + 3;
      ++groups;
    }
    if (groups > 0 && (place == text.size() || text[place] == '.' || text[place] == ','))
      return true;
  }
  return false;
}

Fault why_not_a_number(std::string_view text) {
  if (!looks_like_number(text)) return Fault::not_a_number;
  if (has_thousands_separators(text)) return Fault::thousands;
  std::size_t at = 0;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == '+' ||
                              text[at] == '-' || text[at] == ':')) {
    ++at;
  }
  const std::string unit = lower(trim(text.substr(at)));
  constexpr std::array<std::string_view, 9> kTime = {"s",  "sec", "secs", "second", "seconds",
                                                     "ms", "min", "mins", "h"};
  if (std::find(kTime.begin(), kTime.end(), unit) != kTime.end()) return Fault::duration;
  if (unit.empty() && text.find(':') != text.npos && text.find('-') == text.npos) {
    return Fault::duration;
  }
  constexpr std::array<std::string_view, 14> kUnits = {
      "k", "m", "g", "t", "b", "ki", "mi", "gi", "kb", "kib", "mb", "mib", "tok", "tokens"};
  if (std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end()) return Fault::unit_suffix;
  return Fault::not_a_number;
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal result;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    result.negative = text[0] == '-';
    ++at;
  }
  bool any_digit = false;
  bool point = false;
  std::int64_t exponent = 0;
  std::int64_t pending = 0;   // places read but not in the mantissa yet
  std::int64_t trailing = 0;  // zeros since the last other digit
  std::int64_t digits = 0;    // in the mantissa
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any_digit = true;
    if (point) --exponent;
    trailing = c == '0' ? trailing + 1 : 0;
    if (c == '0') {
      pending += result.mantissa == 0 ? 0 : 1;
    } else if (result.exact && digits + pending + 1 <= kMaxDigits) {
      result.mantissa = shifted(result.mantissa, pending + 1) + static_cast<std::uint64_t>(c - '0');
      digits += pending + 1;
      pending = 0;
    } else {
      result.exact = false;
      ++pending;
    }
  }
  if (!any_digit) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool negative = false;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
    if (at == text.size()) return std::nullopt;
    std::int64_t written = 0;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      written = std::min(written * 10 + (text[at] - '0'), kMaxExponent);
    }
    exponent += negative ? -written : written;
  }
  if (at != text.size()) return std::nullopt;
  if (result.mantissa == 0) return result;
  const auto place = [](std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp(value, -2 * kMaxExponent, 2 * kMaxExponent));
  };
  result.exponent = place(exponent + pending);
  result.last_place = place(exponent + trailing);
  return result;
}

bool looks_like_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]);
}

bool is_missing_value(std::string_view text) {
  constexpr std::array<std::string_view, 10> kMissing = {"",     "-",   "na",   "n/a",  "#n/a",
                                                         "<na>", "nan", "null", "none", "nil"};
  if (text.size() > 4) return false;
  return std::find(kMissing.begin(), kMissing.end(), lower(text)) != kMissing.end();
}

LengthText parse_length(std::string_view text) {
  // Nearly every value: a few digits.
  constexpr std::size_t kPlainDigits = 12;
  if (!text.empty() && text.size() <= kPlainDigits) {
    std::int64_t value = 0;
    bool plain = true;
    for (const char c : text) {
      plain = plain && is_digit(c);
      value = value * 10 + (c - '0');
    }
    if (plain && value > 0) return {value, std::nullopt};
  }
  if (is_missing_value(text)) return {0, Fault::missing};
  const std::optional<Decimal> decimal = parse_decimal(text);
  if (!decimal) return {0, why_not_a_number(text)};
  if (decimal->mantissa == 0) return {0, Fault::zero};
  if (decimal->negative) return {0, Fault::negative};
  if (decimal->last_place < 0) return {0, Fault::fractional};
  if (!decimal->exact) return {0, Fault::too_large};  // 20 digits or more
  auto value = decimal->mantissa;
  constexpr auto kMax = static_cast<std::uint64_t>(core::kMaxTokens);
  for (std::int32_t i = 0; i < decimal->exponent && value <= kMax; ++i) value *= 10;
  if (value > kMax) return {0, Fault::too_large};
  return {static_cast<std::int64_t>(value), std::nullopt};
}

}  // namespace dcpbench::datasets

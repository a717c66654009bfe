#include "datasets/number.hpp"

#include <gtest/gtest.h>

#include "core/sequence.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {
namespace {

std::int64_t value_of(std::string_view text) {
  const LengthText length = parse_length(text);
  EXPECT_FALSE(length.fault) << text;
  return length.value;
}

Fault fault_of(std::string_view text) {
  const LengthText length = parse_length(text);
  EXPECT_TRUE(length.fault) << text << " is read as " << length.value;
  return length.fault.value_or(Fault::bin);
}

TEST(Decimal, IsExact) {
  const auto decimal = parse_decimal("-12.3400e-2");
  ASSERT_TRUE(decimal);
  EXPECT_TRUE(decimal->negative);
  EXPECT_EQ(decimal->mantissa, 1234u);  // no trailing zeros
  EXPECT_EQ(decimal->exponent, -4);
  EXPECT_TRUE(decimal->exact);
  EXPECT_EQ(parse_decimal("0.000")->exponent, 0);
  // 21 digits: 19 are kept, and the number is known not to be exact.
  EXPECT_FALSE(parse_decimal("123456789012345678901")->exact);
  EXPECT_EQ(parse_decimal("100000000000000000000000")->mantissa, 1u);
  EXPECT_EQ(parse_decimal("512.00000000000000000001")->last_place, -20);
  EXPECT_EQ(parse_decimal("1e999999999999")->exponent, 100'000);
  for (const std::string_view text :
       {"", "+", ".", "e5", "1e", "1e+", "1.2.3", "1 ", "0x10", "1,0"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
}

TEST(Length, AcceptsWholeNumbersHoweverWritten) {
  EXPECT_EQ(value_of("512"), 512);
  EXPECT_EQ(value_of("+512"), 512);
  EXPECT_EQ(value_of("0512"), 512);
  EXPECT_EQ(value_of("512.000"), 512);
  EXPECT_EQ(value_of("1.000000000000000000e+03"), 1000);
  EXPECT_EQ(value_of("8.192e3"), 8192);
  EXPECT_EQ(value_of("5120e-1"), 512);
  EXPECT_EQ(value_of("4294967296"), INT64_C(4294967296));
  EXPECT_EQ(value_of("1099511627776"), core::kMaxTokens);
  EXPECT_EQ(value_of("1.099511627776e12"), core::kMaxTokens);
}

TEST(Length, SaysWhyNot) {
  for (const auto* text : {"", "NA", "nan", "NaN", "null", "None", "N/A", "-", "<NA>", "nil"}) {
    EXPECT_EQ(fault_of(text), Fault::missing) << text;
  }
  EXPECT_EQ(fault_of("0"), Fault::zero);
  EXPECT_EQ(fault_of("-0.0"), Fault::zero);
  EXPECT_EQ(fault_of("-5"), Fault::negative);
  EXPECT_EQ(fault_of("2.3"), Fault::fractional);
  EXPECT_EQ(fault_of("1.5e-2"), Fault::fractional);
  EXPECT_EQ(fault_of("1e-400"), Fault::fractional);
  EXPECT_EQ(fault_of("512.00000000000000000001"), Fault::fractional);
  EXPECT_EQ(fault_of("1099511627777"), Fault::too_large);
  EXPECT_EQ(fault_of("9223372036854775807"), Fault::too_large);
  EXPECT_EQ(fault_of("99999999999999999999"), Fault::too_large);
  EXPECT_EQ(fault_of("1e400"), Fault::too_large);
  for (const auto* text : {"1,024", "131,072", "1'024", "1_024", "1 024",
                           "1\xc2\xa0"
                           "024",
                           "1.048.576", "1,024.0"}) {
    EXPECT_EQ(fault_of(text), Fault::thousands) << text;
  }
  for (const auto* text : {"8k", "32K", "1M", "4Ki", "4 KiB", "12tokens", "1.5k"}) {
    EXPECT_EQ(fault_of(text), Fault::unit_suffix) << text;
  }
  for (const auto* text : {"2.3s", "55 sec", "100ms", "01:30", "00:01:30.5"}) {
    EXPECT_EQ(fault_of(text), Fault::duration) << text;
  }
  for (const auto* text :
       {"abc", "inf", "Infinity", "0x10", "512,5", "true", "2024-03-01 08:00:00.10"}) {
    EXPECT_EQ(fault_of(text), Fault::not_a_number) << text;
  }
}

TEST(Printable, IsAlwaysUtf8AndNeverControls) {
  EXPECT_EQ(printable("plain \xc3\xa9"), "plain \xc3\xa9");
  EXPECT_EQ(printable("Latin-1 \xe9"), "Latin-1 \\xE9");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1B[31m");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xC2\\x9B");           // a control character of C1
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "\\xC0\\xAF");           // overlong
  EXPECT_EQ(printable(std::string(100, 'a'), 10), "aaaaaaaaaa...");
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(find_invalid_utf8("\xf0\x9f\x98\x80"), std::string_view::npos);
}

}  // namespace
}  // namespace dcpbench::datasets

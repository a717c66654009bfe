#include "core/unit_text.hpp"

#include <gtest/gtest.h>

#include "tests/core/messages.hpp"

namespace dcpbench::core {
namespace {

double value(std::string_view text, Dimension dimension) {
  const auto parsed = parse_quantity(text, dimension);
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed.value_or(-1);
}

std::string mistake(std::string_view text, Dimension dimension) {
  const auto parsed = parse_quantity(text, dimension);
  EXPECT_FALSE(parsed) << text;
  return parsed ? std::string() : parsed.error();
}

TEST(Quantity, DecimalBinaryAndBitUnits) {
  EXPECT_EQ(value("141 GB", Dimension::bytes), 141e9);
  EXPECT_EQ(value("80 GiB", Dimension::bytes), 80.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(value("8MiB", Dimension::bytes), 8388608);
  EXPECT_EQ(value("450 GB/s", Dimension::bytes_per_second), 450e9);
  EXPECT_EQ(value("400 Gb/s", Dimension::bytes_per_second), 50e9);
  EXPECT_EQ(value("3.35 TB/s", Dimension::bytes_per_second), 3.35e12);
  EXPECT_EQ(value("989.5 TFLOP/s", Dimension::flops_per_second), 989.5e12);
  EXPECT_EQ(value("700 W", Dimension::watts), 700);
  EXPECT_EQ(value("5 us", Dimension::seconds), 5e-6);  // exactly the literal
  EXPECT_DOUBLE_EQ(value("16.9 us", Dimension::seconds), 16.9e-6);
  EXPECT_EQ(value("-1 s", Dimension::seconds), -1);  // ranges are the reader's business
}

TEST(Quantity, NanosecondsAreExact) {
  EXPECT_EQ(value("24576 ns", Dimension::nanoseconds), 24576);
  EXPECT_EQ(value("5.128e-6 ms", Dimension::nanoseconds), 5.128);
  EXPECT_EQ(value("3 s", Dimension::nanoseconds), 3e9);
}

TEST(Quantity, AMissingUnitListsTheAccepted) {
  const std::string text = mistake("400", Dimension::bytes_per_second);
  EXPECT_NE(text.find("\"400\" has no unit"), std::string::npos) << text;
  EXPECT_NE(text.find("GB/s"), std::string::npos);
  EXPECT_NE(text.find("Gb/s"), std::string::npos);
  mistake("400 ", Dimension::bytes_per_second);
}

TEST(Quantity, AnUnknownUnitIsNamed) {
  EXPECT_NE(mistake("450 GBs", Dimension::bytes_per_second).find("did you mean \"GB/s\""),
            std::string::npos);
  mistake("450 gb/s", Dimension::bytes_per_second);  // case decides between bits and bytes
  mistake("80 GB", Dimension::bytes_per_second);
  mistake("80 GB/s", Dimension::bytes);
  mistake("80 GB extra", Dimension::bytes);
}

TEST(Quantity, OnlyFiniteNumbers) {
  for (const char* text : {"", " 5 s", "fast", "inf s", "nan s", "1e999 s", "GB", "1e308 PFLOP/s",
                           "0x10 s", "+5 s", "1,5 s"}) {
    mistake(text, text == std::string_view("1e308 PFLOP/s") ? Dimension::flops_per_second
                                                            : Dimension::seconds);
  }
}

TEST(Bandwidth, IsShownInBytesAndBits) {
  EXPECT_EQ(bandwidth_text(BytesPerSecond(50e9)), "50 GB/s (400 Gb/s)");
}

}  // namespace
}  // namespace dcpbench::core

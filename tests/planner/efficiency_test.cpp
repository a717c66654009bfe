#include "planner/efficiency.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"

namespace dcpbench::planner {
namespace {

core::EfficiencyCurve curve(std::vector<core::EfficiencyCurve::Point> points) {
  return core::EfficiencyCurve{std::move(points)};
}

TEST(Efficiency, TimeIsLinearBetweenPoints) {
  // Effective sizes 100 / 0.5 = 200 and 200 / 0.8 = 250: halfway 225.
  const EfficiencyTable table(curve({{100, 0.5}, {200, 0.8}}), "test");
  EXPECT_DOUBLE_EQ(table.at(100).size, 200);
  EXPECT_DOUBLE_EQ(table.at(150).size, 225);
  EXPECT_DOUBLE_EQ(table.at(200).size, 250);
  EXPECT_EQ(table.at(150).extrapolation, 1);
  EXPECT_DOUBLE_EQ(table.best(), 1.25);
}

TEST(Efficiency, BelowTheFirstPointTowardsTheLatency) {
  // Slope 0.5, so 150 at size 0.
  const EfficiencyTable table(curve({{100, 0.5}, {200, 0.8}}), "test");
  EXPECT_DOUBLE_EQ(table.at(50).size, 175);
  EXPECT_DOUBLE_EQ(table.at(50).extrapolation, 2);
  EXPECT_TRUE(table.has_latency());
  EXPECT_EQ(table.at(0).size, 0);
  // Efficiency falls with size: the line would cross 0 before size 0, so proportional instead.
  const EfficiencyTable falling(curve({{100, 0.8}, {200, 0.5}}), "test");
  EXPECT_DOUBLE_EQ(falling.at(50).size, 62.5);
  EXPECT_FALSE(falling.has_latency());
}

TEST(Efficiency, AboveTheLastPointAtItsEfficiency) {
  const EfficiencyTable table(curve({{100, 0.5}, {200, 0.8}}), "test");
  EXPECT_DOUBLE_EQ(table.at(400).size, 500);
  EXPECT_DOUBLE_EQ(table.at(400).extrapolation, 2);
}

TEST(Efficiency, OnePointOrOneEfficiencyIsProportional) {
  const EfficiencyTable one(curve({{100, 0.5}}), "test");
  EXPECT_DOUBLE_EQ(one.at(10).size, 20);
  EXPECT_DOUBLE_EQ(one.at(1000).size, 2000);
  const EfficiencyTable same(curve({{1 << 20, 0.7432}, {1 << 30, 0.7432}}), "test");
  EXPECT_FALSE(same.has_latency());
  EXPECT_DOUBLE_EQ(same.at(1000).size, 1000 / 0.7432);
}

TEST(Efficiency, ALargerSizeThatTakesLessTimeIsRefused) {
  // 100 / 0.1 = 1000, then 200 / 0.5 = 400: 0.2 would be the most.
  try {
    const EfficiencyTable table(curve({{100, 0.1}, {200, 0.5}}), "device.gemm");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "device.gemm: size 200 would take less time than 100; its efficiency may be at most "
              "0.2");
  }
}

TEST(Efficiency, NeverFalls) {
  const EfficiencyTable table(curve({{3, 0.1}, {7, 0.22}, {50, 0.7}, {51, 0.6}, {977, 0.61}}),
                              "test");
  double previous = 0;
  for (int i = 1; i < 20000; ++i) {
    const double effective = table.at(i * 0.1).size;
    ASSERT_GE(effective, previous) << i;
    previous = effective;
  }
}

TEST(Efficiency, WrongCurvesAreRefusedWithAllFaults) {
  try {
    const EfficiencyTable table(curve({{100, 0.5}, {100, 0.0}}), "test");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    EXPECT_EQ(error.messages().size(), 2u);
  }
  EXPECT_THROW(EfficiencyTable(curve({}), "test"), core::Error);
}

TEST(Attention, PerQueryLinearIsExactAtConstantEfficiency) {
  const AttentionTable table(curve({{100, 0.5}, {200, 0.5}, {400, 0.25}}), "test");
  EXPECT_DOUBLE_EQ(table.at(150).size, 300);
  EXPECT_DOUBLE_EQ(table.at(50).size, 100);
  EXPECT_DOUBLE_EQ(table.at(300).size, 1000);  // between 400 and 1600
  EXPECT_DOUBLE_EQ(table.at(800).size, 3200);
  EXPECT_DOUBLE_EQ(table.at(800).extrapolation, 2);
}

TEST(Attention, SequencesBelowATileTakeTheTimeOfTheTile) {
  // 64 tokens at 0.1: 64 x 640 = 40960 per sequence, and the same for 1 token.
  const AttentionTable table(curve({{1, 1 / 40960.}, {64, 0.1}, {128, 0.2}, {256, 0.3}}), "test");
  for (const double keys : {1., 15., 63., 64.}) {
    EXPECT_NEAR(keys * table.at(keys).size, 40960, 1e-6) << keys;
  }
  // Between 64 and 128 efficiency grows as fast as the size: 640 per query.
  EXPECT_NEAR(table.at(96).size, 640, 1e-9);
  EXPECT_NEAR(table.at(192).size, (640 + 256 / 0.3) / 2, 1e-9);
}

TEST(Attention, TheTimeOfASequenceNeverFalls) {
  const AttentionTable table(
      curve({{1, 2e-5}, {64, 0.08}, {70, 0.0956}, {128, 0.18}, {512, 0.3}, {513, 0.29}}), "test");
  double previous = 0;
  for (int i = 1; i < 20000; ++i) {
    const double keys = i * 0.1;
    const double time = keys * table.at(keys).size;
    ASSERT_GE(time, previous * (1 - 1e-15)) << keys;
    previous = time;
  }
}

}  // namespace
}  // namespace dcpbench::planner

#include "core/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace dcpbench::core {
namespace {

TEST(Random, IsSplitMix64) {
  // First outputs for seed 1234567, as published with the reference implementation.
  Random random(1234567);
  EXPECT_EQ(random.next(), UINT64_C(6457827717110365317));
  EXPECT_EQ(random.next(), UINT64_C(3203168211198807973));
}

TEST(Random, BelowCoversItsRangeEvenly) {
  Random random(7);
  std::array<int, 3> hits{};
  for (int i = 0; i < 30000; ++i) ++hits[random.below(3)];
  for (const int count : hits) EXPECT_NEAR(count, 10000, 300);
}

TEST(WeightedDraw, FollowsTheWeights) {
  const std::array<std::uint64_t, 3> weights = {1, 0, 3};
  const WeightedDraw draw(weights);
  Random random(3);
  std::array<int, 3> hits{};
  for (int i = 0; i < 40000; ++i) ++hits[draw.draw(random)];
  EXPECT_NEAR(hits[0], 10000, 400);
  EXPECT_EQ(hits[1], 0);
  EXPECT_NEAR(hits[2], 30000, 400);
}

}  // namespace
}  // namespace dcpbench::core

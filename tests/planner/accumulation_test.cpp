#include "planner/accumulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/random.hpp"

namespace dcpbench::planner {
namespace {

using core::Nanoseconds;

// The published search as it is written: every multiple of every time as reference, every count of
// every group. Costs x 5: overshoot 6, shortfall 5.
std::int64_t brute_force_score(const std::vector<std::int64_t>& times) {
  const std::int64_t horizon = kHorizon * *std::max_element(times.begin(), times.end());
  std::int64_t best = -1;
  for (const std::int64_t time : times) {
    for (std::int64_t m = 1; m * time <= horizon; ++m) {
      const std::int64_t reference = m * time;
      std::int64_t total = 0;
      for (const std::int64_t other : times) {
        std::int64_t least = -1;
        for (std::int64_t g = 1; g * other <= horizon; ++g) {
          const std::int64_t x = g * other;
          const std::int64_t cost = x > reference ? 6 * (x - reference) : 5 * (reference - x);
          if (least < 0 || cost < least) least = cost;
        }
        total += least;
      }
      if (best < 0 || total < best) best = total;
    }
  }
  return best;
}

std::int64_t score_of(const std::vector<std::int64_t>& times, const AccumulationChoice& choice) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int64_t x = choice.counts[i] * times[i];
    total += x > choice.reference ? 6 * (x - choice.reference) : 5 * (choice.reference - x);
  }
  return total;
}

std::vector<Nanoseconds> as_times(const std::vector<std::int64_t>& values) {
  std::vector<Nanoseconds> times;
  for (const std::int64_t value : values) times.emplace_back(value);
  return times;
}

TEST(Accumulation, OneGroupFinishesWithItself) {
  const auto choice = choose_accumulation(as_times({7}));
  EXPECT_EQ(choice.score, 0);
  EXPECT_EQ(choice.counts, std::vector<std::int64_t>{1});
}

TEST(Accumulation, WorkedByHand) {
  // Times 4 and 6, horizon 30. r = 12: 3 x 4 and 2 x 6 meet exactly.
  const auto choice = choose_accumulation(as_times({4, 6}));
  EXPECT_EQ(choice.reference, 12);
  EXPECT_EQ(choice.score, 0);
  EXPECT_EQ(choice.counts, (std::vector<std::int64_t>{3, 2}));
}

TEST(Accumulation, EqualsBruteForceOnThousandsOfSmallInstances) {
  core::Random random(11);
  for (int trial = 0; trial < 4000; ++trial) {
    const std::uint64_t largest = trial % 3 == 0 ? 6 : trial % 3 == 1 ? 60 : 500;
    std::vector<std::int64_t> times(1 + random.below(7));
    for (std::int64_t& time : times) time = 1 + static_cast<std::int64_t>(random.below(largest));
    const auto choice = choose_accumulation(as_times(times));
    ASSERT_EQ(choice.score, brute_force_score(times)) << "trial " << trial;
    ASSERT_EQ(score_of(times, choice), choice.score) << "trial " << trial;
    for (const std::int64_t count : choice.counts) ASSERT_GE(count, 1);
  }
}

TEST(Accumulation, StaysBoundedForExtremeRatios) {
  std::vector<std::int64_t> times(1000, 1);
  times.push_back(core::kMaxCostNanoseconds);
  const auto choice = choose_accumulation(as_times(times));
  EXPECT_EQ(choice.counts.size(), times.size());
  EXPECT_GE(choice.score, 0);
}

}  // namespace
}  // namespace dcpbench::planner

#include "sim/disturbance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "tests/support/fake_cost.hpp"
#include "tests/support/plan_builder.hpp"

namespace dcpbench::sim {
namespace {

using core::Part;
using core::Timeline;
using test_support::FakeCost;
using test_support::PlannedWorkload;

TEST(Disturbance, NoneIsExactlyOne) {
  const Disturbance none(SimOptions{}, 4);
  EXPECT_TRUE(none.is_none());
  EXPECT_EQ(none.factor(3, 2, 1), 1.0);
}

TEST(Disturbance, JitterIsUniformAboveOne) {
  const Disturbance jitter({.jitter = 0.5, .seed = 7}, 100);
  double sum = 0;
  double least = 2;
  double most = 0;
  for (std::int32_t rank = 0; rank < 100; ++rank) {
    for (std::uint32_t ordinal = 0; ordinal < 100; ++ordinal) {
      const double factor = jitter.factor(0, rank, ordinal);
      sum += factor;
      least = std::min(least, factor);
      most = std::max(most, factor);
    }
  }
  EXPECT_GE(least, 1.0);
  EXPECT_LT(most, 1.5);
  // Mean 1.25; 10,000 draws of standard deviation 0.5 / sqrt(12) leave 0.0014: five of them.
  EXPECT_NEAR(sum / 10000, 1.25, 0.0072);
}

TEST(Disturbance, NamesEveryOptionOutOfRange) {
  try {
    const Disturbance wrong({.jitter = -0.1, .slow_rank = 4, .slow_factor = 0.5}, 4);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    ASSERT_EQ(error.messages().size(), 3u);
    EXPECT_EQ(error.messages()[0], "jitter: -0.1 is not a finite number of at least 0");
    EXPECT_EQ(error.messages()[1], "slow factor: 0.5 is not a finite number of at least 1");
    EXPECT_EQ(error.messages()[2], "slow rank: 4 is not one of the ranks 0..3 (-1: none)");
  }
  EXPECT_THROW(Disturbance({.jitter = std::nan("")}, 4), core::Error);
}

TEST(Simulate, SlowRankMakesItsGroupWait) {
  FakeCost cost(2);
  cost.set(100, 2, 40, 10, 6, 30);
  cost.set_step(40, 0, 0, 0);
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(0, 2, {100});
  core::mark_closing(planned.plan);
  const Timeline timeline =
      simulate(planned.plan, planned.workload, cost, {.slow_rank = 1, .slow_factor = 1.5});
  // Rank 1 computes 60 + 15; then 6 of transfer: 81. Window 30: 51 + 40 = 91.
  EXPECT_EQ(timeline.steps[0].duration.value(), 91);
  const core::PartTimes fast = timeline.cells[0];
  EXPECT_EQ(fast[Part::compute].value(), 40);
  EXPECT_EQ(fast[Part::recompute].value(), 10);
  EXPECT_EQ(fast[Part::communication].value(), 6);
  EXPECT_EQ(fast[Part::idle].value(), 25);
  const core::PartTimes slow = timeline.cells[1];
  EXPECT_EQ(slow[Part::compute].value(), 60);
  EXPECT_EQ(slow[Part::recompute].value(), 15);
  EXPECT_EQ(slow[Part::communication].value(), 6);
  EXPECT_EQ(slow[Part::idle].value(), 0);
  EXPECT_EQ(timeline.steps[0].slowest_rank, 1);
}

PlannedWorkload three_micro_batches(bool swapped) {
  PlannedWorkload planned(4);
  planned.begin_step();
  planned.add(0, 1, {1000});
  planned.add(swapped ? 2 : 0, 2, {2000});
  planned.add(swapped ? 0 : 2, 2, {2000});
  core::mark_closing(planned.plan);
  return planned;
}

TEST(Simulate, JitterDependsOnTheSeedAndNotOnTheListOrder) {
  FakeCost cost(4);
  cost.per_token = 1000;
  const auto simulated = [&](bool swapped, std::uint64_t seed) {
    const PlannedWorkload planned = three_micro_batches(swapped);
    return simulate(planned.plan, planned.workload, cost, {.jitter = 0.2, .seed = seed});
  };
  const Timeline first = simulated(false, 1);
  const Timeline again = simulated(false, 1);
  const Timeline swapped = simulated(true, 1);
  const Timeline other = simulated(false, 2);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(first.cells[rank].value, again.cells[rank].value);
    EXPECT_EQ(first.cells[rank].value, swapped.cells[rank].value);
    EXPECT_NE(first.cells[rank].value, other.cells[rank].value);
    EXPECT_NE(first.cells[rank][Part::compute], first.cells[(rank + 1) % 4][Part::compute]);
  }
  // Rank 3 runs 1,000,000 ns undisturbed.
  EXPECT_GE(first.cells[3][Part::compute].value(), 1'000'000);
  EXPECT_LE(first.cells[3][Part::compute].value(), 1'200'000);
}

TEST(Simulate, JitterIsDrawnByStepAndByTheRanksOwnMicroBatch) {
  FakeCost cost(1);
  cost.per_token = 1000;
  PlannedWorkload planned(1);
  planned.begin_step();
  planned.add(0, 1, {1000});
  planned.add(0, 1, {1000});
  planned.begin_step();
  planned.add(0, 1, {1000});
  const SimOptions options = {.jitter = 0.2, .seed = 3};
  const Timeline timeline = simulate(planned.plan, planned.workload, cost, options);
  const Disturbance disturbance(options, 1);
  const auto time = [&](std::size_t step, std::uint32_t ordinal) {
    return std::llround(1e6 * disturbance.factor(step, 0, ordinal));
  };
  EXPECT_NE(time(0, 0), time(0, 1));
  EXPECT_NE(time(0, 0), time(1, 0));
  EXPECT_EQ(timeline.steps[0].duration.value(), time(0, 0) + time(0, 1));
  EXPECT_EQ(timeline.steps[1].duration.value(), time(1, 0));
}

}  // namespace
}  // namespace dcpbench::sim

// Properties of every simulation, on random plans and random costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "sim/simulator.hpp"
#include "tests/support/fake_cost.hpp"
#include "tests/support/plan_builder.hpp"

namespace dcpbench::sim {
namespace {

using core::Nanoseconds;
using core::PartTimes;
using core::Random;
using core::Timeline;
using test_support::FakeCost;
using test_support::PlannedWorkload;

constexpr std::int32_t kWorlds[] = {1, 2, 3, 4, 6, 8, 13, 16};

std::int64_t up_to(Random& random, std::int64_t bound) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound) + 1));
}

// Everything that a cost is made of, so that "faster" can mean less of each.
struct RandomCosts {
  struct Pieces {
    std::int64_t forward, backward, recompute, forward_transfer, backward_transfer;
  };
  std::map<std::pair<std::int64_t, std::int32_t>, Pieces> micro_batches;  // tokens, degree
  std::int64_t gather, sync, tail, optimizer, overhead;

  RandomCosts(Random& random, const PlannedWorkload& planned) {
    for (const core::MicroBatch& batch : planned.plan.micro_batches) {
      std::int64_t longest = 0;
      for (const std::uint32_t id : planned.plan.sequences_of(batch)) {
        longest = std::max(longest, planned.workload.sequences[id].shape.tokens);
      }
      micro_batches[{longest * batch.sequence_count, batch.sp_degree}] = {
          up_to(random, 400), up_to(random, 800), up_to(random, 300), up_to(random, 100),
          up_to(random, 200)};
    }
    gather = up_to(random, 3000);
    sync = up_to(random, 3000);
    tail = up_to(random, 300);
    optimizer = up_to(random, 100);
    overhead = up_to(random, 100);
  }

  // Every number, each for itself, becomes smaller or stays.
  void reduce(Random& random) {
    const auto less = [&random](std::int64_t& value) { value -= up_to(random, value) / 2; };
    for (auto& [key, pieces] : micro_batches) {
      less(pieces.forward);
      less(pieces.backward);
      less(pieces.recompute);
      less(pieces.forward_transfer);
      less(pieces.backward_transfer);
    }
    for (std::int64_t* value : {&gather, &sync, &tail, &optimizer, &overhead}) less(*value);
  }

  [[nodiscard]] FakeCost model(const core::Plan& plan) const {
    FakeCost cost(plan.ranks);
    cost.is_lockstep = plan.lockstep;
    cost.gather = gather;
    cost.set_step(sync, tail, optimizer, overhead);
    for (const auto& [key, pieces] : micro_batches) {
      cost.set(key.first, key.second, pieces.forward + pieces.backward, pieces.recompute,
               pieces.forward_transfer + pieces.backward_transfer,
               pieces.backward + pieces.recompute + pieces.backward_transfer);
    }
    return cost;
  }
};

void expect_consistent(const PlannedWorkload& planned, const Timeline& timeline) {
  const auto ranks = static_cast<std::size_t>(planned.plan.ranks);
  ASSERT_EQ(timeline.steps.size(), planned.plan.steps.size());
  ASSERT_EQ(timeline.cells.size(), ranks * timeline.steps.size());
  std::vector<PartTimes> totals(ranks);
  for (std::size_t s = 0; s < timeline.steps.size(); ++s) {
    const core::StepTiming& step = timeline.steps[s];
    PartTimes sum;
    Nanoseconds busy_max(0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const PartTimes& cell = timeline.cells[s * ranks + rank];
      EXPECT_EQ(cell.total(), step.duration);
      for (const Nanoseconds part : cell.value) EXPECT_GE(part.value(), 0);
      sum += cell;
      totals[rank] += cell;
      busy_max = std::max(busy_max, cell.busy());
    }
    EXPECT_EQ(sum.value, step.sum_over_ranks.value);
    EXPECT_EQ(busy_max, step.busy_max);
    EXPECT_EQ(sum.busy(), step.busy_sum);
    EXPECT_GE(step.duration, step.busy_max);
    const auto slowest = static_cast<std::size_t>(step.slowest_rank);
    EXPECT_EQ(timeline.cells[s * ranks + slowest].busy(), busy_max);
    std::int64_t tokens = 0;
    for (const core::MicroBatch& batch : planned.plan.micro_batches_of(planned.plan.steps[s])) {
      tokens += batch.loss_tokens;  // the builder gives every token a loss
    }
    EXPECT_EQ(step.tokens_sum, tokens);
    EXPECT_LE(step.tokens_max, tokens);
    EXPECT_GE(static_cast<double>(step.tokens_max) + 0.5,
              static_cast<double>(tokens) / planned.plan.ranks);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(totals[rank].value, timeline.rank_totals[rank].value);
  }
}

class SimulatorProperty : public testing::TestWithParam<bool> {};  // lockstep

TEST_P(SimulatorProperty, PartsSumToTheDurationAndMarginalsToTheCells) {
  Random random(GetParam() ? 11 : 12);
  for (int i = 0; i < 400; ++i) {
    const PlannedWorkload planned =
        test_support::random_plan(random, kWorlds[random.below(std::size(kWorlds))], GetParam());
    const FakeCost cost = RandomCosts(random, planned).model(planned.plan);
    SimOptions options;
    if (i % 2 == 1)
      options = {.jitter = 0.3, .seed = random.next(), .slow_rank = 0, .slow_factor = 2};
    const Timeline timeline = simulate(planned.plan, planned.workload, cost, options);
    expect_consistent(planned, timeline);

    options.keep_cells = false;
    const Timeline small = simulate(planned.plan, planned.workload, cost, options);
    EXPECT_TRUE(small.cells.empty());
    for (std::size_t rank = 0; rank < small.rank_totals.size(); ++rank) {
      EXPECT_EQ(small.rank_totals[rank].value, timeline.rank_totals[rank].value);
    }
    for (std::size_t s = 0; s < small.steps.size(); ++s) {
      EXPECT_EQ(small.steps[s].sum_over_ranks.value, timeline.steps[s].sum_over_ranks.value);
    }
    if (testing::Test::HasFailure()) FAIL() << "case " << i;
  }
}

TEST_P(SimulatorProperty, LowerCostsNeverMakeAStepLonger) {
  Random random(GetParam() ? 21 : 22);
  for (int i = 0; i < 400; ++i) {
    const PlannedWorkload planned =
        test_support::random_plan(random, kWorlds[random.below(std::size(kWorlds))], GetParam());
    RandomCosts costs(random, planned);
    const FakeCost slow = costs.model(planned.plan);
    costs.reduce(random);
    const FakeCost fast = costs.model(planned.plan);
    const SimOptions options = {.jitter = i % 2 == 0 ? 0.0 : 0.4, .seed = 5};
    const Timeline before = simulate(planned.plan, planned.workload, slow, options);
    const Timeline after = simulate(planned.plan, planned.workload, fast, options);
    for (std::size_t s = 0; s < before.steps.size(); ++s) {
      EXPECT_LE(after.steps[s].duration, before.steps[s].duration) << "case " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SimulatorProperty, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "Lockstep" : "FreeRunning"; });

}  // namespace
}  // namespace dcpbench::sim

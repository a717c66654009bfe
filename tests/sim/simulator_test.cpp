#include "sim/simulator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "core/configs.hpp"
#include "core/error.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/rounding.hpp"
#include "tests/support/fake_cost.hpp"
#include "tests/support/plan_builder.hpp"

namespace dcpbench::sim {
namespace {

using core::Part;
using core::Timeline;
using test_support::FakeCost;
using test_support::PlannedWorkload;

Timeline run(PlannedWorkload& planned, const planner::CostModel& cost,
             const SimOptions& options = {}) {
  core::mark_closing(planned.plan);
  return simulate(planned.plan, planned.workload, cost, options);
}

// compute, recompute, communication, idle, gradient_sync, optimizer, overhead
using Row = std::array<std::int64_t, core::kParts>;
Row row(const core::PartTimes& parts) {
  Row result{};
  for (std::size_t i = 0; i < core::kParts; ++i) result[i] = parts.value[i].value();
  return result;
}
std::int64_t duration(const Timeline& timeline, std::size_t step = 0) {
  return timeline.steps[step].duration.value();
}
std::int64_t exposed_sync(const Timeline& timeline) {
  return timeline.cells[0][Part::gradient_sync].value();
}

TEST(Simulate, TwoGroupsAndTheSlowerDecides) {
  FakeCost cost(4);
  cost.set(100, 2, 60, 20, 10);   // 90
  cost.set(200, 2, 100, 30, 20);  // 150
  cost.set_step(40, 5, 7, 3);
  PlannedWorkload planned(4);
  planned.begin_step();
  planned.add(0, 2, {100});
  planned.add(2, 2, {200});
  const Timeline timeline = run(planned, cost);

  // 150 of work, 40 of reduction (nothing hides it: backward is 0), 7 and 3.
  const core::StepTiming& step = timeline.steps[0];
  EXPECT_EQ(step.duration.value(), 200);
  EXPECT_EQ(row(timeline.cells[0]), (Row{60, 20, 10, 60, 40, 7, 3}));
  EXPECT_EQ(row(timeline.cells[1]), row(timeline.cells[0]));
  EXPECT_EQ(row(timeline.cells[2]), (Row{100, 30, 20, 0, 40, 7, 3}));
  EXPECT_EQ(row(step.sum_over_ranks), (Row{320, 100, 60, 120, 160, 28, 12}));
  EXPECT_EQ(step.busy_max.value(), 150);
  EXPECT_EQ(step.busy_sum.value(), 480);  // 90 + 90 + 150 + 150
  EXPECT_EQ(step.slowest_rank, 2);
  EXPECT_EQ(step.tokens_max, 100);  // 200 / 2
  EXPECT_EQ(step.tokens_sum, 300);
  EXPECT_EQ(step.peak_memory.value(), 100);  // the fake's byte per token and rank
}

TEST(Simulate, GroupsOfChangingSizesWaitForTheirLastMember) {
  FakeCost cost(4);
  cost.set(10, 1, 30);
  cost.set(20, 2, 40, 0, 5);
  cost.set(80, 4, 100, 0, 10);
  PlannedWorkload planned(4);
  planned.begin_step();
  planned.add(0, 1, {10});  // rank 0:      0.. 30
  planned.add(0, 2, {20});  // ranks 0, 1: 30.. 75, rank 1 waited 30
  planned.add(2, 2, {20});  // ranks 2, 3:  0.. 45
  planned.add(0, 4, {80});  // all:        75..185, ranks 2 and 3 waited 30
  planned.add(3, 1, {10});  // rank 3:    185..215, the others wait 30
  const Timeline timeline = run(planned, cost);

  EXPECT_EQ(duration(timeline), 215);
  EXPECT_EQ(row(timeline.cells[0]), (Row{170, 0, 15, 30, 0, 0, 0}));
  EXPECT_EQ(row(timeline.cells[1]), (Row{140, 0, 15, 60, 0, 0, 0}));
  EXPECT_EQ(row(timeline.cells[2]), (Row{140, 0, 15, 60, 0, 0, 0}));
  EXPECT_EQ(row(timeline.cells[3]), (Row{170, 0, 15, 30, 0, 0, 0}));
  EXPECT_EQ(timeline.steps[0].slowest_rank, 0);  // 185, as rank 3: the lower one is named
  // Tokens: rank 0 has 10 + 20/2 + 80/4 = 40.
  EXPECT_EQ(timeline.steps[0].tokens_max, 40);
  EXPECT_EQ(timeline.steps[0].tokens_sum, 140);
}

// Two ranks, one closing micro-batch each: 0..100 with its backward from 40, 0..130 from 50.
PlannedWorkload two_closing(FakeCost& cost) {
  cost.set(100, 1, 100, 0, 0, 60);
  cost.set(200, 1, 130, 0, 0, 80);
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(0, 1, {100});
  planned.add(1, 1, {200});
  return planned;
}

TEST(Simulate, ReductionHidesUnderTheBackwardOfClosingMicroBatches) {
  FakeCost cost(2);
  PlannedWorkload planned = two_closing(cost);
  // All ranks have gradients from max(40, 50) on: 50 + 100 = 150, the work ends at 130.
  cost.set_step(100, 10, 0, 0);
  EXPECT_EQ(exposed_sync(run(planned, cost)), 20);
  EXPECT_EQ(duration(run(planned, cost)), 150);
  // 50 + 20 = 70 is long over at 130, but the last gradients still have 10 to go.
  cost.set_step(20, 10, 0, 0);
  EXPECT_EQ(exposed_sync(run(planned, cost)), 10);
  cost.set_step(0, 0, 0, 0);
  EXPECT_EQ(exposed_sync(run(planned, cost)), 0);
}

TEST(Simulate, OnlyTheClosingMarkOpensTheWindow) {
  FakeCost cost(2);
  cost.set_step(100, 10, 0, 0);
  PlannedWorkload planned = two_closing(cost);
  for (core::MicroBatch& batch : planned.plan.micro_batches) batch.closing = false;
  const Timeline timeline = simulate(planned.plan, planned.workload, cost, {});
  EXPECT_EQ(exposed_sync(timeline), 100);
}

TEST(Simulate, RankWhoseLastMicroBatchIsNotClosingGivesItsGradientsAtItsEnd) {
  FakeCost cost(2);
  cost.set(100, 2, 50, 0, 0, 30);
  cost.set(10, 1, 20, 0, 0, 20);
  cost.set_step(40, 5, 0, 0);
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(0, 2, {100});  // 0..50, not closing: rank 0 runs another
  planned.add(0, 1, {10});   // rank 0: 50..70, all of it backward
  const Timeline timeline = run(planned, cost);
  // Ready: rank 0 at 50, rank 1 at 50 (not at 20). 50 + 40 = 90, the work ends at 70.
  EXPECT_EQ(row(timeline.cells[0]), (Row{70, 0, 0, 0, 20, 0, 0}));
  EXPECT_EQ(row(timeline.cells[1]), (Row{50, 0, 0, 20, 20, 0, 0}));
}

TEST(Simulate, RankWithoutMicroBatchIsReadyAtOnceAndIdle) {
  FakeCost cost(2);
  cost.set(100, 1, 100, 0, 0, 60);
  cost.set_step(70, 5, 2, 1);
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(1, 1, {100});
  const Timeline timeline = run(planned, cost);
  // Ready at max(0, 40): 40 + 70 = 110, 10 beyond the work.
  EXPECT_EQ(row(timeline.cells[0]), (Row{0, 0, 0, 100, 10, 2, 1}));
  EXPECT_EQ(row(timeline.cells[1]), (Row{100, 0, 0, 0, 10, 2, 1}));
}

TEST(Simulate, EveryStepStartsAfresh) {
  FakeCost cost(2);
  cost.set(10, 1, 30, 0, 0, 30);
  cost.set(20, 1, 50);
  cost.set_step(40, 0, 0, 0);
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(0, 1, {10});
  planned.add(1, 1, {20});
  planned.begin_step();
  planned.add(0, 1, {20});
  planned.add(0, 1, {10});
  planned.begin_step();
  planned.add(0, 1, {10});
  const Timeline timeline = run(planned, cost);
  EXPECT_EQ(duration(timeline, 0), 90);  // rank 1 gives its gradients at 50: 50 + 40
  EXPECT_EQ(duration(timeline, 1), 90);  // 80 of work, ready at 50
  EXPECT_EQ(duration(timeline, 2), 40);  // ready at 0: all of 0..30 is backward
  EXPECT_EQ(row(timeline.rank_totals[0]), (Row{140, 0, 0, 20, 60, 0, 0}));
  EXPECT_EQ(row(timeline.rank_totals[1]), (Row{50, 0, 0, 110, 60, 0, 0}));
}

TEST(Simulate, LockstepRoundsTakeTheirBusiestRankAndTheGather) {
  FakeCost cost(4);
  cost.is_lockstep = true;
  cost.gather = 60;
  cost.set(100, 2, 40, 0, 10, 30);
  cost.set(10, 1, 30);
  cost.set(20, 1, 70, 0, 0, 50);
  cost.set_step(20, 30, 4, 1);
  PlannedWorkload planned(4);
  planned.plan.lockstep = true;
  planned.begin_step(2);
  planned.add(0, 2, {100}, 0);
  planned.add(2, 1, {10}, 0);
  planned.add(3, 1, {20}, 1);
  const Timeline timeline = run(planned, cost);
  // Round 0: busiest 50, 10 of the 60 of gather exposed. Round 1: 70 hides it. Work: 130.
  // Reduction max(20, 30): no window. 130 + 30 + 4 + 1.
  EXPECT_EQ(duration(timeline), 165);
  EXPECT_EQ(row(timeline.cells[0]), (Row{40, 0, 20, 70, 30, 4, 1}));
  EXPECT_EQ(row(timeline.cells[2]), (Row{30, 0, 10, 90, 30, 4, 1}));
  EXPECT_EQ(row(timeline.cells[3]), (Row{70, 0, 10, 50, 30, 4, 1}));
}

TEST(Simulate, CostDependsOnTheNodesOfTheBlock) {
  FakeCost cost(4);
  cost.node = 2;
  cost.transfer_per_node = 1000;
  cost.set(100, 2, 50, 0, 5);
  cost.set(100, 4, 25, 0, 5);
  PlannedWorkload planned(4);
  planned.begin_step();
  planned.add(2, 2, {100});  // inside the second node
  planned.begin_step();
  planned.add(0, 4, {100});  // both nodes
  const Timeline timeline = run(planned, cost);
  EXPECT_EQ(duration(timeline, 0), 55);
  EXPECT_EQ(duration(timeline, 1), 1030);
}

TEST(Simulate, PaddedTokensCostAndOnlyUsefulOnesCount) {
  FakeCost cost(1);
  cost.set(200, 1, 10);
  PlannedWorkload planned(1);  // padding: longest
  planned.begin_step();
  planned.add(0, 1, {100, 50});
  planned.add(0, 1, {70, 100});  // executes like the first: the model is asked once
  const Timeline timeline = run(planned, cost);
  EXPECT_EQ(duration(timeline), 20);
  EXPECT_EQ(timeline.steps[0].tokens_sum, 320);
  EXPECT_EQ(timeline.steps[0].peak_memory.value(), 200);
  EXPECT_EQ(cost.asked, 1);
}

TEST(Simulate, KeepsCellsOnlyWhileTheyAreFew) {
  FakeCost cost(16384);
  cost.set(10, 1, 30);
  PlannedWorkload planned(16384);
  for (int step = 0; step < 611; ++step) {  // 611 x 16384 is just above kMaxCells
    planned.begin_step();
    planned.add(0, 1, {10});
  }
  const Timeline timeline = run(planned, cost);
  EXPECT_TRUE(timeline.cells.empty());
  EXPECT_EQ(row(timeline.rank_totals[0]), (Row{611 * 30, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(row(timeline.rank_totals[16383]), (Row{0, 0, 0, 611 * 30, 0, 0, 0}));
}

std::string error_of(PlannedWorkload& planned, const planner::CostModel& cost,
                     const SimOptions& options) {
  try {
    (void)run(planned, cost, options);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Simulate, RefusesWhatItCanNotAddUp) {
  FakeCost cost(2);
  PlannedWorkload planned(2);
  planned.begin_step();
  planned.add(0, 1, {10});
  planned.add(0, 1, {10});
  // The longest step of few ranks is below 2^60: twice half of that does not fit.
  const std::int64_t half = planner::kMaxPartNanoseconds / 2;
  cost.set(10, 1, half - 1);
  EXPECT_EQ(error_of(planned, cost, {}), "");
  cost.set(10, 1, half);
  EXPECT_NE(error_of(planned, cost, {}).find("step 0 takes more than"), std::string::npos);
  cost.set(10, 1, core::kMaxCostNanoseconds, core::kMaxCostNanoseconds, core::kMaxCostNanoseconds);
  EXPECT_NE(error_of(planned, cost, {}).find("step 0 takes more than"), std::string::npos);
  cost.set(10, 1, 5);
  cost.set_step(core::kMaxCostNanoseconds, 0, 0, 0);
  EXPECT_NE(error_of(planned, cost, {}).find("step 0 takes more than"), std::string::npos);
}

// Of three sequences of 2^40 tokens each takes 2^80 ns: cut to the largest cost, which is no
// prediction.
TEST(Simulate, RefusesACostThatWasCut) {
  const core::Cluster one = core::with_gpus(core::load_cluster("ideal"), 1);
  const auto ideal = planner::make_cost_model(one, nullptr, {});
  PlannedWorkload planned(1);
  planned.begin_step();
  planned.add(0, 1, {core::kMaxTokens, core::kMaxTokens, core::kMaxTokens});
  EXPECT_NE(error_of(planned, *ideal, {}).find("step 0 takes more than"), std::string::npos);

  FakeCost cost(1);
  PlannedWorkload small(1);
  small.begin_step();
  small.add(0, 1, {10});
  cost.set(10, 1, planner::kMaxPartNanoseconds - 1);
  EXPECT_EQ(error_of(small, cost, {}), "");
  cost.set(10, 1, planner::kMaxPartNanoseconds);
  EXPECT_NE(error_of(small, cost, {}), "");
}

TEST(Simulate, ExtrapolatedReductionsCount) {
  FakeCost cost(1);
  cost.set(10, 1, 30);
  cost.costs[{10, 1}].extrapolation = 2;
  PlannedWorkload planned(1);
  planned.begin_step();
  planned.add(0, 1, {10});
  EXPECT_EQ(run(planned, cost).max_extrapolation, 2);
  cost.step_cost.extrapolation = 3;
  EXPECT_EQ(run(planned, cost).max_extrapolation, 3);
}

TEST(Simulate, RefusesAClusterOfAnotherSize) {
  FakeCost cost(4);
  PlannedWorkload planned(2);
  EXPECT_EQ(error_of(planned, cost, {}),
            "the plan is for 2 ranks, the cluster it is simulated on has 4");
}

}  // namespace
}  // namespace dcpbench::sim

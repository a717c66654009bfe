// What holds for every strategy on every problem: thousands of random ones, reproducible by seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "planner/lower_bound.hpp"
#include "planner/oversize.hpp"
#include "planner/plan_facts.hpp"
#include "planner/strategy.hpp"
#include "planner/validate.hpp"
#include "report/summarize.hpp"
#include "sim/simulator.hpp"
#include "tests/support/blocking_world.hpp"
#include "tests/support/random_run.hpp"

namespace dcpbench {
namespace {

using core::Plan;
using core::Timeline;
using core::Workload;
using planner::CostModel;
using test_support::RandomRun;

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> ids) {
  std::ranges::sort(ids);
  return ids;
}

std::vector<std::uint32_t> ids_of(const Plan& plan, const core::Step& step) {
  std::vector<std::uint32_t> ids;
  for (const core::MicroBatch& batch : plan.micro_batches_of(step)) {
    const auto sequences = plan.sequences_of(batch);
    ids.insert(ids.end(), sequences.begin(), sequences.end());
  }
  return sorted(std::move(ids));
}

// `equal`: the plan has the workload's steps, in order, each with its sequences and no others.
void expect_equal_steps(const Plan& plan, const Workload& workload) {
  ASSERT_EQ(plan.steps.size(), workload.steps.size());
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const core::SequenceRange range = workload.steps[s];
    std::vector<std::uint32_t> expected(range.count);
    std::iota(expected.begin(), expected.end(), range.first);
    EXPECT_EQ(ids_of(plan, plan.steps[s]), expected);
  }
}

// Each sequence once: executed or dropped.
void expect_partition(const Plan& plan, const Workload& workload) {
  std::vector<std::uint32_t> ids = plan.sequence_ids;
  ids.insert(ids.end(), plan.dropped.begin(), plan.dropped.end());
  ids = sorted(std::move(ids));
  ASSERT_EQ(ids.size(), workload.sequences.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
}

// Sum over micro-batches of loss_tokens / (the step's loss_tokens) = 1, in integers.
void expect_weights(const Plan& plan, const Workload& workload) {
  for (const core::Step& step : plan.steps) {
    std::int64_t sum = 0;
    for (const core::MicroBatch& batch : plan.micro_batches_of(step)) {
      std::int64_t loss = 0;
      for (const std::uint32_t id : plan.sequences_of(batch)) {
        loss += workload.sequences[id].loss_tokens;
      }
      EXPECT_EQ(batch.loss_tokens, loss);
      sum += loss;
    }
    EXPECT_EQ(step.loss_tokens, sum);
    EXPECT_GT(sum, 0);
  }
}

void expect_closing_marks(const Plan& plan) {
  Plan marked = plan;
  core::mark_closing(marked);
  EXPECT_EQ(core::plan_digest(marked), core::plan_digest(plan));
}

void expect_round_trip(const Plan& plan) {
  const std::string text = core::plan_to_json(plan);
  EXPECT_EQ(core::plan_digest(core::plan_from_json(text, "plan.json")), core::plan_digest(plan));
}

core::Nanoseconds total(const Timeline& timeline) {
  core::Nanoseconds sum(0);
  for (const core::StepTiming& step : timeline.steps) sum += step.duration;
  return sum;
}

void expect_bound_and_breakdown(const Plan& plan, const Workload& workload, const CostModel& cost,
                                Timeline timeline) {
  const auto bound = planner::lower_bound(plan, workload, cost);
  ASSERT_TRUE(bound.has_value()) << bound.error().reason;
  EXPECT_LE(*bound, total(timeline));
  for (const core::StepTiming& step : timeline.steps) {
    EXPECT_EQ(step.sum_over_ranks.total(), step.duration * std::int64_t{plan.ranks});
  }
  report::RunFacts facts;
  facts.executed_tokens = planner::plan_facts(plan, workload, cost).executed_tokens;
  const report::Result result = report::make_result(plan, workload, std::move(timeline), facts);
  double parts = 0;
  for (const double part : result.breakdown_seconds) parts += part;
  EXPECT_NEAR(parts, result.total_seconds, 1e-9 * result.total_seconds);
}

void expect_faster_is_not_slower(const RandomRun& run, const Plan& plan,
                                 core::Nanoseconds simulated) {
  for (const auto& [what, cluster] : test_support::faster_clusters(run.cluster)) {
    RandomRun faster = run;
    faster.cluster = cluster;
    EXPECT_LE(total(sim::simulate(plan, run.workload, *faster.cost(), {})), simulated) << what;
  }
}

void check_plan(const planner::Strategy& strategy, const planner::PlanRequest& request,
                const Plan& plan, const RandomRun& run) {
  const Workload& workload = request.workload;
  ASSERT_EQ(planner::validate(plan, workload, request.cost), std::vector<std::string>{});
  expect_partition(plan, workload);
  expect_weights(plan, workload);
  if (request.options.accounting == core::Accounting::equal) expect_equal_steps(plan, workload);
  EXPECT_TRUE(request.options.drop_last || plan.dropped.empty());
  expect_closing_marks(plan);
  EXPECT_EQ(core::plan_digest(strategy.plan(request).value()), core::plan_digest(plan));
  EXPECT_EQ(test_support::blocking_world(plan).run(), std::nullopt);

  const Timeline timeline = sim::simulate(plan, workload, request.cost, {});
  expect_bound_and_breakdown(plan, workload, request.cost, timeline);
  if (request.options.seed % 4 == 0) {
    expect_round_trip(plan);
    expect_faster_is_not_slower(run, plan, total(timeline));
  }
}

// The number of plans made.
int check(RandomRun run) {
  const std::unique_ptr<CostModel> cost = run.cost();
  if (const auto refused = planner::apply_oversize(run.workload, *cost, planner::Oversize::error)) {
    EXPECT_FALSE(refused->reason.empty());
    return 0;
  }
  int plans = 0;
  for (const planner::Strategy& strategy : planner::strategies()) {
    SCOPED_TRACE(std::string(strategy.name));
    const planner::PlanRequest request{run.workload, *cost, run.plan_options, nullptr};
    const planner::PlanResult result = strategy.plan(request);
    if (result) {
      ++plans;
      check_plan(strategy, request, *result, run);
    } else {
      EXPECT_FALSE(result.error().reason.empty());
    }
  }
  return plans;
}

// Shards, so that ctest -j spreads them over the cores.
class StrategyProperties : public testing::TestWithParam<int> {};
constexpr int kShards = 8;
constexpr int kRunsPerShard = 250;

TEST_P(StrategyProperties, HoldOnRandomRuns) {
  int plans = 0;
  for (int i = 0; i < kRunsPerShard && !HasFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * kRunsPerShard + i);
    const RandomRun run = test_support::random_run(seed);
    SCOPED_TRACE(run.description);
    try {
      plans += check(run);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  // Not vacuous: most problems have plans.
  EXPECT_GT(plans, kRunsPerShard) << "of " << kRunsPerShard << " runs";
}

INSTANTIATE_TEST_SUITE_P(Seeds, StrategyProperties, testing::Range(0, kShards));

}  // namespace
}  // namespace dcpbench

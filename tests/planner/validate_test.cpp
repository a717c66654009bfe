#include "planner/validate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "planner/strategy.hpp"
#include "tests/support/fake_cost.hpp"

namespace dcpbench::planner {
namespace {

core::Workload lengths(std::initializer_list<std::int64_t> values) {
  core::Workload workload;
  for (const std::int64_t tokens : values) {
    workload.sequences.push_back(
        {{tokens, 0, 0}, tokens, static_cast<std::uint32_t>(workload.sequences.size())});
  }
  core::single_step(workload);
  return workload;
}

class Validate : public testing::Test {
 protected:
  Validate() : cost_(4), workload_(lengths({8, 4, 2, 6})) {
    cost_.per_token = 10;
    plan_.ranks = 4;
    plan_.sequence_ids = {0, 1, 2, 3};
    plan_.micro_batches = {{.first_rank = 0, .sp_degree = 2, .sequence_count = 1, .loss_tokens = 8},
                           {.first_rank = 2,
                            .sp_degree = 1,
                            .first_sequence = 1,
                            .sequence_count = 2,
                            .loss_tokens = 6},
                           {.first_rank = 0,
                            .sp_degree = 4,
                            .first_sequence = 3,
                            .sequence_count = 1,
                            .loss_tokens = 6}};
    plan_.steps = {{0, 3, 0, 20}};
    core::mark_closing(plan_);
  }

  // The first fault after `break_it` changed the valid plan.
  std::string fault_after(const std::function<void(core::Plan&)>& break_it) {
    core::Plan broken = plan_;
    break_it(broken);
    const auto faults = validate(broken, workload_, cost_);
    EXPECT_FALSE(faults.empty());
    return faults.empty() ? "" : faults.front();
  }

  test_support::FakeCost cost_;
  core::Workload workload_;
  core::Plan plan_;
};

TEST_F(Validate, AcceptsAValidPlan) { EXPECT_TRUE(validate(plan_, workload_, cost_).empty()); }

TEST_F(Validate, NamesEveryKindOfFault) {
  EXPECT_EQ(fault_after([](core::Plan& p) { p.sequence_ids[3] = 0; }),
            "sequence 0 (8 tokens) is in the plan more than once");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.sequence_ids[3] = 9; }),
            "sequence 9 (executed) does not exist: the workload has 4");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[1].first_rank = 4; }),
            "micro-batch 1: ranks 4..4 are not all in 0..3");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[0].first_rank = 1; }),
            "micro-batch 0: first rank 1 is not a multiple of its SP degree 2");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[0].sp_degree = 0; }),
            "micro-batch 0: SP degree 0 is not in 1..4");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[0].recompute_layers = 3; }),
            "micro-batch 0: 3 recomputed layers are not in 0..0");
  EXPECT_EQ(
      fault_after([](core::Plan& p) { p.steps[0].loss_tokens = 21; }),
      "step 0: weights do not sum to 1: the step says 21 loss tokens, its micro-batches have 20");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[1].loss_tokens = 5; }),
            "step 0: a micro-batch on rank 2 says 5 loss tokens, its sequences have 6");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[0].closing = true; }),
            "micro-batch 0 is marked closing but is not the last of all its ranks");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.ranks = 8; }),
            "the plan is for 8 ranks, the cluster has 4");
  EXPECT_EQ(fault_after([](core::Plan& p) {
              p.steps.push_back({3, 0, 0, 0});
            }),
            "step 1 has no micro-batch");
  EXPECT_EQ(fault_after([](core::Plan& p) { p.micro_batches[2].sequence_count = 2; }),
            "the micro-batches hold 5 sequences, the plan 4");
}

TEST_F(Validate, AMissingSequenceIsAFaultUnlessDropped) {
  core::Plan plan = plan_;
  plan.accounting = core::Accounting::native;  // under equal a step's sequences are fixed
  plan.sequence_ids.pop_back();
  plan.micro_batches.pop_back();
  plan.steps = {{0, 2, 0, 14}};
  core::mark_closing(plan);
  EXPECT_EQ(validate(plan, workload_, cost_).front(),
            "1 of 4 sequences are not in the plan, the first is 3");
  plan.dropped = {3};
  EXPECT_TRUE(validate(plan, workload_, cost_).empty());
}

TEST_F(Validate, EqualStepsAreTheWorkloads) {
  core::split_steps_by_count(workload_, 2);
  EXPECT_EQ(validate(plan_, workload_, cost_).front(),
            "the plan has 1 steps, the workload 2 (--step-tokens, --step-sequences)");
  core::Plan plan = plan_;
  plan.micro_batches = {{.first_rank = 0, .sp_degree = 2, .sequence_count = 2, .loss_tokens = 10},
                        {.first_rank = 0,
                         .sp_degree = 4,
                         .first_sequence = 2,
                         .sequence_count = 2,
                         .loss_tokens = 10}};
  plan.sequence_ids = {0, 2, 1, 3};
  plan.steps = {{0, 1, 0, 10}, {1, 1, 0, 10}};
  core::mark_closing(plan);
  EXPECT_EQ(validate(plan, workload_, cost_).front(),
            "step 0 runs sequence 2, which the workload has in another step");
}

TEST_F(Validate, RefusesAnotherSpMethod) {
  EXPECT_EQ(fault_after([](core::Plan& p) { p.sp_method = core::SpMethod::dsp; }),
            "the plan is for --sp-method dsp, the run uses ulysses");
}

TEST_F(Validate, RefusesAFreeRunningPlanUnderZero3) {
  cost_.is_lockstep = true;
  core::Plan plan = plan_;
  plan.zero = 3;
  EXPECT_NE(validate(plan, workload_, cost_).front().find("free-running plan"), std::string::npos);
}

TEST_F(Validate, LockstepRanksRunOneMicroBatchPerRound) {
  cost_.is_lockstep = true;
  core::Plan plan = plan_;
  plan.zero = 3;
  plan.lockstep = true;
  plan.steps[0].rounds = 2;
  plan.micro_batches[2].round = 1;
  EXPECT_TRUE(validate(plan, workload_, cost_).empty());
  plan.steps[0].rounds = 4;
  EXPECT_EQ(validate(plan, workload_, cost_).front(),
            "step 0 has 4 rounds, its micro-batches fill 2");
  plan.micro_batches[2].round = 3;
  EXPECT_EQ(validate(plan, workload_, cost_).front(), "step 0: round 3 follows round 0");
  plan.micro_batches[2].round = 0;
  EXPECT_EQ(validate(plan, workload_, cost_).front(),
            "step 0: rank 0 has two micro-batches in round 0");
}

TEST_F(Validate, SurvivesHostileNumbers) {
  core::Plan plan = plan_;
  for (core::MicroBatch& batch : plan.micro_batches) {
    batch.first_rank = INT32_MAX;
    batch.sp_degree = INT32_MAX;
    batch.first_sequence = UINT32_MAX;
  }
  EXPECT_FALSE(validate(plan, workload_, cost_).empty());
}

}  // namespace
}  // namespace dcpbench::planner

#include "core/plan.hpp"

#include <gtest/gtest.h>

namespace dcpbench::core {
namespace {

// Four ranks: [0,1] runs two micro-batches, rank 1 then one alone, [2,3] runs one.
Plan small_plan() {
  Plan plan;
  plan.ranks = 4;
  plan.sequence_ids = {0, 1, 2, 3};
  plan.micro_batches = {
      {.first_rank = 0, .sp_degree = 2, .first_sequence = 0, .sequence_count = 1},
      {.first_rank = 2, .sp_degree = 2, .first_sequence = 1, .sequence_count = 1},
      {.first_rank = 0, .sp_degree = 2, .first_sequence = 2, .sequence_count = 1},
      {.first_rank = 1, .sp_degree = 1, .first_sequence = 3, .sequence_count = 1}};
  plan.steps = {{0, 4, 0, 4}};
  return plan;
}

TEST(MarkClosing, NeedsToBeTheLastOfEveryRankOfTheBlock) {
  Plan plan = small_plan();
  mark_closing(plan);
  EXPECT_FALSE(plan.micro_batches[0].closing);
  EXPECT_TRUE(plan.micro_batches[1].closing);
  EXPECT_FALSE(plan.micro_batches[2].closing);  // rank 1 still runs another
  EXPECT_TRUE(plan.micro_batches[3].closing);
}

TEST(EmptyMicroBatches, AreRanksWithoutWorkInALockstepRound) {
  Plan plan = small_plan();
  EXPECT_EQ(count_empty_micro_batches(plan), 0);
  plan.lockstep = true;
  plan.steps[0].rounds = 3;  // 3 rounds x 4 ranks - (2 + 2 + 2 + 1)
  EXPECT_EQ(count_empty_micro_batches(plan), 5);
}

TEST(Counts, OfSpDegreesAndTheirCommunicators) {
  Plan plan = small_plan();
  EXPECT_EQ(count_sp_degrees(plan), (std::map<std::int32_t, std::int64_t>{{1, 1}, {2, 3}}));
  EXPECT_EQ(count_communicators(plan), 2);  // the world and that of degree 2
  plan.micro_batches = {{.sp_degree = 1}};
  EXPECT_EQ(count_communicators(plan), 1);
}

TEST(PlanDigest, IgnoresTextAndSeesEveryInteger) {
  Plan plan = small_plan();
  const std::string digest = plan_digest(plan);
  EXPECT_EQ(digest.size(), 64u);
  plan.strategy = "other";
  plan.warnings = {"text"};
  EXPECT_EQ(plan_digest(plan), digest);
  plan.micro_batches[3].recompute_layers = 1;
  EXPECT_NE(plan_digest(plan), digest);
}

}  // namespace
}  // namespace dcpbench::core

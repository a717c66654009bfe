#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "planner/strategy.hpp"
#include "planner/validate.hpp"
#include "tests/support/fake_cost.hpp"

namespace dcpbench::planner {
namespace {

// A cost model with a token cap, so that batches have a limit that is easy to work out.
class CappedCost : public test_support::FakeCost {
 public:
  CappedCost(std::int32_t ranks, std::int64_t cap) : FakeCost(ranks), cap_(cap) {}
  [[nodiscard]] std::int64_t rank_tokens() const override { return cap_; }

 private:
  std::int64_t cap_;
};

core::Workload counted(std::initializer_list<std::pair<std::int64_t, int>> lengths) {
  core::Workload workload;
  for (const auto& [tokens, count] : lengths) {
    for (int i = 0; i < count; ++i) {
      workload.sequences.push_back(
          {{tokens, 0, 0}, tokens, static_cast<std::uint32_t>(workload.sequences.size())});
    }
  }
  core::single_step(workload);
  return workload;
}

core::Plan plan_with(std::string_view strategy, const core::Workload& workload,
                     const CostModel& cost, const PlanOptions& options) {
  const PlanResult result = find_strategy(strategy)->plan({workload, cost, options});
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().reason);
  const auto faults = validate(*result, workload, cost);
  EXPECT_TRUE(faults.empty()) << faults.front();
  return *result;
}

// Number of micro-batches by (length of their first sequence, number of sequences).
std::map<std::pair<std::int64_t, std::size_t>, int> batches_of(const core::Plan& plan,
                                                               const core::Workload& workload) {
  std::map<std::pair<std::int64_t, std::size_t>, int> result;
  for (const core::MicroBatch& batch : plan.micro_batches) {
    const auto ids = plan.sequences_of(batch);
    ++result[{workload.sequences[ids.front()].shape.tokens, ids.size()}];
  }
  return result;
}

TEST(Bucket, CutsBatchesToTheMedianBucketsTime) {
  // Cap 1000: batches of at most 15 x 64, 2 x 500, 1 x 900 with times 3000, 9000 and 5000. The
  // median is 5000, so 2 x 500 becomes floor(2 x 5000 / 9000) = 1; the faster bucket stays.
  CappedCost cost(2, 1000);
  cost.set(960, 1, 3000);
  cost.set(1000, 1, 9000);
  cost.set(900, 1, 5000);
  cost.set(500, 1, 4500);
  const core::Workload workload = counted({{64, 15}, {500, 4}, {900, 1}});
  PlanOptions options;
  options.accounting = core::Accounting::native;
  options.bucket_sp = 1;

  const core::Plan plan = plan_with("bucket", workload, cost, options);
  const std::map<std::pair<std::int64_t, std::size_t>, int> expected = {
      {{64, 15}, 1}, {{500, 1}, 4}, {{900, 1}, 1}};
  EXPECT_EQ(batches_of(plan, workload), expected);
  EXPECT_EQ(plan.steps.size(), 3u);  // six micro-batches, one per replica and step

  options.median_cut = false;
  EXPECT_EQ(plan_with("bucket", workload, cost, options).steps.size(), 2u);
}

TEST(Bucket, EqualCutsABatchToTheReplicasShare) {
  // Eight sequences of one bucket on four replicas: ceil(8 / 4) = 2 each, although ten would fit.
  CappedCost cost(4, 1000);
  cost.per_token = 1;
  const core::Workload workload = counted({{100, 8}});
  PlanOptions options;
  options.bucket_sp = 1;
  const core::Plan plan = plan_with("bucket", workload, cost, options);
  EXPECT_EQ(plan.micro_batches.size(), 4u);
  EXPECT_EQ(plan.steps.size(), 1u);
}

TEST(Bucket, ExplainsADegreeThatCantBeUsed) {
  CappedCost cost(4, 100);
  cost.per_token = 1;
  const core::Workload workload = counted({{150, 8}});
  PlanOptions options;
  options.bucket_sp = 1;
  const PlanResult result = find_strategy("bucket")->plan({workload, cost, options});
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().reason.find("fits from --bucket-sp 2"), std::string::npos)
      << result.error().reason;
}

TEST(Bucket, SaysWhenASmallerDegreeWouldDo) {
  CappedCost cost(4, 1000);
  cost.set(1000, 1, 1000);  // ten of 100
  cost.set(1600, 4, 800);   // sixteen, at four ranks: 3200 rank time for 16, against 1600
  const core::Workload workload = counted({{100, 16}});
  cost.set(400, 4, 200);
  cost.set(1600, 2, 1000);  // 2000 rank time
  PlanOptions options;
  options.bucket_sp = 4;
  cost.per_token = 1;
  const core::Plan plan = plan_with("bucket", workload, cost, options);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_NE(plan.warnings[0].find("SP degree 1 would fit every sequence; 4 is used, which costs "
                                  "100.0% more rank time"),
            std::string::npos)
      << plan.warnings[0];
}

TEST(Packed, FillsReplicasEvenlyUnderEqual) {
  // 1200 tokens on three replicas: three packs of 400.
  CappedCost cost(3, 1000);
  cost.per_token = 1;
  const core::Workload workload = counted({{300, 2}, {100, 6}});
  PlanOptions options;
  const core::Plan plan = plan_with("packed", workload, cost, options);
  ASSERT_EQ(plan.micro_batches.size(), 3u);
  for (const core::MicroBatch& batch : plan.micro_batches) EXPECT_EQ(batch.loss_tokens, 400);
}

TEST(Packed, NamesWhatIsLongerThanAPack) {
  CappedCost cost(2, 0);
  cost.per_token = 1;
  const core::Workload workload = counted({{256, 499}, {131072, 1}});
  PlanOptions options;
  options.pack_tokens = 4096;
  const PlanResult result = find_strategy("packed")->plan({workload, cost, options});
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().reason.find(
                "1 of 500 sequences (51% of all tokens) are longer than --pack-tokens 4096"),
            std::string::npos)
      << result.error().reason;
}

TEST(Dcp, ChoosesTheDegreeByThroughputPerRank) {
  // 64 tokens: 10 ns on one rank, 6 on two (12 rank ns): degree 1. 1000 tokens: over the cap of 600
  // on one rank, so degree 2.
  CappedCost cost(2, 600);
  cost.per_token = 1;
  cost.set(64, 1, 10);
  cost.set(64, 2, 6);
  cost.set(1000, 2, 100);
  const core::Workload workload = counted({{64, 2}, {1000, 3}});
  for (const char* name : {"dcp-inter", "dcp-intra", "dcp"}) {
    const core::Plan plan = plan_with(name, workload, cost, {});
    for (const core::MicroBatch& batch : plan.micro_batches) {
      const std::int64_t tokens = workload.sequences[plan.sequences_of(batch).front()].shape.tokens;
      EXPECT_EQ(batch.sp_degree, tokens == 64 ? 1 : 2) << name;
    }
  }
}

TEST(Dcp, FewSequencesOfAStepAreNotCutFiner) {
  // 8 ranks; n sequences of 100 tokens at degree d take 100 n / d ns, and 30 more when d > 1. The
  // even share of nine is 9 x 100 / 8 = 112 ns. A batch within half of it needs degree 4: 55 ns
  // each, five after another on one of the two groups, 275 ns. Alone on a rank each takes 100 ns,
  // and 200 ns end before 275.
  CappedCost cost(8, 100);
  for (std::int32_t degree = 1; degree <= 8; degree *= 2) {
    for (std::int64_t n = 1; n <= degree; ++n) {
      cost.set(100 * n, degree, 100 * n / degree + (degree > 1 ? 30 : 0));
    }
  }
  const core::Workload workload = counted({{100, 9}});
  for (const char* name : {"dcp-inter", "dcp-intra", "dcp"}) {
    const core::Plan plan = plan_with(name, workload, cost, {});
    EXPECT_EQ(plan.micro_batches.size(), 9U) << name;
    for (const core::MicroBatch& batch : plan.micro_batches) EXPECT_EQ(batch.sp_degree, 1) << name;
  }
}

TEST(Dcp, AccumulationMakesGroupsFinishTogether) {
  // Two ranks, batches of one (cap): 300 ns and 100 ns. With ten long and thirty short, a round
  // that holds one of each runs three short ones beside each long one.
  CappedCost cost(2, 300);
  cost.set(300, 1, 300);
  cost.set(160, 1, 100);
  cost.per_token = 2;  // at degree 2: twice the rank time
  const core::Workload workload = counted({{300, 10}, {160, 30}});
  PlanOptions options;
  options.accounting = core::Accounting::native;
  options.min_accumulation = 1;
  const core::Plan plan = plan_with("dcp-inter", workload, cost, options);
  bool mixed = false;
  for (const core::Step& step : plan.steps) {
    std::map<std::int64_t, int> ranks_of;
    std::int64_t busy[2] = {0, 0};
    for (const core::MicroBatch& batch : plan.micro_batches_of(step)) {
      const std::int64_t tokens = workload.sequences[plan.sequences_of(batch).front()].shape.tokens;
      ++ranks_of[tokens];
      busy[batch.first_rank] += tokens == 300 ? 300 : 100;
    }
    if (ranks_of.size() == 2 && &step != &plan.steps.back()) {
      mixed = true;
      EXPECT_EQ(busy[0], busy[1]);
    }
  }
  EXPECT_TRUE(mixed);
}

TEST(Strategies, DropLastIsRefusedUnderEqual) {
  CappedCost cost(2, 600);
  cost.per_token = 1;
  const core::Workload workload = counted({{64, 3}});
  PlanOptions options;
  options.drop_last = true;
  for (const Strategy& strategy : strategies()) {
    EXPECT_THROW((void)strategy.plan({workload, cost, options}), core::Error) << strategy.name;
  }
}

TEST(Strategies, DropLastNeverEndsInSilence) {
  // Six pairs, one bucket each, and batches of eight: nothing is left.
  CappedCost cost(1, 1 << 20);
  cost.per_token = 1;
  core::Workload workload = counted({{300, 2}, {700, 2}, {1500, 2}});
  PlanOptions options;
  options.accounting = core::Accounting::native;
  options.drop_last = true;
  options.bucket_sp = 1;
  const PlanResult result = find_strategy("bucket")->plan({workload, cost, options});
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().reason.find("plan has 0 steps: --drop-last left out all 6 sequences"),
            std::string::npos)
      << result.error().reason;
  // 600 of 5000 tokens.
  EXPECT_NE(result.error().reason.find(
                "bucket up to 512 tokens: 2 of 2 sequences dropped (100%), 12% of all tokens"),
            std::string::npos)
      << result.error().reason;
}

TEST(Strategies, HighPaddingIsSaid) {
  // One bucket and batches of two: 900 beside 100 pads 800 of 1800 tokens, 44 %.
  CappedCost cost(1, 1 << 20);
  cost.per_token = 1;
  const core::Workload workload = counted({{900, 1}, {100, 1}});
  PlanOptions options;
  options.bucket_edges = {1000};
  const core::Plan padded = plan_with("bucket", workload, cost, options);
  ASSERT_EQ(padded.warnings.size(), 1U);
  EXPECT_EQ(padded.warnings[0],
            "44% of the executed tokens are padding to the longest of a micro-batch: finer "
            "--bucket-edges need less, --padding none (variable-length attention) none");
  options.padding = core::Padding::none;
  EXPECT_TRUE(plan_with("bucket", workload, cost, options).warnings.empty());
}

TEST(Strategies, LockstepPlansHaveRounds) {
  CappedCost cost(4, 600);
  cost.is_lockstep = true;
  cost.per_token = 1;
  const core::Workload workload = counted({{64, 5}, {512, 4}, {1000, 3}});
  for (const Strategy& strategy : strategies()) {
    const core::Plan plan = plan_with(strategy.name, workload, cost, {});
    EXPECT_TRUE(plan.lockstep);
    EXPECT_GE(plan.steps.front().rounds, 1);
  }
}

TEST(Strategies, SameSeedSamePlan) {
  CappedCost cost(8, 2048);
  cost.per_token = 1;
  const core::Workload workload = counted({{64, 50}, {512, 40}, {1000, 30}, {9000, 2}});
  for (const Strategy& strategy : strategies()) {
    PlanOptions options;
    options.seed = 3;
    const std::string digest = core::plan_digest(plan_with(strategy.name, workload, cost, options));
    EXPECT_EQ(core::plan_digest(plan_with(strategy.name, workload, cost, options)), digest);
  }
}

}  // namespace
}  // namespace dcpbench::planner

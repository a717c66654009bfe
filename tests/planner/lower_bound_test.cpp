#include "planner/lower_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/make_cost_model.hpp"
#include "small_cluster.hpp"
#include "tests/support/plan_builder.hpp"

namespace dcpbench::planner {
namespace {

// 12 ranks, 6 per node: of the blocks of 4 ranks the one from rank 4 is on two nodes. Where links
// between nodes are the faster ones, it is the cheapest place.
TEST(LowerBound, LeavingANodeMayCostLess) {
  core::Cluster cluster = small_cluster(2, 6);
  cluster.intra_node.bandwidth = core::BytesPerSecond(1e7);
  cluster.inter_node.bandwidth = core::BytesPerSecond(1e12);
  cluster.inter_node.latency = core::Seconds(0);
  cluster.inter_node.efficiency[core::Collective::all_to_all][4].points = {{1, 1}};
  const core::Model model = small_lm();
  const auto cost = make_cost_model(cluster, &model, {});

  // Long enough to be fastest on 4 ranks, and alone in its step: nothing else sets the bound.
  const ShapeGroup sequence = text(1000);
  const auto total = [&](Group group) {
    return cost->micro_batch(std::span(&sequence, 1), group, 0).total();
  };
  ASSERT_EQ(cost->group_at(4, 4).nodes, 2);
  ASSERT_LT(total({4, 2}), total({4, 1}));
  ASSERT_LT(total({4, 2}), std::min(total({1, 1}), total({2, 1})));

  test_support::PlannedWorkload planned(12);
  planned.begin_step();
  planned.add(4, 4, {1000});
  const StepCost step = cost->step();
  EXPECT_EQ(lower_bound(planned.plan, planned.workload, *cost).value(),
            total({4, 2}) + step.gradient_sync_tail + step.optimizer + step.overhead);
}

}  // namespace
}  // namespace dcpbench::planner

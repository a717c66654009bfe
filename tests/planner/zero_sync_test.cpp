#include <gtest/gtest.h>

#include "planner/make_cost_model.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

// The small language model has 1352 parameters, 592 of them in each of two layers
// (memory_test.cpp). On 8 ranks of a node a transfer of B bytes takes 100 + 7/8 B ns, an all-reduce
// 100 + 14/8 B, the norm (4 bytes) 107.
StepCost step_of(std::int32_t zero, double slowdown = 1) {
  core::Cluster cluster = small_cluster();
  cluster.overheads.overlap_slowdown = slowdown;
  const core::Model model = small_lm();
  return make_cost_model(cluster, &model, {.zero = zero, .sp_method = {}})->step();
}

TEST(ZeroSync, Stage0ReducesAllGradients) {
  const StepCost step = step_of(0);
  EXPECT_EQ(step.gradient_sync.value(), 100 + 9464 + 107);       // 14/8 x 5408
  EXPECT_EQ(step.gradient_sync_tail.value(), 100 + 4144 + 107);  // a layer, 14/8 x 2368
  // 1352 x 34 bytes at 0.5 bytes per nanosecond.
  EXPECT_EQ(step.optimizer.value(), 91936);
  EXPECT_EQ(step.overhead.value(), 5000);
}

TEST(ZeroSync, Stages1And2ScatterGradientsAndGatherWeights) {
  for (const std::int32_t zero : {1, 2}) {
    const StepCost step = step_of(zero);
    const std::int64_t gather = 100 + 2366;  // 7/8 x 2704
    EXPECT_EQ(step.gradient_sync.value(), 100 + 4732 + gather + 107);
    EXPECT_EQ(step.gradient_sync_tail.value(), 100 + 2072 + gather + 107);
    EXPECT_EQ(step.optimizer.value(), 91936 / 8);
  }
}

TEST(ZeroSync, HiddenReductionSlowsTheBackwardPass) {
  // 2660 ns of the reduction can be hidden; a slowdown of 1.25 leaves a fifth of it.
  EXPECT_EQ(step_of(1, 1.25).gradient_sync_tail.value(),
            step_of(1).gradient_sync_tail.value() + 532);
  EXPECT_EQ(step_of(1, 1.25).gradient_sync, step_of(1).gradient_sync);
}

TEST(ZeroSync, Stage3TransfersInEveryRound) {
  core::Cluster cluster = small_cluster();
  const core::Model model = small_lm();
  const auto cost = make_cost_model(cluster, &model, {.zero = 3, .sp_method = {}});
  EXPECT_TRUE(cost->lockstep());
  EXPECT_EQ(cost->step().gradient_sync.value(), 107);
  EXPECT_EQ(cost->step().gradient_sync_tail.value(), 107);
  EXPECT_EQ(cost->step().optimizer.value(), 91936 / 8);
  // Gather of a layer 100 + 7/8 x 1184 = 1136, of the rest 100 + 7/8 x 336 = 394: 2666, twice.
  // Reduction of a layer 2172, of the rest 688: 5032. In all 10364; at the edges 1136 + 2172 =
  // 3308.
  EXPECT_EQ(cost->exposed_gather(core::Nanoseconds(0)).value(), 10364);
  EXPECT_EQ(cost->exposed_gather(core::Nanoseconds(1000)).value(), 9364);
  EXPECT_EQ(cost->exposed_gather(core::Nanoseconds(1000000)).value(), 3308);
  // With slowdown 1.25 a fifth of the hidden 7056 ns stays.
  cluster.overheads.overlap_slowdown = 1.25;
  const auto slowed = make_cost_model(cluster, &model, {.zero = 3, .sp_method = {}});
  EXPECT_EQ(slowed->exposed_gather(core::Nanoseconds(1000000)).value(), 3308 + 1411);
  // Other stages gather nothing.
  EXPECT_EQ(make_cost_model(cluster, &model, {})->exposed_gather(core::Nanoseconds(0)).value(), 0);
}

TEST(ZeroSync, SaysWhenTransfersLeaveTheMeasurements) {
  const core::Model model = small_lm();
  const auto extrapolation = [&](const core::Cluster& cluster, std::int32_t zero) {
    return make_cost_model(cluster, &model, {.zero = zero, .sp_method = {}})->step().extrapolation;
  };
  core::Cluster cluster = small_cluster();
  EXPECT_EQ(extrapolation(cluster, 1), 1);  // nothing measured
  auto& curves = cluster.intra_node.efficiency;
  curves[core::Collective::reduce_scatter][8].points = {{1000, 0.5}, {1352, 0.5}};
  curves[core::Collective::all_gather][8].points = {{100, 0.5}, {10000, 0.5}};
  curves[core::Collective::all_reduce][8].points = {{1000, 0.5}, {10000, 0.5}};
  // The reduction of 4 x 1352 bytes. The norm's 4 bytes don't count.
  EXPECT_EQ(extrapolation(cluster, 1), 4);
  EXPECT_EQ(extrapolation(cluster, 0), 1);
  // In rounds of single layers: 4 x 592 of 1352 bytes are reduced; 4 x 168 = 672 outside, of 1000.
  EXPECT_DOUBLE_EQ(extrapolation(cluster, 3), 2368. / 1352);
  // A curve of two ranks for eight.
  curves[core::Collective::reduce_scatter].clear();
  curves[core::Collective::reduce_scatter][2].points = {{100, 0.5}, {10000, 0.5}};
  EXPECT_EQ(extrapolation(cluster, 1), 4);
}

TEST(ZeroSync, OneRankTransfersNothing) {
  const core::Model model = small_lm();
  for (std::int32_t zero = 0; zero <= 3; ++zero) {
    const auto cost = make_cost_model(small_cluster(1, 1), &model, {.zero = zero, .sp_method = {}});
    EXPECT_EQ(cost->step().gradient_sync.value(), 0);
    EXPECT_EQ(cost->exposed_gather(core::Nanoseconds(0)).value(), 0);
    EXPECT_EQ(cost->step().optimizer.value(), 91936);
  }
}

TEST(ZeroSync, TensorParallelHalvesWhatAGpuMoves) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {.zero = 0, .tp = 2, .sp_method = {}});
  // 4 ranks: all-reduce of 2704 bytes x 6/4 + 100, the norm 106.
  EXPECT_EQ(cost->step().gradient_sync.value(), 4056 + 100 + 106);
  EXPECT_EQ(cost->step().optimizer.value(), 91936 / 2);
}

}  // namespace
}  // namespace dcpbench::planner

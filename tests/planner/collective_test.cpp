#include <gtest/gtest.h>

#include "core/configs.hpp"
#include "planner/collective_model.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

using core::Collective;

double nanoseconds(const CollectiveTimer& timer, double bytes) {
  return timer(bytes).seconds * 1e9;
}

TEST(Collective, InsideANodeWithoutACurve) {
  const CollectiveModel model(small_cluster());
  // 100 ns + factor x 1000 bytes at 1 GB/s.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_to_all, 4, 1), 1000), 850);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 2, 1), 1000), 600);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::reduce_scatter, 8, 1), 1000), 975);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_reduce, 4, 1), 1000), 1600);
  EXPECT_EQ(nanoseconds(model.timer(Collective::all_reduce, 1, 1), 1000), 0);
}

TEST(Collective, InsideANodeByCurve) {
  core::Cluster cluster = small_cluster();
  auto& curves = cluster.intra_node.efficiency[Collective::all_gather];
  curves[2].points = {{1000, 0.5}};
  curves[8].points = {{1000, 0.1}, {3000, 0.2}};
  const CollectiveModel model(cluster);
  // One point: latency and 0.5 x 2000 / 0.5.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 2, 1), 2000), 2100);
  // The nearest number of ranks not above 4 is 2.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 4, 1), 2000), 3100);
  // Effective sizes 10000 and 15000, so 12500 at 2000 bytes; x 7/8, latency contained.
  const CollectiveTimer eight = model.timer(Collective::all_gather, 8, 1);
  EXPECT_DOUBLE_EQ(nanoseconds(eight, 2000), 10937.5);
  // Below the first point from the latency, 100 ns, to its 8750 ns.
  EXPECT_DOUBLE_EQ(nanoseconds(eight, 500), 100 + 8650 * 0.5);
  EXPECT_DOUBLE_EQ(eight(500).extrapolation, 2);
  EXPECT_DOUBLE_EQ(eight.least_seconds_per_byte() * 1e9, 5 * 0.875);
}

TEST(Collective, AcrossNodesWithoutACurve) {
  // 8 ranks on 2 nodes: 4 per node. Both latencies: 1100 ns.
  const CollectiveModel model(small_cluster(2, 4));
  // 3/8 inside at 1 byte/ns, 4/8 through the NIC at 0.1: 375 + 5000.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_to_all, 8, 2), 1000), 6475);
  // A quarter of the buffer per rail, half of it across: 1250; inside 750. The slower.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 8, 2), 1000), 2350);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_reduce, 8, 2), 1000), 3600);
}

TEST(Collective, AcrossNodesByCurve) {
  core::Cluster cluster = small_cluster(4, 8);
  cluster.inter_node.efficiency[Collective::all_to_all][32].points = {{1000, 0.5}};
  cluster.inter_node.efficiency[Collective::all_reduce][32].points = {{1000, 5}};
  const CollectiveModel model(cluster);
  // 16 ranks on 2 nodes: half of the buffer leaves, at half of 0.1 bytes/ns; the latency of the
  // tier.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_to_all, 16, 2), 1000), 11000);
  // 32 on 4: three quarters.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_to_all, 32, 4), 1000), 16000);
  // Bus bandwidth 0.5 bytes/ns: rings over all rails of a node.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_reduce, 32, 4), 1000),
                   1000 + 2 * 31. / 32 * 2000);
}

// Tensor parallelism leaves a group some of the ranks of a node, and each has one NIC.
TEST(Collective, FewerRanksPerNodeThanMeasuredHaveFewerRails) {
  core::Cluster cluster = small_cluster(4, 8);
  for (const Collective collective :
       {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
    cluster.inter_node.efficiency[collective][32].points = {{1000, 6.4}};
  }
  cluster.inter_node.efficiency[Collective::all_to_all][32].points = {{1000, 0.5}};
  const CollectiveModel model(cluster);
  // 32 ranks, 8 per node, as measured: 6.4 x 0.1 bytes/ns. 6400 bytes x 31/32 in 9687.5 ns.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 32, 4), 6400), 1000 + 9687.5);
  // One per node: an eighth of it, 0.08 bytes/ns. 3/4 of 6400 in 60000 ns; all-reduce twice that.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 4, 4), 6400), 61000);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::reduce_scatter, 4, 4), 6400), 61000);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_reduce, 4, 4), 6400), 121000);
  // Four per node: half of it. 15/16 of 6400 at 0.32.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 16, 4), 6400), 1000 + 18750);
  // All-to-all is measured per NIC: 3/4 of 6400 at 0.05, one rank per node or eight.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_to_all, 4, 4), 6400), 1000 + 96000);
}

TEST(Collective, NoCurveIsFasterThanTheNics) {
  // Eight NICs of 0.1 bytes/ns; a curve of 16 ranks, on 2 nodes, that claims 3.2 bytes/ns.
  core::Cluster cluster = small_cluster(2, 8);
  cluster.inter_node.efficiency[Collective::all_gather][16].points = {{1000, 32}};
  const CollectiveModel model(cluster);
  // Half of 6400 bytes leaves a node at 0.8: 4000 ns, not 15/16 x 6400 / 3.2 = 1875.
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 16, 2), 6400), 5000);
  EXPECT_DOUBLE_EQ(nanoseconds(model.timer(Collective::all_gather, 2, 2), 6400), 1000 + 32000);
}

TEST(Collective, CurvesOfOtherNumbersOfRanksAreExtrapolated) {
  core::Cluster cluster = small_cluster(4, 8);
  cluster.intra_node.efficiency[Collective::all_to_all][2].points = {{1000, 0.5}};
  cluster.inter_node.efficiency[Collective::all_reduce][16].points = {{1000, 5}};
  const CollectiveModel model(cluster);
  const auto extrapolation = [&](Collective collective, std::int32_t ranks, std::int32_t nodes,
                                 double bytes) {
    return model.timer(collective, ranks, nodes)(bytes).extrapolation;
  };
  EXPECT_EQ(extrapolation(Collective::all_to_all, 4, 1, 1000), 1);  // twice as many: as measured
  EXPECT_EQ(extrapolation(Collective::all_to_all, 8, 1, 1000), 4);
  EXPECT_EQ(extrapolation(Collective::all_to_all, 8, 1, 6000), 6);  // the larger of 4 and 6
  EXPECT_EQ(extrapolation(Collective::all_reduce, 32, 4, 1000), 1);
  EXPECT_EQ(extrapolation(Collective::all_reduce, 4, 4, 1000), 4);
  EXPECT_EQ(extrapolation(Collective::all_gather, 4, 4, 1e9), 1);  // nothing measured
}

// Llama-70B over the 4 ranks of TP 8 on 4 x 8 H200: the all-gather of 2N/8 = 17.6 GB leaves by one
// NIC of 50 GB/s. 6.47 / 8 of it are reached: 3/4 x 17.6 GB / 40.4 GB/s = 327 ms.
TEST(Collective, TensorParallelGatherOfLlama70b) {
  const CollectiveModel model(core::load_cluster("h200-4x8"));
  const double seconds = model.timer(Collective::all_gather, 4, 4)(17.6e9).seconds;
  EXPECT_NEAR(seconds, 0.327, 0.002);
}

TEST(Collective, MoreBytesOrLessBandwidthIsNeverFaster) {
  core::Cluster fast = small_cluster();
  fast.intra_node.efficiency[Collective::all_to_all][4].points = {
      {50, 0.1}, {100, 0.12}, {1000, 0.6}, {2000, 0.59}};
  core::Cluster slow = fast;
  slow.intra_node.bandwidth = core::BytesPerSecond(0.9e9);
  const CollectiveModel fast_model(fast);
  const CollectiveModel slow_model(slow);
  const CollectiveTimer fast_timer = fast_model.timer(Collective::all_to_all, 4, 1);
  const CollectiveTimer slow_timer = slow_model.timer(Collective::all_to_all, 4, 1);
  double previous = 0;
  for (int bytes = 1; bytes < 4000; ++bytes) {
    const double time = fast_timer(bytes).seconds;
    ASSERT_GE(time, previous) << bytes;
    ASSERT_GE(slow_timer(bytes).seconds, time) << bytes;
    ASSERT_GE(time, bytes * fast_timer.least_seconds_per_byte() * (1 - 1e-12)) << bytes;
    previous = time;
  }
}

}  // namespace
}  // namespace dcpbench::planner

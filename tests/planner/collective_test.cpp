#include <gtest/gtest.h>

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

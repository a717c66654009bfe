#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "planner/make_cost_model.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

using Shapes = std::vector<ShapeGroup>;

core::Cluster polynomial_cluster() {
  core::Cluster cluster;
  cluster.name = "polynomial";
  cluster.gpus_per_node = 8;
  cluster.polynomial = core::PolynomialCost{
      .quadratic = 1, .linear = 10, .fixed = 7, .transfer = {{1, 0}, {4, 3}}, .lockstep = false};
  return cluster;
}

TEST(PolynomialCost, SumsItsSequencesAndPaysTheFixedPartOnce) {
  const auto cost =
      make_cost_model(polynomial_cluster(), nullptr, {.rank_tokens = 8, .sp_method = {}});
  // 2 x (16 + 40) + (100 + 100) = 312.
  const Shapes shapes = {text(4, 2), text(10)};
  EXPECT_EQ(cost->micro_batch(shapes, {1, 1}, 0).compute.value(), 7 + 312);
  EXPECT_EQ(cost->micro_batch(shapes, {4, 1}, 0).compute.value(), 7 + 78);
  EXPECT_EQ(cost->micro_batch(shapes, {4, 1}, 0).communication.value(), 18 * 3);
  EXPECT_EQ(cost->micro_batch(shapes, {4, 1}, 0).recompute.value(), 0);
  EXPECT_EQ(cost->executed_tokens(shapes, 4), 18);  // no padding
  EXPECT_TRUE(cost->fits(shapes, 4, 0));
  EXPECT_FALSE(cost->fits(shapes, 1, 0));
  EXPECT_EQ(cost->allowed_degrees(), (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(cost->capacity().value(), 0);
  EXPECT_EQ(cost->step().optimizer.value(), 0);
  EXPECT_TRUE(cost->memory_parts(shapes, 1, 0).empty());
}

TEST(PolynomialCost, WithoutTransferEveryPowerOfTwoIsFree) {
  core::Cluster cluster = polynomial_cluster();
  cluster.polynomial->transfer.clear();
  const auto cost = make_cost_model(cluster, nullptr, {});
  EXPECT_EQ(cost->allowed_degrees(), (std::vector<std::int32_t>{1, 2, 4, 8}));
  EXPECT_EQ(cost->micro_batch(Shapes{text(8)}, {8, 1}, 0).communication.value(), 0);
}

TEST(PolynomialCost, LockstepIsZero3) {
  core::Cluster cluster = polynomial_cluster();
  cluster.polynomial->lockstep = true;
  const auto cost = make_cost_model(cluster, nullptr, {});
  EXPECT_TRUE(cost->lockstep());
  EXPECT_EQ(cost->zero(), 3);
}

core::ProfilePoint point(std::int64_t length, std::int64_t batch, std::int32_t degree,
                         double nanoseconds, double recompute = 0) {
  core::ProfilePoint result;
  result.length = length;
  result.batch = batch;
  result.sp_degree = degree;
  result.time = core::Seconds(nanoseconds * 1e-9);
  result.recompute = core::Seconds(recompute * 1e-9);
  return result;
}

core::Cluster table_cluster() {
  core::Cluster cluster;
  cluster.name = "table";
  cluster.gpus_per_node = 4;
  cluster.device.memory = core::Bytes(1000);
  cluster.table = core::TableCost{};
  cluster.table->layers = 4;
  cluster.table->points = {point(100, 1, 1, 1200, 200), point(100, 3, 1, 2400, 400),
                           point(200, 1, 1, 3200, 200), point(200, 3, 1, 7400, 400),
                           point(100, 1, 2, 700, 100)};
  cluster.table->gradient_sync = core::Seconds(50e-9);
  cluster.table->optimizer = core::Seconds(60e-9);
  cluster.table->overhead = core::Seconds(70e-9);
  return cluster;
}

std::int64_t compute(const CostModel& cost, const Shapes& shapes) {
  return cost.micro_batch(shapes, {1, 1}, 0).compute.value();
}

// Without recomputation: length 100 takes 1000 at batch 1, 2000 at 3; length 200 3000 and 7000.
TEST(TableCost, MeasuredPointsAndBetweenThem) {
  const auto cost = make_cost_model(table_cluster(), nullptr, {});
  EXPECT_EQ(compute(*cost, {text(100)}), 1000);
  EXPECT_EQ(compute(*cost, {text(200, 3)}), 7000);
  EXPECT_EQ(compute(*cost, {text(100, 2)}), 1500);
  EXPECT_EQ(compute(*cost, {text(150)}), 2000);
  EXPECT_EQ(compute(*cost, {text(150, 2)}), 3250);  // halfway between 1500 and 5000
  EXPECT_EQ(cost->micro_batch(Shapes{text(150, 2)}, {1, 1}, 0).extrapolation, 1);
  EXPECT_EQ(cost->micro_batch(Shapes{text(100)}, {1, 1}, 4).recompute.value(), 200);
  EXPECT_EQ(cost->micro_batch(Shapes{text(100)}, {1, 1}, 1).recompute.value(), 50);
  EXPECT_EQ(cost->step().gradient_sync.value(), 50);
  EXPECT_EQ(cost->step().gradient_sync_tail.value(), 50);
  EXPECT_EQ(cost->step().optimizer.value(), 60);
  EXPECT_EQ(cost->step().overhead.value(), 70);
}

TEST(TableCost, AMixedPackIsFilledLongestFirst) {
  const auto cost = make_cost_model(table_cluster(), nullptr, {});
  // 200 alone 3000; 100 as the second adds 1500 - 1000.
  EXPECT_EQ(compute(*cost, {text(100), text(200)}), 3500);
  // And as the third 500 more.
  EXPECT_EQ(compute(*cost, {text(100, 2), text(200)}), 4000);
}

TEST(TableCost, OutsideTheProfileIsExtrapolatedAndReported) {
  const auto cost = make_cost_model(table_cluster(), nullptr, {});
  // Batch 6: twice batch 3.
  EXPECT_EQ(compute(*cost, {text(100, 6)}), 4000);
  EXPECT_EQ(cost->micro_batch(Shapes{text(100, 6)}, {1, 1}, 0).extrapolation, 2);
  // Length 50: the latency, 500, and half of what batch 1 adds to it.
  EXPECT_EQ(compute(*cost, {text(50)}), 750);
  EXPECT_EQ(cost->micro_batch(Shapes{text(50)}, {1, 1}, 0).extrapolation, 2);
  // Above 200: rates at batch 3 are 2000 / 3 at 100 and 7000 / 3 at 200 tokens, per token 20/3 and
  // 35/3, so b = 15/300 = 1/20 and a = 5/3: at 400 (5/3 x 400 + 8000) / (7000 / 3) = 26/7 of 3000.
  EXPECT_EQ(compute(*cost, {text(400)}), 11143);
  EXPECT_EQ(cost->micro_batch(Shapes{text(400)}, {1, 1}, 0).extrapolation, 2);
}

TEST(TableCost, DegreesAreTheMeasuredOnes) {
  const auto cost = make_cost_model(table_cluster(), nullptr, {});
  EXPECT_EQ(cost->allowed_degrees(), (std::vector<std::int32_t>{1, 2}));
  EXPECT_NE(cost->refuse_degree(4)->find("measured: 1, 2"), std::string::npos);
  EXPECT_EQ(cost->micro_batch(Shapes{text(99)}, {2, 1}, 0).compute.value(), 600);  // padded to 100
}

TEST(TableCost, MemoryWhenItWasMeasured) {
  core::Cluster cluster = table_cluster();
  const auto without = make_cost_model(cluster, nullptr, {});
  EXPECT_EQ(without->capacity().value(), 0);
  EXPECT_TRUE(without->memory_parts(Shapes{text(100)}, 1, 0).empty());
  for (core::ProfilePoint& measured : cluster.table->points) {
    measured.memory = core::Bytes(500);
    measured.saved_activations = core::Bytes(400);
  }
  const auto with = make_cost_model(cluster, nullptr, {});
  EXPECT_EQ(with->capacity().value(), 900);
  EXPECT_EQ(with->peak_memory(Shapes{text(100)}, 1, 4).value(), 500);
  EXPECT_EQ(with->peak_memory(Shapes{text(100)}, 1, 1).value(), 800);
  EXPECT_EQ(with->memory_parts(Shapes{text(100)}, 1, 4).size(), 1u);
  cluster.table->points.back().memory = core::Bytes(0);
  EXPECT_THROW(make_cost_model(cluster, nullptr, {}), core::Error);
}

TEST(TableCost, RefusesWrongPointsAllAtOnce) {
  core::Cluster cluster = table_cluster();
  cluster.table->points.push_back(point(100, 1, 1, 1200, 200));  // twice
  cluster.table->points.push_back(point(300, 1, 1, -1));
  cluster.table->points.push_back(point(400, 1, 1, 100, 200));  // recompute above the time
  try {
    make_cost_model(cluster, nullptr, {});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.messages().size(), 4u);  // the negative time is also below its recompute of 0
  }
}

}  // namespace
}  // namespace dcpbench::planner

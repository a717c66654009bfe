#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "planner/make_cost_model.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

using Shapes = std::vector<ShapeGroup>;
constexpr Group kAlone{1, 1};

// Four tokens of the small language model, nanoseconds (layer_work_test.cpp has the work per
// token):
//   GEMM        4 x 1152 / 0.5 = 9216, backward 18432
//   attention   16 query-key pairs x 16 = 256 FLOPs / 0.25 = 1024, backward 2.5 x 256 / 0.5 = 1280
//   elementwise 4 x 304 / 0.5 = 2432, backward 4 x 400 / 0.5 = 3200
//   gradients   592 parameters x 8 bytes / 0.5 = 9472, only backward
//   layer       12672, backward 32384
//   head        4 x 160 / 0.5 = 1280, backward 2560
//   loss, embedding, last norm   4 x 124 / 0.5 = 992, backward 4 x 156 / 0.5 = 1248
//   gradients   of embedding, head, last norm 168 x 8 / 0.5 = 2688
constexpr std::int64_t kOnce = 1280 + 2560 + 992 + 1248 + 2688;
constexpr std::int64_t kGradients = 2 * 9472 + 2688;

TEST(AnalyticCost, OneSequence) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  const MicroBatchCost batch = cost->micro_batch(Shapes{text(4)}, kAlone, 0);
  EXPECT_EQ(batch.compute.value(), 1000 + 2 * (12672 + 32384) + kOnce);
  EXPECT_EQ(batch.recompute.value(), 0);
  EXPECT_EQ(batch.communication.value(), 0);
  EXPECT_EQ(batch.backward.value(), 2 * 32384 + 2560 + 1248 + 2688);
  EXPECT_EQ(batch.extrapolation, 4);  // of tables that end at 1
}

TEST(AnalyticCost, RecomputedLayersRunTheirForwardAgain) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  const MicroBatchCost none = cost->micro_batch(Shapes{text(4)}, kAlone, 0);
  const MicroBatchCost one = cost->micro_batch(Shapes{text(4)}, kAlone, 1);
  EXPECT_EQ(one.compute, none.compute);
  EXPECT_EQ(one.recompute.value(), 12672);
  EXPECT_EQ(one.backward.value(), none.backward.value() + 12672);
}

TEST(AnalyticCost, EveryMicroBatchAccumulatesGradientsOnce) {
  const core::Model model = small_lm();
  for (const std::int32_t zero : {0, 1, 3}) {
    const auto cost = make_cost_model(small_cluster(), &model, {.zero = zero, .sp_method = {}});
    // Work is proportional here, but for the overhead of 1000 and the gradients.
    const MicroBatchCost one = cost->micro_batch(Shapes{text(4)}, kAlone, 0);
    const MicroBatchCost two = cost->micro_batch(Shapes{text(4, 2)}, kAlone, 0);
    EXPECT_EQ(2 * one.compute.value() - two.compute.value(), 1000 + kGradients);
    EXPECT_EQ(2 * one.backward.value() - two.backward.value(), kGradients);
    // More sequences don't cost it again: it is in no sequence's floor.
    EXPECT_LE(cost->marginal_floor({4, 0, 0}, kAlone, 0).value(),
              one.compute.value() - 1000 - kGradients);
  }
}

TEST(AnalyticCost, PackedSequencesOnlyAttendToThemselves) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  // Eight tokens as 8, or as twice 4: 64 or 32 pairs; the rest is the same. 32 pairs fewer are
  // 2048 ns forward and 2560 ns backward in each of two layers.
  const auto whole = cost->micro_batch(Shapes{text(8)}, kAlone, 0).compute.value();
  const auto packed = cost->micro_batch(Shapes{text(4, 2)}, kAlone, 0).compute.value();
  EXPECT_EQ(whole - packed, 2 * (2048 + 2560));
  EXPECT_EQ(cost->micro_batch(Shapes{text(4), text(4)}, kAlone, 0).compute.value(), packed);
}

TEST(AnalyticCost, LaunchesAreAFloorOfEveryLayerAndDirection) {
  core::Cluster cluster = small_cluster();
  cluster.device.kernel_launch = core::Seconds(1.1e-6);
  const core::Model model = small_lm();
  const auto cost = make_cost_model(cluster, &model, {});
  // 15 launches are longer than 12672, 30 longer than 32384, gradients included.
  const MicroBatchCost batch = cost->micro_batch(Shapes{text(4)}, kAlone, 1);
  EXPECT_EQ(batch.compute.value(), 1000 + 2 * (16500 + 33000) + kOnce);
  EXPECT_EQ(batch.recompute.value(), 16500);
}

TEST(AnalyticCost, HeadDimensionBetweenKernelsPaysForTheNext) {
  core::Cluster cluster = small_cluster();
  for (core::AttentionCurve& curve : cluster.device.attention) curve.head_dim = 3;
  const core::Model model = small_lm();
  const auto wasteful = make_cost_model(cluster, &model, {});
  const auto exact = make_cost_model(small_cluster(), &model, {});
  // Dimension 2 on a kernel for 3: half more attention time, 512 and 640 ns in each layer.
  EXPECT_EQ(wasteful->micro_batch(Shapes{text(4)}, kAlone, 0).compute.value() -
                exact->micro_batch(Shapes{text(4)}, kAlone, 0).compute.value(),
            2 * (512 + 640));
}

// Degree 2, 5 tokens padded to 6, 3 per rank. Q and O: 3 x 16 = 48 bytes, half leaves: 100 + 24 ns.
// K and V: 2 of 4 heads, 24 bytes: 100 + 12 ns. A layer: 2 x 124 + 2 x 112 = 472.
TEST(AnalyticCost, UlyssesMovesFourTensors) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  const Shapes shapes = {text(5)};
  EXPECT_EQ(cost->executed_tokens(shapes, 2), 6);
  const MicroBatchCost batch = cost->micro_batch(shapes, {2, 1}, 1);
  // Two layers forward and backward, one forward again.
  EXPECT_EQ(batch.communication.value(), 5 * 472);
  // Of 6 keys: 3 x 6 / 0.25 x 16 = 1152 and 2.5 x 288 / 0.5 = 1440; GEMM 6912; elementwise 1824,
  // 2400.
  EXPECT_EQ(batch.recompute.value(), 6912 + 1152 + 1824);
  EXPECT_EQ(batch.backward.value(), 2 * (2 * 6912 + 1440 + 2400) + 1920 + 936 + kGradients +
                                        (6912 + 1152 + 1824) + 3 * 472);
}

TEST(AnalyticCost, UlyssesAboveKvHeadsMovesReplicatedKAndV) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  // Degree 4: K and V have as many heads as Q. 2 tokens per rank, 32 bytes, three quarters leave.
  EXPECT_EQ(cost->micro_batch(Shapes{text(8)}, {4, 1}, 0).communication.value(), 4 * 4 * 124);
}

TEST(AnalyticCost, LeavingTheNodeIsSlower) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(2, 2), &model, {});
  // Degree 4 on 2 nodes, 32 bytes: 1/4 inside 8 ns, 2/4 through the NIC 160 ns, latencies 1100 ns.
  EXPECT_EQ(cost->micro_batch(Shapes{text(8)}, {4, 2}, 0).communication.value(), 16 * 1268);
  EXPECT_EQ(cost->worst_group(4).nodes, 2);
  EXPECT_EQ(cost->worst_group(2).nodes, 1);
  EXPECT_EQ(cost->nodes_spanned(1, 2), 2);
}

TEST(AnalyticCost, DspMovesTwoTensorsPerPairAndGathersTheEnds) {
  const core::Model model = small_video();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  EXPECT_EQ(cost->sp_method(), core::SpMethod::dsp);
  // 3 x 5 at degree 2: 12 tokens per rank, 192 bytes, half leaves: 196 ns; two per pair. The gather
  // at an end has 384 bytes in all: 292 ns.
  const MicroBatchCost batch = cost->micro_batch(Shapes{video(3, 5)}, {2, 1}, 1);
  EXPECT_EQ(batch.communication.value(), 3 * (2 * 196) + 2 * 292);
  // GEMM 12 x 2 x 1536 / 0.5 = 73728; attention over 6 and over 4 keys 12 x 10 x 32 / 0.25 = 15360;
  // elementwise per token 4 x (32 + 48 + 32 + 64) = 704: 12 x 704 / 0.5 = 16896.
  EXPECT_EQ(batch.recompute.value(), 73728 + 15360 + 16896);
}

TEST(AnalyticCost, DspImagesHaveNoTemporalAttention) {
  const core::Model model = small_video();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  // 3 images at degree 2: two rounds of 6 tokens; 12 tokens over 6 keys.
  const MicroBatchCost batch = cost->micro_batch(Shapes{video(1, 6, 3)}, {2, 1}, 1);
  EXPECT_EQ(batch.recompute.value(), 73728 + 12 * 6 * 32 * 4 + 16896);
  EXPECT_EQ(cost->executed_tokens(Shapes{video(1, 6, 3)}, 2), 24);
}

TEST(AnalyticCost, UlyssesOnVideosMovesFourTensorsPerAttention) {
  const core::Model model = small_video();
  const auto cost =
      make_cost_model(small_cluster(), &model, {.sp_method = core::SpMethod::ulysses});
  // 2 x 4 tokens, 4 per rank, 64 bytes, half leaves: 132 ns; 8 collectives per pair and direction.
  EXPECT_EQ(cost->micro_batch(Shapes{video(2, 4)}, {2, 1}, 0).communication.value(), 2 * 8 * 132);
  // An image has no temporal attention: 4 collectives.
  EXPECT_EQ(cost->micro_batch(Shapes{video(1, 8)}, {2, 1}, 0).communication.value(), 2 * 4 * 132);
}

TEST(AnalyticCost, TextIsReplicatedOnEveryRank) {
  core::Model model = small_video();
  const Shapes shapes = {video(2, 4, 2)};
  const auto without = make_cost_model(small_cluster(), &model, {});
  model.cross_attention_tokens = 3;
  model.cross_attention_width = 6;
  const auto with = make_cost_model(small_cluster(), &model, {});
  // 8 tokens per rank of degree 2. Q, O 8 x 512 / 0.5 = 8192; K, V of both sequences, 6 text
  // tokens, 6 x 512 / 0.5 = 6144, not halved; attention 8 x 3 keys x 64 / 0.25 = 6144; one more
  // addition in each block, 2 x 2 x 24 x 8 / 0.5 = 1536.
  EXPECT_EQ(with->micro_batch(shapes, {2, 1}, 1).recompute.value() -
                without->micro_batch(shapes, {2, 1}, 1).recompute.value(),
            8192 + 6144 + 6144 + 1536);
}

TEST(AnalyticCost, TensorParallelDividesWorkAndAddsCollectives) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {.tp = 2, .sp_method = {}});
  EXPECT_EQ(cost->ranks(), 4);
  EXPECT_EQ(cost->gpus_per_rank(), 2);
  EXPECT_EQ(cost->ranks_per_node(), 4);
  const MicroBatchCost batch = cost->micro_batch(Shapes{text(4)}, kAlone, 0);
  EXPECT_EQ(batch.compute.value(), 1000 + (2 * (12672 + 32384) + kOnce) / 2);
  // 4 x 16 = 64 bytes, half leaves: 132 ns. Attention and MLP: 2 all-gathers and 2 reduce-scatters
  // forward, 4 and 2 backward.
  EXPECT_EQ(batch.communication.value(), 2 * (4 + 6) * 132);
  // A recomputed layer repeats those of its forward pass.
  const MicroBatchCost again = cost->micro_batch(Shapes{text(4)}, kAlone, 1);
  EXPECT_EQ(again.communication.value(), (2 * (4 + 6) + 4) * 132);
  EXPECT_EQ(again.backward.value(),
            (2 * 32384 + 2560 + 1248 + 2688 + 12672) / 2 + (2 * 6 + 4) * 132);
  // Heads of a GPU: 2, and one of K and V.
  EXPECT_FALSE(cost->refuse_degree(2));
  EXPECT_TRUE(cost->refuse_degree(4));
}

TEST(AnalyticCost, TensorParallelTextAttentionIsAThirdSubLayer) {
  core::Model model = small_video();
  const auto communication = [&] {
    const auto cost = make_cost_model(small_cluster(), &model, {.tp = 2, .sp_method = {}});
    return cost->micro_batch(Shapes{video(2, 4)}, kAlone, 0).communication.value();
  };
  // 8 x 16 = 128 bytes, half leaves: 164 ns. A pair has 4 sub-layers: 8 collectives forward and 12
  // backward.
  EXPECT_EQ(communication(), (8 + 12) * 164);
  model.cross_attention_tokens = 3;
  model.cross_attention_width = 6;
  EXPECT_EQ(communication(), (12 + 18) * 164);
}

TEST(AnalyticCost, HeadRule) {
  core::Model model = small_lm();
  model.hidden = 24;
  model.heads = 12;
  model.kv_heads = 3;
  const auto cost = make_cost_model(small_cluster(2, 8), &model, {});
  EXPECT_FALSE(cost->refuse_degree(1));
  // 12 heads divide by 2, but neither 3 by 2 nor 2 by 3.
  EXPECT_NE(cost->refuse_degree(2)->find("3 kv heads"), std::string::npos);
  EXPECT_NE(cost->refuse_degree(8)->find("12 heads"), std::string::npos);
  EXPECT_NE(cost->refuse_degree(3)->find("power of two"), std::string::npos);
  EXPECT_NE(cost->refuse_degree(32)->find("16 ranks"), std::string::npos);
  EXPECT_NE(cost->refuse_degree(0), std::nullopt);
  EXPECT_EQ(cost->allowed_degrees(), std::vector<std::int32_t>{1});
  // DSP has none.
  const core::Model video_model = small_video();
  const auto dsp = make_cost_model(small_cluster(2, 8), &video_model, {});
  EXPECT_EQ(dsp->allowed_degrees(), (std::vector<std::int32_t>{1, 2, 4, 8, 16}));
}

TEST(AnalyticCost, FitsWithinMemoryAndTheTokenCap) {
  const core::Model model = small_lm();
  const auto free = make_cost_model(small_cluster(), &model, {});
  EXPECT_EQ(free->capacity().value(), 0.9e6);
  EXPECT_TRUE(free->fits(Shapes{text(500)}, 1, 0));
  EXPECT_FALSE(free->fits(Shapes{text(5000)}, 1, 0));
  EXPECT_TRUE(free->fits(Shapes{text(5000)}, 4, 0));
  const auto capped = make_cost_model(small_cluster(), &model, {.rank_tokens = 8, .sp_method = {}});
  EXPECT_TRUE(capped->fits(Shapes{text(8)}, 1, 0));
  EXPECT_FALSE(capped->fits(Shapes{text(9)}, 1, 0));
  EXPECT_TRUE(capped->fits(Shapes{text(15)}, 2, 0));
  EXPECT_FALSE(capped->fits(Shapes{text(1), text(15)}, 2, 0));  // 2 + 16 > 2 x 8
}

TEST(AnalyticCost, AbsurdLengthsAreCutNotOverflown) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  const MicroBatchCost batch =
      cost->micro_batch(Shapes{text(core::kMaxTokens, core::kMaxSequences)}, {2, 1}, 2);
  EXPECT_GE(batch.total(), batch.compute);
  EXPECT_LE(batch.backward, batch.total());
  EXPECT_FALSE(cost->fits(Shapes{text(core::kMaxTokens, core::kMaxSequences)}, 4, 2));
}

TEST(AnalyticCost, ModelFlopsAndPeak) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(small_cluster(), &model, {});
  // Forward 4 tokens: 2 layers x (4 x 1152 + 256) + 4 x 160 = 10368.
  EXPECT_EQ(cost->model_flops({4, 0, 0}), 3 * 10368);
  EXPECT_EQ(cost->peak_flops(), 8e9);
}

}  // namespace
}  // namespace dcpbench::planner

#include "planner/layer_work.hpp"

#include <gtest/gtest.h>

#include "core/configs.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

TEST(LayerWork, GatedLanguageModel) {
  const ModelWork work = model_work(small_lm(), 2);
  // K and V are 4 wide. Weights 8 x (16 + 8) + 3 x 8 x 16 = 576, two operations each.
  EXPECT_EQ(work.layer.gemm_flops_per_token, 1152);
  EXPECT_EQ(work.layer.attention_flops_per_pair, 16);  // causal: 2h
  // Norms 4h 32, additions 6h 48, rotary 2 (8 + 4) 24, activation 3f 48 = 152 numbers.
  EXPECT_EQ(work.layer.forward_bytes_per_token, 304);
  // Norms 6h 48, additions 48, rotary 24, activation 5f 80 = 200.
  EXPECT_EQ(work.layer.backward_bytes_per_token, 400);
  EXPECT_EQ(work.layer.saved_bytes_per_token + work.layer.saved_kv_bytes_per_token, 224);
  EXPECT_EQ(work.head_flops_per_token, 160);
  EXPECT_EQ(work.forward_bytes_per_token, 2 * 4 * 8 + 60);
  EXPECT_EQ(work.backward_bytes_per_token, 2 * 6 * 8 + 60);
  EXPECT_EQ(work.logits_bytes_per_token, 60);
  // 592 parameters in each of two layers, 1352 in all (memory_test.cpp).
  EXPECT_EQ(work.layer.gradient_bytes, 8 * 592);
  EXPECT_EQ(work.gradient_bytes, 8 * (1352 - 2 * 592));
}

TEST(LayerWork, PlainVideoPairWithTextAndModulation) {
  core::Model model = small_video();
  model.cross_attention_tokens = 3;
  model.cross_attention_width = 6;
  model.modulated = true;
  const ModelWork work = model_work(model, 4);
  // Per block: QKVO 8 x 64 = 512, MLP 4 x 8 x 32 = 1024, text Q and O 4 x 64 = 256.
  EXPECT_EQ(work.layer.gemm_flops_per_token, 2 * 1792);
  EXPECT_EQ(work.layer.attention_flops_per_pair, 32);
  EXPECT_EQ(work.layer.text_attention_flops_per_pair, 2 * 32);
  EXPECT_EQ(work.layer.text_gemm_flops_per_text_token, 2 * 4 * 64);
  // Norms 32, three additions 72, rotary 32, activation 2f 64, modulation 4 x 16, Q and K norms 32.
  EXPECT_EQ(work.layer.forward_bytes_per_token, 2 * 2 * (32 + 72 + 32 + 64 + 64 + 32));
  EXPECT_EQ(work.layer.backward_bytes_per_token, 2 * 2 * (48 + 72 + 32 + 96 + 96 + 48));
  EXPECT_EQ(work.text_gemm_flops_per_text_token, 2 * 8 * (6 + 8));
  EXPECT_EQ(work.modulation_flops_per_sequence, 12 * 64);
}

// 56 h^2 + 4 S h + 4 T h + 8 Lc h per token and pair (STDiT3, Open-Sora 1.2), 8 Lc h^2 per sample
// for the text's K and V.
TEST(LayerWork, FlopsOfStdit3) {
  const core::Model model = core::load_model("dit-2d-1.2b");
  const double h = 1152;
  const double lc = 300;
  const double frames = 15;
  const double per_frame = 144;
  const double tokens = frames * per_frame;
  const double pair =
      tokens * (56 * h * h + 4 * per_frame * h + 4 * frames * h + 8 * lc * h) + 8 * lc * h * h;
  const double once = tokens * 2 * h * model.output_channels +
                      2 * lc * (model.cross_attention_width * h + h * h) + 12 * h * h;
  EXPECT_DOUBLE_EQ(forward_flops(model, {2160, 15, 144}), 28 * pair + once);
  // An image has no temporal attention.
  const double image = 144 * (56 * h * h + 4 * per_frame * h + 8 * lc * h) + 8 * lc * h * h;
  EXPECT_DOUBLE_EQ(forward_flops(model, {144, 1, 144}),
                   28 * image + 144 * 2 * h * model.output_channels +
                       2 * lc * (model.cross_attention_width * h + h * h) + 12 * h * h);
}

// Training takes 6 FLOPs per parameter and token, but for the embedding, which is looked up, and
// the norms, which aren't matrices; and for a causal sequence of s tokens 3 x 2 s h per layer and
// token.
TEST(LayerWork, TrainingFlopsOfLlamaAreSixPerParameter) {
  const core::Model model = core::load_model("llama-8b");
  const double h = model.hidden;
  const double matrices = core::parameter_count(model) - h * model.vocab - (2 * 32 + 1) * h;
  const double s = 8192;
  EXPECT_DOUBLE_EQ(3 * forward_flops(model, {8192, 0, 0}), s * (6 * matrices + 32 * 3 * 2 * s * h));
}

}  // namespace
}  // namespace dcpbench::planner

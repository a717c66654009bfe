#include "planner/layer_work.hpp"

#include <algorithm>

#include "planner/rank_load.hpp"

namespace dcpbench::planner {

namespace {

constexpr double kTensorBytes = 2;    // bf16
constexpr double kLogitsBytes = 6;    // bf16 and fp32
constexpr double kGradientBytes = 8;  // fp32, read and written

}  // namespace

ModelWork model_work(const core::Model& model, std::int32_t kv_heads) {
  const double h = model.hidden;
  const double a = model.heads;
  const double f = model.ffn;
  const double kv = h * kv_heads / a;  // width of K, and of V
  const double width = model.head == core::Head::lm ? model.vocab : model.output_channels;
  const bool text = model.cross_attention_tokens > 0;

  ModelWork work;
  work.blocks = model.is_2d() ? 2 : 1;
  work.text_tokens = model.cross_attention_tokens;
  const double blocks = work.blocks;

  LayerWork& layer = work.layer;
  const double attention_weights = h * (2 * h + 2 * kv);
  const double mlp_weights = (model.gated_mlp ? 3 : 2) * h * f;
  const double text_weights = text ? 2 * h * h : 0;
  layer.gemm_flops_per_token = blocks * 2 * (attention_weights + mlp_weights + text_weights);
  layer.attention_flops_per_pair = model.mask == core::Mask::causal ? 2 * h : 4 * h;
  layer.text_attention_flops_per_pair = text ? blocks * 4 * h : 0;
  layer.text_gemm_flops_per_text_token = text ? blocks * 4 * h * h : 0;

  const double additions = text ? 3 : 2;
  const double rotary = 2 * (h + kv);
  const double forward = 2 * 2 * h + additions * 3 * h + rotary + (model.gated_mlp ? 3 : 2) * f +
                         (model.modulated ? 4 * 2 * h + 2 * (h + kv) : 0);
  const double backward = 2 * 3 * h + additions * 3 * h + rotary + (model.gated_mlp ? 5 : 3) * f +
                          (model.modulated ? 4 * 3 * h + 3 * (h + kv) : 0);
  layer.forward_bytes_per_token = blocks * kTensorBytes * forward;
  layer.backward_bytes_per_token = blocks * kTensorBytes * backward;

  layer.gradient_bytes = kGradientBytes * core::layer_parameter_count(model);

  layer.saved_bytes_per_token =
      blocks * (12 * h + 4 * a + (model.gated_mlp ? 6 : 4) * f + (text ? 6 * h + 4 * a : 0) +
                (model.modulated ? 4 * h + 2 * (h + kv) : 0));
  layer.saved_kv_bytes_per_token = blocks * 4 * kv;
  layer.saved_text_bytes_per_text_token = text ? blocks * 4 * h : 0;
  layer.forward_kernels = model.is_2d() ? 60 : 15;
  layer.backward_kernels = 2 * layer.forward_kernels;

  work.head_flops_per_token = 2 * h * width;
  work.text_gemm_flops_per_text_token = text ? 2 * h * (model.cross_attention_width + h) : 0;
  work.modulation_flops_per_sequence = model.modulated ? 12 * h * h : 0;
  work.forward_bytes_per_token = kTensorBytes * 2 * 2 * h + kLogitsBytes * width;
  work.backward_bytes_per_token = kTensorBytes * 2 * 3 * h + kLogitsBytes * width;
  work.gradient_bytes = std::max(
      kGradientBytes * core::parameter_count(model) - model.layers * layer.gradient_bytes, 0.0);
  work.logits_bytes_per_token = kLogitsBytes * width;
  return work;
}

double forward_flops(const core::Model& model, const core::Shape& shape) {
  const ModelWork work = model_work(model, model.kv_heads);
  const LayerWork& layer = work.layer;
  const auto tokens = static_cast<double>(shape.tokens);
  const double text = work.text_tokens;
  double keys = tokens;
  if (model.is_2d()) {
    const std::int64_t frames = frames_of(shape);
    keys = static_cast<double>(frame_tokens_of(shape)) +
           (frames > 1 ? static_cast<double>(frames) : 0);
  }
  const double per_layer =
      tokens * (layer.gemm_flops_per_token + layer.attention_flops_per_pair * keys +
                layer.text_attention_flops_per_pair * text) +
      layer.text_gemm_flops_per_text_token * text;
  return model.layers * per_layer + tokens * work.head_flops_per_token +
         work.text_gemm_flops_per_text_token * text + work.modulation_flops_per_sequence;
}

}  // namespace dcpbench::planner

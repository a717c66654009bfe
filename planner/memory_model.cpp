#include "planner/memory_model.hpp"

#include <algorithm>

namespace dcpbench::planner {

namespace {

constexpr std::array kFixedNames = {
    "weights", "gathered layers", "gradients", "optimizer", "weight-gradient scratch",
    "context", "communicators",   "workspace"};
constexpr std::array kTokenNames = {"checkpoints", "activations", "replicated K and V", "text",
                                    "logits",      "working set", "fragmentation"};

template <std::size_t kCount>
double sum(const std::array<double, kCount>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

}  // namespace

LocalHeads local_heads(const core::Model& model, std::int32_t tp) {
  return {model.heads / tp, std::max(model.kv_heads / tp, 1)};
}

MemoryModel::MemoryModel(const core::Cluster& cluster, const core::Model& model,
                         const Parallelism& parallelism)
    : sharding_(parallelism.sharding),
      layers_(model.layers),
      kv_heads_(local_heads(model, parallelism.tp).kv_heads),
      fragmentation_(cluster.overheads.fragmentation) {
  const double tp = parallelism.tp;
  const ModelWork work = model_work(model, std::max(model.kv_heads, parallelism.tp));
  checkpoint_per_token_ = 2.0 * model.hidden / tp;
  saved_per_token_ = work.layer.saved_bytes_per_token / tp;
  kv_per_token_ = work.layer.saved_kv_bytes_per_token / tp;
  text_per_sequence_ = work.layer.saved_text_bytes_per_text_token * work.text_tokens / tp;
  text_once_per_sequence_ =
      2.0 * work.text_tokens * (model.cross_attention_width + model.hidden) / tp;
  logits_per_token_ = work.logits_bytes_per_token / tp;

  const double parameters = core::parameter_count(model) / tp;
  const double layer = core::layer_parameter_count(model) / tp;
  const double outside = std::max(parameters - layers_ * layer, 0.0);
  const double table = model.head == core::Head::lm ? 1.0 * model.hidden * model.vocab / tp : 0;
  const double ranks = parallelism.ranks;
  const bool shards_weights = parallelism.zero == 3;
  const double communicators = 1 + (parallelism.tp > 1 ? 1 : 0) + parallelism.sp_degrees;
  const core::Overheads& overheads = cluster.overheads;
  fixed_ = {
      2 * parameters / (shards_weights ? ranks : 1),
      shards_weights ? 2 * (2 * layer + outside) : 0,
      shards_weights ? 4 * parameters / ranks + 4 * std::max(layer, table) : 4 * parameters,
      12 * parameters / (parallelism.zero >= 1 ? ranks : 1),
      2 * layer,
      overheads.context.value(),
      communicators * overheads.communicator.value(),
      overheads.workspace.value(),
  };
  fixed_sum_ = sum(fixed_);
}

MemoryModel::TokenParts MemoryModel::token_parts(std::span<const ShapeGroup> shapes,
                                                 std::int32_t degree,
                                                 std::int32_t recompute_layers) const {
  const auto [tokens, sequences] = rank_tokens_of(shapes, degree, sharding_);
  const double recomputed = recompute_layers;
  const double saved_layers = layers_ - recomputed;
  const bool by_heads = sharding_ != Sharding::dynamic;
  const double copies = by_heads && degree > kv_heads_ ? degree / kv_heads_ : 1;

  const double activations = tokens * (saved_per_token_ + kv_per_token_);
  const double replicated = tokens * kv_per_token_ * (copies - 1);
  const double text = sequences * text_per_sequence_;
  const double logits = tokens * logits_per_token_;
  const double layer = activations + replicated + text;

  const double checkpoint = tokens * checkpoint_per_token_;
  const double gone = saved_layers * layer + logits;

  TokenParts parts{};
  parts[0] = recomputed * checkpoint;
  parts[1] = saved_layers * activations;
  parts[2] = saved_layers * replicated;
  parts[3] = saved_layers * text + sequences * text_once_per_sequence_;
  parts[4] = logits;
  parts[5] = recompute_layers > 0 ? std::max(layer - checkpoint - gone, 0.0) : 0;
  parts[6] = fragmentation_ * (parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + parts[5]);
  return parts;
}

std::vector<MemoryPart> MemoryModel::parts(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                           std::int32_t recompute_layers) const {
  std::vector<MemoryPart> result;
  result.reserve(kFixedParts + kTokenParts);
  for (std::size_t i = 0; i < kFixedParts; ++i) {
    result.push_back({kFixedNames[i], core::Bytes(fixed_[i])});
  }
  if (shapes.empty()) return result;
  const TokenParts tokens = token_parts(shapes, degree, recompute_layers);
  for (std::size_t i = 0; i < kTokenParts; ++i) {
    result.push_back({kTokenNames[i], core::Bytes(tokens[i])});
  }
  return result;
}

core::Bytes MemoryModel::peak(std::span<const ShapeGroup> shapes, std::int32_t degree,
                              std::int32_t recompute_layers) const {
  if (shapes.empty()) return core::Bytes(fixed_sum_);
  return core::Bytes(fixed_sum_ + sum(token_parts(shapes, degree, recompute_layers)));
}

}  // namespace dcpbench::planner

// Peak memory of one GPU of a rank, in named parts, bytes. N parameters, D ranks, t tensor-parallel
// degree, r recomputed of L layers.
//
//   weights                  2N in bf16; ZeRO-3: 2N/D
//   gathered layers          ZeRO-3: two layers (one at work, one prefetched) and what is in none
//   gradients                4N in fp32; ZeRO-3: 4N/D and the largest unit before its reduction: a
//                            layer, or the head or embedding of h V weights. ZeRO-2 keeps them
//                            whole until the last micro-batch, as ZeRO-1 does
//   optimizer                12N: master weight and two moments in fp32; from ZeRO-1 on 12N/D
//   weight-gradient scratch  2 bytes per parameter of one layer
//   context, workspace       given by the cluster
//   communicators            one for the world, one for tensor parallelism, and one for each SP
//                            degree above 1 that the model allows, whether a plan uses it or not
//   checkpoints              2h per token of each recomputed layer: its input
//   activations, text        of the layers that aren't recomputed (layer_work.hpp)
//   replicated K and V       Ulysses above kv heads keeps `degree` heads of K and V
//   logits                   6V per token
//   working set              a layer while it is recomputed, but for its input, as far as that
//                            exceeds what is gone by then
//   fragmentation            a share of all from checkpoints to working set
//
// What the cluster doesn't give is divided by t: t GPUs share a rank's tokens and weights as in
// Megatron's tensor and sequence parallelism.
//
// The first r layers are recomputed: the backward pass reaches them when the activations of the
// others and the logits are gone, so memory never grows with r.
//
// Sources: ZeRO, Rajbhandari et al. 2020; Korthikanti et al. 2022; theoretical_memory_usage.py of
// Megatron-LM. Two constants were chosen after seeing the peak allocations that SimuMax publishes
// for Llama-3 widths on B200: 6 bytes per logit and the one layer of weight-gradient scratch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "planner/cost_model.hpp"
#include "planner/layer_work.hpp"
#include "planner/rank_load.hpp"

namespace dcpbench::planner {

struct Parallelism {
  std::int32_t ranks = 1;
  std::int32_t tp = 1;
  std::int32_t zero = 1;
  Sharding sharding = Sharding::sequence;
  std::int32_t sp_degrees = 0;  // above 1, each with a communicator
};

// Widths of one of the t GPUs of a rank.
struct LocalHeads {
  std::int32_t heads = 1;
  std::int32_t kv_heads = 1;  // at least one
};
LocalHeads local_heads(const core::Model& model, std::int32_t tp);

class MemoryModel {
 public:
  MemoryModel(const core::Cluster& cluster, const core::Model& model,
              const Parallelism& parallelism);

  // Empty shapes: the fixed parts only.
  [[nodiscard]] std::vector<MemoryPart> parts(std::span<const ShapeGroup> shapes,
                                              std::int32_t degree,
                                              std::int32_t recompute_layers) const;
  [[nodiscard]] core::Bytes peak(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                 std::int32_t recompute_layers) const;

 private:
  static constexpr std::size_t kFixedParts = 8;
  static constexpr std::size_t kTokenParts = 7;
  using TokenParts = std::array<double, kTokenParts>;

  [[nodiscard]] TokenParts token_parts(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                       std::int32_t recompute_layers) const;

  Sharding sharding_;
  double layers_;
  double kv_heads_;
  double checkpoint_per_token_;
  double saved_per_token_;
  double kv_per_token_;
  double text_per_sequence_;       // per layer
  double text_once_per_sequence_;  // the embedding and its projection
  double logits_per_token_;
  double fragmentation_;
  std::array<double, kFixedParts> fixed_{};
  double fixed_sum_ = 0;
};

}  // namespace dcpbench::planner

// Peak memory of one GPU of a rank, in named parts (bytes; N parameters, D ranks, t tensor-parallel
// degree, n tokens of the rank, r recomputed of L layers).
//
//   weights                  2N, bf16; ZeRO-3: 2N/D
//   gathered layers          ZeRO-3: two layers (one at work, one prefetched) and what is in no
//   layer gradients                4N, fp32; ZeRO-3: 4N/D and one whole layer before its reduction.
//                            ZeRO-2 keeps them whole until the last micro-batch, as ZeRO-1
//   optimizer                12N: master weights and two moments in fp32; from ZeRO-1 on 12N/D
//   weight-gradient scratch  2 bytes per parameter of one layer
//   context, communicators, workspace   of the cluster; one communicator for the world, one for
//   tensor
//                            parallelism and one for each SP degree above 1 that the model allows,
//                            whether a plan uses it or not
//   checkpoints              2h per token of each recomputed layer: its input
//   activations, replicated K and V, text     of the layers that aren't recomputed
//   (layer_work.hpp);
//                            Ulysses above kv heads keeps max(kv heads, degree) heads of K and V
//   logits                   6V per token
//   working set              of a layer while it is recomputed, as far as it exceeds what is then
//   gone fragmentation            share of the parts from checkpoints to working set
// All but the ones of the cluster are divided by t (t GPUs hold the rank's tokens as Megatron's
// tensor and sequence parallelism does).
//
// The *first* r layers are recomputed: the backward pass reaches them after the activations of the
// others and the logits are gone, so memory never grows with r.
//
// Sources: Rajbhandari et al. 2020 (ZeRO); Korthikanti et al. 2022; Megatron-LM
// theoretical_memory_usage.py. Two constants were chosen after seeing the peak allocations that
// SimuMax publishes for Llama-3 on B200: 6 bytes per logit and the one layer of scratch.
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

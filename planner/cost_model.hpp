// What a micro-batch and a step cost: the one interface that strategies, the lower bound,
// validation and the simulator use. Three kinds stand behind it: analytic (model + cluster), table
// (a measured profile) and polynomial (the model-free clusters). Pure functions; safe to call from
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "core/units.hpp"

namespace dcpbench::planner {

// `count` sequences that are executed as `shape` (already padded to the longest of the micro-batch
// where the padding rule asks for it; not yet padded for sequence parallelism).
struct ShapeGroup {
  core::Shape shape;
  std::int64_t count = 1;
};

// The ranks of a micro-batch as far as cost depends on them.
struct Group {
  std::int32_t degree = 1;
  std::int32_t nodes = 1;  // nodes that the block touches
};

// Times of one rank of the group; all ranks of a group take the same time.
struct MicroBatchCost {
  core::Nanoseconds compute{0};        // forward and backward, without recomputation
  core::Nanoseconds recompute{0};      // the forward of the recomputed layers, done again
  core::Nanoseconds communication{0};  // exposed transfer inside the group, recomputation included
  core::Nanoseconds backward{0};       // the part of the above in which gradients become ready
  double extrapolation = 1;            // factor beyond the measured range; 1 = inside
  [[nodiscard]] core::Nanoseconds total() const { return compute + recompute + communication; }
};

// World-wide costs of one optimizer step.
struct StepCost {
  core::Nanoseconds gradient_sync{0};       // reduction (and gather, ZeRO-1) when nothing overlaps
  core::Nanoseconds gradient_sync_tail{0};  // the least of it that no backward can hide
  core::Nanoseconds optimizer{0};
  core::Nanoseconds overhead{0};
  // As that of a micro-batch, of the reductions and gathers; those of exposed_gather included.
  double extrapolation = 1;
};

struct MemoryPart {
  const char* name;  // "weights", "gradients", "optimizer", "activations", ...
  core::Bytes bytes;
};

class CostModel {
 public:
  virtual ~CostModel() = default;

  // SP groups are made of `ranks`; with tensor parallelism a rank is a TP group of `gpus_per_rank`.
  [[nodiscard]] virtual std::int32_t ranks() const = 0;
  [[nodiscard]] virtual std::int32_t gpus_per_rank() const = 0;
  [[nodiscard]] virtual std::int32_t ranks_per_node() const = 0;
  [[nodiscard]] virtual std::int32_t layers() const = 0;  // 0: recomputation does not exist
  [[nodiscard]] virtual bool is_2d() const = 0;
  [[nodiscard]] virtual core::SpMethod sp_method() const = 0;
  [[nodiscard]] virtual std::int32_t zero() const = 0;
  [[nodiscard]] virtual bool lockstep() const = 0;
  // The published fixed SP degree of the bucket baseline for this model, if there is one.
  [[nodiscard]] virtual std::optional<std::int32_t> published_sp_degree() const = 0;

  // Why this degree can't be used (head rule, number of ranks, no bandwidth known), or nothing.
  [[nodiscard]] virtual std::optional<std::string> refuse_degree(std::int32_t degree) const = 0;

  // Tokens that are executed for the group, all ranks together, padding of sequence parallelism
  // included.
  [[nodiscard]] virtual std::int64_t executed_tokens(std::span<const ShapeGroup> shapes,
                                                     std::int32_t degree) const = 0;

  // 0 <= recompute_layers <= layers(). `shapes` is not empty. Never decreases when a sequence is
  // added, made longer, or recompute_layers grows.
  [[nodiscard]] virtual MicroBatchCost micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                                   std::int32_t recompute_layers) const = 0;

  // Peak memory of one rank, by named part, the fixed parts included; empty shapes: the fixed
  // parts. Model-free clusters have no parts.
  [[nodiscard]] virtual std::vector<MemoryPart> memory_parts(
      std::span<const ShapeGroup> shapes, std::int32_t degree,
      std::int32_t recompute_layers) const = 0;
  // The sum of memory_parts, without building them.
  [[nodiscard]] virtual core::Bytes peak_memory(std::span<const ShapeGroup> shapes,
                                                std::int32_t degree,
                                                std::int32_t recompute_layers) const = 0;
  // Usable bytes of a rank: memory x --memory-fraction. Infinite-like (0) when there is no memory
  // model: then only the token cap limits.
  [[nodiscard]] virtual core::Bytes capacity() const = 0;
  // Hard cap of executed tokens per rank in a micro-batch, or 0.
  [[nodiscard]] virtual std::int64_t rank_tokens() const = 0;

  [[nodiscard]] virtual StepCost step() const = 0;

  // ZeRO-3: transfer of one round that stays exposed when the slowest rank is busy for `busy_max`.
  [[nodiscard]] virtual core::Nanoseconds exposed_gather(core::Nanoseconds busy_max) const = 0;

  // A lower bound on what any micro-batch of this degree spends, per rank, because `shape` is in
  // it: best kernel efficiency, no padding of others, no launch floor. Times degree = rank time.
  [[nodiscard]] virtual core::Nanoseconds marginal_floor(const core::Shape& shape, Group group,
                                                         std::int32_t recompute_layers) const = 0;

  // Model FLOPs of training on a sequence (forward + backward, no recomputation, no padding); 0
  // when model-free. Used for the model FLOPs utilization only.
  [[nodiscard]] virtual double model_flops(const core::Shape& shape) const = 0;
  // Peak FLOP/s of all GPUs; 0 when unknown.
  [[nodiscard]] virtual double peak_flops() const = 0;

  // Relative uncertainty of a predicted ratio of two strategies; gains below it are called equal.
  [[nodiscard]] virtual double uncertainty() const = 0;

  // Derived from the above.
  [[nodiscard]] std::int32_t nodes_spanned(std::int32_t first_rank, std::int32_t degree) const;
  [[nodiscard]] Group group_at(std::int32_t first_rank, std::int32_t degree) const {
    return {degree, nodes_spanned(first_rank, degree)};
  }
  // The group of this degree that touches the most nodes: what a plan made before placement
  // assumes.
  [[nodiscard]] Group worst_group(std::int32_t degree) const;
  // Memory within capacity and tokens within the cap.
  [[nodiscard]] bool fits(std::span<const ShapeGroup> shapes, std::int32_t degree,
                          std::int32_t recompute_layers) const;
  // Powers of two up to ranks() that refuse_degree allows, ascending.
  [[nodiscard]] std::vector<std::int32_t> allowed_degrees() const;
};

}  // namespace dcpbench::planner

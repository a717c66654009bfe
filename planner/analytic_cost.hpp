// The cost of a micro-batch from a model and a cluster.
//
// A rank holds n tokens, padding included (rank_load.hpp). Work per token is in layer_work.hpp,
// rates in efficiency.hpp and kernel_rates.hpp, transfers in collective_model.hpp, memory in
// memory_model.hpp, the end of a step in zero_sync.hpp. With t GPUs per rank, work is divided by t.
//
//   layer forward   the longer of kernels x launch and the sum of
//                     GEMM at n rows, and of the text's K and V at sequences x Lc rows
//                     self-attention of each sequence at its own length; text attention at Lc keys
//                     elementwise bytes / memory rate
//   layer backward  the same with twice the GEMM, 2.5 times the attention FLOPs at their rate, and
//                   8 bytes per parameter of the layer: its fp32 gradients are read and written
//   once            head and loss, embedding, final norm, text projection, modulation, and the
//                   gradients of what is in no layer
//
//   compute         overhead of a micro-batch + L (forward + backward) + once
//   recompute       r forwards of a layer
//   communication   (2L + r) transfers of a layer and those at the ends, none overlapped
//
// Transfers of a layer in its forward pass; the backward pass has the same, and what is said below:
//   Ulysses   all-to-all of Q, K, V and O: 2nh bytes for Q and O, 2nh max(k, d)/a for K and V, so
//             four collectives per self-attention (the temporal one only for videos)
//   DSP       two all-to-all of 2nh per pair of blocks. At the ends: gather of the output, and in
//             the backward pass of the gradient of the split input, 2nhd each
//   tensor    an all-gather and a reduce-scatter of 2nh per sub-layer (self-attention, MLP, and
//             text attention where there is one), inside the node; in the backward pass one more
//             all-gather, since only a shard of the sub-layer's input is kept (tensor and sequence
//             parallelism of Megatron, Korthikanti et al. 2022)
// Text and modulation are replicated on every rank of a group.
//
// Extrapolation is the largest over the layers' GEMM, self-attention and transfers. Text projection
// and modulation, a few rows each, are left out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "planner/collective_model.hpp"
#include "planner/cost_model.hpp"
#include "planner/kernel_rates.hpp"
#include "planner/layer_work.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/memory_model.hpp"
#include "planner/rank_load.hpp"
#include "planner/zero_sync.hpp"

namespace dcpbench::planner {

class AnalyticCost final : public CostModel {
 public:
  // Inputs are checked by make_cost_model.
  AnalyticCost(const core::Cluster& cluster, const core::Model& model, const CostOptions& options);

  [[nodiscard]] std::int32_t ranks() const override { return ranks_; }
  [[nodiscard]] std::int32_t gpus_per_rank() const override { return tp_; }
  [[nodiscard]] std::int32_t ranks_per_node() const override { return ranks_per_node_; }
  [[nodiscard]] std::int32_t layers() const override { return model_.layers; }
  [[nodiscard]] bool is_2d() const override { return model_.is_2d(); }
  [[nodiscard]] core::SpMethod sp_method() const override { return sp_method_; }
  [[nodiscard]] std::int32_t zero() const override { return zero_; }
  [[nodiscard]] bool lockstep() const override { return zero_ == 3; }
  [[nodiscard]] std::optional<std::int32_t> published_sp_degree() const override {
    return model_.published_sp_degree;
  }
  [[nodiscard]] std::optional<std::string> refuse_degree(std::int32_t degree) const override;
  [[nodiscard]] std::int64_t executed_tokens(std::span<const ShapeGroup> shapes,
                                             std::int32_t degree) const override;
  [[nodiscard]] MicroBatchCost micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                           std::int32_t recompute_layers) const override;
  [[nodiscard]] std::vector<MemoryPart> memory_parts(std::span<const ShapeGroup> shapes,
                                                     std::int32_t degree,
                                                     std::int32_t recompute_layers) const override;
  [[nodiscard]] core::Bytes peak_memory(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                        std::int32_t recompute_layers) const override;
  [[nodiscard]] core::Bytes capacity() const override { return capacity_; }
  [[nodiscard]] std::int64_t rank_tokens() const override { return rank_tokens_; }
  [[nodiscard]] StepCost step() const override { return sync_.step(); }
  [[nodiscard]] core::Nanoseconds exposed_gather(core::Nanoseconds busy_max) const override {
    return lockstep() ? sync_.exposed_gather(busy_max) : core::Nanoseconds(0);
  }
  [[nodiscard]] core::Nanoseconds marginal_floor(const core::Shape& shape, Group group,
                                                 std::int32_t recompute_layers) const override;
  [[nodiscard]] double model_flops(const core::Shape& shape) const override {
    return 3 * forward_flops(model_, shape);
  }
  [[nodiscard]] double peak_flops() const override { return peak_flops_; }
  [[nodiscard]] double uncertainty() const override { return uncertainty_; }

 private:
  // A rank's micro-batch in the units that the rates below multiply.
  struct Work {
    double tokens = 0;
    double video_tokens = 0;   // those with temporal attention
    double rows = 0;           // effective GEMM rows of the layers and the head
    double text_rows = 0;      // ... of the text projections
    double sequence_rows = 0;  // ... of the modulation
    double forward_keys = 0;   // sum over query rows of the effective number of keys
    double backward_keys = 0;
    double extrapolation = 1;
  };
  struct Direction {
    double forward = 0;
    double backward = 0;
  };

  void add_attention(const LocalShape& local, Work& work) const;
  [[nodiscard]] Work measured_work(std::span<const ShapeGroup> shapes, std::int32_t degree) const;
  [[nodiscard]] Direction layer_work_seconds(const Work& work) const;
  [[nodiscard]] Direction once_seconds(const Work& work) const;
  // Calls transfer(timer, bytes, Direction) for every kind of collective of a layer, with how many
  // of it the two passes have; transfer(timer, bytes, count) for those at the ends of one pass.
  template <class Transfer>
  void layer_transfers(const Work& work, Group group, Transfer&& transfer) const;
  template <class Transfer>
  void end_transfers(const Work& work, Group group, Transfer&& transfer) const;

  core::Model model_;
  std::int32_t tp_;
  std::int32_t zero_;
  std::int32_t ranks_;
  std::int32_t ranks_per_node_;
  core::SpMethod sp_method_;
  Sharding sharding_;
  LocalHeads heads_;
  std::int64_t rank_tokens_;
  core::Bytes capacity_;
  double peak_flops_;
  double uncertainty_;

  EfficiencyTable gemm_;
  AttentionRates attention_;
  CollectiveModel collectives_;
  MemoryModel memory_;
  ZeroSync sync_;

  // Seconds per unit of Work.
  double micro_batch_seconds_ = 0;
  Direction launch_;          // floor of a layer
  Direction attention_rate_;  // per effective key
  Direction token_rate_;      // per token: elementwise bytes and text attention
  double layer_rate_ = 0;     // per effective row, forward
  double text_rate_ = 0;
  double head_rate_ = 0;
  double text_once_rate_ = 0;
  double modulation_rate_ = 0;
  Direction token_once_rate_;
  double layer_gradient_seconds_ = 0;  // accumulation, of a micro-batch
  double once_gradient_seconds_ = 0;
  double text_tokens_ = 0;
  double hidden_bytes_ = 0;  // of a token on one GPU: 2h/t
};

}  // namespace dcpbench::planner

// The cost of a micro-batch from a measured profile: times of `batch` sequences of `length` tokens
// at an SP degree. No model; sequences are their tokens, padded to a multiple of the degree.
//
// T(L, b) is linear in b between measured batches of one length (piecewise_line.hpp) and linear in
// L between measured lengths. Below the shortest length, what grows with b is scaled by L /
// shortest and the latency stays; above the longest, T is scaled by a L + b L^2 through the two
// longest (neither negative). Both are reported as extrapolated.
//
// A pack is filled longest first: its k-th sequence adds T(L, k) - T(L, k-1). So equal sequences
// cost what was measured, and a pack pays the fixed part of its longest sequence once. The cost
// never falls when a sequence is added or made longer if in the profile one more sequence costs
// more the longer it is; noise can break that.
//
// Recomputing r of L layers takes r / L of the measured recomputation; memory falls by r / L of the
// saved activations. A profile tells neither transfers from computation (communication is 0, and
// two thirds of `compute` count as backward) nor what overlaps: the measured gradient reduction is
// exposed as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster.hpp"
#include "planner/cost_model.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/piecewise_line.hpp"

namespace dcpbench::planner {

class TableCost final : public CostModel {
 public:
  // cluster.table is set. Throws Error(usage) with every point that is wrong.
  TableCost(const core::Cluster& cluster, const CostOptions& options);

  [[nodiscard]] std::int32_t ranks() const override { return ranks_; }
  [[nodiscard]] std::int32_t gpus_per_rank() const override { return 1; }
  [[nodiscard]] std::int32_t ranks_per_node() const override { return ranks_per_node_; }
  [[nodiscard]] std::int32_t layers() const override { return layers_; }
  [[nodiscard]] bool is_2d() const override { return false; }
  [[nodiscard]] core::SpMethod sp_method() const override { return core::SpMethod::ulysses; }
  [[nodiscard]] std::int32_t zero() const override { return zero_; }
  [[nodiscard]] bool lockstep() const override { return false; }
  [[nodiscard]] std::optional<std::int32_t> published_sp_degree() const override { return {}; }
  [[nodiscard]] std::optional<std::string> refuse_degree(std::int32_t degree) const override;
  [[nodiscard]] std::int64_t executed_tokens(std::span<const ShapeGroup> shapes,
                                             std::int32_t degree) const override;
  [[nodiscard]] MicroBatchCost micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                           std::int32_t recompute_layers) const override;
  // One part, "measured", when the profile has memory.
  [[nodiscard]] std::vector<MemoryPart> memory_parts(std::span<const ShapeGroup> shapes,
                                                     std::int32_t degree,
                                                     std::int32_t recompute_layers) const override;
  [[nodiscard]] core::Bytes peak_memory(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                        std::int32_t recompute_layers) const override;
  [[nodiscard]] core::Bytes capacity() const override { return capacity_; }
  [[nodiscard]] std::int64_t rank_tokens() const override { return rank_tokens_; }
  [[nodiscard]] StepCost step() const override { return step_; }
  [[nodiscard]] core::Nanoseconds exposed_gather(core::Nanoseconds) const override {
    return core::Nanoseconds(0);
  }
  [[nodiscard]] core::Nanoseconds marginal_floor(const core::Shape& shape, Group group,
                                                 std::int32_t recompute_layers) const override;
  [[nodiscard]] double model_flops(const core::Shape&) const override { return 0; }
  [[nodiscard]] double peak_flops() const override { return 0; }
  [[nodiscard]] double uncertainty() const override { return uncertainty_; }

 private:
  // One measured quantity at one degree, over lengths and batches.
  class Surface {
   public:
    struct Column {
      double length;
      PiecewiseLine by_batch;
    };
    explicit Surface(std::vector<Column> columns);
    // Of `batch` sequences of `length` tokens; batch 0: 0.
    [[nodiscard]] PiecewiseLine::Value at(double length, double batch) const;
    // The least that one more sequence adds.
    [[nodiscard]] double least_increment(double length) const;
    // A pack at this degree.
    [[nodiscard]] PiecewiseLine::Value pack(std::span<const ShapeGroup> shapes,
                                            std::int32_t degree) const;

   private:
    [[nodiscard]] double beyond(double length) const;  // factor above the longest column

    std::vector<Column> columns_;
    double linear_ = 0;
    double quadratic_ = 0;
  };
  struct Degree {
    std::int32_t degree;
    Surface base;       // time without recomputation
    Surface recompute;  // of all layers
    Surface memory;
    Surface saved;
  };

  // The measured one; a degree that was refused costs as the nearest below it.
  [[nodiscard]] const Degree& at_degree(std::int32_t degree) const;
  [[nodiscard]] double recompute_share(std::int32_t recompute_layers) const {
    return layers_ > 0 ? static_cast<double>(recompute_layers) / layers_ : 0;
  }

  std::vector<Degree> degrees_;  // ascending
  std::int32_t ranks_;
  std::int32_t ranks_per_node_;
  std::int32_t layers_;
  std::int32_t zero_;
  std::int64_t rank_tokens_;
  core::Bytes capacity_{0};
  StepCost step_;
  double uncertainty_;
};

}  // namespace dcpbench::planner

// The cost of a micro-batch as a polynomial of its sequences' lengths, of clusters without a model.
// A group of degree d and sequences of L tokens, nanoseconds:
//   compute        fixed + (quadratic * sum L^2 + linear * sum L) / d
//   communication  transfer[d] * sum L
// No head rule, no padding, no recomputation, no memory; nothing at the end of a step. Of the
// compute time two thirds are counted as backward, which nothing depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cluster.hpp"
#include "planner/cost_model.hpp"
#include "planner/make_cost_model.hpp"

namespace dcpbench::planner {

class PolynomialCost final : public CostModel {
 public:
  // cluster.polynomial is set. Throws Error(usage) when a coefficient is negative or not finite.
  PolynomialCost(const core::Cluster& cluster, const CostOptions& options);

  [[nodiscard]] std::int32_t ranks() const override { return ranks_; }
  [[nodiscard]] std::int32_t gpus_per_rank() const override { return 1; }
  [[nodiscard]] std::int32_t ranks_per_node() const override { return ranks_per_node_; }
  [[nodiscard]] std::int32_t layers() const override { return 0; }
  [[nodiscard]] bool is_2d() const override { return false; }
  [[nodiscard]] core::SpMethod sp_method() const override { return core::SpMethod::ulysses; }
  [[nodiscard]] std::int32_t zero() const override { return lockstep() ? 3 : zero_; }
  [[nodiscard]] bool lockstep() const override { return cost_.lockstep; }
  [[nodiscard]] std::optional<std::int32_t> published_sp_degree() const override { return {}; }
  [[nodiscard]] std::optional<std::string> refuse_degree(std::int32_t degree) const override;
  [[nodiscard]] std::int64_t executed_tokens(std::span<const ShapeGroup> shapes,
                                             std::int32_t degree) const override;
  [[nodiscard]] MicroBatchCost micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                           std::int32_t recompute_layers) const override;
  [[nodiscard]] std::vector<MemoryPart> memory_parts(std::span<const ShapeGroup>, std::int32_t,
                                                     std::int32_t) const override {
    return {};
  }
  [[nodiscard]] core::Bytes peak_memory(std::span<const ShapeGroup>, std::int32_t,
                                        std::int32_t) const override {
    return core::Bytes(0);
  }
  [[nodiscard]] core::Bytes capacity() const override { return core::Bytes(0); }
  [[nodiscard]] std::int64_t rank_tokens() const override { return rank_tokens_; }
  [[nodiscard]] StepCost step() const override { return {}; }
  [[nodiscard]] core::Nanoseconds exposed_gather(core::Nanoseconds) const override {
    return core::Nanoseconds(0);
  }
  [[nodiscard]] core::Nanoseconds marginal_floor(const core::Shape& shape, Group group,
                                                 std::int32_t recompute_layers) const override;
  [[nodiscard]] double model_flops(const core::Shape&) const override { return 0; }
  [[nodiscard]] double peak_flops() const override { return 0; }
  [[nodiscard]] double uncertainty() const override { return uncertainty_; }

 private:
  // Nanoseconds per token that a degree pays for transfer.
  [[nodiscard]] double transfer(std::int32_t degree) const;

  core::PolynomialCost cost_;
  std::int32_t ranks_;
  std::int32_t ranks_per_node_;
  std::int32_t zero_;
  std::int64_t rank_tokens_;
  double uncertainty_;
};

}  // namespace dcpbench::planner

// A scripted cost model: the cost of a micro-batch is looked up by its executed tokens and degree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "planner/cost_model.hpp"

namespace dcpbench::test_support {

class FakeCost : public planner::CostModel {
 public:
  explicit FakeCost(std::int32_t ranks) : ranks_(ranks) {}

  // Set by the test. Times are nanoseconds.
  std::map<std::pair<std::int64_t, std::int32_t>, planner::MicroBatchCost> costs;
  // Without an entry: `per_token` x executed tokens / degree, as compute; 0: the lookup throws.
  std::int64_t per_token = 0;
  planner::StepCost step_cost;
  std::int64_t gather = 0;             // exposed_gather = max(0, gather - busy_max)
  std::int32_t node = 1 << 20;         // ranks of a node
  std::int64_t transfer_per_node = 0;  // added to communication per node beyond the first
  bool is_lockstep = false;
  mutable std::int64_t asked = 0;  // calls of micro_batch

  void set(std::int64_t tokens, std::int32_t degree, std::int64_t compute,
           std::int64_t recompute = 0, std::int64_t communication = 0, std::int64_t backward = 0) {
    costs[{tokens, degree}] = {core::Nanoseconds(compute), core::Nanoseconds(recompute),
                               core::Nanoseconds(communication), core::Nanoseconds(backward), 1};
  }
  void set_step(std::int64_t gradient_sync, std::int64_t tail, std::int64_t optimizer,
                std::int64_t overhead) {
    step_cost = {core::Nanoseconds(gradient_sync), core::Nanoseconds(tail),
                 core::Nanoseconds(optimizer), core::Nanoseconds(overhead)};
  }

  std::int32_t ranks() const override { return ranks_; }
  std::int32_t gpus_per_rank() const override { return 1; }
  std::int32_t ranks_per_node() const override { return node; }
  std::int32_t layers() const override { return 0; }
  bool is_2d() const override { return false; }
  core::SpMethod sp_method() const override { return core::SpMethod::ulysses; }
  std::int32_t zero() const override { return is_lockstep ? 3 : 1; }
  bool lockstep() const override { return is_lockstep; }
  std::optional<std::int32_t> published_sp_degree() const override { return std::nullopt; }
  std::optional<std::string> refuse_degree(std::int32_t) const override { return std::nullopt; }
  std::int64_t executed_tokens(std::span<const planner::ShapeGroup> shapes,
                               std::int32_t) const override {
    std::int64_t tokens = 0;
    for (const planner::ShapeGroup& group : shapes) tokens += group.count * group.shape.tokens;
    return tokens;
  }
  planner::MicroBatchCost micro_batch(std::span<const planner::ShapeGroup> shapes,
                                      planner::Group group, std::int32_t) const override {
    ++asked;
    const std::int64_t tokens = executed_tokens(shapes, group.degree);
    planner::MicroBatchCost cost;
    if (const auto place = costs.find({tokens, group.degree}); place != costs.end()) {
      cost = place->second;
    } else if (per_token > 0) {
      cost.compute = core::Nanoseconds(per_token * tokens / group.degree);
      cost.backward = core::Nanoseconds(cost.compute.value() * 2 / 3);
    } else {
      throw std::out_of_range("no cost scripted for " + std::to_string(tokens) +
                              " tokens at degree " + std::to_string(group.degree));
    }
    cost.communication += core::Nanoseconds(transfer_per_node * (group.nodes - 1));
    return cost;
  }
  std::vector<planner::MemoryPart> memory_parts(std::span<const planner::ShapeGroup> shapes,
                                                std::int32_t degree,
                                                std::int32_t layers) const override {
    return {{"activations", peak_memory(shapes, degree, layers)}};
  }
  // One byte per executed token and rank.
  core::Bytes peak_memory(std::span<const planner::ShapeGroup> shapes, std::int32_t degree,
                          std::int32_t) const override {
    return core::Bytes(static_cast<double>(executed_tokens(shapes, degree)) / degree);
  }
  core::Bytes capacity() const override { return core::Bytes(0); }
  std::int64_t rank_tokens() const override { return 0; }
  planner::StepCost step() const override { return step_cost; }
  core::Nanoseconds exposed_gather(core::Nanoseconds busy_max) const override {
    return core::Nanoseconds(gather > busy_max.value() ? gather - busy_max.value() : 0);
  }
  core::Nanoseconds marginal_floor(const core::Shape&, planner::Group,
                                   std::int32_t) const override {
    return core::Nanoseconds(0);
  }
  double model_flops(const core::Shape&) const override { return 0; }
  double peak_flops() const override { return 0; }
  double uncertainty() const override { return 0; }

 private:
  std::int32_t ranks_;
};

}  // namespace dcpbench::test_support

// Assembles a plan step by step and keeps its books: ranges, loss weights, closing marks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.hpp"
#include "planner/bucketing.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::planner {

class PlanBuilder {
 public:
  // Throws Error(usage) for --drop-last under `equal`.
  PlanBuilder(const PlanRequest& request, std::string_view strategy, core::Padding default_padding);

  [[nodiscard]] core::Padding padding() const { return plan_.padding; }

  // Appends a micro-batch to the current step. `ids` is not empty.
  void add(std::int32_t first_rank, std::int32_t degree, std::int32_t recompute_layers,
           std::int32_t round, std::span<const std::uint32_t> ids);
  // Ends the step unless it is empty. Throws Error(usage) when none of its sequences has a loss
  // token: such a step has no gradient. `rounds` counts in lockstep plans only.
  void end_step(std::int32_t rounds);
  void drop(std::span<const std::uint32_t> ids);

  void setting(std::string key, std::string value);
  void warn(std::string text);
  // Says per bucket what --drop-last left out. `batches`: the full batch of each bucket, 0 or no
  // entry where there is none to name.
  void warn_dropped(const Buckets& buckets, std::span<const std::int64_t> batches);

  // The plan, or why it is none (no step left after dropping).
  PlanResult finish();

 private:
  const PlanRequest& request_;
  core::Plan plan_;
  core::Step step_;
  std::int64_t useful_tokens_ = 0;
  std::int64_t padded_tokens_ = 0;  // if each is padded to the longest of its micro-batch
};

}  // namespace dcpbench::planner

// A strategy turns a workload into a plan. It is a pure function of (sequences, cost model,
// options, seed): same inputs, same plan, on every machine and build.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/error.hpp"
#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"
#include "planner/explanation.hpp"

namespace dcpbench::planner {

struct PlanOptions {
  core::Accounting accounting = core::Accounting::equal;
  std::optional<core::Padding> padding;  // default: the strategy's own (DESIGN: longest | none)
  std::uint64_t seed = 0;
  // Fixed SP degree of bucket and packed: nothing = the model's published value, else auto;
  // 0 = auto: the smallest at which every bucket fits.
  std::optional<std::int32_t> bucket_sp;
  // Upper edges of length buckets, rising; empty = powers of two (1D) or one bucket per shape (2D).
  std::vector<std::int64_t> bucket_edges;
  std::optional<std::int64_t> pack_tokens;  // default: the largest that fits
  bool drop_last = false;                   // drop batches and rounds that can't be filled
  // Accumulation micro-batches per group and round of dcp-inter and dcp. Nothing = published:
  // native 2 (dcp-inter) and 15 (dcp) at least, equal 1; no upper limit but the search horizon.
  std::optional<std::int32_t> min_accumulation;
  std::optional<std::int32_t> max_accumulation;
  bool median_cut = true;  // cut bucket batches to the median bucket's time
  // Recomputed layers for every micro-batch, instead of the strategy's own choice.
  std::optional<std::int32_t> recompute_layers;
};

struct PlanRequest {
  const core::Workload& workload;
  const CostModel& cost;
  const PlanOptions& options;
  Explanation* explanation = nullptr;  // filled when not null
};

using PlanResult = tl::expected<core::Plan, core::Infeasible>;

struct Strategy {
  std::string_view name;
  std::string_view summary;
  PlanResult (*plan)(const PlanRequest& request);
};

// All strategies in reporting order; the first five are the default set.
std::span<const Strategy> strategies();
inline constexpr std::size_t kDefaultStrategies = 5;
// Null when there is none of that name.
const Strategy* find_strategy(std::string_view name);

}  // namespace dcpbench::planner

// Executes a plan on a modelled cluster. The cost model given here is the truth; the plan may have
// been made under another belief (--plan-cluster).
#pragma once

#include <cstdint>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "core/timeline.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::sim {

struct SimOptions {
  // Each rank's compute of each micro-batch is multiplied by 1 + jitter * u, u uniform in [0, 1),
  // drawn from `seed` and (step, micro-batch, rank): independent of the strategy's order. >= 0.
  double jitter = 0;
  std::uint64_t seed = 0;
  std::int32_t slow_rank = -1;  // this rank computes slow_factor (>= 1) times longer; -1: none
  double slow_factor = 1;
  bool keep_cells = true;  // keep the steps x ranks table if it is small enough
};

// `plan` must be valid for `workload` (planner::validate) and have truth.ranks() ranks.
core::Timeline simulate(const core::Plan& plan, const core::Workload& workload,
                        const planner::CostModel& truth, const SimOptions& options);

}  // namespace dcpbench::sim

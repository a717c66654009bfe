// A bound that no plan can beat: per step max(sum of least rank-seconds / ranks, longest fastest
// sequence) + what reduction, update and overhead can't avoid (README, "Metrics").
#pragma once

#include <tl/expected.hpp>

#include "core/error.hpp"
#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

// Over the steps of `plan` (under `equal` these are the workload's, so the bound is the same for
// every strategy). Infeasible when a sequence fits at no degree.
tl::expected<core::Nanoseconds, core::Infeasible> lower_bound(const core::Plan& plan,
                                                              const core::Workload& workload,
                                                              const CostModel& cost);

}  // namespace dcpbench::planner

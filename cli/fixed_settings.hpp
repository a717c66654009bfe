// The fairness table of a baseline: what its other fixed settings would have given.
#pragma once

#include <vector>

#include "core/plan.hpp"
#include "planner/explanation.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::cli {

// Plans `request` with every allowed SP degree (and, for bucket, with and without the median cut)
// and predicts each plan's total time with the request's cost model. The setting that `used` has is
// the default one. Empty for strategies that choose a degree per sequence.
std::vector<planner::FixedSetting> compare_fixed_settings(const planner::Strategy& strategy,
                                                          const planner::PlanRequest& request,
                                                          const core::Plan& used);

}  // namespace dcpbench::cli

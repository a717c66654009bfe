// The fairness table of a baseline: what its other fixed settings would have given.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/plan.hpp"
#include "planner/explanation.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::cli {

// True for the baselines, which have one setting for the whole run; the other strategies choose by
// length and step.
[[nodiscard]] bool has_fixed_settings(std::string_view strategy);

// Plans `request` with every allowed SP degree, for bucket with and without the median cut, and
// with full recompute and the least that memory allows (of 0, 1/4, 1/2, 3/4 and all layers), and
// predicts each plan's total time with the request's cost model. `used` is the plan made for
// `request` itself; it is one of the rows. Ordered by degree. Empty without fixed settings.
std::vector<planner::FixedSetting> compare_fixed_settings(const planner::Strategy& strategy,
                                                          const planner::PlanRequest& request,
                                                          const core::Plan& used);

struct BestFixedSetting {
  const planner::FixedSetting* used;
  const planner::FixedSetting* best;  // the fastest; the used one where none is faster
  double used_over_best;              // time by time, at least 1
};
// Nothing for an empty table.
std::optional<BestFixedSetting> find_best(std::span<const planner::FixedSetting> settings);

}  // namespace dcpbench::cli

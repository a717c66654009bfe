// What to do with sequences that fit at no SP degree, before any strategy sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

enum class Oversize {
  error,    // refuse, naming the worst sequence, what it needs and what would fit
  drop,     // leave them out; counted in the workload
  truncate  // cut them to the longest that fits; counted in the workload
};

// Nothing when every sequence fits (after `policy` acted on `workload`), else the reason: under
// `error` for any that does not fit; under the others when the model fits nowhere or nothing is
// left. Call before the workload is split into steps.
std::optional<core::Infeasible> apply_oversize(core::Workload& workload, const CostModel& cost,
                                               Oversize policy);

// Whether apply_oversize with the policy `error` would find nothing.
bool all_fit(const core::Workload& workload, const CostModel& cost);

}  // namespace dcpbench::planner

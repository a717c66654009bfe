// The text of `dcpbench plan --explain`.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "planner/explanation.hpp"

namespace dcpbench::cli {

// Per length class the candidates, the chosen one marked `*`; then the fixed settings of a
// baseline, each planned and predicted as a whole. `plan` is the plan explained.
std::string format_explanation(const planner::Explanation& explanation, const core::Plan& plan);

}  // namespace dcpbench::cli

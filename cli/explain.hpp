// The text of `dcpbench plan --explain`.
#pragma once

#include <string>

#include "planner/explanation.hpp"

namespace dcpbench::cli {

// Per length class the candidates, the chosen one marked `*`; then the fixed settings of a
// baseline, each planned and predicted as a whole.
std::string format_explanation(const planner::Explanation& explanation);

}  // namespace dcpbench::cli

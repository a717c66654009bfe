// Whether the figures of a result that was read can all be true. Internal to report/.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"

namespace dcpbench::report {

// One sentence per contradiction, each starting with the key (relative to the result): parts that
// don't sum to the total within 1e-6 of it, quantiles out of order, counts and shares that no run
// can have. Empty when there is none.
std::vector<std::string> contradictions(const Result& result);

}  // namespace dcpbench::report

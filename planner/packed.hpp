// Packing: the baseline's fixed SP degree; sequences are packed into variable-length micro-batches
// that balance tokens. Attention stays inside each sequence. For the whole run as many layers are
// recomputed as the longest sequence forces.
#pragma once

#include "planner/strategy.hpp"

namespace dcpbench::planner {

PlanResult plan_packed(const PlanRequest& request);

}  // namespace dcpbench::planner

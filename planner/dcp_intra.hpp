// DCP-intra, memory: per bucket the recompute that memory forces and no more, chosen together with
// SP degree and batch; rounds filled as in dcp-inter, one micro-batch per group.
#pragma once

#include "planner/strategy.hpp"

namespace dcpbench::planner {

PlanResult plan_dcp_intra(const PlanRequest& request);

}  // namespace dcpbench::planner

// DCP-inter, team-work: per bucket the (SP degree, batch) with the best throughput per GPU under
// full recompute; accumulation micro-batches make the groups of a round finish together.
#pragma once

#include "planner/strategy.hpp"

namespace dcpbench::planner {

PlanResult plan_dcp_inter(const PlanRequest& request);

}  // namespace dcpbench::planner

// The baseline: one SP degree for the whole run, one batch size per length bucket, full recompute,
// one micro-batch per replica per round.
#pragma once

#include "planner/strategy.hpp"

namespace dcpbench::planner {

PlanResult plan_bucket(const PlanRequest& request);

}  // namespace dcpbench::planner

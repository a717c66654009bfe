// DCP: dcp-inter and dcp-intra together.
#pragma once

#include "planner/strategy.hpp"

namespace dcpbench::planner {

PlanResult plan_dcp(const PlanRequest& request);

}  // namespace dcpbench::planner

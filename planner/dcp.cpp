#include "planner/dcp.hpp"

#include "planner/rounds.hpp"

namespace dcpbench::planner {

PlanResult plan_dcp(const PlanRequest& request) {
  return plan_rounds(request, {.name = "dcp",
                               .recompute = RecomputePolicy::least,
                               .accumulate = true,
                               .native_min_accumulation = 15});
}

}  // namespace dcpbench::planner

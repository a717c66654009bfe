#include "planner/dcp_inter.hpp"

#include "planner/rounds.hpp"

namespace dcpbench::planner {

PlanResult plan_dcp_inter(const PlanRequest& request) {
  return plan_rounds(request, {.name = "dcp-inter",
                               .recompute = RecomputePolicy::full,
                               .accumulate = true,
                               .native_min_accumulation = 2});
}

}  // namespace dcpbench::planner

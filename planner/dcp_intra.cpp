#include "planner/dcp_intra.hpp"

#include "planner/rounds.hpp"

namespace dcpbench::planner {

PlanResult plan_dcp_intra(const PlanRequest& request) {
  return plan_rounds(request, {.name = "dcp-intra",
                               .recompute = RecomputePolicy::least,
                               .accumulate = false,
                               .native_min_accumulation = 1});
}

}  // namespace dcpbench::planner

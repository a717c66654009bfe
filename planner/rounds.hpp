// The round-filling planner behind dcp-inter, dcp-intra and dcp (reference: the released sampler of
// VideoSys, re-stated in README "Strategies").
#pragma once

#include <string_view>

#include "planner/settings.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::planner {

struct RoundPolicy {
  std::string_view name;
  RecomputePolicy recompute = RecomputePolicy::full;
  bool accumulate = false;  // balance the groups of a round by accumulation micro-batches
  std::int32_t native_min_accumulation = 1;
};

// A round: SP groups are drawn until the GPUs are full, each with a batch at its bucket's best
// setting; with `accumulate`, further batches of the same bucket until the groups finish together.
// Where the last free ranks are too few for any live bucket's best degree, its best at a smaller
// degree is taken; where there is none they stay idle. native: a round is an optimizer step. A
// degree is drawn with probability proportional to the live buckets that want it, then a bucket
// uniformly. equal: the rounds of a step run one after another inside it. Batches are cut to their
// bucket's share of the step, a degree is raised where a batch would take more than half of the
// step's even share, the longest batches are drawn first, and the accumulation horizon is half of
// what is left. Lockstep: every round is one micro-batch deep, since all ranks wait for each other
// anyway.
PlanResult plan_rounds(const PlanRequest& request, const RoundPolicy& policy);

}  // namespace dcpbench::planner

// Proves that a plan can be executed: every sequence exactly once, memory within capacity, blocks
// aligned and inside the world, weights sum to 1, head rules, closing marks, lockstep where ZeRO
// asks for it and its rounds consistent.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

// Every fault found (at most `kMaxFaults` of them), each naming the step, micro-batch or sequence,
// the value and the limit. Empty: valid. Safe on arbitrary plans read from a file.
inline constexpr std::size_t kMaxFaults = 20;
std::vector<std::string> validate(const core::Plan& plan, const core::Workload& workload,
                                  const CostModel& cost);

}  // namespace dcpbench::planner

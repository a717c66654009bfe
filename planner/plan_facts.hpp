// Figures of a plan that need the cost model but no execution.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

struct PlanFacts {
  std::int64_t executed_tokens = 0;           // with all padding
  double model_flops = 0;                     // of the executed sequences, without padding
  std::vector<MemoryPart> peak_memory_parts;  // of the micro-batch with the highest peak
};

PlanFacts plan_facts(const core::Plan& plan, const core::Workload& workload, const CostModel& cost);

}  // namespace dcpbench::planner

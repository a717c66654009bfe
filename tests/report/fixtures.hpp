// A run small enough to work out by hand, and reports made of it.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "core/timeline.hpp"
#include "report/result.hpp"
#include "report/summarize.hpp"

namespace dcpbench::report {

// Two ranks. Step 0: rank 0 runs 100 tokens, rank 1 runs 60. Step 1: both run 40 + 20 tokens as one
// group. A sequence of 7 tokens is dropped by the plan, one of 500 was dropped before.
struct HandRun {
  core::Workload workload;
  core::Plan plan;
  core::Timeline timeline;
  RunFacts facts;
};
HandRun hand_run();

// A result whose time splits as given (seconds; the total is their sum), of 1e6 useful tokens and
// 1.25e6 executed ones.
Result made_result(const std::string& strategy, std::array<double, core::kParts> parts,
                   std::uint64_t seed = 0);

// bucket (2 s) and dcp (1 s) on one cell, and packed without a plan.
Report made_report();

}  // namespace dcpbench::report

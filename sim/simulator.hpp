// Executes a plan on a modelled cluster. The cost model given here is the truth; the plan may have
// been made under another belief (--plan-cluster).
//
// A step starts on all ranks at once. A micro-batch begins when every rank of its block is free and
// its transfer when the slowest of them has computed; waiting is idle. Lockstep plans run round by
// round instead: a round takes as long as its busiest rank, plus the exposed gather.
// The gradient reduction is one transfer of the whole world. It may start when every rank has
// reached the backward of its last micro-batch, if that one is closing, else its end; it ends no
// earlier than gradient_sync_tail after the last rank's work. What lies beyond that work is
// exposed, on all ranks. Optimizer and overhead follow.
#pragma once

#include <cstdint>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "core/timeline.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::sim {

struct SimOptions {
  // A rank's compute and recompute of a micro-batch are multiplied by 1 + jitter * u, u uniform in
  // [0, 1), drawn from `seed`, the step, the rank and how many micro-batches the rank ran before in
  // the step: the k-th micro-batch of a rank meets the same luck under every strategy. >= 0.
  double jitter = 0;
  std::uint64_t seed = 0;
  std::int32_t slow_rank = -1;  // this rank computes slow_factor (>= 1) times longer; -1: none
  double slow_factor = 1;
  bool keep_cells = true;  // keep the steps x ranks table if it is small enough
};

// `plan` must be valid for `workload` (planner::validate). Throws Error(usage) for options out of
// range, another number of ranks than truth.ranks(), and times too long to add up in nanoseconds
// over all ranks (78 hours per step at 16,384 ranks, 36 years at one). Time O(ranks + sum of SP
// degrees) per step, memory O(ranks) beside the timeline; the steps allocate nothing once the
// largest micro-batch has been seen.
core::Timeline simulate(const core::Plan& plan, const core::Workload& workload,
                        const planner::CostModel& truth, const SimOptions& options);

}  // namespace dcpbench::sim

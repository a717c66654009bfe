// "Fits from 32 GPUs (--gpus 32)": what to change when a model or a sequence does not fit.
#pragma once

#include <string>

#include "cli/inputs.hpp"
#include "core/sequence.hpp"
#include "planner/make_cost_model.hpp"

namespace dcpbench::cli {

// The fewest GPUs of the cluster's kind on which the model and every sequence of `workload` fit at
// some SP degree with full recompute, found by cost models of larger clusters (doubling, then
// bisection); where the ZeRO stage stands in the way, the same with stage 3. A phrase without a
// full stop; it says so when no size up to 16,384 GPUs fits.
std::string advise_size(const planner::CostOptions& options, const Inputs& inputs,
                        const CostedModel& costed, const core::Workload& workload);

}  // namespace dcpbench::cli

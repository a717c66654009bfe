// From a dataset to the workload of one run.
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "cli/inputs.hpp"
#include "core/sequence.hpp"
#include "datasets/dataset.hpp"

namespace dcpbench::cli {

// What is wrong with the sequences of every cell: too few of them, scaled out of range, longer than
// --pack-tokens or the top of --bucket-edges allows (count and share named).
void check_workloads(const JobOptions& options, const Inputs& inputs, Problems& problems);

// How the sequences of a cell are drawn.
datasets::DrawOptions draw_options(const JobOptions& options, const Inputs& inputs,
                                   const Cell& cell, std::uint64_t seed);

// Drawn, cut to what --oversize, --pack-tokens and --bucket-edges ask for, and split into steps.
// Infeasible when a sequence fits at no SP degree and --oversize says error.
tl::expected<core::Workload, core::Infeasible> make_workload(const JobOptions& options,
                                                             const Inputs& inputs, const Cell& cell,
                                                             std::uint64_t seed);

}  // namespace dcpbench::cli

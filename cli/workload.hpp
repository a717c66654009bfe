// From a dataset to the workload of one run.
#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "cli/inputs.hpp"
#include "core/sequence.hpp"
#include "datasets/dataset.hpp"

namespace dcpbench::cli {

// A dataset as the job's first seed draws it. Cells with the same dataset and scale share it.
struct Draw {
  std::size_t dataset = 0;
  double scale_lengths = 1;
  datasets::DrawRecord record;
  std::optional<core::Workload> workload;  // nothing where keeping it would take too much memory
};

// How the sequences of a cell are drawn.
datasets::DrawOptions draw_options(const JobOptions& options, const Inputs& inputs,
                                   const Cell& cell, std::uint64_t seed);

// Draws every dataset once and adds what is wrong with it: too few sequences, scaled out of range,
// longer than --pack-tokens or the top of --bucket-edges allows (count and share named; of every
// seed), too many steps for so many ranks.
std::vector<Draw> draw_datasets(const JobOptions& options, const Inputs& inputs,
                                Problems& problems);

// Throws core::Error(usage) when the steps of all ranks are too many to be executed one by one.
void check_step_count(const JobOptions& options, const core::Workload& workload, std::size_t steps,
                      const planner::CostModel& cost);

// Drawn (or taken from `draws`), cut to what --oversize, --pack-tokens and --bucket-edges ask for,
// and split into steps. Infeasible when a sequence fits at no SP degree and --oversize says error.
tl::expected<core::Workload, core::Infeasible> make_workload(const JobOptions& options,
                                                             const Inputs& inputs,
                                                             const std::vector<Draw>& draws,
                                                             const Cell& cell, std::uint64_t seed);

}  // namespace dcpbench::cli

// The options that mean the same in every command that plans: registration, conversion and the
// checks that need nothing but the options themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "core/plan.hpp"
#include "datasets/length_file.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/oversize.hpp"
#include "planner/strategy.hpp"
#include "sim/simulator.hpp"

namespace dcpbench::cli {

enum class Recompute {
  automatic,  // each strategy's own choice
  none,
  full
};

struct JobOptions {
  // What to train, and where. Empty models or datasets: the defaults (inputs.hpp).
  std::vector<std::string> models;
  std::string cluster = "h200-4x8";
  std::optional<std::string> plan_cluster;
  std::optional<std::int32_t> gpus;
  planner::CostOptions cost;

  std::vector<std::string> datasets;
  std::optional<std::string> lengths;
  datasets::ReadOptions read;
  bool file_order = false;
  std::optional<std::int64_t> sequences;
  std::optional<double> scale_lengths;
  std::uint64_t seed = 0;
  std::int32_t seeds = 1;
  std::int64_t step_tokens = 4'194'304;
  std::optional<std::int64_t> step_sequences;  // 0: all
  planner::Oversize oversize = planner::Oversize::error;

  std::vector<const planner::Strategy*> strategies;
  planner::PlanOptions plan;  // seed and recompute_layers are set per run
  Recompute recompute = Recompute::automatic;
  std::optional<std::int32_t> recompute_layers;
  std::optional<std::int64_t> max_communicators;
  std::optional<std::string> plan_file;
  bool accounting_given = false;
  bool strategies_named = false;  // one by one rather than as default or all

  // --padding longest has no meaning for packed: it applies to the other strategies.
  [[nodiscard]] bool packed_keeps_its_padding() const;

  sim::SimOptions sim;  // seed is set per run
};

// Lengths from a file and how many to draw; also part of add_workload_options.
void add_length_file_options(CLI::App& app);
void add_draw_options(CLI::App& app);
void add_workload_options(CLI::App& app);
void add_machine_options(CLI::App& app);
void add_planning_options(CLI::App& app);
void add_simulation_options(CLI::App& app);

// Every wrong value, unknown name and contradiction goes to arguments.problems(). Options that the
// command does not have keep their defaults.
JobOptions read_job_options(const Arguments& arguments);

}  // namespace dcpbench::cli

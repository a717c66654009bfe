#include "cli/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/environment.hpp"
#include "cli/workload.hpp"
#include "generated/build_info.hpp"
#include "planner/lower_bound.hpp"
#include "planner/plan_facts.hpp"
#include "report/summarize.hpp"
#include "sim/simulator.hpp"

namespace dcpbench::cli {

namespace {

// Larger tables of steps x ranks are not stored in HDF5 either.
constexpr std::size_t kMaxStoredCells = 1'000'000 / core::kParts;

}  // namespace

std::vector<std::string> input_warnings(const Job& job) {
  std::vector<std::string> warnings = job.inputs.cluster.warnings;
  for (const datasets::Dataset& dataset : job.inputs.datasets) {
    // What is said about a file begins with its path, and so with its name.
    const auto add = [&](const std::string& text) {
      const bool is_named = text.find(dataset.name) != std::string::npos;
      warnings.push_back(is_named ? text : fmt::format("{}: {}", dataset.name, text));
    };
    for (const std::string& text : dataset.warnings) add(text);
    for (const std::string& text : dataset.notes) add(text);
  }
  for (const Draw& draw : job.draws) {
    for (const std::string& text : draw.record.warnings) warnings.push_back(text);
  }
  for (const CostedModel& costed : job.inputs.models) {
    if (!job.options.scale_lengths && costed.model && costed.model->default_scale_lengths != 1) {
      warnings.push_back(fmt::format("lengths are scaled by {} (default of {})",
                                     costed.model->default_scale_lengths, costed.model->name));
    }
  }
  if (job.options.packed_keeps_its_padding()) {
    warnings.emplace_back(
        "--padding longest does not apply to packed, which runs variable-length attention and pads "
        "nothing");
  }
  for (const Cell& cell : job.inputs.cells) {
    const auto text =
        datasets::scale_warning(job.inputs.datasets[cell.dataset],
                                draw_options(job.options, job.inputs, cell, job.options.seed));
    if (!text) continue;
    const std::string named = fmt::format("{}: {}", job.inputs.datasets[cell.dataset].name, *text);
    if (std::find(warnings.begin(), warnings.end(), named) == warnings.end()) {
      warnings.push_back(named);
    }
  }
  return warnings;
}

std::vector<std::string> input_notes(const Job& job) {
  std::vector<std::string> notes;
  for (const Draw& draw : job.draws) {
    std::string text = fmt::format("{}", fmt::join(draw.record.notes, ", "));
    const std::uint64_t next = job.options.seed + 1;
    if (job.options.seeds == 2) text += fmt::format("; likewise with seed {}", next);
    if (job.options.seeds > 2) {
      text += fmt::format("; likewise with seeds {} to {}", next,
                          job.options.seed + static_cast<std::uint64_t>(job.options.seeds) - 1);
    }
    notes.push_back(std::move(text));
  }
  return notes;
}

report::Report start_report(const Job& job, const std::string& command_line) {
  report::Report report;
  report.command = command_line;
  report.tool_version = kVersion;
  report.environment = build_facts();
  for (auto& fact : machine_facts()) report.environment.push_back(std::move(fact));
  report.cluster = cluster_facts(job.inputs.cluster);
  if (job.options.plan_cluster) {
    report.cluster.emplace_back("plan_cluster", *job.options.plan_cluster);
  }
  report.warnings = input_warnings(job);
  report.notes = input_notes(job);
  return report;
}

std::optional<double> Executor::lower_bound_seconds(const Planned& planned) {
  const core::Plan& plan = *planned.plan;
  const bool shared = plan.accounting == core::Accounting::equal && plan.dropped.empty();
  const std::string key =
      fmt::format("{}\n{}\n{}", planned.costed.name(), planned.dataset.name, planned.seed);
  if (shared) {
    const auto known = bounds_.find(key);
    if (known != bounds_.end()) return known->second;
  }
  const auto bound = planner::lower_bound(plan, planned.workload, *planned.costed.truth);
  std::optional<double> seconds;
  if (bound) seconds = core::to_seconds(*bound).value();
  if (shared) bounds_[key] = seconds;
  return seconds;
}

report::Result Executor::execute(const Planned& planned) {
  const core::Plan& plan = *planned.plan;
  const planner::CostModel& truth = *planned.costed.truth;
  sim::SimOptions sim = options_.sim;
  sim.seed = planned.seed;
  sim.keep_cells = keep_timelines_ &&
                   plan.steps.size() <= kMaxStoredCells / static_cast<std::size_t>(plan.ranks);
  core::Timeline timeline = sim::simulate(plan, planned.workload, truth, sim);

  const planner::PlanFacts facts = planner::plan_facts(plan, planned.workload, truth);
  report::RunFacts run;
  run.model = planned.costed.name();
  run.seed = planned.seed;
  run.gpus_per_rank = truth.gpus_per_rank();
  run.executed_tokens = facts.executed_tokens;
  run.model_flops = facts.model_flops;
  run.peak_flops = truth.peak_flops();
  run.power = cluster_.power;
  run.memory_capacity_bytes = truth.capacity().value();
  for (const planner::MemoryPart& part : facts.peak_memory_parts) {
    run.peak_memory_parts_bytes.emplace_back(part.name, part.bytes.value());
  }
  run.lower_bound_seconds = lower_bound_seconds(planned);
  run.plan_seconds = planned.plan_seconds;
  report::Result result = report::make_result(plan, planned.workload, std::move(timeline), run);
  if (!keep_timelines_) result.timeline = {};
  return result;
}

void conclude(report::Report& report, const Inputs& inputs) {
  report::set_speedups(report.results, report.infeasible);
  double uncertainty = 0;
  for (const CostedModel& costed : inputs.models) {
    uncertainty = std::max(uncertainty, costed.truth->uncertainty());
  }
  report.recommendations = report::recommend(report.results, uncertainty);
}

}  // namespace dcpbench::cli

#include "cli/job.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "cli/fixed_settings.hpp"
#include "core/configs.hpp"
#include "planner/validate.hpp"

namespace dcpbench::cli {

namespace {

// A plan of a million sequences is about 60 MB of JSON.
constexpr std::size_t kMaxPlanBytes = std::size_t{1} << 30;

planner::PlanOptions plan_options(const JobOptions& options, const planner::Strategy& strategy,
                                  const planner::CostModel& cost, std::uint64_t seed) {
  planner::PlanOptions plan = options.plan;
  plan.seed = seed;
  plan.recompute_layers = options.recompute_layers;
  if (options.recompute == Recompute::none) plan.recompute_layers = 0;
  if (options.recompute == Recompute::full) plan.recompute_layers = cost.layers();
  if (strategy.name == "packed" && options.packed_keeps_its_padding()) plan.padding.reset();
  return plan;
}

// A plan that the simulator must not see: an answer for the user or a fault of ours.
planner::PlanResult checked(planner::PlanResult result, const core::Workload& workload,
                            const CostedModel& costed, const JobOptions& options) {
  if (!result) return result;
  if (result->steps.empty()) {
    return tl::unexpected(core::Infeasible{fmt::format(
        "the plan has 0 steps: all {} sequences were left out{}", workload.sequences.size(),
        options.plan.drop_last ? "; leave --drop-last out or give more sequences" : "")});
  }
  check_step_count(options, workload, result->steps.size(), *costed.truth);
  const std::int64_t communicators = core::count_communicators(*result);
  if (options.max_communicators && communicators > *options.max_communicators) {
    return tl::unexpected(core::Infeasible{
        fmt::format("the plan needs {} communicators per rank, --max-communicators allows {}",
                    communicators, *options.max_communicators)});
  }
  const std::vector<std::string> faults = planner::validate(*result, workload, *costed.truth);
  if (faults.empty()) return result;
  if (costed.belief != costed.truth) {
    return tl::unexpected(
        core::Infeasible{fmt::format("the plan for {} can't run on {}: {}", *options.plan_cluster,
                                     options.cluster, fmt::join(faults, "; "))});
  }
  throw std::logic_error(fmt::format("strategy {} made an invalid plan: {}", result->strategy,
                                     fmt::join(faults, "; ")));
}

std::optional<core::Plan> load_plan(const std::string& path) {
  return core::plan_from_json(core::read_text_file(path, kMaxPlanBytes), path);
}

void check_given_plan(const core::Plan& plan, const core::Workload& workload,
                      const CostedModel& costed, const std::string& origin) {
  Problems problems;
  for (const std::string& fault : planner::validate(plan, workload, *costed.truth)) {
    problems.add(fmt::format("{}: {}", origin, fault));
  }
  problems.throw_if_any();
}

std::string label_of(const CostedModel& costed, const datasets::Dataset& dataset,
                     std::string_view strategy) {
  return fmt::format("{} on {}: {}", costed.name(), dataset.name, strategy);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::size_t Job::size() const {
  const std::size_t plans = options.plan_file ? 1 : options.strategies.size();
  return inputs.cells.size() * static_cast<std::size_t>(options.seeds) * plans;
}

Job make_job(const Arguments& arguments) {
  Problems& problems = arguments.problems();
  Job job;
  job.options = read_job_options(arguments);
  if (job.options.plan_file) {
    job.given_plan = problems.collect([&]() { return load_plan(*job.options.plan_file); });
  }
  if (job.given_plan) {
    const core::Accounting made_for = job.given_plan->accounting;
    core::Accounting& accounting = job.options.plan.accounting;
    if (job.options.accounting_given && accounting != made_for) {
      problems.add(fmt::format("--accounting {} contradicts {}, which was made for {}",
                               core::to_string(accounting), *job.options.plan_file,
                               core::to_string(made_for)));
    }
    accounting = made_for;
  }
  job.inputs = load_inputs(job.options, problems);
  job.draws = draw_datasets(job.options, job.inputs, problems);
  if (job.options.plan_file && job.inputs.cells.size() > 1) {
    problems.add("--plan executes one plan; name one --model and one --dataset or --lengths");
  }
  return job;
}

void for_each_plan(const Job& job, bool explain,
                   const std::function<void(const std::string& label)>& about_to_plan,
                   const std::function<bool(Planned&&)>& visit) {
  const JobOptions& options = job.options;
  const core::Workload no_workload;
  for (const Cell& cell : job.inputs.cells) {
    const CostedModel& costed = job.inputs.models[cell.model];
    const datasets::Dataset& dataset = job.inputs.datasets[cell.dataset];
    for (std::int32_t i = 0; i < options.seeds; ++i) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
      const auto made = make_workload(options, job.inputs, job.draws, cell, seed);
      const core::Workload& workload = made ? *made : no_workload;
      if (options.plan_file) {
        const core::Plan& plan = *job.given_plan;
        about_to_plan(label_of(costed, dataset, plan.strategy));
        if (made) {
          check_step_count(options, workload, plan.steps.size(), *costed.truth);
          check_given_plan(plan, workload, costed, *options.plan_file);
        }
        visit({costed, dataset, seed, plan.strategy, workload,
               made ? planner::PlanResult(plan) : tl::unexpected(made.error()), 0, nullptr});
        return;
      }
      for (const planner::Strategy* strategy : options.strategies) {
        about_to_plan(label_of(costed, dataset, strategy->name));
        planner::Explanation explanation;
        const planner::PlanOptions plan = plan_options(options, *strategy, *costed.belief, seed);
        const auto start = std::chrono::steady_clock::now();
        planner::PlanResult result =
            made
                ? strategy->plan({workload, *costed.belief, plan, explain ? &explanation : nullptr})
                : tl::unexpected(made.error());
        const double plan_seconds = seconds_since(start);
        result = checked(std::move(result), workload, costed, options);
        if (explain && result) {
          explanation.fixed_settings =
              compare_fixed_settings(*strategy, {workload, *costed.belief, plan}, *result);
        }
        if (!visit({costed, dataset, seed, std::string(strategy->name), workload, std::move(result),
                    plan_seconds, explain ? &explanation : nullptr})) {
          return;
        }
      }
    }
  }
}

}  // namespace dcpbench::cli

// Runs the strategies of a job over its cells and seeds: every command that plans goes through
// here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/workload.hpp"
#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/explanation.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::cli {

// A model, a dataset, a seed and a strategy, planned and validated. References live during the
// call.
struct Planned {
  const CostedModel& costed;
  const datasets::Dataset& dataset;
  std::uint64_t seed;
  std::string strategy;
  const core::Workload& workload;  // empty when the plan is infeasible because of it
  planner::PlanResult plan;
  double plan_seconds;                      // steady clock
  const planner::Explanation* explanation;  // when asked for
};

struct Job {
  JobOptions options;
  Inputs inputs;
  std::vector<Draw> draws;
  std::optional<core::Plan> given_plan;  // --plan

  // How many times for_each_plan calls its visitor.
  [[nodiscard]] std::size_t size() const;
};

// Reads the options, loads and checks all inputs. What is wrong goes to arguments.problems(); with
// any problem the job must not be run.
Job make_job(const Arguments& arguments);

// Plans one after another and hands each to `visit`, which returns false to stop. `about_to_plan`
// is told what comes next. With --plan the given plan takes the place of the strategies.
// Throws core::Error(usage) when a given plan does not fit the workload.
void for_each_plan(const Job& job, bool explain,
                   const std::function<void(const std::string& label)>& about_to_plan,
                   const std::function<bool(Planned&&)>& visit);

}  // namespace dcpbench::cli

#include "cli/fixed_settings.hpp"

#include "sim/simulator.hpp"

namespace dcpbench::cli {

namespace {

core::Nanoseconds predicted_total(const core::Plan& plan, const planner::PlanRequest& request) {
  sim::SimOptions options;
  options.keep_cells = false;
  core::Nanoseconds total(0);
  for (const core::StepTiming& step :
       sim::simulate(plan, request.workload, request.cost, options).steps) {
    total += step.duration;
  }
  return total;
}

}  // namespace

std::vector<planner::FixedSetting> compare_fixed_settings(const planner::Strategy& strategy,
                                                          const planner::PlanRequest& request,
                                                          const core::Plan& used) {
  std::vector<planner::FixedSetting> settings;
  const bool is_bucket = strategy.name == "bucket";
  if ((!is_bucket && strategy.name != "packed") || used.micro_batches.empty()) return settings;
  const bool used_cut = request.options.median_cut;
  for (const std::int32_t degree : request.cost.allowed_degrees()) {
    for (const bool cut : {true, false}) {
      if (!is_bucket && cut != used_cut) continue;  // packs know no median
      planner::PlanOptions options = request.options;
      options.bucket_sp = degree;
      options.median_cut = cut;
      planner::FixedSetting setting;
      setting.sp_degree = degree;
      setting.median_cut = is_bucket && cut;
      setting.is_default = degree == used.micro_batches[0].sp_degree && cut == used_cut;
      const planner::PlanResult plan =
          strategy.plan({request.workload, request.cost, options, nullptr});
      if (plan) {
        setting.total = predicted_total(*plan, request);
      } else {
        setting.reason = plan.error().reason;
      }
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

}  // namespace dcpbench::cli

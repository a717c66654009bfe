#include "cli/fixed_settings.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/simulator.hpp"

namespace dcpbench::cli {

namespace {

constexpr std::int32_t kRecomputeSteps = 4;

class FairnessTable {
 public:
  FairnessTable(const planner::Strategy& strategy, const planner::PlanRequest& request,
                const core::Plan& used)
      : strategy_(strategy), request_(request), is_bucket_(strategy.name == "bucket") {
    used_.sp_degree = used.micro_batches[0].sp_degree;
    if (is_bucket_) used_.median_cut = request.options.median_cut;
    const auto [least, most] =
        std::minmax_element(used.micro_batches.begin(), used.micro_batches.end(),
                            [](const core::MicroBatch& a, const core::MicroBatch& b) {
                              return a.recompute_layers < b.recompute_layers;
                            });
    used_.least_recompute = least->recompute_layers;
    used_.most_recompute = most->recompute_layers;
    used_.is_used = true;
    const planner::PlanOptions& options = request.options;
    used_.is_default = !options.bucket_sp && options.median_cut && !options.recompute_layers &&
                       !options.pack_tokens && options.bucket_edges.empty() && !options.padding;
    used_.total = predicted_total(used);
  }

  std::vector<planner::FixedSetting> make() {
    for (const std::int32_t degree : request_.cost.allowed_degrees()) {
      const std::int32_t least = least_layers(degree);
      const std::int32_t all = request_.cost.layers();
      for (const bool cut : {true, false}) {
        if (!is_bucket_ && !cut) continue;
        add(degree, cut, all);
        if (least < all) add(degree, cut, least);
      }
      // The strategy's own choice may lie between the rows.
      if (degree == used_.sp_degree && !has_used_) rows_.push_back(used_);
    }
    return std::move(rows_);
  }

 private:
  [[nodiscard]] planner::PlanResult plan(std::int32_t degree, bool cut, std::int32_t layers) const {
    planner::PlanOptions options = request_.options;
    options.bucket_sp = degree;
    options.median_cut = cut;
    options.recompute_layers = layers;
    return strategy_.plan({request_.workload, request_.cost, options, nullptr});
  }

  // All layers where the strategy has no plan with fewer, and also none with all.
  [[nodiscard]] std::int32_t least_layers(std::int32_t degree) const {
    const std::int32_t all = request_.cost.layers();
    std::int32_t last = -1;
    for (std::int32_t step = 0; step < kRecomputeSteps; ++step) {
      const auto layers = static_cast<std::int32_t>(std::int64_t{all} * step / kRecomputeSteps);
      if (layers == last) continue;
      last = layers;
      if (plan(degree, request_.options.median_cut, layers)) return layers;
    }
    return all;
  }

  void add(std::int32_t degree, bool cut, std::int32_t layers) {
    planner::FixedSetting row;
    row.sp_degree = degree;
    if (is_bucket_) row.median_cut = cut;
    row.least_recompute = row.most_recompute = layers;
    if (row.sp_degree == used_.sp_degree && row.median_cut == used_.median_cut &&
        layers == used_.least_recompute && layers == used_.most_recompute) {
      has_used_ = true;
      rows_.push_back(used_);
      return;
    }
    if (const planner::PlanResult made = plan(degree, cut, layers)) {
      row.total = predicted_total(*made);
    } else {
      row.reason = made.error().reason;
    }
    rows_.push_back(std::move(row));
  }

  [[nodiscard]] core::Nanoseconds predicted_total(const core::Plan& plan) const {
    sim::SimOptions options;
    options.keep_cells = false;
    core::Nanoseconds total(0);
    for (const core::StepTiming& step :
         sim::simulate(plan, request_.workload, request_.cost, options).steps) {
      total += step.duration;
    }
    return total;
  }

  const planner::Strategy& strategy_;
  const planner::PlanRequest& request_;
  bool is_bucket_;
  planner::FixedSetting used_;
  bool has_used_ = false;
  std::vector<planner::FixedSetting> rows_;
};

}  // namespace

bool has_fixed_settings(std::string_view strategy) {
  return strategy == "bucket" || strategy == "packed";
}

std::vector<planner::FixedSetting> compare_fixed_settings(const planner::Strategy& strategy,
                                                          const planner::PlanRequest& request,
                                                          const core::Plan& used) {
  if (!has_fixed_settings(strategy.name) || used.micro_batches.empty()) return {};
  return FairnessTable(strategy, request, used).make();
}

std::optional<BestFixedSetting> find_best(std::span<const planner::FixedSetting> settings) {
  const auto used = std::find_if(settings.begin(), settings.end(),
                                 [](const auto& setting) { return setting.is_used; });
  if (used == settings.end()) return std::nullopt;
  const planner::FixedSetting* best = &*used;
  for (const planner::FixedSetting& setting : settings) {
    if (setting.total.value() > 0 && setting.total < best->total) best = &setting;
  }
  const double ratio = best->total.value() > 0 ? static_cast<double>(used->total.value()) /
                                                     static_cast<double>(best->total.value())
                                               : 1;
  return BestFixedSetting{&*used, best, ratio};
}

}  // namespace dcpbench::cli

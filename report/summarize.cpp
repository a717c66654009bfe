#include "report/summarize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "report/statistics.hpp"

namespace dcpbench::report {

namespace {

using core::Part;

double number(core::Nanoseconds time) { return static_cast<double>(time.value()); }

// A caller's slip here would become a wrong number in every report.
void require_one_run(const core::Plan& plan, const core::Workload& workload,
                     const core::Timeline& timeline, const RunFacts& facts,
                     std::int64_t useful_tokens) {
  if (timeline.ranks != plan.ranks || timeline.steps.size() != plan.steps.size()) {
    throw std::invalid_argument(
        fmt::format("the timeline has {} steps on {} ranks, its plan {} steps on {} ranks",
                    timeline.steps.size(), timeline.ranks, plan.steps.size(), plan.ranks));
  }
  if (facts.executed_tokens < useful_tokens) {
    throw std::invalid_argument(fmt::format("{} executed tokens are fewer than the {} useful ones",
                                            facts.executed_tokens, useful_tokens));
  }
  const auto is_unknown = [&](std::uint32_t id) { return id >= workload.sequences.size(); };
  if (std::any_of(plan.dropped.begin(), plan.dropped.end(), is_unknown)) {
    throw std::invalid_argument("the plan drops a sequence that the workload does not have");
  }
}

void count_plan(const core::Plan& plan, const core::Workload& workload, Result& result) {
  result.sequences = static_cast<std::int64_t>(plan.sequence_ids.size());
  for (const std::uint32_t id : plan.sequence_ids) {
    result.useful_tokens += workload.sequences.at(id).shape.tokens;
  }
  result.steps = static_cast<std::int64_t>(plan.steps.size());
  result.micro_batches = static_cast<std::int64_t>(plan.micro_batches.size());
  result.empty_micro_batches = core::count_empty_micro_batches(plan);

  std::vector<char> is_used(static_cast<std::size_t>(plan.ranks), 0);
  for (const core::MicroBatch& batch : plan.micro_batches) {
    std::fill_n(is_used.begin() + batch.first_rank, batch.sp_degree, 1);
  }
  result.idle_ranks = static_cast<std::int32_t>(std::count(is_used.begin(), is_used.end(), 0));
  result.sp_degrees = core::count_sp_degrees(plan);
  result.communicators = core::count_communicators(plan);
}

void count_dropped(const core::Plan& plan, const core::Workload& workload, Result& result) {
  result.dropped_sequences =
      workload.dropped_sequences + static_cast<std::int64_t>(plan.dropped.size());
  result.dropped_tokens = workload.dropped_tokens;
  for (const std::uint32_t id : plan.dropped) {
    result.dropped_tokens += workload.sequences[id].shape.tokens;
  }
  result.truncated_tokens = workload.truncated_tokens;
}

// Nanoseconds are summed before the one division, so that a decimal sum prints as one.
double seconds(double nanoseconds) { return nanoseconds / 1e9; }

void sum_timeline(const core::Timeline& timeline, Result& result) {
  const double ranks = timeline.ranks;
  std::vector<double> step_seconds;
  step_seconds.reserve(timeline.steps.size());
  std::array<double, core::kParts> parts{};
  double total = 0, busy_excess = 0, busy_max = 0, token_excess = 0, token_max = 0;
  for (std::size_t i = 0; i < timeline.steps.size(); ++i) {
    const core::StepTiming& step = timeline.steps[i];
    step_seconds.push_back(seconds(number(step.duration)));
    total += number(step.duration);
    for (std::size_t part = 0; part < core::kParts; ++part) {
      parts[part] += number(step.sum_over_ranks.value[part]);
    }
    busy_max += number(step.busy_max);
    busy_excess += number(step.busy_max) - number(step.busy_sum) / ranks;
    token_max += static_cast<double>(step.tokens_max);
    token_excess +=
        static_cast<double>(step.tokens_max) - static_cast<double>(step.tokens_sum) / ranks;
    if (step.peak_memory.value() > result.peak_memory_bytes) {
      result.peak_memory_bytes = step.peak_memory.value();
      result.peak_step = static_cast<std::int64_t>(i);
    }
  }
  result.total_seconds = seconds(total);
  result.step_seconds = summarize(std::move(step_seconds));
  for (std::size_t part = 0; part < core::kParts; ++part) {
    result.breakdown_seconds[part] = seconds(parts[part] / ranks);
  }
  result.idle_rank_seconds = seconds(parts[static_cast<std::size_t>(Part::idle)]);
  // A rank's tokens are rounded, which can put the mean a little above the maximum.
  result.imbalance = std::max(0.0, share(busy_excess, busy_max));
  result.token_imbalance = std::max(0.0, share(token_excess, token_max));
  result.max_extrapolation = timeline.max_extrapolation;
}

// Busy power while a rank computes, transfers, reduces or updates; idle power while it waits.
double energy(const Result& result, const core::Power& power) {
  double busy = 0, all = 0;
  for (std::size_t part = 0; part < core::kParts; ++part) {
    all += result.breakdown_seconds[part];
    const auto which = static_cast<Part>(part);
    if (which != Part::idle && which != Part::overhead) busy += result.breakdown_seconds[part];
  }
  return result.gpus * (busy * power.busy.value() + (all - busy) * power.idle.value());
}

}  // namespace

Result make_result(const core::Plan& plan, const core::Workload& workload, core::Timeline timeline,
                   const RunFacts& facts) {
  Result result;
  result.model = facts.model;
  result.dataset = workload.dataset;
  result.strategy = plan.strategy;
  result.accounting = core::to_string(plan.accounting);
  result.execution = facts.execution;
  result.seed = facts.seed;
  result.ranks = plan.ranks;
  result.gpus = plan.ranks * facts.gpus_per_rank;
  result.lockstep = plan.lockstep;
  result.workload_sha256 = core::workload_sha256(workload);
  result.plan_digest = core::plan_digest(plan);
  result.padding = core::to_string(plan.padding);
  result.settings = plan.settings;
  result.warnings = plan.warnings;

  count_plan(plan, workload, result);
  require_one_run(plan, workload, timeline, facts, result.useful_tokens);
  count_dropped(plan, workload, result);
  sum_timeline(timeline, result);

  result.padded_tokens = facts.executed_tokens;
  result.padding_ratio = share(static_cast<double>(result.padded_tokens - result.useful_tokens),
                               static_cast<double>(result.padded_tokens));
  result.useful_tokens_per_second =
      share(static_cast<double>(result.useful_tokens), result.total_seconds);
  result.padded_tokens_per_second =
      share(static_cast<double>(result.padded_tokens), result.total_seconds);
  result.sequences_per_second = share(static_cast<double>(result.sequences), result.total_seconds);
  if (facts.model_flops > 0 && facts.peak_flops > 0 && result.total_seconds > 0) {
    result.model_flops_utilization = facts.model_flops / (result.total_seconds * facts.peak_flops);
  }
  result.gpu_hours = result.gpus * result.total_seconds / 3600;
  if (facts.power) result.energy_joules = energy(result, *facts.power);
  result.peak_memory_parts_bytes = facts.peak_memory_parts_bytes;
  result.memory_capacity_bytes = facts.memory_capacity_bytes;
  result.lower_bound_seconds = facts.lower_bound_seconds;
  result.plan_seconds = facts.plan_seconds;
  result.timeline = std::move(timeline);
  return result;
}

void set_speedups(std::vector<Result>& results, const std::vector<InfeasibleResult>& infeasible) {
  using Key = std::tuple<std::string, std::string, std::uint64_t, std::string, std::string>;
  const auto key_of = [](const Result& result) {
    return Key(result.model, result.dataset, result.seed, result.accounting, result.execution);
  };
  std::map<Key, const Result*> buckets;
  for (const Result& result : results) {
    if (result.strategy == "bucket") buckets.emplace(key_of(result), &result);
  }
  const auto reason_without_bucket = [&](const Result& result) -> std::string {
    for (const InfeasibleResult& other : infeasible) {
      if (other.strategy == "bucket" && other.model == result.model &&
          other.dataset == result.dataset && other.seed == result.seed) {
        return "bucket has no plan: " + other.reason;
      }
    }
    return "bucket was not run";
  };
  for (Result& result : results) {
    result.speedup_vs_bucket.reset();
    result.speedup_reason.clear();
    const auto bucket = buckets.find(key_of(result));
    if (bucket == buckets.end()) {
      result.speedup_reason = reason_without_bucket(result);
    } else if (bucket->second->workload_sha256 != result.workload_sha256) {
      result.speedup_reason = "bucket ran another workload";
    } else if (!(bucket->second->useful_tokens_per_second > 0) ||
               !(result.useful_tokens_per_second > 0)) {
      result.speedup_reason = "a run took no time";
    } else {
      result.speedup_vs_bucket =
          result.useful_tokens_per_second / bucket->second->useful_tokens_per_second;
    }
  }
}

}  // namespace dcpbench::report

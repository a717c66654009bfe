#include "sim/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "planner/rounding.hpp"
#include "sim/batch_costs.hpp"
#include "sim/disturbance.hpp"

namespace dcpbench::sim {
namespace {

using core::MicroBatch;
using core::Nanoseconds;
using core::Part;
using core::PartTimes;
using core::Step;

// Every time is checked against the longest step. Then a sum of up to four of them, and a step's
// sum over all ranks, fit 64 bits; and a cost that was cut to its largest value isn't taken for
// one.
constexpr std::int64_t kMaxStep = planner::kMaxPartNanoseconds - 1;

Nanoseconds longest_step(std::int32_t ranks) {
  return Nanoseconds(std::min(kMaxStep, core::kMaxCostNanoseconds / ranks));
}

class Simulation {
 public:
  Simulation(const core::Plan& plan, const core::Workload& workload,
             const planner::CostModel& truth, const SimOptions& options);
  core::Timeline run();

 private:
  // When the micro-batches of a step are done, and the part of the reduction that comes after.
  struct Work {
    Nanoseconds end{0};
    Nanoseconds round_transfer{0};  // lockstep: of all rounds, exposed on every rank
    Nanoseconds exposed_sync{0};
  };

  void begin_step(std::size_t step);
  Work run_free(const Step& step);
  Work run_lockstep(const Step& step);
  BatchCost cost_of(const MicroBatch& batch);
  // Adds the micro-batch to its ranks; how long it takes from the moment that all are there.
  Nanoseconds run_block(const MicroBatch& batch, const BatchCost& cost);
  void finish_step(const Work& work);

  [[nodiscard]] Nanoseconds bounded(Nanoseconds time) const;
  [[nodiscard]] Nanoseconds stretched(Nanoseconds time, double factor) const;
  template <class T>
  [[nodiscard]] static std::span<T> block_of(std::vector<T>& per_rank, const MicroBatch& batch) {
    return std::span(per_rank).subspan(static_cast<std::size_t>(batch.first_rank),
                                       static_cast<std::size_t>(batch.sp_degree));
  }

  const core::Plan& plan_;
  const planner::CostModel& truth_;
  const Disturbance disturbance_;
  const planner::StepCost step_cost_;
  const Nanoseconds longest_step_;
  BatchCosts costs_;
  core::Timeline timeline_;

  std::size_t step_ = 0;
  Nanoseconds total_{0};
  std::span<PartTimes> parts_;  // of the current step, by rank: a row of the cells or row_
  std::vector<PartTimes> row_;
  std::vector<Nanoseconds> free_at_;       // end of the rank's last micro-batch so far
  std::vector<Nanoseconds> reducible_at_;  // from when on its gradients can be reduced
  std::vector<std::uint32_t> ordinal_;     // micro-batches that the rank has run
  std::vector<double> tokens_;             // exact: fractions are halves, quarters, ...
};

Simulation::Simulation(const core::Plan& plan, const core::Workload& workload,
                       const planner::CostModel& truth, const SimOptions& options)
    : plan_(plan),
      truth_(truth),
      disturbance_(options, plan.ranks),
      step_cost_(truth.step()),
      longest_step_(longest_step(plan.ranks)),
      costs_(plan, workload, truth) {
  const auto ranks = static_cast<std::size_t>(plan.ranks);
  timeline_.ranks = plan.ranks;
  timeline_.steps.resize(plan.steps.size());
  timeline_.rank_totals.resize(ranks);
  timeline_.max_extrapolation = step_cost_.extrapolation;
  if (options.keep_cells && plan.steps.size() <= core::Timeline::kMaxCells / ranks) {
    timeline_.cells.resize(plan.steps.size() * ranks);
  } else {
    row_.resize(ranks);
  }
  free_at_.resize(ranks);
  reducible_at_.resize(ranks);
  ordinal_.resize(ranks);
  tokens_.resize(ranks);
}

core::Timeline Simulation::run() {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    begin_step(i);
    const Step& step = plan_.steps[i];
    finish_step(plan_.lockstep ? run_lockstep(step) : run_free(step));
  }
  return std::move(timeline_);
}

void Simulation::begin_step(std::size_t step) {
  step_ = step;
  const auto ranks = static_cast<std::size_t>(plan_.ranks);
  parts_ = timeline_.cells.empty() ? std::span(row_)
                                   : std::span(timeline_.cells).subspan(step * ranks, ranks);
  std::ranges::fill(parts_, PartTimes{});
  std::ranges::fill(free_at_, Nanoseconds(0));
  std::ranges::fill(reducible_at_, Nanoseconds(0));
  std::ranges::fill(ordinal_, 0u);
  std::ranges::fill(tokens_, 0.0);
}

// Only maxima and sums of costs, no choice depends on a time: a cost model that is nowhere slower
// gives a step that is nowhere longer.
Simulation::Work Simulation::run_free(const Step& step) {
  for (const MicroBatch& batch : plan_.micro_batches_of(step)) {
    const BatchCost cost = cost_of(batch);
    const auto free_at = block_of(free_at_, batch);
    const Nanoseconds start = std::ranges::max(free_at);
    const Nanoseconds end = bounded(start + run_block(batch, cost));
    std::ranges::fill(free_at, end);
    // Of a disturbed micro-batch the undisturbed backward counts. That exposes rather more of the
    // reduction than less, and keeps the step monotone in every cost.
    const Nanoseconds window = batch.closing ? cost.time.backward : Nanoseconds(0);
    std::ranges::fill(block_of(reducible_at_, batch), end - window);
  }
  Work work;
  work.end = std::ranges::max(free_at_);
  // The reduction is one collective of the world: it starts when the last rank has gradients to
  // give. A rank without a micro-batch gives zeros and is ready from the start.
  const Nanoseconds sync_start = std::ranges::max(reducible_at_);
  const Nanoseconds sync_end = std::max(sync_start + bounded(step_cost_.gradient_sync),
                                        work.end + bounded(step_cost_.gradient_sync_tail));
  work.exposed_sync = sync_end - work.end;
  return work;
}

// The list is in order of rounds. No overlap window: the gradients of a layer are reduced inside
// the rounds, where exposed_gather weighs their transfer against the busiest rank; StepCost holds
// what is left for the end of a step.
Simulation::Work Simulation::run_lockstep(const Step& step) {
  Work work;
  Nanoseconds busy(0);
  std::int32_t round = 0;
  const auto end_round = [&] {
    work.end = bounded(work.end + busy);
    work.round_transfer = bounded(work.round_transfer + bounded(truth_.exposed_gather(busy)));
    busy = Nanoseconds(0);
    ++round;
  };
  for (const MicroBatch& batch : plan_.micro_batches_of(step)) {
    while (round < batch.round) end_round();
    busy = std::max(busy, run_block(batch, cost_of(batch)));
  }
  while (round < step.rounds) end_round();
  work.end = bounded(work.end + work.round_transfer);
  work.exposed_sync = std::max(step_cost_.gradient_sync, step_cost_.gradient_sync_tail);
  return work;
}

BatchCost Simulation::cost_of(const MicroBatch& batch) {
  const BatchCost cost = costs_.of(batch);
  core::StepTiming& timing = timeline_.steps[step_];
  timing.peak_memory = std::max(timing.peak_memory, cost.peak_memory);
  timing.tokens_sum += cost.useful_tokens;
  timeline_.max_extrapolation = std::max(timeline_.max_extrapolation, cost.time.extrapolation);
  return cost;
}

Nanoseconds Simulation::run_block(const MicroBatch& batch, const BatchCost& cost) {
  const Nanoseconds compute = bounded(cost.time.compute);
  const Nanoseconds recompute = bounded(cost.time.recompute);
  const Nanoseconds communication = bounded(cost.time.communication);
  const double tokens = static_cast<double>(cost.useful_tokens) / batch.sp_degree;
  // One rendezvous per micro-batch: the transfer starts with the slowest member. (Real groups meet
  // in every layer, which costs the same when a rank is slow in all layers alike.)
  Nanoseconds slowest(0);
  for (std::int32_t i = 0; i < batch.sp_degree; ++i) {
    const auto rank = static_cast<std::size_t>(batch.first_rank + i);
    const double factor = disturbance_.is_none()
                              ? 1
                              : disturbance_.factor(step_, batch.first_rank + i, ordinal_[rank]++);
    const Nanoseconds own_compute = stretched(compute, factor);
    const Nanoseconds own_recompute = stretched(recompute, factor);
    slowest = std::max(slowest, own_compute + own_recompute);
    parts_[rank][Part::compute] += own_compute;
    parts_[rank][Part::recompute] += own_recompute;
    parts_[rank][Part::communication] += communication;
    tokens_[rank] += tokens;
  }
  return bounded(slowest + communication);
}

void Simulation::finish_step(const Work& work) {
  core::StepTiming& timing = timeline_.steps[step_];
  const Nanoseconds sync = bounded(work.exposed_sync);
  const Nanoseconds optimizer = bounded(step_cost_.optimizer);
  const Nanoseconds overhead = bounded(step_cost_.overhead);
  timing.duration = bounded(bounded(bounded(work.end + sync) + optimizer) + overhead);
  if (timing.duration.value() > std::numeric_limits<std::int64_t>::max() - total_.value()) {
    throw core::Error(core::ErrorKind::usage,
                      fmt::format("the steps up to {} together take more than 292 years", step_));
  }
  total_ += timing.duration;

  timing.busy_max = Nanoseconds(-1);
  for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
    PartTimes& parts = parts_[rank];
    parts[Part::communication] += work.round_transfer;
    const Nanoseconds busy = parts.busy();
    // Whatever a rank does not work until the last one is done, it waits.
    parts[Part::idle] = work.end - busy;
    parts[Part::gradient_sync] = sync;
    parts[Part::optimizer] = optimizer;
    parts[Part::overhead] = overhead;
    timing.sum_over_ranks += parts;
    timing.busy_sum += busy;
    if (busy > timing.busy_max) {
      timing.busy_max = busy;
      timing.slowest_rank = static_cast<std::int32_t>(rank);
    }
    timeline_.rank_totals[rank] += parts;
  }
  timing.tokens_max = std::llround(std::ranges::max(tokens_));
}

Nanoseconds Simulation::bounded(Nanoseconds time) const {
  if (time <= longest_step_) return time;
  throw core::Error(
      core::ErrorKind::usage,
      fmt::format("step {} takes more than the {:.3g} days that can be added up for {} ranks; "
                  "check the rates of the cluster and the lengths",
                  step_, core::to_seconds(longest_step_).value() / 86400, plan_.ranks));
}

Nanoseconds Simulation::stretched(Nanoseconds time, double factor) const {
  if (factor == 1) return time;
  const double longer = static_cast<double>(time.value()) * factor;
  if (longer >= static_cast<double>(longest_step_.value())) {
    return bounded(longest_step_ + Nanoseconds(1));
  }
  return Nanoseconds(std::llround(longer));
}

}  // namespace

core::Timeline simulate(const core::Plan& plan, const core::Workload& workload,
                        const planner::CostModel& truth, const SimOptions& options) {
  if (plan.ranks != truth.ranks()) {
    throw core::Error(core::ErrorKind::usage,
                      fmt::format("the plan is for {} ranks, the cluster it is simulated on has {}",
                                  plan.ranks, truth.ranks()));
  }
  return Simulation(plan, workload, truth, options).run();
}

}  // namespace dcpbench::sim

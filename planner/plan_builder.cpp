#include "planner/plan_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dcpbench::planner {

PlanBuilder::PlanBuilder(const PlanRequest& request, std::string_view strategy,
                         core::Padding default_padding)
    : request_(request) {
  if (request.options.drop_last && request.options.accounting == core::Accounting::equal) {
    throw core::Error(core::ErrorKind::usage,
                      "--drop-last needs --accounting native: under equal every strategy trains on "
                      "the same sequences");
  }
  plan_.strategy = strategy;
  plan_.accounting = request.options.accounting;
  plan_.padding = request.options.padding.value_or(default_padding);
  plan_.sp_method = request.cost.sp_method();
  plan_.ranks = request.cost.ranks();
  plan_.layers = request.cost.layers();
  plan_.zero = request.cost.zero();
  plan_.lockstep = request.cost.lockstep();
  plan_.sequence_ids.reserve(request.workload.sequences.size());
}

void PlanBuilder::add(std::int32_t first_rank, std::int32_t degree, std::int32_t recompute_layers,
                      std::int32_t round, std::span<const std::uint32_t> ids) {
  core::MicroBatch batch;
  batch.first_rank = first_rank;
  batch.sp_degree = degree;
  batch.recompute_layers = recompute_layers;
  batch.round = plan_.lockstep ? round : 0;
  batch.first_sequence = static_cast<std::uint32_t>(plan_.sequence_ids.size());
  batch.sequence_count = static_cast<std::uint32_t>(ids.size());
  for (const std::uint32_t id : ids)
    batch.loss_tokens += request_.workload.sequences[id].loss_tokens;
  plan_.sequence_ids.insert(plan_.sequence_ids.end(), ids.begin(), ids.end());
  plan_.micro_batches.push_back(batch);
  ++step_.micro_batch_count;
  step_.loss_tokens += batch.loss_tokens;
}

void PlanBuilder::end_step(std::int32_t rounds) {
  if (step_.micro_batch_count == 0) return;
  if (step_.loss_tokens == 0) {
    throw core::Error(core::ErrorKind::usage,
                      fmt::format("step {} has no loss tokens, so no gradient; give its sequences "
                                  "loss tokens or larger steps (--step-tokens)",
                                  plan_.steps.size()));
  }
  step_.rounds = plan_.lockstep ? rounds : 0;
  plan_.steps.push_back(step_);
  step_ = {};
  step_.first_micro_batch = static_cast<std::uint32_t>(plan_.micro_batches.size());
}

void PlanBuilder::drop(std::span<const std::uint32_t> ids) {
  plan_.dropped.insert(plan_.dropped.end(), ids.begin(), ids.end());
}

void PlanBuilder::setting(std::string key, std::string value) {
  plan_.settings.emplace_back(std::move(key), std::move(value));
}

void PlanBuilder::warn(std::string text) { plan_.warnings.push_back(std::move(text)); }

PlanResult PlanBuilder::finish() {
  if (plan_.steps.empty()) {
    std::string reason = "plan has 0 steps: ";
    if (plan_.dropped.empty()) {
      reason += "the workload has no sequences";
    } else {
      reason += fmt::format(
          "--drop-last left out all {} sequences; plan without it, or with more "
          "sequences",
          plan_.dropped.size());
      for (const std::string& warning : plan_.warnings) reason += "; " + warning;
    }
    return tl::unexpected(core::Infeasible{std::move(reason)});
  }
  std::sort(plan_.dropped.begin(), plan_.dropped.end());
  core::mark_closing(plan_);
  return std::move(plan_);
}

}  // namespace dcpbench::planner

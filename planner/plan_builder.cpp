#include "planner/plan_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/shapes.hpp"

namespace dcpbench::planner {

namespace {

// Padding above this share of the executed tokens is worth a word.
constexpr double kHighPadding = 0.2;

}  // namespace

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
  core::Shape longest;
  for (const std::uint32_t id : ids) {
    const core::Sequence& sequence = request_.workload.sequences[id];
    batch.loss_tokens += sequence.loss_tokens;
    useful_tokens_ += sequence.shape.tokens;
    longest = hull(longest, sequence.shape);
  }
  padded_tokens_ += static_cast<std::int64_t>(ids.size()) * longest.tokens;
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

void PlanBuilder::warn_dropped(const Buckets& buckets, std::span<const std::int64_t> batches) {
  struct Dropped {
    std::int64_t sequences = 0;
    std::int64_t tokens = 0;
  };
  std::vector<Dropped> dropped(buckets.buckets.size());
  for (const std::uint32_t id : plan_.dropped) {
    Dropped& of_bucket = dropped[static_cast<std::size_t>(buckets.of_sequence[id])];
    ++of_bucket.sequences;
    of_bucket.tokens += request_.workload.sequences[id].shape.tokens;
  }
  const auto percent = [](std::int64_t part, std::int64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  for (std::size_t b = 0; b < dropped.size(); ++b) {
    if (dropped[b].sequences == 0) continue;
    const Bucket& bucket = buckets.buckets[b];
    std::string text = fmt::format(
        "--drop-last: bucket {}: {} of {} sequences dropped ({:.0f}%), {:.0f}% of all tokens",
        bucket.label(), dropped[b].sequences, bucket.sequences,
        percent(dropped[b].sequences, bucket.sequences),
        percent(dropped[b].tokens, request_.workload.total_tokens()));
    if (b < batches.size() && batches[b] > 0) text += fmt::format("; its batch is {}", batches[b]);
    warn(std::move(text));
  }
}

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
  const double padding =
      1 - static_cast<double>(useful_tokens_) / static_cast<double>(padded_tokens_);
  if (plan_.padding == core::Padding::longest && padding > kHighPadding) {
    warn(
        fmt::format("{:.0f}% of the executed tokens are padding to the longest of a micro-batch: "
                    "finer --bucket-edges need less, --padding none (variable-length attention) "
                    "none",
                    100 * padding));
  }
  std::sort(plan_.dropped.begin(), plan_.dropped.end());
  core::mark_closing(plan_);
  return std::move(plan_);
}

}  // namespace dcpbench::planner

#include "core/plan.hpp"

#include <algorithm>

#include "core/sha256.hpp"

namespace dcpbench::core {

std::string_view to_string(Accounting accounting) {
  return accounting == Accounting::equal ? "equal" : "native";
}
std::string_view to_string(Padding padding) {
  return padding == Padding::longest ? "longest" : "none";
}
std::string_view to_string(SpMethod method) {
  return method == SpMethod::ulysses ? "ulysses" : "dsp";
}

void mark_closing(Plan& plan) {
  // Backwards through a step: a micro-batch closes if none of its ranks has been seen yet.
  std::vector<std::uint32_t> seen(static_cast<std::size_t>(plan.ranks), 0);
  std::uint32_t stamp = 0;
  for (const Step& step : plan.steps) {
    ++stamp;
    for (std::uint32_t i = step.micro_batch_count; i-- > 0;) {
      MicroBatch& batch = plan.micro_batches[step.first_micro_batch + i];
      const auto block = std::span(seen).subspan(static_cast<std::size_t>(batch.first_rank),
                                                 static_cast<std::size_t>(batch.sp_degree));
      batch.closing = std::none_of(block.begin(), block.end(),
                                   [stamp](std::uint32_t mark) { return mark == stamp; });
      std::fill(block.begin(), block.end(), stamp);
    }
  }
}

std::int64_t count_empty_micro_batches(const Plan& plan) {
  if (!plan.lockstep) return 0;
  std::int64_t empty = 0;
  for (const Step& step : plan.steps) {
    empty += std::int64_t{step.rounds} * plan.ranks;
    for (const MicroBatch& batch : plan.micro_batches_of(step)) empty -= batch.sp_degree;
  }
  return empty;
}

std::map<std::int32_t, std::int64_t> count_sp_degrees(const Plan& plan) {
  std::map<std::int32_t, std::int64_t> degrees;
  for (const MicroBatch& batch : plan.micro_batches) ++degrees[batch.sp_degree];
  return degrees;
}

std::int64_t count_communicators(const Plan& plan) {
  const auto degrees = count_sp_degrees(plan);
  return 1 + static_cast<std::int64_t>(degrees.size()) - (degrees.contains(1) ? 1 : 0);
}

std::string plan_digest(const Plan& plan) {
  Sha256 hash;
  hash.add("dcpbench plan 1\n");
  hash.add(std::int64_t{plan.ranks});
  hash.add(std::int64_t{plan.layers});
  hash.add(std::int64_t{plan.zero});
  hash.add(std::int64_t{plan.lockstep});
  hash.add(std::int64_t{plan.padding == Padding::none});
  hash.add(std::int64_t{plan.sp_method == SpMethod::dsp});
  for (const Step& step : plan.steps) {
    hash.add("\nstep ");
    hash.add(std::int64_t{step.rounds});
    hash.add(step.loss_tokens);
    for (const MicroBatch& batch : plan.micro_batches_of(step)) {
      hash.add("\n");
      hash.add(std::int64_t{batch.first_rank});
      hash.add(std::int64_t{batch.sp_degree});
      hash.add(std::int64_t{batch.recompute_layers});
      hash.add(std::int64_t{batch.round});
      hash.add(batch.loss_tokens);
      hash.add(std::int64_t{batch.closing});
      for (const std::uint32_t id : plan.sequences_of(batch)) hash.add(std::int64_t{id});
    }
  }
  hash.add("\ndropped ");
  for (const std::uint32_t id : plan.dropped) hash.add(std::int64_t{id});
  return hash.finish();
}

}  // namespace dcpbench::core

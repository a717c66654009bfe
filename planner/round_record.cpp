#include "planner/round_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dcpbench::planner {

void RoundRecord::tell(const PlanRequest& request, const RoundPolicy& policy,
                       const Buckets& buckets, std::int64_t least_accumulation,
                       PlanBuilder& builder) const {
  for (const auto& [bucket, settings] : chosen_) {
    const auto most =
        std::max_element(settings.begin(), settings.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto& [degree, batch, recompute_layers] = most->first;
    std::string text = fmt::format("sp {} batch {} recompute {}/{}", degree, batch,
                                   recompute_layers, request.cost.layers());
    if (settings.size() > 1) {
      text += fmt::format(" (most steps; {} settings in all)", settings.size());
    }
    builder.setting(buckets.buckets[bucket].label(), std::move(text));
  }
  tell_accumulation(request, policy, least_accumulation, builder);
  std::vector<std::int64_t> batches(buckets.buckets.size(), 0);
  for (const auto& [bucket, settings] : chosen_) {
    batches[bucket] = std::get<1>(settings.begin()->first);
  }
  builder.warn_dropped(buckets, batches);
}

void RoundRecord::tell_accumulation(const PlanRequest& request, const RoundPolicy& policy,
                                    std::int64_t least_accumulation, PlanBuilder& builder) const {
  if (!policy.accumulate) return;
  const std::optional<std::int32_t> max = request.options.max_accumulation;
  if (request.cost.lockstep()) {
    if (max || request.options.min_accumulation) {
      builder.warn(
          "ranks run in lockstep, one micro-batch per group and round: --min-accumulation and "
          "--max-accumulation have no effect");
    }
    return;
  }
  builder.setting("accumulation", fmt::format("{}..{} micro-batches per group and round",
                                              accumulation_.least(), accumulation_.most()));
  const std::int64_t least = least_accumulation;
  if (max && *max < least) {
    builder.warn(fmt::format(
        "--max-accumulation {} is below the least of {}, {} micro-batches per group and round; "
        "the maximum holds",
        *max, policy.name, least));
  } else if (request.options.min_accumulation && accumulation_.most() < least) {
    builder.warn(fmt::format(
        "--min-accumulation {}: no group of a round had that many micro-batches left; the most "
        "is {}",
        least, accumulation_.most()));
  }
}

}  // namespace dcpbench::planner

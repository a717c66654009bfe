// What a plan made by filling rounds tells about itself: its settings and warnings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>

#include "planner/bucketing.hpp"
#include "planner/plan_builder.hpp"
#include "planner/round_state.hpp"
#include "planner/rounds.hpp"
#include "planner/settings.hpp"

namespace dcpbench::planner {

class RoundRecord {
 public:
  // A bucket's setting in one range of sequences (a step, or the whole run).
  void chose(std::size_t bucket, const Setting& setting) {
    ++chosen_[bucket][{setting.degree, setting.batch, setting.recompute_layers}];
  }
  [[nodiscard]] bool knows(std::size_t bucket) const { return chosen_.contains(bucket); }
  // Micro-batches that became part of the plan, in running order.
  void placed(std::span<const Placement> placements) { accumulation_.add(placements); }

  // Settings: per bucket the one of most ranges, and what the accumulation came to. Warnings:
  // options that could not be met, and what was dropped.
  void tell(const PlanRequest& request, const RoundPolicy& policy, const Buckets& buckets,
            std::int64_t least_accumulation, PlanBuilder& builder) const;

 private:
  // (degree, batch, recomputed layers) and in how many ranges it was chosen
  using Settings = std::map<std::tuple<std::int32_t, std::int64_t, std::int32_t>, std::int64_t>;

  void tell_accumulation(const PlanRequest& request, const RoundPolicy& policy,
                         std::int64_t least_accumulation, PlanBuilder& builder) const;

  std::map<std::size_t, Settings> chosen_;  // [bucket]
  AccumulationRange accumulation_;
};

}  // namespace dcpbench::planner

// How bucket and packed lay their micro-batches on the replicas of a fixed SP degree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/plan_builder.hpp"

namespace dcpbench::planner {

struct ReplicaBatch {
  std::span<const std::uint32_t> ids;
  std::int64_t weight = 0;  // what the strategy balances: predicted time, or tokens; >= 0
};

struct Replicas {
  std::int32_t count = 1;
  std::int32_t degree = 1;
  std::int32_t recompute_layers = 0;
};

// One optimizer step of all `batches`: the heaviest first, each to the replica with the least
// weight so far (ties: the lowest). Lockstep: rounds of one per replica, so that neighbours in
// weight share a round.
void deal_one_step(const Replicas& replicas, bool lockstep, std::vector<ReplicaBatch> batches,
                   PlanBuilder& builder);

// As published: in the given order, one per replica and step. `drop_last` drops an unfilled step.
void deal_native(const Replicas& replicas, bool drop_last, std::span<const ReplicaBatch> batches,
                 PlanBuilder& builder);

}  // namespace dcpbench::planner

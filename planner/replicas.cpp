#include "planner/replicas.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace dcpbench::planner {

void deal_one_step(const Replicas& replicas, bool lockstep, std::vector<ReplicaBatch> batches,
                   PlanBuilder& builder) {
  std::stable_sort(
      batches.begin(), batches.end(),
      [](const ReplicaBatch& a, const ReplicaBatch& b) { return a.weight > b.weight; });
  const auto add = [&](std::int32_t replica, std::int32_t round, const ReplicaBatch& batch) {
    builder.add(replica * replicas.degree, replicas.degree, replicas.recompute_layers, round,
                batch.ids);
  };
  if (lockstep) {
    const auto width = static_cast<std::size_t>(replicas.count);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      add(static_cast<std::int32_t>(i % width), static_cast<std::int32_t>(i / width), batches[i]);
    }
    builder.end_step(static_cast<std::int32_t>((batches.size() + width - 1) / width));
    return;
  }
  // (weight so far, replica), the lightest on top.
  using Load = std::pair<std::int64_t, std::int32_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::int32_t replica = 0; replica < replicas.count; ++replica) loads.emplace(0, replica);
  for (const ReplicaBatch& batch : batches) {
    auto [weight, replica] = loads.top();
    loads.pop();
    add(replica, 0, batch);
    // Saturates: an absurd weight only loses its order.
    weight = batch.weight > INT64_MAX - weight ? INT64_MAX : weight + batch.weight;
    loads.emplace(weight, replica);
  }
  builder.end_step(0);
}

void deal_native(const Replicas& replicas, bool drop_last, std::span<const ReplicaBatch> batches,
                 PlanBuilder& builder) {
  const auto width = static_cast<std::size_t>(replicas.count);
  const std::size_t rest = drop_last ? batches.size() % width : 0;
  for (const ReplicaBatch& batch : batches.last(rest)) builder.drop(batch.ids);
  batches = batches.first(batches.size() - rest);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto replica = static_cast<std::int32_t>(i % width);
    builder.add(replica * replicas.degree, replicas.degree, replicas.recompute_layers, 0,
                batches[i].ids);
    if (i % width == width - 1) builder.end_step(1);
  }
  builder.end_step(1);
}

}  // namespace dcpbench::planner

#include "planner/collective_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace dcpbench::planner {

namespace {

std::string_view name_of(core::Collective collective) {
  switch (collective) {
    case core::Collective::all_to_all:
      return "all_to_all";
    case core::Collective::all_reduce:
      return "all_reduce";
    case core::Collective::all_gather:
      return "all_gather";
    case core::Collective::reduce_scatter:
      return "reduce_scatter";
  }
  return "collective";
}

double wire_factor(core::Collective collective, double ranks) {
  const double share = (ranks - 1) / ranks;
  return collective == core::Collective::all_reduce ? 2 * share : share;
}

double measured_ranks_per_node(std::int32_t ranks, std::int32_t gpus_per_node) {
  const std::int32_t nodes = std::max((ranks - 1) / gpus_per_node + 1, 2);
  return static_cast<double>(ranks) / nodes;
}

// Up to twice as many or as few ranks are taken as measured.
double rank_extrapolation(std::int32_t ranks, std::int32_t measured) {
  const double ratio = static_cast<double>(ranks) / measured;
  const double factor = std::max(ratio, 1 / ratio);
  return factor > 2 ? factor : 1;
}

}  // namespace

CollectiveModel::CollectiveModel(const core::Cluster& cluster)
    : intra_(make_tier(cluster.intra_node, cluster.gpus_per_node)),
      inter_(make_tier(cluster.inter_node, cluster.gpus_per_node)) {}

CollectiveModel::Tier CollectiveModel::make_tier(const core::LinkTier& tier,
                                                 std::int32_t gpus_per_node) {
  Tier result{tier.bandwidth.value(), tier.latency.value(), {}};
  for (const auto& [collective, by_ranks] : tier.efficiency) {
    for (const auto& [ranks, curve] : by_ranks) {
      result.curves[static_cast<std::size_t>(collective)].push_back(
          {ranks, measured_ranks_per_node(ranks, gpus_per_node),
           EfficiencyTable(curve, fmt::format("{} over {} ranks", name_of(collective), ranks))});
    }
  }
  return result;
}

const CollectiveModel::Curve* CollectiveModel::find_curve(const Tier& tier,
                                                          core::Collective collective,
                                                          std::int32_t ranks) {
  const std::vector<Curve>& curves = tier.curves[static_cast<std::size_t>(collective)];
  if (curves.empty()) return nullptr;
  const Curve* best = &curves.front();
  for (const Curve& curve : curves) {
    if (curve.ranks <= ranks) best = &curve;
  }
  return best;
}

CollectiveTimer CollectiveModel::timer(core::Collective collective, std::int32_t ranks,
                                       std::int32_t nodes) const {
  if (ranks <= 1) return {};
  const double n = ranks;
  const double factor = wire_factor(collective, n);
  if (nodes <= 1) {
    const Curve* curve = find_curve(intra_, collective, ranks);
    if (curve == nullptr) return {nullptr, intra_.latency, factor / intra_.bandwidth, 1};
    return {&curve->table, intra_.latency, factor / intra_.bandwidth,
            rank_extrapolation(ranks, curve->ranks)};
  }

  const double g = (ranks + nodes - 1) / nodes;
  const double k = nodes;
  const double leaving = (k - 1) / k / g;  // through the NIC of a rank, at the least
  const bool all_to_all = collective == core::Collective::all_to_all;
  if (const Curve* curve = find_curve(inter_, collective, ranks)) {
    const double share = all_to_all ? (n - g) / n
                                    : std::max(factor * std::max(1.0, curve->ranks_per_node / g),
                                               leaving / curve->table.best());
    return {&curve->table, inter_.latency, share / inter_.bandwidth,
            rank_extrapolation(ranks, curve->ranks)};
  }

  const double latency = intra_.latency + inter_.latency;
  // One rank per node uses no link inside the node, whose bandwidth may then be unknown.
  const double intra = g > 1 ? 1 / intra_.bandwidth : 0;
  if (all_to_all) {
    return {nullptr, latency, (g - 1) / n * intra + (n - g) / n / inter_.bandwidth, 1};
  }
  const double rounds = collective == core::Collective::all_reduce ? 2 : 1;
  const double inside = (g - 1) / g * intra;
  return {nullptr, latency, rounds * std::max(inside, leaving / inter_.bandwidth), 1};
}

}  // namespace dcpbench::planner

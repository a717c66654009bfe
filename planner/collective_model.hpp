// Times of the collectives, inside a node and across nodes.
//
// Conventions of nccl-tests (NVIDIA nccl-tests, doc/PERFORMANCE.md): `bytes` is the total buffer of
// a rank (all-gather: the gathered one; reduce-scatter: the unreduced one), and
//   time = factor * bytes / bus bandwidth,  factor = 2 (n-1)/n all-reduce, (n-1)/n the others.
// With a measured curve the bus bandwidth is bandwidth * efficiency(bytes). Such a curve contains
// the latency when small sizes take longer per byte; then the tier's latency is a floor, and the
// time below the first point goes linearly from the latency to that point. A curve of one point, or
// of one efficiency, says nothing about latency: it is added.
//
// All-to-all across nodes is bound by the NICs, of which every GPU has its own: the inter-node
// curve is the achieved share of the NIC's rate for what leaves the node, (n-g)/n of the buffer
// with g ranks per node, and what stays inside is hidden behind it.
//
// The other collectives drive the NICs of all their ranks at once, so the bus bandwidth of an
// inter-node curve is that of the ranks per node of its measurement: those on the fewest nodes that
// hold them, but at least two. A group with fewer ranks per node (with tensor parallelism every
// t-th GPU is in it) reaches its share of that: bus bandwidth * min(1, g / g measured). And no
// curve makes (k-1)/k of the buffer leave a node faster than g NICs at their nominal rate do.
//
// Across k nodes without a curve, at nominal bandwidths and with both latencies:
//   all-to-all                  bytes (g-1)/n / intra + bytes (n-g)/n / inter
//   all-gather, reduce-scatter  the slower of (g-1)/g bytes / intra and (k-1)/k bytes/g / inter,
//                               which NCCL pipelines; all-reduce twice that
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/cluster.hpp"
#include "planner/efficiency.hpp"

namespace dcpbench::planner {

struct CollectiveTime {
  double seconds = 0;
  // The larger of the factors by which the buffer left the measured sizes, and by which the ranks
  // differ from those of the measurement when that is more than two.
  double extrapolation = 1;
};

// One collective on one group. Points into its CollectiveModel.
class CollectiveTimer {
 public:
  CollectiveTimer() = default;  // takes no time
  CollectiveTimer(const EfficiencyTable* table, double latency, double seconds_per_byte,
                  double rank_extrapolation)
      : table_(table),
        latency_(latency),
        seconds_per_byte_(seconds_per_byte),
        rank_extrapolation_(rank_extrapolation) {}

  [[nodiscard]] CollectiveTime operator()(double bytes) const {
    if (table_ == nullptr) return {latency_ + bytes * seconds_per_byte_, 1};
    const auto [size, size_extrapolation] = table_->at(bytes);
    const double extrapolation =
        size_extrapolation > rank_extrapolation_ ? size_extrapolation : rank_extrapolation_;
    const double transfer = size * seconds_per_byte_;
    if (!table_->has_latency()) return {latency_ + transfer, extrapolation};
    if (bytes < table_->first_size()) {
      const double first = table_->first_effective() * seconds_per_byte_;
      if (first <= latency_) return {latency_, extrapolation};
      const double between = latency_ + (first - latency_) * (bytes / table_->first_size());
      return {between < first ? between : first, extrapolation};
    }
    return {transfer > latency_ ? transfer : latency_, extrapolation};
  }
  // No size takes less time per byte.
  [[nodiscard]] double least_seconds_per_byte() const {
    return table_ == nullptr ? seconds_per_byte_ : table_->best() * seconds_per_byte_;
  }

 private:
  const EfficiencyTable* table_ = nullptr;
  double latency_ = 0;
  double seconds_per_byte_ = 0;  // at efficiency 1
  double rank_extrapolation_ = 1;
};

class CollectiveModel {
 public:
  // Bandwidths that are used must be above 0 (checked by make_cost_model).
  explicit CollectiveModel(const core::Cluster& cluster);

  // `ranks` evenly over `nodes`. One rank takes no time.
  [[nodiscard]] CollectiveTimer timer(core::Collective collective, std::int32_t ranks,
                                      std::int32_t nodes) const;

 private:
  static constexpr std::size_t kCollectives = 4;
  struct Curve {
    std::int32_t ranks;
    double ranks_per_node;  // of a measurement across nodes
    EfficiencyTable table;
  };
  struct Tier {
    double bandwidth;
    double latency;
    std::array<std::vector<Curve>, kCollectives> curves;  // ascending ranks
  };

  static Tier make_tier(const core::LinkTier& tier, std::int32_t gpus_per_node);
  // The nearest number of ranks not above, else the smallest; null when nothing was measured.
  static const Curve* find_curve(const Tier& tier, core::Collective collective, std::int32_t ranks);

  Tier intra_;
  Tier inter_;
};

}  // namespace dcpbench::planner

#include "planner/zero_sync.hpp"

#include <algorithm>

#include "planner/rounding.hpp"

namespace dcpbench::planner {

namespace {

constexpr double kGradientBytes = 4;
constexpr double kWeightBytes = 2;
constexpr double kOptimizerBytes = 30;
constexpr double kNormBytes = 4;

}  // namespace

ZeroSync::ZeroSync(const core::Cluster& cluster, const core::Model& model,
                   const Parallelism& parallelism, const CollectiveModel& collectives) {
  const double tp = parallelism.tp;
  const double parameters = core::parameter_count(model) / tp;
  const double layer = core::layer_parameter_count(model) / tp;
  const double outside = std::max(parameters - model.layers * layer, 0.0);
  slowdown_share_ = 1 - 1 / cluster.overheads.overlap_slowdown;

  const auto timer = [&](core::Collective collective) {
    return collectives.timer(collective, parallelism.ranks, cluster.nodes);
  };
  const auto recorded = [this](const CollectiveTimer& time) {
    return [this, time](double bytes) {
      const auto [seconds, extrapolation] = time(bytes);
      step_.extrapolation = std::max(step_.extrapolation, extrapolation);
      return seconds;
    };
  };
  const auto reduce = recorded(timer(parallelism.zero == 0 ? core::Collective::all_reduce
                                                           : core::Collective::reduce_scatter));
  const auto gather = recorded(timer(core::Collective::all_gather));
  const double norm = timer(core::Collective::all_reduce)(kGradientBytes).seconds;

  double sync = norm;
  double tail = norm;
  if (parallelism.zero == 3) {
    const double gathers = model.layers * gather(kWeightBytes * layer) +
                           (outside > 0 ? gather(kWeightBytes * outside) : 0);
    const double reduction = model.layers * reduce(kGradientBytes * layer) +
                             (outside > 0 ? reduce(kGradientBytes * outside) : 0);
    round_edge_ = gather(kWeightBytes * layer) + reduce(kGradientBytes * layer);
    round_inner_ = std::max(2 * gathers + reduction - round_edge_, 0.0);
  } else {
    const double all = reduce(kGradientBytes * parameters);
    const double last = std::min(reduce(kGradientBytes * layer), all);
    const double weights = parallelism.zero == 0 ? 0 : gather(kWeightBytes * parameters);
    sync += all + weights;
    tail += last + slowdown_share_ * (all - last) + weights;
  }

  const double owned = parameters / (parallelism.zero == 0 ? 1 : parallelism.ranks);
  const double memory_rate =
      cluster.device.memory_bandwidth.value() * cluster.device.memory_efficiency;
  step_.gradient_sync = rounded(sync);
  step_.gradient_sync_tail = rounded(tail);
  step_.optimizer = rounded(owned * (kOptimizerBytes + kNormBytes) / memory_rate);
  step_.overhead = rounded(cluster.overheads.step.value());
}

core::Nanoseconds ZeroSync::exposed_gather(core::Nanoseconds busy) const {
  const double hidden = core::to_seconds(busy).value();
  return rounded(round_edge_ + std::max(round_inner_ - hidden, slowdown_share_ * round_inner_));
}

}  // namespace dcpbench::planner

#include "planner/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/batch_limits.hpp"

namespace dcpbench::planner {

namespace {

__extension__ using Wide = unsigned __int128;

// Batches are searched among powers of two and the limits: kernels saturate, so throughput over
// batch is flat near its maximum.
constexpr std::int64_t kMaxBatch = core::kMaxSequences;

// Numbers of recomputed layers whose batch limits become candidates of the joint choice: quarters
// of the depth. Between them the least recomputation of a batch is found exactly.
std::vector<std::int32_t> recompute_grid(RecomputePolicy policy, std::int32_t fixed,
                                         std::int32_t layers) {
  if (policy == RecomputePolicy::full || layers == 0) return {layers};
  if (policy == RecomputePolicy::fixed) return {fixed};
  std::vector<std::int32_t> grid = {0, layers / 4, layers / 2, layers - layers / 4, layers};
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

}  // namespace

bool more_throughput(const Setting& a, const Setting& b) {
  if (a.batch == 0 || b.batch == 0) return b.batch == 0 && a.batch > 0;
  // a.batch / (a.degree a.time) > b.batch / (b.degree b.time); at most 2^22 x 2^31 x 2^62 < 2^128.
  const auto cross = [](const Setting& x, const Setting& y) {
    return static_cast<Wide>(x.batch) * static_cast<Wide>(y.degree) *
           static_cast<Wide>(std::max<std::int64_t>(y.time.value(), 1));
  };
  return cross(a, b) > cross(b, a);
}

bool better_within(const Setting& a, const Setting& b, core::Nanoseconds time_limit) {
  if (time_limit.value() == 0 || a.batch == 0 || b.batch == 0) return more_throughput(a, b);
  const bool a_above = a.time > time_limit;
  const bool b_above = b.time > time_limit;
  if (a_above != b_above) return b_above;
  if (a_above && a.time != b.time) return a.time < b.time;
  return more_throughput(a, b);
}

SettingsTable::SettingsTable(const CostModel& cost, const Buckets& buckets, RecomputePolicy policy,
                             std::int32_t fixed_recompute)
    : cost_(cost), buckets_(buckets), policy_(policy) {
  const std::vector<std::int32_t> degrees = cost.allowed_degrees();
  const std::vector<std::int32_t> grid = recompute_grid(policy, fixed_recompute, cost.layers());
  limits_.resize(buckets.buckets.size());
  for (std::size_t b = 0; b < limits_.size(); ++b) {
    for (const std::int32_t degree : degrees) {
      if (degree > cost.ranks_per_node() && !limits_[b].empty()) break;
      DegreeLimits entry{degree, {}};
      for (const std::int32_t layers : grid) {
        const std::int64_t batch =
            max_batch(cost, buckets.buckets[b].hull, degree, layers, kMaxBatch);
        if (batch > 0 && (entry.limits.empty() || batch > entry.limits.back().batch)) {
          entry.limits.push_back({layers, batch});
        }
      }
      if (!entry.limits.empty()) limits_[b].push_back(std::move(entry));
    }
  }
}

std::int64_t SettingsTable::batch_cap(std::int64_t sequences, std::int32_t degree) const {
  if (sequences == 0) return kMaxBatch;
  const std::int64_t groups = std::max(1, cost_.ranks() / degree);
  return (sequences + groups - 1) / groups;
}

Setting SettingsTable::best_at(const core::Shape& shape, const DegreeLimits& limits,
                               std::int64_t cap, core::Nanoseconds time_limit) const {
  const Group group = cost_.worst_group(limits.degree);
  Setting best{limits.degree, 0, 0, core::Nanoseconds(0)};
  const auto consider = [&](std::int64_t batch) {
    const ShapeGroup shapes{shape, batch};
    std::int32_t layers = limits.limits.back().recompute_layers;
    if (policy_ == RecomputePolicy::least) {
      layers = least_recompute(cost_, std::span(&shapes, 1), limits.degree).value_or(layers);
    }
    const core::Nanoseconds busy = cost_.micro_batch(std::span(&shapes, 1), group, layers).total();
    // In lockstep a round also pays for the parameters that its batches don't hide.
    const Setting setting{limits.degree, batch, layers,
                          core::bounded_sum(busy, cost_.exposed_gather(busy))};
    if (better_within(setting, best, time_limit)) best = setting;
  };
  const std::int64_t most = std::min(limits.limits.back().batch, cap);
  for (std::int64_t batch = 1; batch < most; batch *= 2) consider(batch);
  for (const Limit& limit : limits.limits) {
    if (limit.batch < most) consider(limit.batch);
  }
  consider(most);
  return best;
}

std::vector<Setting> SettingsTable::per_degree(std::size_t bucket, std::int64_t sequences,
                                               core::Nanoseconds time_limit) const {
  std::vector<Setting> settings;
  settings.reserve(limits_[bucket].size());
  for (const DegreeLimits& limits : limits_[bucket]) {
    settings.push_back(best_at(buckets_.buckets[bucket].hull, limits,
                               batch_cap(sequences, limits.degree), time_limit));
  }
  return settings;
}

void SettingsTable::explain(std::size_t bucket, std::int64_t sequences,
                            core::Nanoseconds time_limit, Explanation& explanation) const {
  const Bucket& about = buckets_.buckets[bucket];
  ClassExplanation entry{about.label(), about.sequences, about.tokens, {}};
  const std::vector<Setting> settings = per_degree(bucket, sequences, time_limit);
  Setting best;
  for (const Setting& setting : settings) {
    if (better_within(setting, best, time_limit)) best = setting;
  }
  for (std::int32_t degree = 1; degree <= cost_.ranks(); degree *= 2) {
    Candidate candidate;
    candidate.sp_degree = degree;
    const auto found = std::find_if(settings.begin(), settings.end(),
                                    [&](const Setting& s) { return s.degree == degree; });
    if (found != settings.end()) {
      const ShapeGroup shapes{about.hull, found->batch};
      candidate.batch = found->batch;
      candidate.recompute_layers = found->recompute_layers;
      candidate.time = found->time;
      candidate.memory = cost_.peak_memory(std::span(&shapes, 1), degree, found->recompute_layers);
      const double rank_seconds = to_seconds(found->time).value() * degree;
      candidate.tokens_per_rank_second =
          static_cast<double>(found->batch * about.hull.tokens) / rank_seconds;
      candidate.chosen = degree == best.degree;
      const double best_rank_seconds = to_seconds(best.time).value() * best.degree;
      const double slower = (rank_seconds / static_cast<double>(found->batch)) /
                            (best_rank_seconds / static_cast<double>(best.batch));
      const bool above = time_limit.value() > 0 && found->time > time_limit;
      if (candidate.chosen) {
        candidate.reason =
            above ? "the fastest, none is within the step's limit" : "best throughput per rank";
      } else {
        candidate.reason = fmt::format("{:.2f}x the rank time per sequence", slower);
      }
      if (above) {
        candidate.reason +=
            fmt::format("; a batch takes longer than {:.3g} s, the limit of the step",
                        to_seconds(time_limit).value());
      }
    } else if (const auto refused = cost_.refuse_degree(degree)) {
      candidate.reason = *refused;
    } else if (degree > cost_.ranks_per_node() && !settings.empty()) {
      candidate.reason = "leaves the node, and a degree inside it fits";
    } else {
      const ShapeGroup one{about.hull, 1};
      candidate.memory = cost_.peak_memory(std::span(&one, 1), degree, cost_.layers());
      candidate.reason = "one sequence is over the token cap (--rank-tokens)";
      if (cost_.capacity().value() > 0 && candidate.memory > cost_.capacity()) {
        candidate.reason =
            fmt::format("one sequence needs {:.1f} GiB of {:.1f} GiB",
                        candidate.memory / core::kGiB, cost_.capacity() / core::kGiB);
      }
    }
    entry.candidates.push_back(std::move(candidate));
  }
  explanation.classes.push_back(std::move(entry));
}

}  // namespace dcpbench::planner

#include "planner/table_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "planner/rank_load.hpp"
#include "planner/rounding.hpp"

namespace dcpbench::planner {

namespace {

using core::ProfilePoint;

std::string name_of(const ProfilePoint& point) {
  return fmt::format("profile point (length {}, batch {}, sp_degree {})", point.length, point.batch,
                     point.sp_degree);
}

bool is_at_least_zero(double value) { return std::isfinite(value) && value >= 0; }

// By degree, length and batch, in ascending order.
using Grid = std::map<std::int32_t, std::map<std::int64_t, std::map<std::int64_t, ProfilePoint>>>;

Grid checked_grid(const core::TableCost& table) {
  core::Mistakes mistakes;
  if (table.points.empty()) mistakes.add("the profile has no points; it needs at least one");
  Grid grid;
  bool any_memory = false;
  bool all_memory = true;
  for (const ProfilePoint& point : table.points) {
    if (point.length < 1 || point.batch < 1 || point.sp_degree < 1) {
      mistakes.add(name_of(point) + ": length, batch and sp_degree must be at least 1");
      continue;
    }
    if (!std::isfinite(point.time.value()) || point.time.value() <= 0) {
      mistakes.add(
          fmt::format("{}: time {} s must be above 0", name_of(point), point.time.value()));
    }
    if (!is_at_least_zero(point.recompute.value()) || point.recompute > point.time) {
      mistakes.add(fmt::format("{}: recompute {} s must be between 0 and the time, {} s",
                               name_of(point), point.recompute.value(), point.time.value()));
    }
    if (!is_at_least_zero(point.memory.value()) ||
        !is_at_least_zero(point.saved_activations.value())) {
      mistakes.add(name_of(point) + ": memory and saved_activations must be at least 0");
    }
    any_memory |= point.memory.value() > 0;
    all_memory &= point.memory.value() > 0;
    if (!grid[point.sp_degree][point.length].emplace(point.batch, point).second) {
      mistakes.add(name_of(point) + " is given twice; leave one out");
    }
  }
  if (any_memory && !all_memory) {
    mistakes.add("some profile points have memory and some don't; give it for all or for none");
  }
  mistakes.throw_if_any();
  return grid;
}

}  // namespace

TableCost::Surface::Surface(std::vector<Column> columns) : columns_(std::move(columns)) {
  const Column& last = columns_.back();
  const double last_rate = last.by_batch.at(last.by_batch.last_x()).y / last.by_batch.last_x();
  const double last_per_token = last_rate / last.length;
  linear_ = last_per_token;
  if (columns_.size() < 2) return;
  const Column& before = columns_[columns_.size() - 2];
  const double before_per_token =
      before.by_batch.at(before.by_batch.last_x()).y / before.by_batch.last_x() / before.length;
  quadratic_ = std::max(last_per_token - before_per_token, 0.0) / (last.length - before.length);
  linear_ = last_per_token - quadratic_ * last.length;
  if (linear_ < 0) {
    linear_ = 0;
    quadratic_ = last_per_token / last.length;
  }
}

double TableCost::Surface::beyond(double length) const {
  const double last = columns_.back().length;
  const double at_last = last * (linear_ + quadratic_ * last);
  return at_last > 0 ? length * (linear_ + quadratic_ * length) / at_last : length / last;
}

PiecewiseLine::Value TableCost::Surface::at(double length, double batch) const {
  if (batch <= 0) return {};
  const Column& first = columns_.front();
  const Column& last = columns_.back();
  if (length < first.length) {
    const auto [y, extrapolation] = first.by_batch.at(batch);
    const double latency = first.by_batch.latency();
    return {latency + (y - latency) * (length / first.length),
            std::max(extrapolation, first.length / length)};
  }
  if (length >= last.length) {
    const auto [y, extrapolation] = last.by_batch.at(batch);
    if (length <= last.length) return {y, extrapolation};
    return {y * beyond(length), std::max(extrapolation, length / last.length)};
  }
  const auto after =
      std::upper_bound(columns_.begin(), columns_.end(), length,
                       [](double value, const Column& column) { return value < column.length; });
  const Column& upper = *after;
  const Column& lower = *(after - 1);
  const auto [low, low_extrapolation] = lower.by_batch.at(batch);
  if (length <= lower.length) return {low, low_extrapolation};
  const auto [high, high_extrapolation] = upper.by_batch.at(batch);
  const double share = (length - lower.length) / (upper.length - lower.length);
  return {low + (high - low) * share, std::max(low_extrapolation, high_extrapolation)};
}

double TableCost::Surface::least_increment(double length) const {
  const Column& first = columns_.front();
  const Column& last = columns_.back();
  if (length < first.length) return first.by_batch.least_slope() * (length / first.length);
  if (length > last.length) return last.by_batch.least_slope() * beyond(length);
  for (std::size_t i = 0; i + 1 < columns_.size(); ++i) {
    const Column& lower = columns_[i];
    const Column& upper = columns_[i + 1];
    if (length > upper.length) continue;
    const double low = lower.by_batch.least_slope();
    const double share = (length - lower.length) / (upper.length - lower.length);
    return low + (upper.by_batch.least_slope() - low) * share;
  }
  return last.by_batch.least_slope();
}

PiecewiseLine::Value TableCost::Surface::pack(std::span<const ShapeGroup> shapes,
                                              std::int32_t degree) const {
  PiecewiseLine::Value sum;
  double placed = 0;
  for (auto group = shapes.rbegin(); group != shapes.rend(); ++group) {
    const auto length = static_cast<double>(round_up(group->shape.tokens, degree));
    const double before = at(length, placed).y;
    placed += static_cast<double>(group->count);
    const auto [after, extrapolation] = at(length, placed);
    sum.y += after - before;
    sum.extrapolation = std::max(sum.extrapolation, extrapolation);
  }
  return sum;
}

TableCost::TableCost(const core::Cluster& cluster, const CostOptions& options)
    : ranks_(cluster.gpus()),
      ranks_per_node_(cluster.gpus_per_node),
      layers_(cluster.table->layers),
      zero_(options.zero),
      rank_tokens_(options.rank_tokens),
      uncertainty_(cluster.uncertainty) {
  const core::TableCost& table = *cluster.table;
  const Grid grid = checked_grid(table);
  for (const auto& entry : grid) {
    const auto& lengths = entry.second;
    const auto surface = [&lengths](const auto& quantity) {
      std::vector<Surface::Column> columns;
      for (const auto& [length, batches] : lengths) {
        std::vector<PiecewiseLine::Point> points;
        for (const auto& [batch, point] : batches) {
          points.push_back({static_cast<double>(batch), quantity(point)});
        }
        columns.push_back({static_cast<double>(length), PiecewiseLine(points)});
      }
      return Surface(std::move(columns));
    };
    const bool recomputes = layers_ > 0;
    degrees_.push_back(
        {entry.first, surface([&](const ProfilePoint& point) {
           return point.time.value() - (recomputes ? point.recompute.value() : 0);
         }),
         surface([](const ProfilePoint& point) { return point.recompute.value(); }),
         surface([](const ProfilePoint& point) { return point.memory.value(); }),
         surface([](const ProfilePoint& point) { return point.saved_activations.value(); })});
  }
  if (table.points.front().memory.value() > 0) {
    capacity_ = cluster.device.memory * options.memory_fraction;
  }
  step_.gradient_sync = rounded(table.gradient_sync.value());
  step_.gradient_sync_tail = step_.gradient_sync;
  step_.optimizer = rounded(table.optimizer.value());
  step_.overhead = rounded(table.overhead.value());
}

const TableCost::Degree& TableCost::at_degree(std::int32_t degree) const {
  const Degree* best = &degrees_.front();
  for (const Degree& candidate : degrees_) {
    if (candidate.degree <= degree) best = &candidate;
  }
  return *best;
}

std::optional<std::string> TableCost::refuse_degree(std::int32_t degree) const {
  if (degree > ranks_) {
    return fmt::format("SP degree {} is above the {} ranks of the cluster", degree, ranks_);
  }
  std::string measured;
  for (const Degree& candidate : degrees_) {
    if (candidate.degree == degree) return std::nullopt;
    measured += fmt::format("{}{}", measured.empty() ? "" : ", ", candidate.degree);
  }
  return fmt::format("SP degree {} is not in the profile (measured: {})", degree, measured);
}

std::int64_t TableCost::executed_tokens(std::span<const ShapeGroup> shapes,
                                        std::int32_t degree) const {
  return executed_tokens_of(shapes, degree, Sharding::sequence);
}

MicroBatchCost TableCost::micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                      std::int32_t recompute_layers) const {
  const Degree& degree = at_degree(group.degree);
  const PiecewiseLine::Value base = degree.base.pack(shapes, group.degree);
  double recompute = 0;
  if (recompute_layers > 0) {
    recompute = degree.recompute.pack(shapes, group.degree).y * recompute_share(recompute_layers);
  }
  MicroBatchCost cost;
  cost.compute = rounded(base.y);
  cost.recompute = rounded(recompute);
  cost.backward = rounded(base.y * 2 / 3 + recompute);
  cost.extrapolation = base.extrapolation;
  return cost;
}

std::vector<MemoryPart> TableCost::memory_parts(std::span<const ShapeGroup> shapes,
                                                std::int32_t degree,
                                                std::int32_t recompute_layers) const {
  if (shapes.empty() || capacity_ <= core::Bytes(0)) return {};
  return {{"measured", peak_memory(shapes, degree, recompute_layers)}};
}

core::Bytes TableCost::peak_memory(std::span<const ShapeGroup> shapes, std::int32_t degree,
                                   std::int32_t recompute_layers) const {
  if (shapes.empty() || capacity_ <= core::Bytes(0)) return core::Bytes(0);
  const Degree& measured = at_degree(degree);
  return core::Bytes(measured.memory.pack(shapes, degree).y +
                     measured.saved.pack(shapes, degree).y *
                         (1 - recompute_share(recompute_layers)));
}

core::Nanoseconds TableCost::marginal_floor(const core::Shape& shape, Group group,
                                            std::int32_t recompute_layers) const {
  const Degree& degree = at_degree(group.degree);
  const auto length = static_cast<double>(round_up(shape.tokens, group.degree));
  const double seconds =
      degree.base.least_increment(length) +
      degree.recompute.least_increment(length) * recompute_share(recompute_layers);
  return rounded_down(seconds * 1e9);
}

}  // namespace dcpbench::planner

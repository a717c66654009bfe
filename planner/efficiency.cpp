#include "planner/efficiency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "core/error.hpp"

namespace dcpbench::planner {

namespace {

using Points = std::vector<PiecewiseLine::Point>;

// `per_query`: the time that must not fall is the square of the size over the efficiency.
Points checked_points(const core::EfficiencyCurve& curve, bool per_query, std::string_view name) {
  core::Mistakes mistakes;
  if (curve.points.empty()) {
    mistakes.add(fmt::format("{}: the curve has no points; it needs at least one", name));
  }
  Points points;
  points.reserve(curve.points.size());
  double previous = 0;
  double previous_time = 0;
  for (const auto& [size, efficiency] : curve.points) {
    const double time = (per_query ? size * size : size) / efficiency;
    if (!std::isfinite(size) || size <= previous) {
      mistakes.add(fmt::format("{}: size {} after {}; sizes must be finite, above 0 and ascending",
                               name, size, previous));
    }
    if (!std::isfinite(efficiency) || efficiency <= 0) {
      mistakes.add(
          fmt::format("{}: efficiency {} at size {} must be above 0", name, efficiency, size));
    } else if (time < previous_time) {
      mistakes.add(
          fmt::format("{}: size {} would take less time than {}; its efficiency may be at "
                      "most {:.6g}",
                      name, size, previous, efficiency * (time / previous_time)));
    }
    previous = size;
    previous_time = time;
    points.push_back({size, size / efficiency});
  }
  mistakes.throw_if_any();
  return points;
}

// The first point from which on x / e(x) doesn't fall.
std::size_t rising_from(std::span<const PiecewiseLine::Point> points) {
  std::size_t index = points.size() - 1;
  while (index > 0 && points[index - 1].y <= points[index].y) --index;
  return index;
}

double split_of(const Points& points) {
  const std::size_t index = rising_from(points);
  return index == 0 ? 0 : points[index].x;
}

PiecewiseLine sequence_line(Points points) {
  points.resize(rising_from(points) + 1);
  for (PiecewiseLine::Point& point : points) point.y *= point.x;
  return PiecewiseLine(points);
}

PiecewiseLine query_line(const Points& points) {
  return PiecewiseLine(std::span(points).subspan(rising_from(points)));
}

}  // namespace

EfficiencyTable::EfficiencyTable(const core::EfficiencyCurve& curve, std::string_view name)
    : line_(checked_points(curve, false, name)), first_effective_(line_.at(line_.first_x()).y) {}

AttentionTable::AttentionTable(const core::EfficiencyCurve& curve, std::string_view name)
    : AttentionTable(checked_points(curve, true, name)) {}

AttentionTable::AttentionTable(const Points& points)
    : split_(split_of(points)), sequence_(sequence_line(points)), query_(query_line(points)) {}

}  // namespace dcpbench::planner

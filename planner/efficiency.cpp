#include "planner/efficiency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/error.hpp"

namespace dcpbench::planner {

namespace {

PiecewiseLine effective_sizes(const core::EfficiencyCurve& curve) {
  core::Mistakes mistakes;
  if (curve.points.empty())
    mistakes.add("an efficiency curve has no points; it needs at least one");
  std::vector<PiecewiseLine::Point> points;
  points.reserve(curve.points.size());
  double previous = 0;
  for (const auto& [size, efficiency] : curve.points) {
    if (!std::isfinite(size) || size <= previous) {
      mistakes.add(
          fmt::format("an efficiency curve has size {} after {}; sizes must be finite, "
                      "above 0 and ascending",
                      size, previous));
    }
    if (!std::isfinite(efficiency) || efficiency <= 0) {
      mistakes.add(
          fmt::format("an efficiency curve has efficiency {} at size {}; it must be above 0",
                      efficiency, size));
    }
    previous = size;
    points.push_back({size, size / efficiency});
  }
  mistakes.throw_if_any();
  return PiecewiseLine(points);
}

}  // namespace

EfficiencyTable::EfficiencyTable(const core::EfficiencyCurve& curve)
    : line_(effective_sizes(curve)), first_effective_(line_.at(line_.first_x()).y) {}

}  // namespace dcpbench::planner

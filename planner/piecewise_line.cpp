#include "planner/piecewise_line.hpp"

#include <algorithm>
#include <limits>

namespace dcpbench::planner {

PiecewiseLine::PiecewiseLine(std::span<const Point> measured) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Point> points(measured.begin(), measured.end());
  double highest = 0;
  least_ratio_ = kInfinity;
  for (Point& point : points) {
    highest = std::max(highest, point.y);
    point.y = highest;
    least_ratio_ = std::min(least_ratio_, point.y / point.x);
  }
  const Point& first = points.front();
  const Point& last = points.back();
  first_x_ = first.x;
  last_x_ = last.x;

  segments_.reserve(points.size() + 1);
  segments_.push_back({0, 0, first.y / first.x, first.y});
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double slope = (points[i + 1].y - points[i].y) / (points[i + 1].x - points[i].x);
    segments_.push_back({points[i].x, points[i].y, slope, points[i + 1].y});
  }
  if (points.size() > 1) {
    const double slope = segments_[1].slope;
    const double latency = first.y - slope * first.x;
    // Points of one ratio leave a trace of rounding, not a latency.
    if (latency > first.y * 1e-9) segments_.front() = {0, latency, slope, first.y};
  }
  segments_.push_back({last.x, last.y, last.y / last.x, kInfinity});

  double smallest = 1;
  for (std::size_t width = 1; width < start_.size(); ++width, smallest *= 2) {
    std::size_t index = start_[width - 1];
    while (index + 1 < segments_.size() && segments_[index + 1].first <= smallest) ++index;
    start_[width] = static_cast<std::uint32_t>(index);
  }

  least_slope_ = kInfinity;
  for (const Segment& segment : segments_) least_slope_ = std::min(least_slope_, segment.slope);
}

}  // namespace dcpbench::planner

// A quantity that grows with size, measured at some sizes and linear between them: a latency and a
// rate per segment. Only + - * / and comparisons; never falls, also not by rounding.
//   below the first point  the first segment's line goes on, down to its latency; when that would
//   be
//                          negative, or there is one point only: proportional
//   above the last point   proportional to the last point
// A point below the one before it is lifted to it (callers refuse those of efficiency curves; a
// measured profile may have some, of which its reader warns).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dcpbench::planner {

class PiecewiseLine {
 public:
  struct Point {
    double x = 0;
    double y = 0;
  };
  struct Value {
    double y = 0;
    double extrapolation = 1;  // factor by which x left the measured range; 1 = inside
  };

  // At least one point; finite, x > 0 ascending, y >= 0.
  explicit PiecewiseLine(std::span<const Point> points);

  // 0 at x <= 0.
  [[nodiscard]] Value at(double x) const {
    if (!(x > 0)) return {};
    // Sizes of 2^62 and above share the last entry.
    const double capped = x < 0x1p62 ? x : 0x1p62;
    std::size_t index = start_[std::bit_width(static_cast<std::uint64_t>(capped))];
    while (index + 1 < segments_.size() && segments_[index + 1].first <= x) ++index;
    const Segment& segment = segments_[index];
    const double y = segment.at_first + segment.slope * (x - segment.first);
    Value value{y < segment.limit ? y : segment.limit, 1};
    if (x < first_x_) {
      value.extrapolation = first_x_ / x;
    } else if (x > last_x_) {
      value.extrapolation = x / last_x_;
    }
    return value;
  }
  // The limit at x = 0 from above.
  [[nodiscard]] double latency() const { return segments_.front().at_first; }
  // The least y / x anywhere.
  [[nodiscard]] double least_ratio() const { return least_ratio_; }
  [[nodiscard]] double least_slope() const { return least_slope_; }
  [[nodiscard]] double first_x() const { return first_x_; }
  [[nodiscard]] double last_x() const { return last_x_; }
  [[nodiscard]] std::size_t points() const { return segments_.size() - 1; }

 private:
  struct Segment {
    double first = 0;  // its smallest x
    double at_first = 0;
    double slope = 0;
    double limit = 0;  // its largest y: rounding must not lift it over the next segment
  };
  std::vector<Segment> segments_;  // below the first point, between the points, above the last
  // By the bit width of a size: the segment of the smallest such size. Lookups are most of the time
  // of a cost, and from there few steps are left.
  std::array<std::uint32_t, 64> start_{};
  double first_x_ = 0;
  double last_x_ = 0;
  double least_ratio_ = 0;
  double least_slope_ = 0;
};

}  // namespace dcpbench::planner

// Measured efficiency curves as functions of size.
//
// A curve gives the efficiency e(x) at some sizes x. What costs need is the effective size x /
// e(x): the size that would take the same time at the nominal rate. It is linear between the points
// and continued as piecewise_line.hpp says: towards a latency below the first point, at the last
// point's efficiency above it.
#pragma once

#include <string_view>
#include <vector>

#include "core/cluster.hpp"
#include "planner/piecewise_line.hpp"

namespace dcpbench::planner {

struct Effective {
  double size = 0;           // x / e(x)
  double extrapolation = 1;  // factor by which x left the measured range; 1 = inside
};

// Work grows as the size: rows of a matrix product, bytes of a buffer.
class EfficiencyTable {
 public:
  // At least one point; finite sizes > 0, ascending; finite efficiencies > 0; a larger size never
  // takes less time. Else Error(usage), which calls the curve `name`.
  EfficiencyTable(const core::EfficiencyCurve& curve, std::string_view name);

  // Size 0 has effective size 0.
  [[nodiscard]] Effective at(double size) const {
    const auto [effective, extrapolation] = line_.at(size);
    return {effective, extrapolation};
  }
  // The least effective size per unit of size anywhere on the curve: 1 / best efficiency.
  [[nodiscard]] double best() const { return line_.least_ratio(); }
  // Whether small sizes take longer per unit than the curve's first points would make them. A curve
  // of one point, or of one efficiency, says nothing about latency.
  [[nodiscard]] bool has_latency() const { return line_.latency() > 0; }
  [[nodiscard]] double first_size() const { return line_.first_x(); }
  [[nodiscard]] double first_effective() const { return first_effective_; }

 private:
  PiecewiseLine line_;
  double first_effective_;
};

// Work grows as the square of the size: attention of a sequence of x tokens to itself.
//
// at(x) is per query: a sequence takes x * at(x), which is exact where the efficiency is constant.
// Where efficiency grows faster than the size (sequences shorter than a kernel's tile), the time of
// the whole sequence is linear between the points instead, so that it never falls.
class AttentionTable {
 public:
  // As EfficiencyTable, but the time that must not fall is that of a sequence, x^2 / e(x).
  AttentionTable(const core::EfficiencyCurve& curve, std::string_view name);

  // Effective number of keys of each query of a sequence of `keys` tokens.
  [[nodiscard]] Effective at(double keys) const {
    const auto [value, extrapolation] = keys < split_ ? sequence_.at(keys) : query_.at(keys);
    return {keys < split_ ? value / keys : value, extrapolation};
  }

 private:
  using Points = std::vector<PiecewiseLine::Point>;  // x, x / e(x)
  explicit AttentionTable(const Points& points);

  double split_;            // from here on efficiency grows no faster than the size
  PiecewiseLine sequence_;  // x^2 / e(x)
  PiecewiseLine query_;     // x / e(x)
};

}  // namespace dcpbench::planner

// A measured efficiency curve as a function of size.
//
// The curve gives the efficiency e(x) at some sizes x. What costs need is the effective size x /
// e(x): the size that would take the same time at the nominal rate. It is linear between the points
// and continued as piecewise_line.hpp says: towards a latency below the first point, at the last
// point's efficiency above it. A point that would take less time than a smaller one takes that
// one's time.
#pragma once

#include "core/cluster.hpp"
#include "planner/piecewise_line.hpp"

namespace dcpbench::planner {

class EfficiencyTable {
 public:
  struct Effective {
    double size = 0;           // x / e(x)
    double extrapolation = 1;  // factor by which x left the measured range; 1 = inside
  };

  // At least one point; finite sizes > 0, ascending; finite efficiencies > 0. Else Error(usage).
  explicit EfficiencyTable(const core::EfficiencyCurve& curve);

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

}  // namespace dcpbench::planner

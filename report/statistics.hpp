// Means and spreads. Internal to report/.
#pragma once

#include <span>

namespace dcpbench::report {

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  // sample standard deviation (n - 1); 0 for fewer than two values
};

// Zeros for no values.
MeanAndDeviation mean_and_deviation(std::span<const double> values);

// `part / whole`, or 0 when `whole` is not above 0: nothing is a share of nothing.
inline double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace dcpbench::report

#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "report/result.hpp"

namespace dcpbench::report {

namespace {

// Type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996): the default of
// numpy and R. `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double probability) {
  const double place = static_cast<double>(sorted.size() - 1) * probability;
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double fraction = place - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

}  // namespace

MeanAndDeviation mean_and_deviation(std::span<const double> values) {
  if (values.empty()) return {};
  double sum = 0;
  for (const double value : values) sum += value;
  MeanAndDeviation result;
  result.mean = sum / static_cast<double>(values.size());
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return result;
}

Distribution summarize(std::vector<double> values) {
  Distribution result;
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  result.count = static_cast<std::int64_t>(values.size());
  result.min = values.front();
  result.max = values.back();
  // Rounding can lift the mean of equal values above all of them.
  result.mean = std::clamp(mean_and_deviation(values).mean, result.min, result.max);
  result.median = quantile(values, 0.5);
  result.p10 = quantile(values, 0.1);
  result.p90 = quantile(values, 0.9);
  return result;
}

}  // namespace dcpbench::report

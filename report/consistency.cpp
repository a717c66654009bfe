#include "report/consistency.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace dcpbench::report {

namespace {

constexpr double kTolerance = 1e-6;  // relative; figures are written in full precision

// `a` <= `b` but for rounding.
bool at_most(double a, double b) { return a <= b + kTolerance * std::fabs(b); }

}  // namespace

std::vector<std::string> contradictions(const Result& result) {
  std::vector<std::string> found;
  const auto positive = [&](const char* key, double value) {
    if (!(value > 0))
      found.push_back(fmt::format("{}: {} in a result; must be above 0", key, value));
  };
  positive("gpus", result.gpus);
  positive("sequences", static_cast<double>(result.sequences));
  positive("useful_tokens", static_cast<double>(result.useful_tokens));
  positive("steps", static_cast<double>(result.steps));
  positive("micro_batches", static_cast<double>(result.micro_batches));
  if (result.ranks > result.gpus) {
    found.push_back(fmt::format("ranks: {} are more than the {} gpus", result.ranks, result.gpus));
  }
  if (result.padded_tokens < result.useful_tokens) {
    found.push_back(fmt::format("padded_tokens: {} are fewer than the {} useful_tokens",
                                result.padded_tokens, result.useful_tokens));
  }
  double sum = 0;
  for (const double part : result.breakdown_seconds) sum += part;
  if (!at_most(sum, result.total_seconds) || !at_most(result.total_seconds, sum)) {
    found.push_back(fmt::format("breakdown_seconds: the parts sum to {}, total_seconds is {}", sum,
                                result.total_seconds));
  }
  const Distribution& steps = result.step_seconds;
  const std::array<std::pair<const char*, double>, 5> rising = {{{"min", steps.min},
                                                                 {"p10", steps.p10},
                                                                 {"median", steps.median},
                                                                 {"p90", steps.p90},
                                                                 {"max", steps.max}}};
  for (std::size_t i = 1; i < rising.size(); ++i) {
    if (at_most(rising[i - 1].second, rising[i].second)) continue;
    found.push_back(fmt::format("step_seconds.{}: {} is above {}, which is {}", rising[i - 1].first,
                                rising[i - 1].second, rising[i].first, rising[i].second));
  }
  for (const auto& [key, share] :
       {std::pair("padding_ratio", result.padding_ratio), std::pair("imbalance", result.imbalance),
        std::pair("token_imbalance", result.token_imbalance),
        std::pair("model_flops_utilization", result.model_flops_utilization.value_or(0))}) {
    if (!at_most(share, 1)) found.push_back(fmt::format("{}: {} is above 1", key, share));
  }
  return found;
}

}  // namespace dcpbench::report

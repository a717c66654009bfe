#include "sim/disturbance.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"

namespace dcpbench::sim {

Disturbance::Disturbance(const SimOptions& options, std::int32_t ranks)
    : jitter_(options.jitter),
      seed_(options.seed),
      slow_rank_(options.slow_rank),
      slow_factor_(options.slow_factor) {
  core::Mistakes mistakes;
  if (!(jitter_ >= 0) || !std::isfinite(jitter_)) {
    mistakes.add(fmt::format("jitter: {} is not a finite number of at least 0", jitter_));
  }
  if (!(slow_factor_ >= 1) || !std::isfinite(slow_factor_)) {
    mistakes.add(fmt::format("slow factor: {} is not a finite number of at least 1", slow_factor_));
  }
  if (slow_rank_ < -1 || slow_rank_ >= ranks) {
    mistakes.add(fmt::format("slow rank: {} is not one of the ranks 0..{} (-1: none)", slow_rank_,
                             ranks - 1));
  }
  mistakes.throw_if_any();
}

double Disturbance::factor(std::size_t step, std::int32_t rank, std::uint32_t ordinal) const {
  double result = rank == slow_rank_ ? slow_factor_ : 1;
  if (jitter_ > 0) {
    std::uint64_t stream = core::mix_seed(seed_, step + 1);
    stream = core::mix_seed(stream, static_cast<std::uint64_t>(rank) + 1);
    stream = core::mix_seed(stream, std::uint64_t{ordinal} + 1);
    constexpr double kTwoToMinus53 = 1.0 / 9007199254740992.0;
    result *= 1 + jitter_ * (static_cast<double>(stream >> 11) * kTwoToMinus53);
  }
  return result;
}

}  // namespace dcpbench::sim

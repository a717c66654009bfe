// From doubles to the integer nanoseconds that decisions compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/units.hpp"

namespace dcpbench::planner {

// The largest part of a cost, about 36 years: the sum of the parts of a micro-batch stays in range
// also for lengths that no one would run. A part of that size was cut and is no prediction: the
// simulator refuses it.
inline constexpr std::int64_t kMaxPartNanoseconds = core::kMaxCostNanoseconds / 4;

// Half away from zero, cut to [0, kMaxPartNanoseconds].
inline core::Nanoseconds rounded_nanoseconds(double nanoseconds) {
  if (!(nanoseconds > 0)) return core::Nanoseconds(0);
  if (nanoseconds >= static_cast<double>(kMaxPartNanoseconds)) {
    return core::Nanoseconds(kMaxPartNanoseconds);
  }
  return core::Nanoseconds(std::llround(nanoseconds));
}
inline core::Nanoseconds rounded(double seconds) { return rounded_nanoseconds(seconds * 1e9); }

// For lower bounds: what is sure to be below the true value of `nanoseconds`, however often it is
// summed. The three parts of a micro-batch's cost are each rounded, which can leave their sum 1.5
// ns below the exact one; the bound's own rounding adds half a nanosecond, so 2 ns are enough for
// one sequence and more than enough for several. A relative 2^-40 covers the rounding of double.
inline core::Nanoseconds rounded_down(double nanoseconds) {
  constexpr double kShrink = 1.0 - 1.0 / static_cast<double>(UINT64_C(1) << 40);
  const core::Nanoseconds nearest = rounded_nanoseconds(nanoseconds * kShrink);
  return std::max(nearest - core::Nanoseconds(2), core::Nanoseconds(0));
}

}  // namespace dcpbench::planner

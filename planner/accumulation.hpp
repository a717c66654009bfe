// How many accumulation micro-batches each SP group of a round runs so that all finish together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace dcpbench::planner {

// The published search (VideoSys sampler, gas selection): with H = kHorizon x the largest time,
// every multiple r <= H of a group's time is a candidate for the common finish; each group takes
// the g in 1..floor(H / t) with the least |g t - r|, overshoot weighted 1.2; the r with the least
// sum over groups wins. Scores are kept x 5 in integers: overshoot 6, shortfall 5.
inline constexpr std::int64_t kHorizon = 5;
// Bounds the work for times that differ by more than about 10^4: no more multiples than this are
// looked at, evenly over the distinct times.
inline constexpr std::int64_t kMaxMultiples = INT64_C(1) << 20;

struct AccumulationChoice {
  std::int64_t reference = 0;        // ns; of equal scores the smallest
  std::int64_t score = 0;            // 5 x the published cost, ns
  std::vector<std::int64_t> counts;  // [group] micro-batches, at least 1
};

// `times` > 0, not empty. `limit` cuts the horizon, but never below the largest time: within one
// optimizer step of fixed sequences no group should run past its share of what is left.
// Near-linear: O(E log E), E = sum over *distinct* times of floor(H / t); the published search is
// quadratic in groups and multiples. Equal to it in score (tested against brute force).
AccumulationChoice choose_accumulation(
    std::span<const core::Nanoseconds> times,
    core::Nanoseconds limit = core::Nanoseconds(core::kMaxCostNanoseconds));

}  // namespace dcpbench::planner

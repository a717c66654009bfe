// What makes ranks slower than the cost model says: random jitter and one slow rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/simulator.hpp"

namespace dcpbench::sim {

class Disturbance {
 public:
  // Throws Error(usage) with every option out of range for a world of `ranks`.
  Disturbance(const SimOptions& options, std::int32_t ranks);

  [[nodiscard]] bool is_none() const { return jitter_ == 0 && slow_rank_ < 0; }

  // Factor, at least 1, on the compute and recompute of the micro-batch that `rank` runs as its
  // `ordinal`-th (from 0) of step `step`. Exactly 1 where nothing disturbs.
  [[nodiscard]] double factor(std::size_t step, std::int32_t rank, std::uint32_t ordinal) const;

 private:
  double jitter_;
  std::uint64_t seed_;
  std::int32_t slow_rank_;
  double slow_factor_;
};

}  // namespace dcpbench::sim

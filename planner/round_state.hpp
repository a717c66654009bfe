// What the round planner holds of a step while it fills it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/settings.hpp"

namespace dcpbench::planner {

// A bucket while its sequences are being used up.
struct Live {
  std::size_t bucket = 0;
  std::vector<Setting> per_degree;  // ascending degrees
  Setting best;
  std::span<const std::uint32_t> ids;  // not yet used

  [[nodiscard]] std::span<const std::uint32_t> take(std::int64_t count) {
    const auto batch = ids.first(static_cast<std::size_t>(
        std::min<std::int64_t>(count, static_cast<std::int64_t>(ids.size()))));
    ids = ids.subspan(batch.size());
    return batch;
  }
};

// One SP group of a round and the micro-batches it runs.
struct RoundGroup {
  Live* live = nullptr;
  Setting setting;
  std::int64_t batch = 0;  // of its first micro-batch; the further ones have the same size
  std::vector<std::span<const std::uint32_t>> micro_batches;
};

// A micro-batch that is laid on its ranks.
struct Placement {
  std::int32_t first_rank = 0;
  std::int32_t degree = 1;
  std::int32_t recompute_layers = 0;
  std::int32_t round = 0;
  std::span<const std::uint32_t> ids;
};

// How many micro-batches the groups of a plan run, fewest and most.
class AccumulationRange {
 public:
  // The micro-batches of a group stand side by side in each round of `placements`.
  void add(std::span<const Placement> placements) {
    for (std::size_t begin = 0; begin < placements.size();) {
      std::size_t end = begin + 1;
      while (end < placements.size() && placements[end].round == placements[begin].round &&
             placements[end].first_rank == placements[begin].first_rank) {
        ++end;
      }
      const auto count = static_cast<std::int64_t>(end - begin);
      least_ = most_ == 0 ? count : std::min(least_, count);
      most_ = std::max(most_, count);
      begin = end;
    }
  }
  [[nodiscard]] std::int64_t least() const { return least_; }
  [[nodiscard]] std::int64_t most() const { return most_; }  // 0: no group

 private:
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

// A step filled under one limit of a batch's time.
struct Attempt {
  core::Nanoseconds limit{0};  // 0: none
  std::vector<Live> lives;     // before any sequence was used
  std::vector<Placement> placements;
  std::int32_t rounds = 0;
  core::Nanoseconds end{0};  // predicted, of the last rank
};

}  // namespace dcpbench::planner

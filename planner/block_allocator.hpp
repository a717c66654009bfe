// Lays the SP groups of a round on ranks: aligned blocks, large degrees first, on the ranks that
// are predicted to be free soonest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace dcpbench::planner {

class BlockAllocator {
 public:
  explicit BlockAllocator(std::int32_t ranks);

  // Every rank is free again and ready at 0.
  void start_step();
  // Every rank is free again; ready times stay.
  void start_round();

  // First ranks of `count` free aligned blocks of `degree` (a power of two), soonest ready first,
  // of equals the lowest rank. Call with falling degrees within a round. Fewer when there are not
  // so many.
  std::vector<std::int32_t> take(std::int32_t degree, std::size_t count);

  // The block becomes ready `time` after its last rank is.
  void run(std::int32_t first_rank, std::int32_t degree, core::Nanoseconds time);

  // When the last rank is ready.
  [[nodiscard]] core::Nanoseconds last_ready() const;

 private:
  [[nodiscard]] std::int64_t block_ready(std::int32_t first_rank, std::int32_t degree) const;

  std::vector<std::int64_t> ready_;  // [rank], ns
  std::vector<char> taken_;          // [rank]
};

}  // namespace dcpbench::planner

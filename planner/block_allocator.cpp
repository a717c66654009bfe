#include "planner/block_allocator.hpp"

#include <algorithm>

namespace dcpbench::planner {

BlockAllocator::BlockAllocator(std::int32_t ranks)
    : ready_(static_cast<std::size_t>(ranks), 0), taken_(static_cast<std::size_t>(ranks), 0) {}

void BlockAllocator::start_step() {
  std::fill(ready_.begin(), ready_.end(), 0);
  start_round();
}

void BlockAllocator::start_round() { std::fill(taken_.begin(), taken_.end(), 0); }

std::int64_t BlockAllocator::block_ready(std::int32_t first_rank, std::int32_t degree) const {
  return *std::max_element(ready_.begin() + first_rank, ready_.begin() + first_rank + degree);
}

std::vector<std::int32_t> BlockAllocator::take(std::int32_t degree, std::size_t count) {
  struct Block {
    std::int64_t ready;
    std::int32_t first_rank;
    auto operator<=>(const Block&) const = default;
  };
  std::vector<Block> blocks;
  const auto ranks = static_cast<std::int32_t>(ready_.size());
  for (std::int32_t first = 0; first + degree <= ranks; first += degree) {
    // Larger blocks were taken before, so a block is free as a whole or not at all.
    if (taken_[static_cast<std::size_t>(first)] == 0) {
      blocks.push_back({block_ready(first, degree), first});
    }
  }
  count = std::min(count, blocks.size());
  std::partial_sort(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(count),
                    blocks.end());
  std::vector<std::int32_t> first_ranks;
  first_ranks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    first_ranks.push_back(blocks[i].first_rank);
    std::fill_n(taken_.begin() + blocks[i].first_rank, degree, char{1});
  }
  return first_ranks;
}

void BlockAllocator::run(std::int32_t first_rank, std::int32_t degree, core::Nanoseconds time) {
  const core::Nanoseconds end =
      core::bounded_sum(core::Nanoseconds(block_ready(first_rank, degree)), time);
  std::fill_n(ready_.begin() + first_rank, degree, end.value());
}

core::Nanoseconds BlockAllocator::last_ready() const {
  return core::Nanoseconds(*std::max_element(ready_.begin(), ready_.end()));
}

}  // namespace dcpbench::planner

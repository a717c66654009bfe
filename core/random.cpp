#include "core/random.hpp"

#include <algorithm>

namespace dcpbench::core {

WeightedDraw::WeightedDraw(std::span<const std::uint64_t> weights) {
  cumulative_.reserve(weights.size());
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) cumulative_.push_back(sum += weight);
}

std::size_t WeightedDraw::draw(Random& random) const {
  const std::uint64_t value = random.below(cumulative_.back());
  const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end(), value);
  return static_cast<std::size_t>(place - cumulative_.begin());
}

}  // namespace dcpbench::core

// Distributions from weighted rows: weights as they were written become integers, bins become
// rungs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "datasets/number.hpp"

namespace dcpbench::datasets {

struct WeightedShape {
  core::Shape shape;
  Decimal weight;
};

// Lengths lo to hi - 1.
struct Bin {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  Decimal weight;
};

// Rungs in the given order. Integer weights are all multiplied by the power of ten that makes every
// one whole, so they are exact; when their sum would not fit 62 bits they are rounded (half up) to
// the finest power of ten that fits, and `notes` tells it. Rows of weight 0 are left out and
// counted in `notes`. Empty when all weights are 0.
std::vector<Rung> to_rungs(const std::vector<WeightedShape>& shapes,
                           std::vector<std::string>& notes);

// A bin stands for kRungsPerBin equally likely lengths, the middles of its equal parts: close to a
// uniform draw, with the mean of one. Lengths below 1 count as 1.
inline constexpr std::int64_t kRungsPerBin = 16;
std::vector<WeightedShape> spread(const std::vector<Bin>& bins);

// Adds up the weights of equal shapes, each at its first place; returns how many rungs that took.
std::int64_t merge_repeats(std::vector<Rung>& rungs);

}  // namespace dcpbench::datasets

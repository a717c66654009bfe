// Integer random numbers that are the same on every machine: no std distribution, no floating
// point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dcpbench::core {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += UINT64_C(0x9e3779b97f4a7c15);
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound) without bias (Lemire's rejection). bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<Wide>(next()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::uint64_t state_;
};

// A stream for one purpose of one run: mixes the numbers so that near seeds are unrelated.
inline std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t purpose) {
  Random random(seed ^ (purpose * UINT64_C(0xd1342543de82ef95)));
  return random.next();
}

// Fisher-Yates.
template <class T>
void shuffle(std::span<T> items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::size_t j = static_cast<std::size_t>(random.below(i));
    if (j != i - 1) std::swap(items[i - 1], items[j]);
  }
}

// Draws an index with probability weight / sum by integer inverse CDF.
class WeightedDraw {
 public:
  // At least one weight above 0; the sum fits 63 bits.
  explicit WeightedDraw(std::span<const std::uint64_t> weights);
  [[nodiscard]] std::size_t draw(Random& random) const;

 private:
  std::vector<std::uint64_t> cumulative_;
};

}  // namespace dcpbench::core

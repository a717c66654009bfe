#include "planner/batch_limits.hpp"

#include <algorithm>

namespace dcpbench::planner {

std::int64_t max_batch(const CostModel& cost, const core::Shape& shape, std::int32_t degree,
                       std::int32_t recompute_layers, std::int64_t limit) {
  const auto fits = [&](std::int64_t count) {
    const ShapeGroup batch{shape, count};
    return cost.fits(std::span(&batch, 1), degree, recompute_layers);
  };
  if (limit < 1 || !fits(1)) return 0;
  // Doubling, then bisection: [good, bad) brackets the answer.
  std::int64_t good = 1;
  std::int64_t bad = limit + 1;
  while (good < limit) {
    const std::int64_t next = std::min(2 * good, limit);
    if (!fits(next)) {
      bad = next;
      break;
    }
    good = next;
  }
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

std::optional<std::int32_t> least_recompute(const CostModel& cost,
                                            std::span<const ShapeGroup> shapes,
                                            std::int32_t degree) {
  if (cost.fits(shapes, degree, 0)) return 0;
  if (!cost.fits(shapes, degree, cost.layers())) return std::nullopt;
  std::int32_t bad = 0;
  std::int32_t good = cost.layers();
  while (good - bad > 1) {
    const std::int32_t middle = bad + (good - bad) / 2;
    (cost.fits(shapes, degree, middle) ? good : bad) = middle;
  }
  return good;
}

bool fits_somewhere(const CostModel& cost, std::span<const std::int32_t> degrees,
                    const core::Shape& shape) {
  const ShapeGroup one{shape, 1};
  return std::any_of(degrees.begin(), degrees.end(), [&](std::int32_t degree) {
    return cost.fits(std::span(&one, 1), degree, cost.layers());
  });
}

}  // namespace dcpbench::planner

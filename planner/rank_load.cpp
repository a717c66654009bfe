#include "planner/rank_load.hpp"

namespace dcpbench::planner {

LocalShape least_local(const core::Shape& shape, std::int64_t degree, Sharding sharding) {
  LocalShape local;
  if (sharding == Sharding::dynamic && frames_of(shape) == 1) {
    const std::int64_t frame = frame_tokens_of(shape);
    // A full slot: every rank has an image, this one is on one of `degree` ranks.
    const double share = static_cast<double>(frame) / static_cast<double>(degree);
    return {share, share, frame, 0};
  }
  const ShapeGroup one{shape, 1};
  for_each_local(std::span(&one, 1), degree, sharding,
                 [&](const LocalShape& visited) { local = visited; });
  return local;
}

RankTokens rank_tokens_of(std::span<const ShapeGroup> shapes, std::int64_t degree,
                          Sharding sharding) {
  RankTokens sum;
  for_each_local(shapes, degree, sharding,
                 [&](const LocalShape& local) { sum.tokens += local.tokens; });
  for (const ShapeGroup& group : shapes) sum.sequences += static_cast<double>(group.count);
  return sum;
}

std::int64_t executed_tokens_of(std::span<const ShapeGroup> shapes, std::int64_t degree,
                                Sharding sharding) {
  constexpr std::int64_t kMost = INT64_C(1) << 62;
  const double tokens =
      rank_tokens_of(shapes, degree, sharding).tokens * static_cast<double>(degree);
  return tokens < static_cast<double>(kMost) ? static_cast<std::int64_t>(tokens) : kMost;
}

}  // namespace dcpbench::planner

#include "planner/bucketing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "planner/shapes.hpp"

namespace dcpbench::planner {

std::string Bucket::label() const {
  const std::string shape =
      fmt::format("{} frames x {} tokens", hull.frames, hull.tokens_per_frame);
  if (edge == 0) return is_exact ? shape : "up to " + shape;
  const std::string upper = fmt::format("up to {} tokens", edge);
  return hull.is_2d() ? fmt::format("{}, {} frames", upper, hull.frames) : upper;
}

namespace {

// 2D data of so few shapes has one bucket per shape (the published video buckets are 25); of more,
// shapes are free and buckets are powers of two in frames and in tokens per frame.
constexpr std::size_t kMaxShapeBuckets = 64;

// What sorts a sequence into its bucket: an upper edge of its tokens (0: none), of its frames and
// of its tokens per frame (0: none).
struct Key {
  std::int64_t edge = 0;
  std::int64_t frames = 0;
  std::int64_t tokens_per_frame = 0;
  auto operator<=>(const Key&) const = default;
};

std::int64_t power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

// With edges a 2D shape is also sorted by frames: a batch is padded to the most frames and the
// largest frame, which then is at most about twice the edge.
Key key_of(const core::Shape& shape, std::span<const std::int64_t> edges, bool one_per_shape) {
  if (!edges.empty()) {
    const std::int64_t edge = *std::lower_bound(edges.begin(), edges.end(), shape.tokens);
    return {edge, shape.is_2d() ? power_of_two(shape.frames) : 0, 0};
  }
  if (!shape.is_2d()) return {power_of_two(shape.tokens), 0, 0};
  if (one_per_shape) return {0, shape.frames, shape.tokens_per_frame};
  return {0, power_of_two(shape.frames), power_of_two(shape.tokens_per_frame)};
}

bool has_few_shapes(const core::Workload& workload) {
  std::set<core::Shape> shapes;
  for (const core::Sequence& sequence : workload.sequences) {
    shapes.insert(sequence.shape);
    if (shapes.size() > kMaxShapeBuckets) return false;
  }
  return true;
}

}  // namespace

tl::expected<Buckets, core::Infeasible> make_buckets(const core::Workload& workload,
                                                     std::span<const std::int64_t> edges) {
  if (!edges.empty()) {
    std::int64_t above = 0;
    std::int64_t longest = 0;
    for (const core::Sequence& sequence : workload.sequences) {
      if (sequence.shape.tokens > edges.back()) ++above;
      longest = std::max(longest, sequence.shape.tokens);
    }
    if (above > 0) {
      return tl::unexpected(core::Infeasible{fmt::format(
          "{} of {} sequences are above the top bucket edge {} (longest {}); add an edge "
          "of at least {} to --bucket-edges",
          above, workload.sequences.size(), edges.back(), longest, longest)});
    }
  }
  const bool one_per_shape = has_few_shapes(workload);
  std::vector<Key> keys;
  keys.reserve(workload.sequences.size());
  for (const core::Sequence& sequence : workload.sequences) {
    keys.push_back(key_of(sequence.shape, edges, one_per_shape));
  }
  std::vector<Key> distinct = keys;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  Buckets result;
  result.buckets.resize(distinct.size());
  result.of_sequence.reserve(keys.size());
  for (std::size_t id = 0; id < keys.size(); ++id) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), keys[id]);
    const auto index = static_cast<std::size_t>(place - distinct.begin());
    result.of_sequence.push_back(static_cast<std::int32_t>(index));
    Bucket& bucket = result.buckets[index];
    bucket.edge = keys[id].edge;
    bucket.is_exact = one_per_shape;
    bucket.hull = hull(bucket.hull, workload.sequences[id].shape);
    ++bucket.sequences;
    bucket.tokens += workload.sequences[id].shape.tokens;
  }
  return result;
}

BucketedIds ids_by_bucket(const Buckets& buckets, core::SequenceRange step) {
  BucketedIds result;
  result.offsets.assign(buckets.buckets.size() + 1, 0);
  for (std::uint32_t i = 0; i < step.count; ++i) {
    ++result.offsets[static_cast<std::size_t>(buckets.of_sequence[step.first + i]) + 1];
  }
  for (std::size_t b = 1; b < result.offsets.size(); ++b)
    result.offsets[b] += result.offsets[b - 1];
  std::vector<std::size_t> next(result.offsets.begin(), result.offsets.end() - 1);
  result.ids.resize(step.count);
  for (std::uint32_t i = 0; i < step.count; ++i) {
    const std::uint32_t id = step.first + i;
    result.ids[next[static_cast<std::size_t>(buckets.of_sequence[id])]++] = id;
  }
  return result;
}

}  // namespace dcpbench::planner

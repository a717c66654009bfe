#include "planner/bucketing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "planner/shapes.hpp"

namespace dcpbench::planner {

std::string Bucket::label() const {
  if (edge > 0) return fmt::format("up to {} tokens", edge);
  return fmt::format("{} frames x {} tokens", hull.frames, hull.tokens_per_frame);
}

namespace {

// What sorts a sequence into its bucket: its upper edge, or its whole shape (edge 0).
struct Key {
  std::int64_t edge = 0;
  core::Shape shape;
  auto operator<=>(const Key&) const = default;
};

Key key_of(const core::Shape& shape, std::span<const std::int64_t> edges) {
  if (!edges.empty()) return {*std::lower_bound(edges.begin(), edges.end(), shape.tokens), {}};
  if (shape.is_2d()) return {0, shape};
  return {static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(shape.tokens))), {}};
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
  std::vector<Key> keys;
  keys.reserve(workload.sequences.size());
  for (const core::Sequence& sequence : workload.sequences) {
    keys.push_back(key_of(sequence.shape, edges));
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

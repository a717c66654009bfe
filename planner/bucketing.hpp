// Length classes. 1D: by upper edges, powers of two by default. 2D: one bucket per shape (frames x
// tokens per frame) where there are few of them, as the published video buckets are; else powers of
// two of both; by upper edges of the tokens and powers of two of the frames when edges are given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace dcpbench::planner {

struct Bucket {
  core::Shape hull;       // smallest shape that holds every member: what batches are sized for
  std::int64_t edge = 0;  // upper edge of its tokens; 0: sorted by shape
  bool is_exact = false;  // 2D: every member has the hull's shape, unless there is an edge
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  [[nodiscard]] std::string label() const;
};

struct Buckets {
  std::vector<Bucket> buckets;            // not empty ones only, ascending
  std::vector<std::int32_t> of_sequence;  // [sequence id]
};

// `edges` rising, may be empty. Infeasible when a sequence lies above the last edge.
tl::expected<Buckets, core::Infeasible> make_buckets(const core::Workload& workload,
                                                     std::span<const std::int64_t> edges);

// The ids of a step by bucket, in drawn order: ids of bucket b are
// ids[offsets[b] .. offsets[b + 1]).
struct BucketedIds {
  std::vector<std::uint32_t> ids;
  std::vector<std::size_t> offsets;
  [[nodiscard]] std::span<std::uint32_t> of(std::size_t bucket) {
    return std::span(ids).subspan(offsets[bucket], offsets[bucket + 1] - offsets[bucket]);
  }
};
BucketedIds ids_by_bucket(const Buckets& buckets, core::SequenceRange step);

}  // namespace dcpbench::planner

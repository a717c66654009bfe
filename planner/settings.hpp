// DCP's profile table: per length class the (SP degree, batch, recomputation) worth running.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/bucketing.hpp"
#include "planner/cost_model.hpp"
#include "planner/explanation.hpp"

namespace dcpbench::planner {

struct Setting {
  std::int32_t degree = 1;
  std::int64_t batch = 0;  // 0: does not fit at this degree
  std::int32_t recompute_layers = 0;
  core::Nanoseconds time{0};  // of a full batch

  bool operator==(const Setting&) const = default;
};

// True if `a` executes more sequences per rank-second than `b`; exact in integers. An empty setting
// is worse than any.
bool more_throughput(const Setting& a, const Setting& b);

// The same under a limit on the time of a batch (0: none): a setting within it beats one above, and
// of two above the faster one wins.
bool better_within(const Setting& a, const Setting& b, core::Nanoseconds time_limit);

enum class RecomputePolicy {
  full,   // every layer (dcp-inter)
  least,  // what memory forces and no more, chosen jointly with batch and degree (dcp-intra, dcp)
  fixed   // PlanOptions::recompute_layers
};

class SettingsTable {
 public:
  // The degrees tried are those inside a node, as in the release's profile; beyond a node only for
  // a bucket that fits at none of them.
  SettingsTable(const CostModel& cost, const Buckets& buckets, RecomputePolicy policy,
                std::int32_t fixed_recompute);

  // The best setting of a bucket per degree, ascending degrees, given `sequences` of it to be run
  // (0: no limit; else a batch is cut to ceil(sequences / groups that could take them)). Degrees at
  // which it does not fit are left out. With a `time_limit` (> 0), settings within it come before
  // settings above it; of those above, the fastest.
  [[nodiscard]] std::vector<Setting> per_degree(std::size_t bucket, std::int64_t sequences,
                                                core::Nanoseconds time_limit) const;

  // Appends what per_degree considered, for people.
  void explain(std::size_t bucket, std::int64_t sequences, core::Nanoseconds time_limit,
               Explanation& explanation) const;

 private:
  struct Limit {  // the largest batch that fits at a number of recomputed layers
    std::int32_t recompute_layers = 0;
    std::int64_t batch = 0;
  };
  struct DegreeLimits {
    std::int32_t degree = 1;
    std::vector<Limit> limits;  // rising recomputation
  };

  [[nodiscard]] Setting best_at(const core::Shape& shape, const DegreeLimits& limits,
                                std::int64_t cap, core::Nanoseconds time_limit) const;
  [[nodiscard]] std::int64_t batch_cap(std::int64_t sequences, std::int32_t degree) const;

  const CostModel& cost_;
  const Buckets& buckets_;
  RecomputePolicy policy_;
  std::vector<std::vector<DegreeLimits>> limits_;  // [bucket]
};

}  // namespace dcpbench::planner

#include "planner/bucket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "planner/batch_limits.hpp"
#include "planner/bucketing.hpp"
#include "planner/fixed_degree.hpp"
#include "planner/plan_builder.hpp"
#include "planner/replicas.hpp"
#include "planner/shapes.hpp"

namespace dcpbench::planner {

namespace {

constexpr std::uint64_t kShufflePurpose = 0x6275636b6574;

struct BucketBatch {
  std::int64_t most = 0;      // the largest that fits
  std::int64_t batch = 0;     // after the cut to the median bucket's time
  core::Nanoseconds time{0};  // of the largest
};

core::Nanoseconds time_of(const CostModel& cost, const core::Shape& shape, std::int64_t batch,
                          std::int32_t degree, std::int32_t recompute_layers) {
  const ShapeGroup shapes{shape, batch};
  return cost.micro_batch(std::span(&shapes, 1), cost.worst_group(degree), recompute_layers)
      .total();
}

// Half the sum of the two middle values where their number is even.
core::Nanoseconds median_time(std::vector<BucketBatch> batches) {
  std::sort(batches.begin(), batches.end(),
            [](const BucketBatch& a, const BucketBatch& b) { return a.time < b.time; });
  const std::size_t middle = batches.size() / 2;
  if (batches.size() % 2 == 1) return batches[middle].time;
  const std::int64_t low = batches[middle - 1].time.value();
  return core::Nanoseconds(low + (batches[middle].time.value() - low) / 2);
}

// floor(batch x median / time), at least 1. In 128 bits: a batch times nanoseconds leaves 64.
std::int64_t cut_to_median(const BucketBatch& bucket, core::Nanoseconds median) {
  if (bucket.time <= median) return bucket.most;
  __extension__ using Wide = __int128;
  const Wide cut = Wide{bucket.most} * median.value() / bucket.time.value();
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(cut));
}

std::vector<BucketBatch> choose_batches(const PlanRequest& request, const Buckets& buckets,
                                        std::int32_t degree, std::int32_t recompute_layers) {
  std::vector<BucketBatch> batches(buckets.buckets.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const core::Shape& shape = buckets.buckets[b].hull;
    batches[b].most = max_batch(request.cost, shape, degree, recompute_layers, core::kMaxSequences);
    batches[b].time = time_of(request.cost, shape, batches[b].most, degree, recompute_layers);
  }
  const core::Nanoseconds median = median_time(batches);
  for (BucketBatch& bucket : batches) {
    bucket.batch = request.options.median_cut ? cut_to_median(bucket, median) : bucket.most;
  }
  return batches;
}

void explain(const PlanRequest& request, const Buckets& buckets,
             const std::vector<BucketBatch>& batches, const FixedDegree& fixed,
             std::int32_t recompute_layers) {
  Explanation& explanation = *request.explanation;
  explanation.notes.push_back(
      fmt::format("SP degree {} for the whole run: {}", fixed.degree, fixed.why));
  if (request.options.accounting == core::Accounting::equal) {
    explanation.notes.push_back(
        "in each step a batch is also cut to ceil(sequences of the bucket in it / replicas), and "
        "the longest batches go first to the replica that is free soonest");
  }
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const Bucket& bucket = buckets.buckets[b];
    ClassExplanation entry{bucket.label(), bucket.sequences, bucket.tokens, {}};
    for (const std::int64_t batch : {batches[b].most, batches[b].batch}) {
      if (batch == batches[b].batch && !entry.candidates.empty() &&
          batch == entry.candidates.front().batch) {
        break;
      }
      Candidate candidate;
      candidate.sp_degree = fixed.degree;
      candidate.batch = batch;
      candidate.recompute_layers = recompute_layers;
      candidate.time = time_of(request.cost, bucket.hull, batch, fixed.degree, recompute_layers);
      const ShapeGroup shapes{bucket.hull, batch};
      candidate.memory =
          request.cost.peak_memory(std::span(&shapes, 1), fixed.degree, recompute_layers);
      candidate.tokens_per_rank_second = static_cast<double>(batch * bucket.hull.tokens) /
                                         (to_seconds(candidate.time).value() * fixed.degree);
      candidate.chosen = batch == batches[b].batch;
      candidate.reason =
          batch == batches[b].most ? "the largest that fits" : "cut to the median bucket's time";
      entry.candidates.push_back(std::move(candidate));
    }
    explanation.classes.push_back(std::move(entry));
  }
}

}  // namespace

PlanResult plan_bucket(const PlanRequest& request) {
  const auto buckets = make_buckets(request.workload, request.options.bucket_edges);
  if (!buckets) return tl::unexpected(buckets.error());
  const std::int32_t recompute_layers =
      request.options.recompute_layers.value_or(request.cost.layers());
  std::vector<core::Shape> hulls;
  for (const Bucket& bucket : buckets->buckets) hulls.push_back(bucket.hull);
  std::sort(hulls.begin(), hulls.end());
  const auto fixed = choose_fixed_degree(request, hulls, recompute_layers);
  if (!fixed) return tl::unexpected(fixed.error());

  const std::vector<BucketBatch> batches =
      choose_batches(request, *buckets, fixed->degree, recompute_layers);
  if (request.explanation != nullptr) {
    explain(request, *buckets, batches, *fixed, recompute_layers);
  }

  PlanBuilder builder(request, "bucket", core::Padding::longest);
  builder.setting("sp_degree", fmt::format("{} ({})", fixed->degree, fixed->why));
  builder.setting("recompute_layers", std::to_string(recompute_layers));
  if (!fixed->warning.empty()) builder.warn(fixed->warning);
  if (auto hint = smaller_degree_hint(request, *buckets, fixed->degree, recompute_layers)) {
    builder.warn(std::move(*hint));
  }

  const Replicas replicas{request.cost.ranks() / fixed->degree, fixed->degree, recompute_layers};
  const bool native = request.options.accounting == core::Accounting::native;
  core::Random random(core::mix_seed(request.options.seed, kShufflePurpose));
  std::vector<ReplicaBatch> list;
  std::vector<ShapeGroup> shapes;

  for (const core::SequenceRange& step : request.workload.steps) {
    BucketedIds by_bucket = ids_by_bucket(*buckets, step);
    list.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      std::span<std::uint32_t> ids = by_bucket.of(b);
      if (ids.empty()) continue;
      core::shuffle(ids, random);
      auto batch = static_cast<std::size_t>(batches[b].batch);
      if (!native) {
        const auto count = static_cast<std::size_t>(replicas.count);
        batch = std::min(batch, (ids.size() + count - 1) / count);
      }
      if (request.options.drop_last) {
        const std::size_t rest = ids.size() % batch;
        builder.drop(ids.last(rest));
        ids = ids.first(ids.size() - rest);
      }
      for (std::size_t at = 0; at < ids.size(); at += batch) {
        list.push_back({ids.subspan(at, std::min(batch, ids.size() - at)), 0});
      }
    }
    if (native) {
      core::shuffle(std::span(list), random);
      deal_native(replicas, request.options.drop_last, list, builder);
      continue;
    }
    for (ReplicaBatch& batch : list) {
      executed_shapes(batch.ids, request.workload, builder.padding(), shapes);
      batch.weight =
          request.cost
              .micro_batch(shapes, request.cost.worst_group(fixed->degree), recompute_layers)
              .total()
              .value();
    }
    deal_one_step(replicas, request.cost.lockstep(), list, builder);
  }
  std::vector<std::int64_t> full;
  for (const BucketBatch& bucket : batches) full.push_back(bucket.batch);
  builder.warn_dropped(*buckets, full);
  return builder.finish();
}

}  // namespace dcpbench::planner

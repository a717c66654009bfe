#include "planner/fixed_degree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "planner/batch_limits.hpp"

namespace dcpbench::planner {

namespace {

// A shape that does not fit, longest first, or null. All are asked: where padding for sequence
// parallelism depends on frames, a shorter sequence can need more than the longest.
const core::Shape* misfit(const CostModel& cost, std::span<const core::Shape> shapes,
                          std::int32_t degree, std::int32_t recompute_layers) {
  for (std::size_t i = shapes.size(); i-- > 0;) {
    const ShapeGroup one{shapes[i], 1};
    if (!cost.fits(std::span(&one, 1), degree, recompute_layers)) return &shapes[i];
  }
  return nullptr;
}

core::Infeasible nothing_fits(const CostModel& cost, const core::Shape& shape, std::int32_t degree,
                              std::int32_t recompute_layers) {
  const ShapeGroup one{shape, 1};
  const core::Bytes need = cost.peak_memory(std::span(&one, 1), degree, recompute_layers);
  std::string text =
      fmt::format("a sequence of {} tokens does not fit at SP degree {}", shape.tokens, degree);
  if (cost.capacity().value() > 0 && need > cost.capacity()) {
    text += fmt::format(": needs {:.1f} GiB of {:.1f} GiB per GPU", need / core::kGiB,
                        cost.capacity() / core::kGiB);
  } else {
    text += fmt::format(": over the cap of {} tokens per rank", cost.rank_tokens());
  }
  return core::Infeasible{std::move(text)};
}

}  // namespace

tl::expected<FixedDegree, core::Infeasible> choose_fixed_degree(const PlanRequest& request,
                                                                std::span<const core::Shape> shapes,
                                                                std::int32_t recompute_layers) {
  const CostModel& cost = request.cost;
  const std::vector<std::int32_t> degrees = cost.allowed_degrees();
  std::vector<std::int32_t> fitting;
  for (const std::int32_t degree : degrees) {
    if (misfit(cost, shapes, degree, recompute_layers) == nullptr) fitting.push_back(degree);
  }
  // Replicas that leave no rank over come first; others only where nothing else fits.
  const auto divides = [&](std::int32_t degree) { return cost.ranks() % degree == 0; };
  std::stable_partition(fitting.begin(), fitting.end(), divides);
  const std::optional<std::int32_t>& asked = request.options.bucket_sp;
  if (asked && *asked > 0) {
    if (std::find(degrees.begin(), degrees.end(), *asked) == degrees.end()) {
      return tl::unexpected(core::Infeasible{fmt::format(
          "--bucket-sp {}: {}; valid degrees: {}", *asked,
          cost.refuse_degree(*asked).value_or("not a power of two"), fmt::join(degrees, ", "))});
    }
    if (!divides(*asked)) {
      return tl::unexpected(core::Infeasible{
          fmt::format("--bucket-sp {}: {} ranks are not divisible by it", *asked, cost.ranks())});
    }
    if (std::find(fitting.begin(), fitting.end(), *asked) == fitting.end()) {
      auto infeasible = nothing_fits(cost, *misfit(cost, shapes, *asked, recompute_layers), *asked,
                                     recompute_layers);
      if (!fitting.empty()) {
        infeasible.reason += fmt::format("; it fits from --bucket-sp {}", fitting.front());
      }
      return tl::unexpected(std::move(infeasible));
    }
    return FixedDegree{*asked, "--bucket-sp", {}};
  }
  if (fitting.empty()) {
    const core::Shape* shape = misfit(cost, shapes, degrees.back(), recompute_layers);
    return tl::unexpected(nothing_fits(cost, *shape, degrees.back(), recompute_layers));
  }
  const std::optional<std::int32_t> published = cost.published_sp_degree();
  if (asked || !published) {
    return FixedDegree{fitting.front(), "the smallest at which every bucket fits", {}};
  }
  std::int32_t degree = 1;
  for (const std::int32_t candidate : degrees) {
    if (candidate <= *published && divides(candidate)) degree = candidate;
  }
  FixedDegree fixed{degree, "published for this model", {}};
  if (degree != *published) {
    fixed.warning =
        fmt::format("published SP degree {} is not possible here; {} is used", *published, degree);
  }
  if (std::find(fitting.begin(), fitting.end(), degree) == fitting.end()) {
    const auto larger = std::find_if(fitting.begin(), fitting.end(),
                                     [&](std::int32_t candidate) { return candidate > degree; });
    fixed.degree = larger == fitting.end() ? fitting.front() : *larger;
    fixed.warning =
        fmt::format("{} tokens do not fit at SP degree {}; {} is used",
                    misfit(cost, shapes, degree, recompute_layers)->tokens, degree, fixed.degree);
    fixed.why = "the smallest at which every bucket fits";
  }
  return fixed;
}

std::optional<std::string> smaller_degree_hint(const PlanRequest& request, const Buckets& buckets,
                                               std::int32_t degree, std::int32_t recompute_layers) {
  const CostModel& cost = request.cost;
  // Rank seconds of the whole workload, every bucket at its largest batch; nothing if one is too
  // long.
  const auto rank_seconds = [&](std::int32_t at) -> std::optional<double> {
    double sum = 0;
    for (const Bucket& bucket : buckets.buckets) {
      const std::int64_t batch =
          max_batch(cost, bucket.hull, at, recompute_layers, bucket.sequences);
      if (batch == 0) return std::nullopt;
      const ShapeGroup shapes{bucket.hull, batch};
      const core::Nanoseconds time =
          cost.micro_batch(std::span(&shapes, 1), cost.worst_group(at), recompute_layers).total();
      sum += to_seconds(time).value() * at / static_cast<double>(batch) *
             static_cast<double>(bucket.sequences);
    }
    return sum;
  };
  const std::optional<double> here = rank_seconds(degree);
  if (!here) return std::nullopt;
  double least = *here;
  std::int32_t best = degree;
  for (const std::int32_t smaller : cost.allowed_degrees()) {
    if (smaller >= degree || cost.ranks() % smaller != 0) continue;
    const std::optional<double> there = rank_seconds(smaller);
    if (!there || *there >= least) continue;
    least = *there;
    best = smaller;
  }
  if (best == degree) return std::nullopt;
  return fmt::format(
      "SP degree {} would fit every sequence; {} is used, which costs {:.1f}% more rank time "
      "before "
      "balance (--bucket-sp {})",
      best, degree, 100.0 * (*here / least - 1), best);
}

}  // namespace dcpbench::planner

#include "planner/packed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "planner/batch_limits.hpp"
#include "planner/fixed_degree.hpp"
#include "planner/packing.hpp"
#include "planner/plan_builder.hpp"
#include "planner/replicas.hpp"
#include "planner/shapes.hpp"

namespace dcpbench::planner {

namespace {

constexpr std::uint64_t kShufflePurpose = 0x7061636b6564;

// A pack's room, in parts of 2^30. A sequence takes the largest of its shares of --pack-tokens, of
// activation memory and of the token cap, so a pack within its room is within all three (memory and
// tokens are sums over sequences).
constexpr std::int64_t kRoom = INT64_C(1) << 30;

class PackSizes {
 public:
  // `distinct`: the shapes to be packed, without repetition.
  PackSizes(const PlanRequest& request, std::int32_t degree, std::int32_t recompute_layers,
            std::span<const core::Shape> distinct)
      : cost_(request.cost),
        pack_tokens_(static_cast<double>(request.options.pack_tokens.value_or(0))),
        degree_(degree),
        recompute_layers_(recompute_layers) {
    fixed_ = cost_.peak_memory({}, degree, recompute_layers).value();
    free_bytes_ = cost_.capacity().value() - fixed_;
    free_tokens_ = static_cast<double>(cost_.rank_tokens()) * degree;
    // Images are shared out whole, the last few unevenly: one of each shape is kept free for that.
    for (const core::Shape& shape : distinct) {
      if (!shares_samples(shape)) continue;
      free_bytes_ -= bytes_of(shape, 1);
      free_tokens_ -= tokens_of(shape, 1);
    }
  }

  // True if no pack could hold an image beside the reserve above: then nothing can be packed.
  [[nodiscard]] bool impossible() const {
    return (cost_.capacity().value() > 0 && free_bytes_ <= 0) ||
           (cost_.rank_tokens() > 0 && free_tokens_ <= 0);
  }

  // Without any limit everything would fit one pack.
  [[nodiscard]] bool unlimited() const {
    return cost_.capacity().value() <= 0 && pack_tokens_ == 0 && cost_.rank_tokens() == 0;
  }

  [[nodiscard]] std::int64_t of(const core::Shape& shape) const {
    const std::int64_t samples = shares_samples(shape) ? degree_ : 1;
    double share = 0;
    if (cost_.capacity().value() > 0) {
      share = bytes_of(shape, samples) / static_cast<double>(samples) / free_bytes_;
    }
    if (pack_tokens_ > 0) share = std::max(share, static_cast<double>(shape.tokens) / pack_tokens_);
    if (cost_.rank_tokens() > 0) {
      share =
          std::max(share, tokens_of(shape, samples) / static_cast<double>(samples) / free_tokens_);
    }
    // Rounded up: the sum of a pack's sizes never says less than its memory.
    const double size = std::ceil(share * static_cast<double>(kRoom));
    return static_cast<std::int64_t>(std::clamp(size, 1.0, static_cast<double>(kRoom)));
  }

 private:
  [[nodiscard]] bool shares_samples(const core::Shape& shape) const {
    return degree_ > 1 && shape.frames == 1 && cost_.sp_method() == core::SpMethod::dsp;
  }
  [[nodiscard]] double bytes_of(const core::Shape& shape, std::int64_t count) const {
    const ShapeGroup group{shape, count};
    return cost_.peak_memory(std::span(&group, 1), degree_, recompute_layers_).value() - fixed_;
  }
  [[nodiscard]] double tokens_of(const core::Shape& shape, std::int64_t count) const {
    const ShapeGroup group{shape, count};
    return static_cast<double>(cost_.executed_tokens(std::span(&group, 1), degree_));
  }

  const CostModel& cost_;
  double pack_tokens_;
  std::int32_t degree_;
  std::int32_t recompute_layers_;
  double fixed_ = 0;
  double free_bytes_ = 0;
  double free_tokens_ = 0;
};

std::vector<core::Shape> distinct_shapes(const core::Workload& workload) {
  std::vector<core::Shape> shapes;
  shapes.reserve(workload.sequences.size());
  for (const core::Sequence& sequence : workload.sequences) shapes.push_back(sequence.shape);
  std::sort(shapes.begin(), shapes.end());
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  return shapes;
}

std::int64_t tokens_of(const core::Workload& workload, std::span<const std::uint32_t> ids) {
  std::int64_t tokens = 0;
  for (const std::uint32_t id : ids) tokens += workload.sequences[id].shape.tokens;
  return tokens;
}

std::optional<core::Infeasible> refuse_long(const PlanRequest& request) {
  if (!request.options.pack_tokens) return std::nullopt;
  std::int64_t count = 0;
  std::int64_t tokens = 0;
  std::int64_t longest = 0;
  for (const core::Sequence& sequence : request.workload.sequences) {
    if (sequence.shape.tokens <= *request.options.pack_tokens) continue;
    ++count;
    tokens += sequence.shape.tokens;
    longest = std::max(longest, sequence.shape.tokens);
  }
  if (count == 0) return std::nullopt;
  return core::Infeasible{fmt::format(
      "{} of {} sequences ({:.0f}% of all tokens) are longer than --pack-tokens {} (longest {}); "
      "raise --pack-tokens to {}, or choose --oversize drop or truncate",
      count, request.workload.sequences.size(),
      100.0 * static_cast<double>(tokens) / static_cast<double>(request.workload.total_tokens()),
      *request.options.pack_tokens, longest, longest)};
}

// The fewest recomputed layers for the whole run with which every sequence fits: packs then hold
// what fits beside. All of them where images leave no room otherwise.
std::int32_t choose_recompute(const PlanRequest& request, std::span<const core::Shape> distinct,
                              std::int32_t degree) {
  if (request.options.recompute_layers) return *request.options.recompute_layers;
  std::int32_t layers = 0;
  for (const core::Shape& shape : distinct) {
    const ShapeGroup one{shape, 1};
    layers = std::max(
        layers,
        least_recompute(request.cost, std::span(&one, 1), degree).value_or(request.cost.layers()));
  }
  const bool impossible = PackSizes(request, degree, layers, distinct).impossible();
  return impossible ? request.cost.layers() : layers;
}

}  // namespace

PlanResult plan_packed(const PlanRequest& request) {
  if (request.options.padding == core::Padding::longest) {
    return tl::unexpected(core::Infeasible{
        "packed runs variable-length attention and pads nothing: leave out --padding longest"});
  }
  if (auto refused = refuse_long(request)) return tl::unexpected(std::move(*refused));
  const core::Workload& workload = request.workload;
  const std::vector<core::Shape> distinct = distinct_shapes(workload);
  if (distinct.empty()) return tl::unexpected(core::Infeasible{"the workload has no sequences"});
  const auto fixed = choose_fixed_degree(
      request, distinct, request.options.recompute_layers.value_or(request.cost.layers()));
  if (!fixed) return tl::unexpected(fixed.error());
  const std::int32_t recompute_layers = choose_recompute(request, distinct, fixed->degree);

  PlanBuilder builder(request, "packed", core::Padding::none);
  const bool native = request.options.accounting == core::Accounting::native;
  const Replicas replicas{request.cost.ranks() / fixed->degree, fixed->degree, recompute_layers};
  const PackSizes sizes(request, fixed->degree, recompute_layers, distinct);
  if (sizes.impossible()) {
    return tl::unexpected(core::Infeasible{
        fmt::format("no room for packs of {} image shapes at SP degree {}; raise it (--bucket-sp)",
                    distinct.size(), fixed->degree)});
  }
  core::Random random(core::mix_seed(request.options.seed, kShufflePurpose));
  std::int64_t most_tokens = 0;
  std::size_t pack_count = 0;
  std::vector<PackItem> items;
  std::vector<ReplicaBatch> list;

  for (const core::SequenceRange& step : workload.steps) {
    items.clear();
    items.reserve(step.count);
    for (std::uint32_t id = step.first; id < step.first + step.count; ++id) {
      items.push_back({id, 0});
    }
    // By falling length; equal shapes are neighbours, so each is sized once.
    std::sort(items.begin(), items.end(), [&](const PackItem& a, const PackItem& b) {
      const core::Shape& left = workload.sequences[a.id].shape;
      const core::Shape& right = workload.sequences[b.id].shape;
      return left != right ? left > right : a.id < b.id;
    });
    for (std::size_t i = 0; i < items.size(); ++i) {
      const core::Shape& shape = workload.sequences[items[i].id].shape;
      const bool again = i > 0 && workload.sequences[items[i - 1].id].shape == shape;
      items[i].size =
          again ? items[i - 1].size : (sizes.unlimited() ? shape.tokens : sizes.of(shape));
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const PackItem& a, const PackItem& b) { return a.size > b.size; });
    const std::int64_t room = sizes.unlimited() ? INT64_MAX / (2 * replicas.count) : kRoom;
    const Packs packs = native && !sizes.unlimited() ? best_fit_decreasing(items, room)
                                                     : even_packs(items, room, replicas.count);
    list.clear();
    for (std::size_t p = 0; p < packs.count(); ++p) {
      list.push_back({packs.of(p), tokens_of(workload, packs.of(p))});
      most_tokens = std::max(most_tokens, list.back().weight);
    }
    pack_count += list.size();
    if (native) {
      core::shuffle(std::span(list), random);
      deal_native(replicas, request.options.drop_last, list, builder);
    } else {
      deal_one_step(replicas, request.cost.lockstep(), list, builder);
    }
  }

  builder.setting("sp_degree", fmt::format("{} ({})", fixed->degree, fixed->why));
  builder.setting("recompute_layers", std::to_string(recompute_layers));
  builder.setting("pack_tokens", fmt::format("at most {}", most_tokens));
  if (!fixed->warning.empty()) builder.warn(fixed->warning);
  if (const auto buckets = make_buckets(workload, {})) {
    if (auto hint = smaller_degree_hint(request, *buckets, fixed->degree, recompute_layers)) {
      builder.warn(std::move(*hint));
    }
    builder.warn_dropped(*buckets, {});
  }
  if (request.explanation != nullptr) {
    Explanation& explanation = *request.explanation;
    explanation.notes.push_back(
        fmt::format("SP degree {} for the whole run: {}", fixed->degree, fixed->why));
    explanation.notes.push_back(fmt::format(
        "{} packs of at most {} tokens on {} replicas, {} of {} layers recomputed", pack_count,
        most_tokens, replicas.count, recompute_layers, request.cost.layers()));
  }
  return builder.finish();
}

}  // namespace dcpbench::planner

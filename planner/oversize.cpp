#include "planner/oversize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "planner/batch_limits.hpp"

namespace dcpbench::planner {

namespace {

class FitCheck {
 public:
  explicit FitCheck(const CostModel& cost) : cost_(cost), degrees_(cost.allowed_degrees()) {}

  bool fits(const core::Shape& shape) {
    const auto known = known_.find(shape);
    if (known != known_.end()) return known->second;
    return known_[shape] = fits_somewhere(cost_, degrees_, shape);
  }

  // The longest cut of `shape` that fits (2D: fewer frames), or nothing.
  std::optional<core::Shape> longest_cut(const core::Shape& shape) {
    const auto cut = [&](std::int64_t length) {
      return shape.is_2d()
                 ? core::Shape{length * shape.tokens_per_frame, length, shape.tokens_per_frame}
                 : core::Shape{length, 0, 0};
    };
    std::int64_t good = 0;
    std::int64_t bad = shape.is_2d() ? shape.frames : shape.tokens;
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      (fits(cut(middle)) ? good : bad) = middle;
    }
    if (good == 0) return std::nullopt;
    return cut(good);
  }

  // What the shape needs at the largest degree with full recompute.
  std::string need(const core::Shape& shape) const {
    const ShapeGroup one{shape, 1};
    const std::int32_t degree = degrees_.back();
    const core::Bytes bytes = cost_.peak_memory(std::span(&one, 1), degree, cost_.layers());
    if (cost_.capacity().value() > 0 && bytes > cost_.capacity()) {
      return fmt::format(
          "needs {:.1f} GiB of {:.1f} GiB per GPU at SP degree {} with full recompute",
          bytes / core::kGiB, cost_.capacity() / core::kGiB, degree);
    }
    return fmt::format("over the cap of {} tokens per rank at SP degree {} (--rank-tokens)",
                       cost_.rank_tokens(), degree);
  }

 private:
  const CostModel& cost_;
  std::vector<std::int32_t> degrees_;
  std::map<core::Shape, bool> known_;
};

core::Infeasible refuse(const core::Workload& workload, FitCheck& check,
                        const std::vector<std::uint32_t>& oversize) {
  std::int64_t tokens = 0;
  const core::Sequence* worst = nullptr;
  for (const std::uint32_t id : oversize) {
    const core::Sequence& sequence = workload.sequences[id];
    tokens += sequence.shape.tokens;
    if (worst == nullptr || sequence.shape > worst->shape ||
        (sequence.shape == worst->shape && sequence.row < worst->row)) {
      worst = &sequence;
    }
  }
  const auto longest = check.longest_cut(worst->shape);
  const double share =
      100.0 * static_cast<double>(tokens) / static_cast<double>(workload.total_tokens());
  return core::Infeasible{
      fmt::format("{} of {} sequences ({:.0f}% of all tokens) do not fit; the longest (index {}, "
                  "{} tokens) {}; {}; choose --oversize drop or truncate, or a larger cluster",
                  oversize.size(), workload.sequences.size(), share, worst->row,
                  worst->shape.tokens, check.need(worst->shape),
                  longest ? fmt::format("the longest that fits here has {} tokens", longest->tokens)
                          : std::string("no length of its kind fits here"))};
}

core::Infeasible model_too_large(const CostModel& cost) {
  std::string parts;
  for (const MemoryPart& part : cost.memory_parts({}, 1, cost.layers())) {
    if (part.bytes / core::kGiB < 0.05) continue;
    if (!parts.empty()) parts += ", ";
    parts += fmt::format("{} {:.1f} GiB", part.name, part.bytes / core::kGiB);
  }
  return core::Infeasible{fmt::format(
      "the model does not fit, whatever the lengths: {:.1f} GiB of {:.1f} GiB per GPU on {} GPUs "
      "with ZeRO-{} ({}); a higher ZeRO stage (--zero) or tensor parallelism (--tp) shrinks it",
      cost.peak_memory({}, 1, cost.layers()) / core::kGiB, cost.capacity() / core::kGiB,
      cost.ranks() * cost.gpus_per_rank(), cost.zero(), parts)};
}

bool model_fits(const CostModel& cost) {
  return cost.capacity().value() <= 0 || cost.peak_memory({}, 1, cost.layers()) <= cost.capacity();
}

}  // namespace

bool all_fit(const core::Workload& workload, const CostModel& cost) {
  if (!model_fits(cost)) return false;
  FitCheck check(cost);
  return std::all_of(workload.sequences.begin(), workload.sequences.end(),
                     [&](const core::Sequence& sequence) { return check.fits(sequence.shape); });
}

std::optional<core::Infeasible> apply_oversize(core::Workload& workload, const CostModel& cost,
                                               Oversize policy) {
  if (!model_fits(cost)) return model_too_large(cost);
  FitCheck check(cost);
  std::vector<std::uint32_t> oversize;
  for (std::uint32_t id = 0; id < workload.sequences.size(); ++id) {
    if (!check.fits(workload.sequences[id].shape)) oversize.push_back(id);
  }
  if (oversize.empty()) return std::nullopt;
  if (policy == Oversize::error) return refuse(workload, check, oversize);

  std::vector<char> gone(workload.sequences.size(), 0);
  for (const std::uint32_t id : oversize) {
    core::Sequence& sequence = workload.sequences[id];
    const auto cut =
        policy == Oversize::truncate ? check.longest_cut(sequence.shape) : std::nullopt;
    if (cut) {
      workload.truncated_tokens += sequence.shape.tokens - cut->tokens;
      sequence.shape = *cut;
      sequence.loss_tokens = std::min(sequence.loss_tokens, cut->tokens);
    } else {
      ++workload.dropped_sequences;
      workload.dropped_tokens += sequence.shape.tokens;
      gone[id] = 1;
    }
  }
  std::vector<core::Sequence> kept;
  kept.reserve(workload.sequences.size());
  for (std::size_t id = 0; id < gone.size(); ++id) {
    if (gone[id] == 0) kept.push_back(workload.sequences[id]);
  }
  if (kept.empty()) {
    return core::Infeasible{fmt::format(
        "none of the {} sequences fits: nothing is left to train on", workload.sequences.size())};
  }
  workload.sequences = std::move(kept);
  return std::nullopt;
}

}  // namespace dcpbench::planner

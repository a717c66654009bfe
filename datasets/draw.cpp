#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/random.hpp"
#include "datasets/dataset.hpp"
#include "datasets/length_warnings.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

// Random streams of one seed, by purpose.
constexpr std::uint64_t kDrawStream = 1;
constexpr std::uint64_t kShuffleStream = 2;

// Half up, at least 1. A length is below 2^41, so it is exact as a double.
std::int64_t scaled(std::int64_t value, double factor) {
  const double product = static_cast<double>(value) * factor + 0.5;
  if (!(product < 2.0 * static_cast<double>(core::kMaxTokens))) return 2 * core::kMaxTokens;
  return std::max<std::int64_t>(static_cast<std::int64_t>(product), 1);
}

core::Shape scaled(const core::Shape& shape, double factor) {
  if (!shape.is_2d()) return {scaled(shape.tokens, factor), 0, 0};
  const std::int64_t tokens_per_frame = scaled(shape.tokens_per_frame, factor);
  // What the rounding of the first left over.
  const double rest =
      static_cast<double>(shape.tokens_per_frame) * factor / static_cast<double>(tokens_per_frame);
  const std::int64_t frames = scaled(shape.frames, rest);
  if (frames > core::kMaxTokens / tokens_per_frame) return {2 * core::kMaxTokens, 1, 1};
  return {frames * tokens_per_frame, frames, tokens_per_frame};
}

// The same share of the tokens, half up; never 0 where it was not.
std::int64_t scaled_loss(const core::Sequence& from, std::int64_t tokens) {
  __extension__ using Wide = __int128;
  if (from.loss_tokens == 0) return 0;
  const Wide doubled = 2 * static_cast<Wide>(from.loss_tokens) * tokens + from.shape.tokens;
  const auto loss = static_cast<std::int64_t>(doubled / (2 * static_cast<Wide>(from.shape.tokens)));
  return std::clamp<std::int64_t>(loss, 1, tokens);
}

void scale(std::vector<core::Sequence>& sequences, double factor) {
  for (core::Sequence& sequence : sequences) {
    const core::Shape shape = scaled(sequence.shape, factor);
    if (shape.tokens > core::kMaxTokens) {
      throw Error(
          ErrorKind::usage,
          fmt::format("--scale-lengths {}: row {} of {} tokens becomes larger than the supported "
                      "maximum {}",
                      factor, sequence.row, sequence.shape.tokens, core::kMaxTokens));
    }
    sequence.loss_tokens = scaled_loss(sequence, shape.tokens);
    sequence.shape = shape;
  }
}

std::int64_t count_of(const Dataset& dataset, const DrawOptions& options) {
  if (options.sequences) return *options.sequences;
  return dataset.distribution.empty() ? static_cast<std::int64_t>(dataset.sequences.size())
                                      : kDefaultDraws;
}

void check(const Dataset& dataset, const DrawOptions& options) {
  core::Mistakes mistakes;
  const std::int64_t count = count_of(dataset, options);
  if (count < 1 || count > core::kMaxSequences) {
    mistakes.add(fmt::format("--sequences {}: from 1 to {}", count, core::kMaxSequences));
  } else if (dataset.distribution.empty() &&
             count > static_cast<std::int64_t>(dataset.sequences.size())) {
    mistakes.add(fmt::format("--sequences {}: {} holds {}; leave --sequences out to take all",
                             count, dataset.name, dataset.sequences.size()));
  }
  if (options.file_order && !dataset.distribution.empty()) {
    mistakes.add(
        fmt::format("--file-order: {} is a distribution to draw from and has no order; leave it "
                    "out",
                    dataset.name));
  }
  // Also refuses NaN and infinity.
  if (!(options.scale_lengths > 0 &&
        options.scale_lengths <= static_cast<double>(core::kMaxTokens))) {
    mistakes.add(fmt::format("--scale-lengths {}: above 0 and at most {}", options.scale_lengths,
                             core::kMaxTokens));
  }
  mistakes.throw_if_any();
}

std::vector<core::Sequence> draw_distribution(const std::vector<Rung>& rungs, std::int64_t count,
                                              std::uint64_t seed) {
  std::vector<std::uint64_t> weights;
  weights.reserve(rungs.size());
  for (const Rung& rung : rungs) weights.push_back(rung.weight);
  const core::WeightedDraw draw(weights);
  core::Random random(core::mix_seed(seed, kDrawStream));
  std::vector<core::Sequence> sequences;
  sequences.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const core::Shape& shape = rungs[draw.draw(random)].shape;
    sequences.push_back({shape, shape.tokens, static_cast<std::uint32_t>(i)});
  }
  return sequences;
}

std::vector<core::Sequence> choose_rows(const std::vector<core::Sequence>& rows, std::int64_t count,
                                        const DrawOptions& options) {
  if (options.file_order && count == static_cast<std::int64_t>(rows.size())) return rows;
  std::vector<core::Sequence> chosen = rows;
  core::Random random(core::mix_seed(options.seed, kShuffleStream));
  core::shuffle(std::span(chosen), random);
  chosen.resize(static_cast<std::size_t>(count));
  if (options.file_order) {
    std::sort(chosen.begin(), chosen.end(),
              [](const core::Sequence& a, const core::Sequence& b) { return a.row < b.row; });
  }
  return chosen;
}

}  // namespace

core::Workload draw(const Dataset& dataset, const DrawOptions& options) {
  check(dataset, options);
  const std::int64_t count = count_of(dataset, options);
  core::Workload workload;
  workload.dataset = dataset.name;
  workload.sequences = dataset.distribution.empty()
                           ? choose_rows(dataset.sequences, count, options)
                           : draw_distribution(dataset.distribution, count, options.seed);
  if (options.scale_lengths != 1) scale(workload.sequences, options.scale_lengths);
  core::single_step(workload);
  return workload;
}

std::optional<std::string> scale_warning(const Dataset& dataset, const DrawOptions& options) {
  if (options.scale_lengths >= 1) return std::nullopt;
  DrawOptions plain = options;
  plain.scale_lengths = 1;
  const core::Workload workload = draw(dataset, plain);
  const auto raised = std::count_if(
      workload.sequences.begin(), workload.sequences.end(), [&](const core::Sequence& sequence) {
        return static_cast<double>(sequence.shape.tokens) * options.scale_lengths < 1;
      });
  if (raised == 0) return std::nullopt;
  return fmt::format("--scale-lengths {}: {} of {} lengths would be below 1 and are 1",
                     options.scale_lengths, raised, workload.sequences.size());
}

DrawRecord describe_draw(const Dataset& dataset, const DrawOptions& options,
                         const core::Workload& workload) {
  DrawRecord record;
  const std::size_t count = workload.sequences.size();
  const std::size_t rows = dataset.sequences.size();
  if (!dataset.distribution.empty()) {
    record.notes.push_back(fmt::format("{} sequences drawn from {} with seed {} ({})", count,
                                       dataset.name, options.seed, dataset.source));
  } else if (count < rows) {
    record.notes.push_back(fmt::format(
        "{} of {} rows of {}, sampled without replacement with seed {}, {}", count, rows,
        dataset.name, options.seed, options.file_order ? "in file order" : "in drawn order"));
  } else {
    record.notes.push_back(options.file_order
                               ? fmt::format("all {} rows of {} in file order", rows, dataset.name)
                               : fmt::format("all {} rows of {}, shuffled with seed {}", rows,
                                             dataset.name, options.seed));
  }
  if (options.scale_lengths != 1) {
    record.notes.push_back(fmt::format("lengths scaled by {}", options.scale_lengths));
  }
  // For a whole file its reader has warned already.
  const bool whole_file = dataset.distribution.empty() && count == rows;
  if (!whole_file) {
    if (auto warning = giant_warning(workload.sequences)) {
      record.warnings.push_back(fmt::format("{}: {}", dataset.name, *warning));
    }
  }
  return record;
}

}  // namespace dcpbench::datasets

#include "cli/workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/size_advice.hpp"

namespace dcpbench::cli {

namespace {

core::Workload draw(const JobOptions& options, const Inputs& inputs, const Cell& cell,
                    std::uint64_t seed) {
  return datasets::draw(inputs.datasets[cell.dataset], draw_options(options, inputs, cell, seed));
}

struct Cap {
  const char* option;
  std::int64_t tokens;
};

// The limits on a sequence's length that the options set.
std::vector<Cap> caps(const JobOptions& options) {
  std::vector<Cap> all;
  if (options.plan.pack_tokens) all.push_back({"--pack-tokens", *options.plan.pack_tokens});
  if (!options.plan.bucket_edges.empty()) {
    all.push_back({"--bucket-edges", options.plan.bucket_edges.back()});
  }
  return all;
}

void check_cap(const core::Workload& workload, const Cap& cap, Problems& problems) {
  std::int64_t count = 0;
  std::int64_t tokens = 0;
  std::int64_t longest = 0;
  for (const core::Sequence& sequence : workload.sequences) {
    longest = std::max(longest, sequence.shape.tokens);
    if (sequence.shape.tokens <= cap.tokens) continue;
    ++count;
    tokens += sequence.shape.tokens;
  }
  if (count == 0) return;
  const double share = static_cast<double>(tokens) / static_cast<double>(workload.total_tokens());
  problems.add(fmt::format(
      "{} {}: {} of the {} sequences of {} {} longer (the longest has {} tokens), with {:.1f} % of "
      "the tokens; raise it to {}, or choose --oversize drop or truncate",
      cap.option, cap.tokens, count, workload.sequences.size(), workload.dataset,
      count == 1 ? "is" : "are", longest, 100 * share, longest));
}

// Cuts a sequence to at most `cap` tokens: a 2D one loses whole frames. False: not even one frame
// is left.
bool truncate(core::Sequence& sequence, std::int64_t cap) {
  core::Shape& shape = sequence.shape;
  if (shape.is_2d()) {
    shape.frames = cap / shape.tokens_per_frame;
    shape.tokens = shape.frames * shape.tokens_per_frame;
  } else {
    shape.tokens = cap;
  }
  sequence.loss_tokens = std::min(sequence.loss_tokens, shape.tokens);
  return shape.tokens > 0;
}

void apply_cap(core::Workload& workload, std::int64_t cap, planner::Oversize policy) {
  std::vector<core::Sequence> kept;
  kept.reserve(workload.sequences.size());
  for (core::Sequence sequence : workload.sequences) {
    const std::int64_t tokens = sequence.shape.tokens;
    if (tokens > cap) {
      if (policy == planner::Oversize::drop || !truncate(sequence, cap)) {
        ++workload.dropped_sequences;
        workload.dropped_tokens += tokens;
        continue;
      }
      workload.truncated_tokens += tokens - sequence.shape.tokens;
    }
    kept.push_back(sequence);
  }
  workload.sequences = std::move(kept);
}

}  // namespace

datasets::DrawOptions draw_options(const JobOptions& options, const Inputs& inputs,
                                   const Cell& cell, std::uint64_t seed) {
  const CostedModel& costed = inputs.models[cell.model];
  datasets::DrawOptions draw;
  draw.sequences = options.sequences;
  draw.seed = seed;
  draw.scale_lengths =
      options.scale_lengths.value_or(costed.model ? costed.model->default_scale_lengths : 1.0);
  draw.file_order = options.file_order;
  return draw;
}

void check_workloads(const JobOptions& options, const Inputs& inputs, Problems& problems) {
  const std::vector<Cap> limits = caps(options);
  const bool refuse = options.oversize == planner::Oversize::error;
  // Without a cap the seeds do not differ in what can be wrong.
  const std::int32_t seeds = limits.empty() ? 1 : options.seeds;
  for (const Cell& cell : inputs.cells) {
    for (std::int32_t i = 0; i < seeds; ++i) {
      const core::Workload workload = problems.collect([&]() {
        return draw(options, inputs, cell, options.seed + static_cast<std::uint64_t>(i));
      });
      if (!refuse) continue;
      for (const Cap& cap : limits) check_cap(workload, cap, problems);
    }
  }
}

tl::expected<core::Workload, core::Infeasible> make_workload(const JobOptions& options,
                                                             const Inputs& inputs, const Cell& cell,
                                                             std::uint64_t seed) {
  core::Workload workload = draw(options, inputs, cell, seed);
  if (options.oversize != planner::Oversize::error) {
    for (const Cap& cap : caps(options)) apply_cap(workload, cap.tokens, options.oversize);
    if (workload.sequences.empty()) {
      return tl::unexpected(core::Infeasible{
          fmt::format("--oversize leaves none of the {} sequences", workload.dropped_sequences)});
    }
  }
  const CostedModel& costed = inputs.models[cell.model];
  if (auto reason = planner::apply_oversize(workload, *costed.truth, options.oversize)) {
    reason->reason += "; " + advise_size(options.cost, inputs, costed, workload);
    return tl::unexpected(*std::move(reason));
  }
  if (options.plan.accounting == core::Accounting::native || options.step_sequences == 0) {
    core::single_step(workload);
  } else if (options.step_sequences) {
    core::split_steps_by_count(workload, *options.step_sequences);
  } else {
    core::split_steps_by_tokens(workload, options.step_tokens);
  }
  return workload;
}

}  // namespace dcpbench::cli

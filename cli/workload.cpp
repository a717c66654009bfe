#include "cli/workload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/size_advice.hpp"

namespace dcpbench::cli {

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

namespace {

// What all draws of a job may hold together; further ones are drawn again.
constexpr std::size_t kMaxKeptSequences = std::size_t{1} << 22;

// A simulation takes some 10 ns per step and rank, so minutes per strategy.
constexpr std::int64_t kMaxStepRanks = std::int64_t{1} << 33;

const Draw* find_draw(const std::vector<Draw>& draws, const Cell& cell, double scale_lengths) {
  const auto found = std::find_if(draws.begin(), draws.end(), [&](const Draw& draw) {
    return draw.dataset == cell.dataset && draw.scale_lengths == scale_lengths;
  });
  return found == draws.end() ? nullptr : &*found;
}

void split_into_steps(core::Workload& workload, const JobOptions& options) {
  if (options.plan.accounting == core::Accounting::native || options.step_sequences == 0) {
    core::single_step(workload);
  } else if (options.step_sequences) {
    core::split_steps_by_count(workload, *options.step_sequences);
  } else {
    core::split_steps_by_tokens(workload, options.step_tokens);
  }
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

void check_step_count(const JobOptions& options, const core::Workload& workload, std::size_t steps,
                      const planner::CostModel& cost) {
  const auto count = static_cast<std::int64_t>(steps);
  const std::int64_t most = kMaxStepRanks / cost.ranks();
  if (count <= most) return;
  const auto sequences = static_cast<std::int64_t>(workload.sequences.size());
  const bool is_native = options.plan.accounting == core::Accounting::native;
  const std::string remedy =
      is_native ? fmt::format("fewer --sequences than {}", sequences)
      : options.step_sequences
          ? fmt::format("--step-sequences {} or more", (sequences + most - 1) / most)
          : fmt::format("--step-tokens above {}", options.step_tokens);
  std::int64_t ranks = kMaxStepRanks / count;
  if (ranks > cost.ranks_per_node()) ranks -= ranks % cost.ranks_per_node();
  throw core::Error(core::ErrorKind::usage,
                    fmt::format("{}: {} steps x {} ranks = {}, at most {} can be executed; take "
                                "{}, or at most --gpus {}",
                                workload.dataset, count, cost.ranks(), count * cost.ranks(),
                                kMaxStepRanks, remedy, ranks * cost.gpus_per_rank()));
}

std::vector<Draw> draw_datasets(const JobOptions& options, const Inputs& inputs,
                                Problems& problems) {
  const std::vector<Cap> limits = caps(options);
  const bool refuse = options.oversize == planner::Oversize::error;
  std::vector<Draw> draws;
  std::size_t kept = 0;
  for (const Cell& cell : inputs.cells) {
    const datasets::Dataset& dataset = inputs.datasets[cell.dataset];
    datasets::DrawOptions draw = draw_options(options, inputs, cell, options.seed);
    if (find_draw(draws, cell, draw.scale_lengths) != nullptr) continue;
    Draw& entry = draws.emplace_back();
    entry.dataset = cell.dataset;
    entry.scale_lengths = draw.scale_lengths;
    entry.workload =
        problems.collect([&]() { return std::optional(datasets::draw(dataset, draw)); });
    if (!entry.workload) continue;
    core::Workload& workload = *entry.workload;
    entry.record = datasets::describe_draw(dataset, draw, workload);
    // Without a cap the seeds do not differ in what can be wrong.
    for (std::int32_t i = 0; refuse && !limits.empty() && i < options.seeds; ++i) {
      draw.seed = options.seed + static_cast<std::uint64_t>(i);
      const core::Workload other = i > 0 ? datasets::draw(dataset, draw) : core::Workload();
      for (const Cap& cap : limits) check_cap(i > 0 ? other : workload, cap, problems);
    }
    // What --oversize will take away is not known yet: the plan's steps are counted in any case.
    const auto& truth = inputs.models[cell.model].truth;
    if (refuse && truth) {
      split_into_steps(workload, options);
      problems.collect([&]() {
        check_step_count(options, workload, workload.steps.size(), *truth);
        return true;
      });
    }
    kept += workload.sequences.size();
    if (kept > kMaxKeptSequences) entry.workload.reset();
  }
  return draws;
}

tl::expected<core::Workload, core::Infeasible> make_workload(const JobOptions& options,
                                                             const Inputs& inputs,
                                                             const std::vector<Draw>& draws,
                                                             const Cell& cell, std::uint64_t seed) {
  const datasets::DrawOptions how = draw_options(options, inputs, cell, seed);
  const Draw* known = seed == options.seed ? find_draw(draws, cell, how.scale_lengths) : nullptr;
  core::Workload workload = known != nullptr && known->workload
                                ? *known->workload
                                : datasets::draw(inputs.datasets[cell.dataset], how);
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
  split_into_steps(workload, options);
  return workload;
}

}  // namespace dcpbench::cli

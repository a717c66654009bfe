#include "tests/support/random_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/configs.hpp"
#include "core/plan.hpp"

namespace dcpbench::test_support {
namespace {

using core::Random;

template <class T, std::size_t n>
T one_of(Random& random, const T (&choices)[n]) {
  return choices[random.below(n)];
}
bool one_in(Random& random, std::uint64_t n) { return random.below(n) == 0; }
std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low) + 1));
}

struct World {
  std::int32_t nodes, gpus_per_node;
};

core::Cluster random_cluster(Random& random) {
  static constexpr World kWorlds[] = {{1, 1}, {1, 2},  {1, 4}, {1, 6}, {1, 8},  {2, 6}, {3, 8},
                                      {4, 8}, {25, 4}, {7, 1}, {1, 7}, {50, 2}, {8, 8}};
  core::Cluster cluster = core::load_cluster(one_in(random, 2) ? "h200-4x8" : "h100-4x8");
  const World world = one_of(random, kWorlds);
  cluster.nodes = world.nodes;
  cluster.gpus_per_node = world.gpus_per_node;
  if (one_in(random, 3)) {
    cluster.device.memory = core::Bytes(static_cast<double>(between(random, 20, 60)) * 1e9);
  }
  return cluster;
}

// Up to 200 sequences of one kind of distribution, all with the same greatest length.
std::vector<core::Shape> random_shapes(Random& random, bool is_2d) {
  const std::int64_t count = one_in(random, 4) ? between(random, 1, 5) : between(random, 1, 200);
  const std::int64_t longest = INT64_C(1) << between(random, 6, 17);
  const bool all_equal = one_in(random, 6);
  const bool one_giant = one_in(random, 6);
  std::vector<core::Shape> shapes;
  for (std::int64_t i = 0; i < count; ++i) {
    // Halved at random: most are short, as in real data.
    std::int64_t tokens = between(random, 1, all_equal ? 1 : longest >> random.below(7));
    if (all_equal) tokens = longest;
    if (one_giant) tokens = i == 0 ? longest : between(random, 1, 64);
    core::Shape shape{tokens, 0, 0};
    if (is_2d) {
      static constexpr std::int64_t kFrames[] = {1, 1, 1, 5, 15, 30};
      shape.frames = one_of(random, kFrames);
      shape.tokens_per_frame = std::max<std::int64_t>(1, tokens / shape.frames);
      shape.tokens = shape.frames * shape.tokens_per_frame;
    }
    shapes.push_back(shape);
  }
  return shapes;
}

// Some tokens without loss, but no step without any: that is an input error.
void remove_some_losses(Random& random, core::Workload& workload) {
  for (const core::SequenceRange& step : workload.steps) {
    for (std::uint32_t i = 1; i < step.count; ++i) {
      core::Sequence& sequence = workload.sequences[step.first + i];
      sequence.loss_tokens = between(random, 0, sequence.shape.tokens);
    }
  }
}

}  // namespace

RandomRun random_run(std::uint64_t seed) {
  Random random(core::mix_seed(seed, 0x72616e646f6d));
  RandomRun run;
  static constexpr const char* kModels[] = {
      "transformer-1d-1.2b", "transformer-1d-5b", "llama-8b", "dit-2d-1.2b",
      "dit-2d-5b",           "tiny-1d",           "tiny-2d"};
  std::string model_name = "none";
  if (one_in(random, 6)) {
    run.cluster = core::load_cluster(one_in(random, 2) ? "ideal" : "flexsp-7b-a100");
    run.cost_options.rank_tokens = between(random, 1000, 100'000);
  } else {
    run.cluster = random_cluster(random);
    model_name = one_of(random, kModels);
    run.model = core::load_model(model_name);
    run.cost_options.zero = static_cast<std::int32_t>(random.below(4));
    if (one_in(random, 5)) run.cost_options.rank_tokens = between(random, 100, 50'000);
    if (one_in(random, 5)) run.cost_options.sp_method = core::SpMethod::ulysses;
    if (run.cluster.gpus_per_node % 2 == 0 && one_in(random, 6)) run.cost_options.tp = 2;
  }
  planner::PlanOptions& options = run.plan_options;
  options.seed = seed;
  options.accounting = one_in(random, 3) ? core::Accounting::native : core::Accounting::equal;
  if (one_in(random, 3)) {
    options.padding = one_in(random, 2) ? core::Padding::none : core::Padding::longest;
  }
  // Refused under `equal`, where every strategy trains on the same sequences.
  options.drop_last = options.accounting == core::Accounting::native && one_in(random, 3);
  options.median_cut = !one_in(random, 5);
  if (one_in(random, 5)) options.bucket_sp = one_of(random, {0, 1, 2, 4, 8});
  if (one_in(random, 8)) options.bucket_edges = {100, 1000, 1500, INT64_C(1) << 18};
  if (one_in(random, 8)) options.pack_tokens = between(random, 1000, 200'000);
  if (one_in(random, 8)) options.min_accumulation = one_of(random, {1, 3, 20});
  if (one_in(random, 8)) options.max_accumulation = one_of(random, {1, 2, 30});
  if (run.model && one_in(random, 8)) {
    options.recompute_layers = static_cast<std::int32_t>(between(random, 0, run.model->layers));
  }

  run.workload.dataset = "random";
  for (const core::Shape& shape : random_shapes(random, run.model && run.model->is_2d())) {
    run.workload.sequences.push_back(
        {shape, shape.tokens, static_cast<std::uint32_t>(run.workload.sequences.size())});
  }
  if (options.accounting == core::Accounting::native) {
    core::single_step(run.workload);
  } else if (one_in(random, 2)) {
    core::split_steps_by_tokens(run.workload, between(random, 1, run.workload.total_tokens()));
  } else {
    core::split_steps_by_count(run.workload, between(random, 1, 200));
  }
  // Where a strategy chooses what is in a step, every sequence has to have a loss.
  if (options.accounting == core::Accounting::equal && one_in(random, 4)) {
    remove_some_losses(random, run.workload);
  }
  run.description = fmt::format(
      "seed {}: {} x {} GPUs of {} ({:.3g} GB), model {}, ZeRO {}, rank tokens {}, {}, padding {}, "
      "drop_last {}, TP {}, {} sequences in {} steps, longest {}",
      seed, run.cluster.nodes, run.cluster.gpus_per_node, run.cluster.name,
      run.cluster.device.memory.value() / 1e9, model_name, run.cost_options.zero,
      run.cost_options.rank_tokens, core::to_string(options.accounting),
      options.padding ? core::to_string(*options.padding) : "default", options.drop_last,
      run.cost_options.tp, run.workload.sequences.size(), run.workload.steps.size(),
      std::ranges::max_element(run.workload.sequences, {}, [](const core::Sequence& sequence) {
        return sequence.shape.tokens;
      })->shape.tokens);
  return run;
}

std::vector<FasterCluster> faster_clusters(const core::Cluster& cluster) {
  std::vector<FasterCluster> result;
  const auto variant = [&](std::string what) -> core::Cluster& {
    result.push_back({std::move(what), cluster});
    return result.back().cluster;
  };
  core::Cluster* more = &variant("peak x 1.7");
  more->device.peak = more->device.peak * 1.7;
  more = &variant("memory bandwidth x 2");
  more->device.memory_bandwidth = more->device.memory_bandwidth * 2.0;
  more = &variant("memory x 4");
  more->device.memory = more->device.memory * 4.0;
  more = &variant("link inside a node x 3");
  more->intra_node.bandwidth = more->intra_node.bandwidth * 3.0;
  more = &variant("link between nodes x 1.5");
  more->inter_node.bandwidth = more->inter_node.bandwidth * 1.5;
  more = &variant("latencies / 2");
  more->intra_node.latency = more->intra_node.latency / 2.0;
  more->inter_node.latency = more->inter_node.latency / 2.0;
  return result;
}

}  // namespace dcpbench::test_support

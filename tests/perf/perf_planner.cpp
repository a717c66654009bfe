// How long planning and simulating take, and how much memory, by strategy and size.
//
//   build/bin/perf_planner                                    everything (minutes)
//   build/bin/perf_planner --benchmark_filter=plan/dcp/       one strategy
//
// Name: what/strategy/gpus:G/sequences:N/steps:S. Workload: the text-balanced preset at 1/8 of its
// lengths (128 to 32k tokens), N drawn sequences in S equal steps, transformer-1d-1.2b on H200
// nodes of 8, accounting equal. Counters: s_per_sequence, peak_MiB of the process while it ran (the
// workload included; needs a writable /proc/self/clear_refs, else it never falls), micro_batches.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "core/configs.hpp"
#include "core/plan.hpp"
#include "datasets/dataset.hpp"
#include "planner/lower_bound.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/plan_facts.hpp"
#include "planner/strategy.hpp"
#include "planner/validate.hpp"
#include "sim/simulator.hpp"

namespace dcpbench {
namespace {

enum class Lengths { rungs, distinct };

struct Size {
  Lengths lengths;
  std::int32_t gpus;
  std::int64_t sequences;
  std::int64_t steps;
};

// The first two are the smoke test; then growth with the number of sequences, one huge step, and 64
// steps of one sequence per rank.
constexpr Size kSizes[] = {
    {Lengths::rungs, 32, 2'000, 2},
    {Lengths::distinct, 32, 2'000, 2},
    {Lengths::distinct, 1'024, 10'000, 1},
    {Lengths::distinct, 1'024, 100'000, 1},
    {Lengths::distinct, 1'024, 1'000'000, 1},
    {Lengths::rungs, 16'384, 1'000'000, 1},
    {Lengths::distinct, 16'384, 1'000'000, 1},
    {Lengths::rungs, 16'384, 1'048'576, 64},
    {Lengths::distinct, 16'384, 1'048'576, 64},
};

// 64 to 262,144 tokens, long ones rare: the weight falls with the square of the length.
datasets::Dataset distinct_lengths() {
  datasets::Dataset dataset;
  dataset.name = "distinct";
  for (std::int64_t tokens = 64; tokens <= 262'144; ++tokens) {
    const std::int64_t weight = (INT64_C(1) << 40) / (tokens * tokens);
    dataset.distribution.push_back({{tokens, 0, 0}, static_cast<std::uint64_t>(weight)});
  }
  return dataset;
}

struct Scene {
  core::Workload workload;
  std::unique_ptr<planner::CostModel> cost;
  planner::PlanOptions options;

  explicit Scene(const Size& size) {
    const datasets::Dataset dataset =
        size.lengths == Lengths::rungs ? datasets::preset("text-balanced") : distinct_lengths();
    workload = datasets::draw(dataset, {.sequences = size.sequences, .seed = 1});
    core::split_steps_by_count(workload, size.sequences / size.steps);
    const core::Model model = core::load_model("transformer-1d-1.2b");
    const core::Cluster cluster = core::with_gpus(core::load_cluster("h200-4x8"), size.gpus);
    cost = planner::make_cost_model(cluster, &model, {});
  }
  [[nodiscard]] planner::PlanResult plan(const planner::Strategy& strategy) const {
    return strategy.plan({workload, *cost, options, nullptr});
  }
};

class PeakMemory {
 public:
  PeakMemory() { std::ofstream("/proc/self/clear_refs") << "5"; }
  [[nodiscard]] static double mebibytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  }
};

void count(benchmark::State& state, const Scene& scene, const core::Plan& plan) {
  using benchmark::Counter;
  const auto sequences = static_cast<double>(scene.workload.sequences.size());
  state.counters["s_per_sequence"] =
      Counter(sequences, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["micro_batches"] = static_cast<double>(plan.micro_batches.size());
  state.counters["peak_MiB"] = PeakMemory::mebibytes();
}

void measure_planning(benchmark::State& state, const planner::Strategy& strategy,
                      const Size& size) {
  const Scene scene(size);
  const PeakMemory peak;
  core::Plan plan;
  for (auto _ : state) {
    planner::PlanResult result = scene.plan(strategy);
    if (!result) return state.SkipWithError(result.error().reason.c_str());
    plan = std::move(*result);
  }
  count(state, scene, plan);
}

// Times `work(scene, plan)` on a plan that is made once.
template <class Work>
void measure_on_plan(benchmark::State& state, const planner::Strategy& strategy, const Size& size,
                     Work work) {
  const Scene scene(size);
  const planner::PlanResult plan = scene.plan(strategy);
  if (!plan) return state.SkipWithError(plan.error().reason.c_str());
  const PeakMemory peak;
  for (auto _ : state) benchmark::DoNotOptimize(work(scene, *plan));
  count(state, scene, *plan);
}

template <class Function>
void add(std::string_view what, const planner::Strategy& strategy, const Size& size,
         Function function) {
  const std::string name = fmt::format(
      "{}/{}/{}/gpus:{}/sequences:{}/steps:{}", what, strategy.name,
      size.lengths == Lengths::rungs ? "rungs" : "distinct", size.gpus, size.sequences, size.steps);
  benchmark::RegisterBenchmark(name.c_str(), function)->Unit(benchmark::kMillisecond);
}

void add_all() {
  for (const Size& size : kSizes) {
    for (const planner::Strategy& strategy :
         planner::strategies().first(planner::kDefaultStrategies)) {
      add("plan", strategy, size,
          [&strategy, size](benchmark::State& state) { measure_planning(state, strategy, size); });
      const auto add_work = [&](std::string_view what, auto work) {
        add(what, strategy, size, [&strategy, size, work](benchmark::State& state) {
          measure_on_plan(state, strategy, size, work);
        });
      };
      add_work("simulate", [](const Scene& scene, const core::Plan& plan) {
        return sim::simulate(plan, scene.workload, *scene.cost, {}).steps.front().duration.value();
      });
      add_work("validate", [](const Scene& scene, const core::Plan& plan) {
        return planner::validate(plan, scene.workload, *scene.cost).size();
      });
      add_work("lower_bound", [](const Scene& scene, const core::Plan& plan) {
        return planner::lower_bound(plan, scene.workload, *scene.cost).has_value();
      });
      add_work("facts", [](const Scene& scene, const core::Plan& plan) {
        return planner::plan_facts(plan, scene.workload, *scene.cost).executed_tokens;
      });
      add_work("digest",
               [](const Scene&, const core::Plan& plan) { return core::plan_digest(plan).size(); });
    }
  }
}

}  // namespace
}  // namespace dcpbench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  dcpbench::add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

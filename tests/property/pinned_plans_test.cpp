// Plans and simulated times of a few runs, equal on every machine, compiler and build type. A
// change here is a change of what users get: it needs a reason in its commit. The failure message
// is the row to paste.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "core/configs.hpp"
#include "core/plan.hpp"
#include "datasets/dataset.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/strategy.hpp"
#include "sim/simulator.hpp"

namespace dcpbench {
namespace {

struct PinnedRun {
  const char* name;
  const char* model;  // "none": model-free cluster
  const char* cluster;
  const char* dataset;
  core::Accounting accounting;
  std::int32_t gpus;
  std::int32_t zero = 1;
  std::int32_t tp = 1;
};

constexpr auto kEqual = core::Accounting::equal;
constexpr auto kNative = core::Accounting::native;
constexpr PinnedRun kRuns[] = {
    {"text", "transformer-1d-1.2b", "h200-4x8", "text-balanced", kEqual, 32},
    {"text_native", "llama-8b", "h100-4x8", "text-long", kNative, 32},
    {"lockstep", "llama-8b", "h200-4x8", "web", kEqual, 16, 3},
    {"tensor_parallel", "llama-70b", "h200-4x8", "chat", kEqual, 64, 1, 8},
    {"video", "dit-2d-1.2b", "h200-4x8", "video-balanced", kEqual, 6},
    {"video_native", "dit-2d-5b", "h200-4x8", "video-short", kNative, 32},
    {"model_free", "none", "ideal", "text-short", kEqual, 64},
};

struct Pin {
  const char* run;
  const char* strategy;
  const char* digest;        // the first 16 digits; "infeasible"
  std::int64_t nanoseconds;  // simulated, all steps
};

constexpr Pin kPins[] = {
    {"text", "bucket", "248bb32dafdbf0de", 580687450054},
    {"text", "packed", "214e111f2b1950ee", 541373154919},
    {"text", "dcp-inter", "60175fd1bacd9c87", 589697430106},
    {"text", "dcp-intra", "c36085d5acc6c554", 464913251139},
    {"text", "dcp", "f4b57676309b8ee7", 460855588726},
    {"text_native", "bucket", "c141200232e48f5e", 4543962073048},
    {"text_native", "packed", "66f616076b944c4e", 4336705909380},
    {"text_native", "dcp-inter", "72f94822ff6db94c", 4385059420114},
    {"text_native", "dcp-intra", "23ebf0d00985b8bd", 4407213729783},
    {"text_native", "dcp", "10e237b43c9a48ec", 4169407639846},
    {"lockstep", "bucket", "16a98cb58251a79d", 17318584260},
    {"lockstep", "packed", "83d4f4c2f8f2c370", 13479767035},
    {"lockstep", "dcp-inter", "794a15c3970bc8ee", 14981699225},
    {"lockstep", "dcp-intra", "b008863599ce9c05", 12180299923},
    {"lockstep", "dcp", "b008863599ce9c05", 12180299923},
    {"tensor_parallel", "bucket", "4aaac8df8d46789e", 65340361165},
    {"tensor_parallel", "packed", "0d749dfa28304ee5", 38721031968},
    {"tensor_parallel", "dcp-inter", "226232d4d5d49803", 66154340407},
    {"tensor_parallel", "dcp-intra", "63474b6367fe81c6", 44723067954},
    {"tensor_parallel", "dcp", "c38aa089af520082", 45145645065},
    {"video", "bucket", "0c01e34f86506065", 12532786841},
    {"video", "packed", "8457982ec97b0b7b", 10763625981},
    {"video", "dcp-inter", "fcf114d503bd0cd5", 11596387280},
    {"video", "dcp-intra", "bda098517977b036", 9029995080},
    {"video", "dcp", "66817adb06da8b22", 10168044171},
    {"video_native", "bucket", "af15b94dd59421c5", 16423752086},
    {"video_native", "packed", "859d40fe4d2483ae", 5386507128},
    {"video_native", "dcp-inter", "e1ec9e15d34c2bdd", 19403289880},
    {"video_native", "dcp-intra", "e48973aa9b659b53", 4081223494},
    {"video_native", "dcp", "739e0e9894e2d07a", 7103883472},
    {"model_free", "bucket", "809a6b236644c591", 169114337280},
    {"model_free", "packed", "b747415f71ccf36c", 169114337280},
    {"model_free", "dcp-inter", "cb0ab88346e519e4", 96061095936},
    {"model_free", "dcp-intra", "6edd17e42db1ac2d", 100593041408},
    {"model_free", "dcp", "cb0ab88346e519e4", 96061095936},
};

std::string row(const Pin& pin) {
  return fmt::format("{{\"{}\", \"{}\", \"{}\", {}}},", pin.run, pin.strategy, pin.digest,
                     pin.nanoseconds);
}

class PinnedPlan : public testing::TestWithParam<PinnedRun> {};

TEST_P(PinnedPlan, IsTheSameEverywhere) {
  const PinnedRun& run = GetParam();
  const core::Cluster cluster = core::with_gpus(core::load_cluster(run.cluster), run.gpus);
  std::optional<core::Model> model;
  if (std::string(run.model) != "none") model = core::load_model(run.model);
  planner::CostOptions cost_options;
  cost_options.zero = run.zero;
  cost_options.tp = run.tp;
  if (!model) cost_options.rank_tokens = 65536;  // the only limit of a model-free cluster
  const auto cost = planner::make_cost_model(cluster, model ? &*model : nullptr, cost_options);
  core::Workload workload =
      datasets::draw(datasets::preset(run.dataset), {.sequences = 2000, .seed = 7});
  planner::PlanOptions options;
  options.accounting = run.accounting;
  options.seed = 7;
  if (run.accounting == core::Accounting::native) {
    core::single_step(workload);
  } else {
    core::split_steps_by_tokens(workload, INT64_C(1) << 22);
  }
  std::string expected;
  std::string actual;
  for (const Pin& pin : kPins) {
    if (std::string(pin.run) == run.name) expected += row(pin) + "\n";
  }
  for (const planner::Strategy& strategy :
       planner::strategies().first(planner::kDefaultStrategies)) {
    const std::string name(strategy.name);
    const auto plan = strategy.plan({workload, *cost, options, nullptr});
    std::string digest = "infeasible";
    std::int64_t nanoseconds = 0;
    if (plan) {
      digest = core::plan_digest(*plan).substr(0, 16);
      for (const core::StepTiming& step : sim::simulate(*plan, workload, *cost, {}).steps) {
        nanoseconds += step.duration.value();
      }
    }
    actual += row({run.name, name.c_str(), digest.c_str(), nanoseconds}) + "\n";
  }
  EXPECT_EQ(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(Runs, PinnedPlan, testing::ValuesIn(kRuns),
                         [](const auto& run) { return std::string(run.param.name); });

}  // namespace
}  // namespace dcpbench

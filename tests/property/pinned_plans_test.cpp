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
    {"text", "bucket", "a7474390bb2de4fd", 871022545665},
    {"text", "packed", "8f228106edff2dea", 802534325966},
    {"text", "dcp-inter", "18f7322cb0605c66", 635936304290},
    {"text", "dcp-intra", "ca4d2cf920550365", 500111640129},
    {"text", "dcp", "7193d933398b0593", 499119551954},
    {"text_native", "bucket", "c141200232e48f5e", 4518017067412},
    {"text_native", "packed", "d17e03bc7308e766", 4472764819144},
    {"text_native", "dcp-inter", "352003402e465ed4", 4367583888271},
    {"text_native", "dcp-intra", "0de4d37689ef7922", 4397201913301},
    {"text_native", "dcp", "3a841ed2fecc8910", 4144912495818},
    {"lockstep", "bucket", "b6213d83a6b55e74", 32124087517},
    {"lockstep", "packed", "640241fd91ad427e", 15765132834},
    {"lockstep", "dcp-inter", "8cbb6a8601a432f8", 17199086325},
    {"lockstep", "dcp-intra", "a2ce82d87cd2ee7c", 12313489378},
    {"lockstep", "dcp", "a2ce82d87cd2ee7c", 12313489378},
    {"tensor_parallel", "bucket", "4984190d8d7ef196", 108604387688},
    {"tensor_parallel", "packed", "65c875b738e18728", 48798378861},
    {"tensor_parallel", "dcp-inter", "226232d4d5d49803", 62274400678},
    {"tensor_parallel", "dcp-intra", "63474b6367fe81c6", 40789577790},
    {"tensor_parallel", "dcp", "99488ccd1bcf8241", 41939514840},
    {"video", "bucket", "5084722d259aeced", 16108488112},
    {"video", "packed", "c9cd02b4d774f64d", 12958743870},
    {"video", "dcp-inter", "4a327b34769fef81", 11540891405},
    {"video", "dcp-intra", "882a96fdd36aa2e4", 8985127593},
    {"video", "dcp", "01507a5dce86b86a", 8934413641},
    {"video_native", "bucket", "5fc12fdbef381878", 17295313353},
    {"video_native", "packed", "68b2a1b985f6bfac", 19133871227},
    {"video_native", "dcp-inter", "936c90685d3233f7", 19394023829},
    {"video_native", "dcp-intra", "8c7ab7dea2697536", 4034893235},
    {"video_native", "dcp", "24ed3f771b2f8d78", 7789463816},
    {"model_free", "bucket", "436153a02ab06473", 275645988864},
    {"model_free", "packed", "b747415f71ccf36c", 169114337280},
    {"model_free", "dcp-inter", "df298a20a075133a", 104702410752},
    {"model_free", "dcp-intra", "5f267a1143e40be9", 108645056512},
    {"model_free", "dcp", "df298a20a075133a", 104702410752},
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

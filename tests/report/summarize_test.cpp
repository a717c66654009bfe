#include "report/summarize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "report/write.hpp"
#include "tests/report/fixtures.hpp"

namespace dcpbench::report {
namespace {

double part(const Result& result, core::Part which) {
  return result.breakdown_seconds[static_cast<std::size_t>(which)];
}

TEST(Summarize, QuantilesInterpolateBetweenOrderStatistics) {
  // Sorted 1 2 4 8 16: the place of p is 4 p. p10 = 0.4 of the way from 1 to 2; p90 = 0.6 of the
  // way from 8 to 16.
  const Distribution d = summarize({16, 1, 8, 2, 4});
  EXPECT_DOUBLE_EQ(d.p10, 1.4);
  EXPECT_DOUBLE_EQ(d.median, 4);
  EXPECT_DOUBLE_EQ(d.p90, 12.8);
  EXPECT_DOUBLE_EQ(d.mean, 6.2);
  EXPECT_EQ(d.min, 1);
  EXPECT_EQ(d.max, 16);
  EXPECT_EQ(d.count, 5);
}

TEST(Summarize, OneValueIsEveryQuantile) {
  const Distribution d = summarize({0.1});
  for (const double value : {d.median, d.mean, d.min, d.max, d.p10, d.p90}) EXPECT_EQ(value, 0.1);
}

TEST(Summarize, MeanOfEqualValuesStaysBetweenThem) {
  const Distribution d = summarize({0.1, 0.1, 0.1});  // 0.1 + 0.1 + 0.1 > 0.3 in doubles
  EXPECT_EQ(d.mean, 0.1);
}

TEST(MakeResult, HandWorkedRun) {
  const HandRun run = hand_run();
  const Result r = make_result(run.plan, run.workload, run.timeline, run.facts);
  // Durations 100 + 60 ms.
  EXPECT_DOUBLE_EQ(r.total_seconds, 0.16);
  EXPECT_DOUBLE_EQ(r.step_seconds.median, 0.08);
  // Mean over the two ranks, summed over steps: compute (60 + 30) / 2 + 20 = 65 ms, and so on.
  EXPECT_DOUBLE_EQ(part(r, core::Part::compute), 0.065);
  EXPECT_DOUBLE_EQ(part(r, core::Part::recompute), 0.020);
  EXPECT_DOUBLE_EQ(part(r, core::Part::communication), 0.015);
  EXPECT_DOUBLE_EQ(part(r, core::Part::idle), 0.020);
  EXPECT_DOUBLE_EQ(part(r, core::Part::gradient_sync), 0.020);
  EXPECT_DOUBLE_EQ(part(r, core::Part::optimizer), 0.012);
  EXPECT_DOUBLE_EQ(part(r, core::Part::overhead), 0.008);
  double sum = 0;
  for (const double seconds : r.breakdown_seconds) sum += seconds;
  EXPECT_DOUBLE_EQ(sum, r.total_seconds);
  // Busy 80 and 40, then 40 and 40 ms: (80 - 60 + 40 - 40) / (80 + 40).
  EXPECT_DOUBLE_EQ(r.imbalance, 20.0 / 120.0);
  // Tokens 100 and 60, then 30 and 30: (100 - 80 + 30 - 30) / (100 + 30).
  EXPECT_DOUBLE_EQ(r.token_imbalance, 20.0 / 130.0);
  EXPECT_DOUBLE_EQ(r.idle_rank_seconds, 0.040);
  // 100 + 60 + 40 + 20 useful of 275 executed tokens.
  EXPECT_EQ(r.useful_tokens, 220);
  EXPECT_EQ(r.padded_tokens, 275);
  EXPECT_DOUBLE_EQ(r.padding_ratio, 0.2);
  EXPECT_DOUBLE_EQ(r.useful_tokens_per_second, 220 / 0.16);
  EXPECT_DOUBLE_EQ(r.padded_tokens_per_second, 275 / 0.16);
  EXPECT_DOUBLE_EQ(r.sequences_per_second, 25);
  EXPECT_DOUBLE_EQ(r.model_flops_utilization.value(), 8e12 / (0.16 * 1e14));
  EXPECT_EQ(r.gpus, 4);
  EXPECT_EQ(r.ranks, 2);
  EXPECT_DOUBLE_EQ(r.gpu_hours, 4 * 0.16 / 3600);
  // Of 160 ms, 65 + 20 + 15 + 20 + 12 = 132 at 700 W and 28 at 100 W, on 4 GPUs.
  EXPECT_DOUBLE_EQ(r.energy_joules.value(), 4 * (0.132 * 700 + 0.028 * 100));
  EXPECT_EQ(r.peak_memory_bytes, 12e9);
  EXPECT_EQ(r.peak_step, 1);
  EXPECT_EQ(r.micro_batches, 3);
  EXPECT_EQ(r.communicators, 2);
  EXPECT_EQ(r.sp_degrees, (std::map<std::int32_t, std::int64_t>{{1, 2}, {2, 1}}));
  EXPECT_EQ(r.idle_ranks, 0);
  EXPECT_EQ(r.sequences, 4);
  EXPECT_EQ(r.dropped_sequences, 2);
  EXPECT_EQ(r.dropped_tokens, 507);
  EXPECT_EQ(r.truncated_tokens, 3);
  EXPECT_EQ(r.max_extrapolation, 1.5);
  EXPECT_EQ(r.accounting, "equal");
  EXPECT_EQ(r.workload_sha256, core::workload_sha256(run.workload));
  EXPECT_EQ(r.plan_digest, core::plan_digest(run.plan));
  EXPECT_FALSE(r.speedup_vs_bucket.has_value());
}

TEST(MakeResult, IdlePowerMayBeZero) {
  HandRun run = hand_run();
  run.facts.power->idle = core::Watts(0);
  const Result r = make_result(run.plan, run.workload, run.timeline, run.facts);
  // 132 ms busy at 700 W on 4 GPUs; waiting costs nothing.
  EXPECT_DOUBLE_EQ(r.energy_joules.value(), 4 * 0.132 * 700);
}

TEST(MakeResult, CountsRanksWithoutAMicroBatch) {
  HandRun run = hand_run();
  run.plan.ranks = run.timeline.ranks = 4;
  EXPECT_EQ(make_result(run.plan, run.workload, run.timeline, run.facts).idle_ranks, 2);
}

TEST(MakeResult, WithoutTimeOrFactsThereAreNoRatiosAndNoNan) {
  HandRun run = hand_run();
  for (core::StepTiming& step : run.timeline.steps) step = {};
  run.facts = {};
  run.facts.executed_tokens = 220;
  Report report;
  report.results = {make_result(run.plan, run.workload, run.timeline, run.facts)};
  const Result& r = report.results.front();
  EXPECT_EQ(r.useful_tokens_per_second, 0);
  EXPECT_EQ(r.imbalance, 0);
  EXPECT_EQ(r.token_imbalance, 0);
  EXPECT_FALSE(r.model_flops_utilization.has_value());
  EXPECT_FALSE(r.energy_joules.has_value());
  const std::string json = to_json(report), table = format_table(report);
  EXPECT_NE(json.find("\"useful_tokens_per_second\": null"), std::string::npos);
  for (const std::string& text : {json, table}) {
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf\n"), std::string::npos) << text;
  }
}

TEST(MakeResult, EmptyPlan) {
  HandRun run = hand_run();
  run.plan.steps.clear();
  run.plan.micro_batches.clear();
  run.plan.sequence_ids.clear();
  run.timeline.steps.clear();
  const Result r = make_result(run.plan, run.workload, run.timeline, run.facts);
  EXPECT_EQ(r.step_seconds.count, 0);
  EXPECT_EQ(r.total_seconds, 0);
  EXPECT_EQ(r.padding_ratio, 1);  // 275 executed tokens, none useful
}

TEST(MakeResult, RefusesArgumentsThatContradictEachOther) {
  HandRun run = hand_run();
  run.timeline.steps.pop_back();
  EXPECT_THROW(make_result(run.plan, run.workload, run.timeline, run.facts), std::invalid_argument);
  run = hand_run();
  run.facts.executed_tokens = 219;
  EXPECT_THROW(make_result(run.plan, run.workload, run.timeline, run.facts), std::invalid_argument);
}

TEST(SetSpeedups, ComparesWithBucketOfTheSameCellAndSeed) {
  std::vector<Result> results = {made_result("bucket", {2}), made_result("dcp", {1}),
                                 made_result("dcp", {1}, 7), made_result("packed", {4})};
  results[3].workload_sha256 = std::string(64, 'b');
  set_speedups(results, {});
  EXPECT_DOUBLE_EQ(results[0].speedup_vs_bucket.value(), 1);
  EXPECT_DOUBLE_EQ(results[1].speedup_vs_bucket.value(), 2);
  EXPECT_FALSE(results[2].speedup_vs_bucket.has_value());
  EXPECT_EQ(results[2].speedup_reason, "bucket was not run");
  EXPECT_EQ(results[3].speedup_reason, "bucket ran another workload");
  set_speedups(results, {{results[2].model, results[2].dataset, "bucket", 7, "too long"}});
  EXPECT_EQ(results[2].speedup_reason, "bucket has no plan: too long");
}

}  // namespace
}  // namespace dcpbench::report

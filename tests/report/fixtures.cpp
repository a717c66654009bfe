#include "tests/report/fixtures.hpp"

namespace dcpbench::report {

namespace {

core::PartTimes milliseconds(std::array<std::int64_t, core::kParts> values) {
  core::PartTimes parts;
  for (std::size_t i = 0; i < core::kParts; ++i) {
    parts.value[i] = core::Nanoseconds(values[i] * 1'000'000);
  }
  return parts;
}

core::StepTiming timing(const core::PartTimes& rank0, const core::PartTimes& rank1) {
  core::StepTiming step;
  step.duration = rank0.total();
  step.sum_over_ranks = rank0;
  step.sum_over_ranks += rank1;
  step.busy_max = std::max(rank0.busy(), rank1.busy());
  step.busy_sum = rank0.busy() + rank1.busy();
  step.slowest_rank = rank1.busy() > rank0.busy() ? 1 : 0;
  return step;
}

}  // namespace

HandRun hand_run() {
  HandRun run;
  run.workload.dataset = "hand";
  for (const std::int64_t tokens : {100, 60, 40, 20, 7}) {
    run.workload.sequences.push_back({.shape = {.tokens = tokens}, .loss_tokens = tokens});
  }
  run.workload.steps = {{0, 2}, {2, 3}};
  run.workload.dropped_sequences = 1;
  run.workload.dropped_tokens = 500;
  run.workload.truncated_tokens = 3;

  run.plan.strategy = "dcp";
  run.plan.ranks = 2;
  run.plan.layers = 4;
  run.plan.micro_batches = {{.first_rank = 0,
                             .sp_degree = 1,
                             .first_sequence = 0,
                             .sequence_count = 1,
                             .loss_tokens = 100},
                            {.first_rank = 1,
                             .sp_degree = 1,
                             .first_sequence = 1,
                             .sequence_count = 1,
                             .loss_tokens = 60},
                            {.first_rank = 0,
                             .sp_degree = 2,
                             .first_sequence = 2,
                             .sequence_count = 2,
                             .loss_tokens = 60}};
  run.plan.steps = {{.first_micro_batch = 0, .micro_batch_count = 2, .loss_tokens = 160},
                    {.first_micro_batch = 2, .micro_batch_count = 1, .loss_tokens = 60}};
  run.plan.sequence_ids = {0, 1, 2, 3};
  run.plan.dropped = {4};
  run.plan.settings = {{"min_accumulation", "1"}};
  run.plan.warnings = {"a plan's warning"};

  // compute, recompute, communication, idle, gradient_sync, optimizer, overhead
  const core::PartTimes a0 = milliseconds({60, 20, 0, 0, 10, 6, 4});   // 100
  const core::PartTimes a1 = milliseconds({30, 10, 0, 40, 10, 6, 4});  // 100
  const core::PartTimes b = milliseconds({20, 5, 15, 0, 10, 6, 4});    // 60, both ranks
  run.timeline.ranks = 2;
  run.timeline.steps = {timing(a0, a1), timing(b, b)};
  run.timeline.steps[0].tokens_max = 100;
  run.timeline.steps[0].tokens_sum = 160;
  run.timeline.steps[0].peak_memory = core::Bytes(10e9);
  run.timeline.steps[1].tokens_max = 30;
  run.timeline.steps[1].tokens_sum = 60;
  run.timeline.steps[1].peak_memory = core::Bytes(12e9);
  run.timeline.rank_totals = {a0, a1};
  for (core::PartTimes& total : run.timeline.rank_totals) total += b;
  run.timeline.cells = {a0, a1, b, b};
  run.timeline.max_extrapolation = 1.5;

  run.facts.model = "tiny-1d";
  run.facts.seed = 3;
  run.facts.gpus_per_rank = 2;
  run.facts.executed_tokens = 275;
  run.facts.model_flops = 8e12;
  run.facts.peak_flops = 1e14;
  run.facts.power = {core::Watts(100), core::Watts(700)};
  run.facts.memory_capacity_bytes = 20e9;
  run.facts.peak_memory_parts_bytes = {{"parameters", 9e9}, {"activations", 3e9}};
  run.facts.lower_bound_seconds = 0.08;
  run.facts.plan_seconds = 0.001;
  return run;
}

Result made_result(const std::string& strategy, std::array<double, core::kParts> parts,
                   std::uint64_t seed) {
  Result result;
  result.model = "transformer-1d-1.2b";
  result.dataset = "text-long";
  result.strategy = strategy;
  result.accounting = "equal";
  result.seed = seed;
  result.gpus = result.ranks = 32;
  result.workload_sha256 = std::string(64, 'a');
  result.plan_digest = std::string(64, 'c');
  result.sequences = 1000;
  result.useful_tokens = 1'000'000;
  result.padded_tokens = 1'250'000;
  result.padding_ratio = 0.2;
  result.steps = 4;
  result.micro_batches = 100;
  result.breakdown_seconds = parts;
  for (const double part : parts) result.total_seconds += part;
  result.useful_tokens_per_second = 1e6 / result.total_seconds;
  result.padded_tokens_per_second = 1.25e6 / result.total_seconds;
  result.sequences_per_second = 1000 / result.total_seconds;
  const double step = result.total_seconds / 4;
  result.step_seconds = summarize({step * 0.8, step, step, step * 1.2});
  result.imbalance = 0.25;
  result.model_flops_utilization = 0.4 / result.total_seconds;
  result.gpu_hours = 32 * result.total_seconds / 3600;
  result.peak_memory_bytes = 64.0 * 1024 * 1024 * 1024;
  result.memory_capacity_bytes = 128.0 * 1024 * 1024 * 1024;
  result.communicators = 3;
  result.sp_degrees = {{1, 60}, {8, 40}};
  result.lower_bound_seconds = 0.5;
  result.padding = "longest";
  return result;
}

Report made_report() {
  Report report;
  report.complete = true;
  report.command = "dcpbench simulate --dataset text-long";
  report.tool_version = "0.1.0";
  report.environment = {{"host", "node1"}};
  report.cluster = {{"name", "h200-4x8"}, {"gpus", "32"}, {"intra_node", "450 GB/s"}};
  report.warnings = {"seed 0 draws few long sequences"};
  report.results = {made_result("bucket", {0.8, 0.4, 0.1, 0.6, 0.05, 0.03, 0.02}),
                    made_result("dcp", {0.76, 0.03, 0.07, 0.05, 0.05, 0.03, 0.01})};
  report.results[1].settings = {{"min_accumulation", "1"}};
  report.infeasible = {{"transformer-1d-1.2b", "text-long", "packed", 0, "needs 3 GiB more"}};
  set_speedups(report.results, report.infeasible);
  report.recommendations = recommend(report.results, 0.08);
  return report;
}

}  // namespace dcpbench::report

// The result record: what one strategy did with one workload. Plain data; JSON, HDF5, table and
// compare only read it. Keys and their meaning: README, "Metrics".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/timeline.hpp"

namespace dcpbench::report {

struct Distribution {  // of step seconds
  double median = 0, mean = 0, min = 0, max = 0, p10 = 0, p90 = 0;
  std::int64_t count = 0;
};
// Quantiles by linear interpolation between order statistics (type 7). All zero for no values.
Distribution summarize(std::vector<double> values);

struct Result {
  std::string model;  // "none" for model-free clusters
  std::string dataset;
  std::string strategy;
  std::string accounting;
  std::string execution = "simulated";  // or "measured"
  std::uint64_t seed = 0;
  std::int32_t gpus = 0;
  std::int32_t ranks = 0;
  bool lockstep = false;
  std::string workload_sha256;
  std::string plan_digest;
  std::int64_t sequences = 0;  // executed
  std::int64_t useful_tokens = 0;
  std::int64_t padded_tokens = 0;  // executed tokens, padding included
  double padding_ratio = 0;        // (padded - useful) / padded
  std::int64_t dropped_sequences = 0;
  std::int64_t dropped_tokens = 0;
  std::int64_t truncated_tokens = 0;
  std::int64_t steps = 0;
  std::int64_t micro_batches = 0;
  std::int64_t empty_micro_batches = 0;
  double useful_tokens_per_second = 0;
  double padded_tokens_per_second = 0;
  double sequences_per_second = 0;
  std::optional<double> speedup_vs_bucket;
  std::string speedup_reason;  // why there is none
  double total_seconds = 0;
  Distribution step_seconds;
  // sum over steps of the mean over ranks, in seconds
  std::array<double, core::kParts> breakdown_seconds{};
  double imbalance = 0;
  double token_imbalance = 0;
  double idle_rank_seconds = 0;
  std::int32_t idle_ranks = 0;  // ranks that never run a micro-batch
  std::optional<double> model_flops_utilization;
  double gpu_hours = 0;
  std::optional<double> energy_joules;
  double peak_memory_bytes = 0;
  std::vector<std::pair<std::string, double>> peak_memory_parts_bytes;  // of the peak micro-batch
  double memory_capacity_bytes = 0;
  std::int64_t peak_step = 0;      // 0-based
  std::int64_t communicators = 0;  // per rank: the world and one per SP degree above 1 used
  std::map<std::int32_t, std::int64_t> sp_degrees;  // degree: micro-batches
  std::optional<double> lower_bound_seconds;
  double plan_seconds = 0;
  double max_extrapolation = 1;
  std::string padding;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> warnings;

  // Per-step and per-rank arrays, for HDF5.
  core::Timeline timeline;
};

// A strategy that has no plan for a workload: an ordinary answer.
struct InfeasibleResult {
  std::string model, dataset, strategy;
  std::uint64_t seed = 0;
  std::string reason;
};

struct Recommendation {
  std::string model, dataset, strategy;
  std::vector<std::pair<std::string, std::string>> settings;
  double gain = 1;              // useful tokens per second over the baseline's
  double gain_uncertainty = 0;  // relative
  std::string baseline;         // "bucket", or the slowest when bucket was not run
  std::string reason;
};

struct Report {
  static constexpr int kSchemaVersion = 1;
  bool complete = false;
  std::string command;  // the command line
  std::string tool_version;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> cluster;  // name, source, gpus, link rates, ...
  std::vector<std::string> warnings;
  std::vector<std::string> notes;               // how the sequences of every dataset were chosen
  std::vector<Recommendation> recommendations;  // one per model and dataset
  std::vector<Result> results;
  std::vector<InfeasibleResult> infeasible;
};

}  // namespace dcpbench::report

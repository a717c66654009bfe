// From a plan and its timeline to the result record.
#pragma once

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "core/timeline.hpp"
#include "report/result.hpp"

namespace dcpbench::report {

// What the record needs beside plan, workload and timeline, computed by the caller.
struct RunFacts {
  std::string model = "none";
  std::string execution = "simulated";
  std::uint64_t seed = 0;
  std::int32_t gpus_per_rank = 1;
  std::int64_t executed_tokens = 0;  // with all padding
  double model_flops = 0;            // of the executed sequences; 0: unknown
  double peak_flops = 0;             // FLOP/s of all GPUs; 0: unknown
  double idle_watts = 0, busy_watts = 0;  // per GPU; 0: unknown
  double memory_capacity_bytes = 0;
  std::vector<std::pair<std::string, double>> peak_memory_parts_bytes;
  std::optional<double> lower_bound_seconds;
  double plan_seconds = 0;
};

// Fills every key but speedup_vs_bucket.
Result make_result(const core::Plan& plan, const core::Workload& workload, core::Timeline timeline,
                   const RunFacts& facts);

// Sets speedup_vs_bucket of every result (same model, dataset, seed and accounting), or its reason.
void set_speedups(std::vector<Result>& results);

// The recommendation of every (model, dataset), over the seeds; differences below `uncertainty`
// (relative) are called equal, and of equals the one listed first in reporting order wins.
std::vector<Recommendation> recommend(const std::vector<Result>& results, double uncertainty);

}  // namespace dcpbench::report

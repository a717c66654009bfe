// From a plan and its timeline to the result record.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster.hpp"
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
  std::int64_t executed_tokens = 0;  // with all padding; at least the useful tokens
  double model_flops = 0;            // of the executed sequences; 0: unknown
  double peak_flops = 0;             // FLOP/s of all GPUs; 0: unknown
  std::optional<core::Power> power;  // per GPU; nothing: unknown
  double memory_capacity_bytes = 0;
  std::vector<std::pair<std::string, double>> peak_memory_parts_bytes;
  std::optional<double> lower_bound_seconds;
  double plan_seconds = 0;
};

// Fills every key but speedup_vs_bucket. `plan`, `timeline` and `facts` cover the same steps; a run
// that stopped early is given with the plan of the steps it finished. Rates are 0 and ratios of
// nothing 0 or absent when the time is 0. peak_step is the 0-based index of the first step with the
// highest peak. Throws std::invalid_argument when the arguments contradict each other.
Result make_result(const core::Plan& plan, const core::Workload& workload, core::Timeline timeline,
                   const RunFacts& facts);

// Sets speedup_vs_bucket of every result (same model, dataset, seed, accounting and execution), or
// the reason why there is none; `infeasible` lets the reason say why bucket has no plan.
void set_speedups(std::vector<Result>& results, const std::vector<InfeasibleResult>& infeasible);

// The recommendation of every (model, dataset), over the seeds. `results` are in reporting order.
// A gain is the mean over seeds of the ratio of useful tokens per second to the baseline's;
// gain_uncertainty joins `uncertainty` (relative, of a predicted ratio) and the standard deviation
// over seeds as independent errors. Strategies nearer to the best than that are called equal, and
// of equals the one listed first wins. Only strategies with a result for every seed are considered.
std::vector<Recommendation> recommend(const std::vector<Result>& results, double uncertainty);

}  // namespace dcpbench::report

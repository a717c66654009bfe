// The keys of a report, listed once and in the order of the file: the writer and the reader walk
// the same lists. `Fields` offers
//   key(name, value)    a key of the schema; the reader insists on it
//   rate(name, value)   the same, but null when there was no time to divide by
//   extra(name, value)  a key that a reader may miss
// Internal to report/.
#pragma once

#include "report/result.hpp"

namespace dcpbench::report {

template <class Fields, class Record>  // Result or const Result, and so on below
void visit_result(Fields& fields, Record& r) {
  fields.key("model", r.model);
  fields.key("dataset", r.dataset);
  fields.key("strategy", r.strategy);
  fields.key("accounting", r.accounting);
  fields.key("execution", r.execution);
  fields.key("seed", r.seed);
  fields.key("gpus", r.gpus);
  fields.extra("ranks", r.ranks);
  fields.key("lockstep", r.lockstep);
  fields.key("workload_sha256", r.workload_sha256);
  fields.key("plan_digest", r.plan_digest);
  fields.key("sequences", r.sequences);
  fields.key("useful_tokens", r.useful_tokens);
  fields.key("padded_tokens", r.padded_tokens);
  fields.key("padding_ratio", r.padding_ratio);
  fields.extra("padding", r.padding);
  fields.key("dropped_sequences", r.dropped_sequences);
  fields.key("dropped_tokens", r.dropped_tokens);
  fields.key("truncated_tokens", r.truncated_tokens);
  fields.key("steps", r.steps);
  fields.key("micro_batches", r.micro_batches);
  fields.key("empty_micro_batches", r.empty_micro_batches);
  fields.rate("useful_tokens_per_second", r.useful_tokens_per_second);
  fields.extra("padded_tokens_per_second", r.padded_tokens_per_second);
  fields.rate("sequences_per_second", r.sequences_per_second);
  fields.key("speedup_vs_bucket", r.speedup_vs_bucket);
  fields.extra("speedup_reason", r.speedup_reason);
  fields.key("total_seconds", r.total_seconds);
  fields.key("step_seconds", r.step_seconds);
  fields.key("breakdown_seconds", r.breakdown_seconds);
  fields.key("imbalance", r.imbalance);
  fields.key("token_imbalance", r.token_imbalance);
  fields.key("idle_rank_seconds", r.idle_rank_seconds);
  fields.extra("idle_ranks", r.idle_ranks);
  fields.key("model_flops_utilization", r.model_flops_utilization);
  fields.key("gpu_hours", r.gpu_hours);
  fields.key("energy_joules", r.energy_joules);
  fields.key("peak_memory_bytes", r.peak_memory_bytes);
  fields.extra("peak_memory_parts_bytes", r.peak_memory_parts_bytes);
  fields.key("memory_capacity_bytes", r.memory_capacity_bytes);
  fields.key("peak_step", r.peak_step);
  fields.key("communicators", r.communicators);
  fields.key("sp_degrees", r.sp_degrees);
  fields.key("lower_bound_seconds", r.lower_bound_seconds);
  fields.key("plan_seconds", r.plan_seconds);
  fields.extra("max_extrapolation", r.max_extrapolation);
  fields.extra("settings", r.settings);
  fields.extra("warnings", r.warnings);
}

template <class Fields, class Record>
void visit_distribution(Fields& fields, Record& d) {
  fields.rate("median", d.median);
  fields.rate("mean", d.mean);
  fields.rate("min", d.min);
  fields.rate("max", d.max);
  fields.rate("p10", d.p10);
  fields.rate("p90", d.p90);
  fields.key("count", d.count);
}

template <class Fields, class Record>
void visit_recommendation(Fields& fields, Record& r) {
  fields.key("model", r.model);
  fields.key("dataset", r.dataset);
  fields.key("strategy", r.strategy);
  fields.key("settings", r.settings);
  fields.key("gain", r.gain);
  fields.key("gain_uncertainty", r.gain_uncertainty);
  fields.extra("baseline", r.baseline);
  fields.key("reason", r.reason);
}

template <class Fields, class Record>
void visit_infeasible(Fields& fields, Record& r) {
  fields.key("model", r.model);
  fields.key("dataset", r.dataset);
  fields.key("strategy", r.strategy);
  fields.key("seed", r.seed);
  fields.key("reason", r.reason);
}

// All but the lists of records.
template <class Fields, class Record>
void visit_head(Fields& fields, Record& r) {
  fields.key("complete", r.complete);
  fields.key("command", r.command);
  fields.key("tool_version", r.tool_version);
  fields.key("environment", r.environment);
  fields.key("cluster", r.cluster);
  fields.key("warnings", r.warnings);
  fields.extra("notes", r.notes);
}

}  // namespace dcpbench::report

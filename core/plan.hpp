// The plan: the steps of a run as pure data. The simulator and the runtime execute the same plan.
//
// A step is an ordered list of micro-batches, each with its block of consecutive ranks. Every rank
// runs, in list order, those whose block contains it, so a rank can be in groups of different sizes
// within a step. World collectives (gradient reduction, update) come after all of a rank's
// micro-batches, also on ranks that had none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sequence.hpp"

namespace dcpbench::core {

enum class Accounting {
  equal,  // the workload fixes the sequences of every optimizer step
  native  // the strategy composes its own steps, as it was published
};
enum class Padding {
  longest,  // each sequence of a micro-batch is padded to the longest of it
  none      // variable-length attention; padded only to what sequence parallelism needs
};
enum class SpMethod { ulysses, dsp };

std::string_view to_string(Accounting accounting);
std::string_view to_string(Padding padding);
std::string_view to_string(SpMethod method);

// What one SP group runs forward and backward at once.
struct MicroBatch {
  std::int32_t first_rank = 0;  // a multiple of sp_degree
  std::int32_t sp_degree = 1;
  std::int32_t recompute_layers = 0;
  std::int32_t round = 0;            // lockstep: the round of the step it runs in; else 0
  std::uint32_t first_sequence = 0;  // its range in Plan::sequence_ids
  std::uint32_t sequence_count = 0;  // at least 1
  std::int64_t loss_tokens = 0;      // weight = loss_tokens / the step's loss_tokens
  bool closing = false;  // the last of the step for all ranks of its block: gradient reduction may
                         // overlap its backward
};

struct Step {
  std::uint32_t first_micro_batch = 0;  // its range in Plan::micro_batches
  std::uint32_t micro_batch_count = 0;
  std::int32_t rounds = 0;  // lockstep: number of rounds; else 0
  std::int64_t loss_tokens = 0;
};

// Flat arrays (no vector per micro-batch): a plan of a million sequences is three allocations.
struct Plan {
  std::string strategy;
  Accounting accounting = Accounting::equal;
  Padding padding = Padding::longest;
  SpMethod sp_method = SpMethod::ulysses;
  std::int32_t ranks = 1;
  std::int32_t layers = 0;  // of the model: the limit of recompute_layers
  std::int32_t zero = 1;
  bool lockstep = false;  // ZeRO-3: ranks run the step round by round

  std::vector<Step> steps;
  std::vector<MicroBatch> micro_batches;
  std::vector<std::uint32_t> sequence_ids;
  std::vector<std::uint32_t> dropped;  // ids that the strategy left out (--drop-last), ascending

  // What the strategy chose, for people: ("sp_degree", "8"), ... and what they should know.
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> warnings;

  [[nodiscard]] std::span<const MicroBatch> micro_batches_of(const Step& step) const {
    return std::span(micro_batches).subspan(step.first_micro_batch, step.micro_batch_count);
  }
  [[nodiscard]] std::span<const std::uint32_t> sequences_of(const MicroBatch& batch) const {
    return std::span(sequence_ids).subspan(batch.first_sequence, batch.sequence_count);
  }
};

// Sets MicroBatch::closing of every micro-batch from the order and the blocks.
void mark_closing(Plan& plan);

// Ranks without a micro-batch in a round, summed over all rounds of a lockstep plan; else 0.
std::int64_t count_empty_micro_batches(const Plan& plan);

// Micro-batches by SP degree.
std::map<std::int32_t, std::int64_t> count_sp_degrees(const Plan& plan);
// Communicators per rank: the world and one per SP degree above 1 that the plan uses.
std::int64_t count_communicators(const Plan& plan);

// SHA-256 (hex) of a canonical text of the plan's integers.
std::string plan_digest(const Plan& plan);

// JSON: exact key sets, schema_version 1. from_json throws Error(usage) that names the key (and
// `origin`, e.g. the file) for anything missing, unknown, out of range or inconsistent.
std::string plan_to_json(const Plan& plan);
Plan plan_from_json(std::string_view text, std::string_view origin);

}  // namespace dcpbench::core

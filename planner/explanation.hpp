// Why a plan is as it is: per length class the candidates considered, why each was refused and why
// one won. Filled on request (--explain); plain data for the report and the terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace dcpbench::planner {

struct Candidate {
  std::int32_t sp_degree = 1;
  std::int64_t batch = 0;  // sequences of a micro-batch; packs: tokens
  std::int32_t recompute_layers = 0;
  core::Nanoseconds time{0};          // of the micro-batch
  double tokens_per_rank_second = 0;  // useful tokens / (degree x time)
  core::Bytes memory{0};
  bool chosen = false;
  std::string reason;  // "head rule: ...", "over memory by 3.1 GiB", "1.13x slower than the best"
};

struct ClassExplanation {
  std::string label;  // "1025..2048 tokens", "T 15 x S 144"
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
  std::vector<Candidate> candidates;
};

// A fixed setting of a baseline, planned and predicted as a whole (fairness table).
struct FixedSetting {
  std::int32_t sp_degree = 1;
  std::optional<bool> median_cut;    // nothing: the strategy has no such cut
  std::int32_t least_recompute = 0;  // recomputed layers over the micro-batches
  std::int32_t most_recompute = 0;
  bool is_used = false;        // it is the plan's own
  bool is_default = false;     // so, and no option fixed any of it
  core::Nanoseconds total{0};  // predicted; 0 when infeasible
  std::string reason;          // why infeasible
};

struct Explanation {
  std::string strategy;
  std::vector<ClassExplanation> classes;
  std::vector<FixedSetting> fixed_settings;
  std::vector<std::string> notes;
};

}  // namespace dcpbench::planner

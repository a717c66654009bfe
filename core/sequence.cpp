#include "core/sequence.hpp"

#include <algorithm>

#include "core/sha256.hpp"

namespace dcpbench::core {

std::int64_t Workload::total_tokens() const {
  std::int64_t sum = 0;
  for (const Sequence& sequence : sequences) sum += sequence.shape.tokens;
  return sum;
}

void split_steps_by_tokens(Workload& workload, std::int64_t step_tokens) {
  workload.steps.clear();
  SequenceRange step;
  std::int64_t tokens = 0;
  for (std::uint32_t id = 0; id < workload.sequences.size(); ++id) {
    const std::int64_t length = workload.sequences[id].shape.tokens;
    if (step.count > 0 && tokens + length > step_tokens) {
      workload.steps.push_back(step);
      step = {id, 0};
      tokens = 0;
    }
    ++step.count;
    tokens += length;
  }
  if (step.count > 0) workload.steps.push_back(step);
}

void split_steps_by_count(Workload& workload, std::int64_t step_sequences) {
  workload.steps.clear();
  const auto total = static_cast<std::int64_t>(workload.sequences.size());
  for (std::int64_t first = 0; first < total; first += step_sequences) {
    workload.steps.push_back({static_cast<std::uint32_t>(first),
                              static_cast<std::uint32_t>(std::min(step_sequences, total - first))});
  }
}

void single_step(Workload& workload) {
  workload.steps = {{0, static_cast<std::uint32_t>(workload.sequences.size())}};
}

std::string workload_sha256(const Workload& workload) {
  Sha256 hash;
  hash.add("dcpbench workload 1\n");
  for (const Sequence& sequence : workload.sequences) {
    hash.add(sequence.shape.tokens);
    hash.add(sequence.shape.frames);
    hash.add(sequence.shape.tokens_per_frame);
    hash.add(sequence.loss_tokens);
  }
  hash.add("\nsteps\n");
  for (const SequenceRange& step : workload.steps) hash.add(std::int64_t{step.count});
  return hash.finish();
}

}  // namespace dcpbench::core

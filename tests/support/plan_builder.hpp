// Short notation for small plans, and random valid ones. Every sequence is used exactly once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/plan.hpp"
#include "core/random.hpp"
#include "core/sequence.hpp"

namespace dcpbench::test_support {

struct PlannedWorkload {
  core::Workload workload;
  core::Plan plan;

  explicit PlannedWorkload(std::int32_t ranks) { plan.ranks = ranks; }

  void begin_step(std::int32_t rounds = 0) {
    plan.steps.push_back({static_cast<std::uint32_t>(plan.micro_batches.size()), 0, rounds, 0});
    workload.steps.push_back({static_cast<std::uint32_t>(workload.sequences.size()), 0});
  }
  // One micro-batch of new sequences with these lengths.
  void add(std::int32_t first_rank, std::int32_t degree, const std::vector<std::int64_t>& lengths,
           std::int32_t round = 0) {
    core::MicroBatch batch;
    batch.first_rank = first_rank;
    batch.sp_degree = degree;
    batch.round = round;
    batch.first_sequence = static_cast<std::uint32_t>(plan.sequence_ids.size());
    batch.sequence_count = static_cast<std::uint32_t>(lengths.size());
    for (const std::int64_t length : lengths) {
      plan.sequence_ids.push_back(static_cast<std::uint32_t>(workload.sequences.size()));
      workload.sequences.push_back({{length, 0, 0}, length, plan.sequence_ids.back()});
      batch.loss_tokens += length;
    }
    plan.micro_batches.push_back(batch);
    core::Step& step = plan.steps.back();
    ++step.micro_batch_count;
    step.loss_tokens += batch.loss_tokens;
    workload.steps.back().count += batch.sequence_count;
  }
};

inline std::int32_t random_degree(core::Random& random, std::int32_t ranks) {
  std::int32_t degree = 1;
  while (degree * 2 <= ranks && random.below(2) == 0) degree *= 2;
  return degree;
}

// Adds 1 to 3 sequences of 1 to 1000 tokens.
inline void add_random(core::Random& random, PlannedWorkload& planned, std::int32_t first_rank,
                       std::int32_t degree, std::int32_t round) {
  std::vector<std::int64_t> lengths(1 + random.below(3));
  for (std::int64_t& length : lengths) length = static_cast<std::int64_t>(1 + random.below(1000));
  planned.add(first_rank, degree, lengths, round);
}

// 1 to 4 steps. Free-running: 1 to 3 x ranks micro-batches at random aligned blocks. Lockstep: 1 to
// 4 rounds; every round has a micro-batch and leaves some ranks empty.
inline PlannedWorkload random_plan(core::Random& random, std::int32_t ranks, bool lockstep) {
  PlannedWorkload result(ranks);
  result.plan.lockstep = lockstep;
  if (lockstep) result.plan.zero = 3;
  for (std::uint64_t steps = 1 + random.below(4); steps > 0; --steps) {
    if (lockstep) {
      const auto rounds = static_cast<std::int32_t>(1 + random.below(4));
      result.begin_step(rounds);
      for (std::int32_t round = 0; round < rounds; ++round) {
        const std::size_t before = result.plan.micro_batches.size();
        for (std::int32_t rank = 0; rank < ranks;) {
          const std::int32_t degree = random_degree(random, ranks);
          const bool fits = rank % degree == 0 && rank + degree <= ranks;
          if (fits && random.below(3) > 0) add_random(random, result, rank, degree, round);
          rank += fits ? degree : 1;
        }
        if (result.plan.micro_batches.size() == before) add_random(random, result, 0, 1, round);
      }
    } else {
      result.begin_step();
      const std::uint64_t batches = 1 + random.below(3 * static_cast<std::uint64_t>(ranks));
      for (std::uint64_t i = 0; i < batches; ++i) {
        const std::int32_t degree = random_degree(random, ranks);
        const auto block = random.below(static_cast<std::uint64_t>(ranks / degree));
        add_random(random, result, static_cast<std::int32_t>(block) * degree, degree, 0);
      }
    }
  }
  core::mark_closing(result.plan);
  return result;
}

}  // namespace dcpbench::test_support

// A scripted communicator: every rank is a list of collectives and blocks in each until all members
// of its communicator are there. One thread; a plan that could hang a real run is found in any
// order of execution, because who waits for whom does not depend on time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan.hpp"

namespace dcpbench::test_support {

// One collective call of a rank: the communicator is the block of ranks, `tag` what it is for. The
// members meet in the order of their calls, whatever the tags; differing tags are a mix-up.
struct Call {
  std::int32_t first_rank = 0;
  std::int32_t size = 1;
  std::string tag;
};

class BlockingWorld {
 public:
  explicit BlockingWorld(std::int32_t ranks) : programs_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(programs_.size()); }
  void add(std::int32_t rank, Call call) {
    programs_[static_cast<std::size_t>(rank)].calls.push_back(std::move(call));
  }
  // The same call on each of its members.
  void add_to_all(const Call& call) {
    for (std::int32_t i = 0; i < call.size; ++i) add(call.first_rank + i, call);
  }

  // Runs until all ranks have finished (nothing is returned) or none can move: then a line for each
  // rank that waits, "rank 1 waits in all-to-all 0 of [0, 2) for rank 0 (in update of [0, 4))".
  [[nodiscard]] std::optional<std::string> run() {
    std::vector<std::int32_t> to_visit;
    for (std::int32_t rank = ranks(); rank-- > 0;) to_visit.push_back(rank);
    // Only a rank that has just moved can complete a collective: each call is visited once per
    // member, not once per round over all ranks.
    while (!to_visit.empty()) {
      const std::int32_t rank = to_visit.back();
      to_visit.pop_back();
      const Call* call = current(rank);
      if (call == nullptr || !absent_member(*call).empty()) continue;
      for (std::int32_t i = 0; i < call->size; ++i) {
        const std::int32_t member = call->first_rank + i;
        if (current(member)->tag != call->tag) {
          return name(member) + " is in " + text(*current(member)) + " while " + name(rank) +
                 " is in " + text(*call);
        }
      }
      const std::int32_t first = call->first_rank;
      for (std::int32_t i = call->size; i-- > 0;) {
        ++programs_[static_cast<std::size_t>(first + i)].next;
        to_visit.push_back(first + i);
      }
    }
    std::string report;
    for (std::int32_t rank = 0; rank < ranks(); ++rank) {
      if (const Call* call = current(rank)) {
        report += name(rank) + " waits in " + text(*call) + " for " + absent_member(*call) + "\n";
      }
    }
    return report.empty() ? std::nullopt : std::optional(report);
  }

 private:
  struct Program {
    std::vector<Call> calls;
    std::size_t next = 0;
  };

  [[nodiscard]] const Call* current(std::int32_t rank) const {
    const Program& program = programs_[static_cast<std::size_t>(rank)];
    return program.next < program.calls.size() ? &program.calls[program.next] : nullptr;
  }
  // The first member that is not in a call on this communicator and where it is; empty: all there.
  [[nodiscard]] std::string absent_member(const Call& call) const {
    for (std::int32_t i = 0; i < call.size; ++i) {
      const Call* other = current(call.first_rank + i);
      if (other == nullptr) return name(call.first_rank + i) + " (finished)";
      if (other->first_rank != call.first_rank || other->size != call.size) {
        return name(call.first_rank + i) + " (in " + text(*other) + ")";
      }
    }
    return "";
  }
  static std::string name(std::int32_t rank) { return "rank " + std::to_string(rank); }
  static std::string text(const Call& call) {
    return call.tag + " of [" + std::to_string(call.first_rank) + ", " +
           std::to_string(call.first_rank + call.size) + ")";
  }

  std::vector<Program> programs_;
};

// The collectives of every rank for a whole plan, as a runtime that blocks in each would call them:
// - a group meets twice per micro-batch (more often would add nothing);
// - in a closing micro-batch half of the gradient reduction is called between the two (the
// overlap),
//   by all other ranks after their micro-batches; then the rest of the reduction, norm, loss,
//   update;
// - lockstep: the world gathers parameters before and after the group's part of every round, ranks
//   without a micro-batch too.
inline BlockingWorld blocking_world(const core::Plan& plan) {
  BlockingWorld world(plan.ranks);
  const auto whole = [&plan](std::string tag) { return Call{0, plan.ranks, std::move(tag)}; };
  const auto add_block = [&](const core::MicroBatch& batch, bool overlap) {
    const std::string id = std::to_string(&batch - plan.micro_batches.data());
    world.add_to_all({batch.first_rank, batch.sp_degree, "forward " + id});
    for (std::int32_t i = 0; overlap && i < batch.sp_degree; ++i) {
      world.add(batch.first_rank + i, whole("first half of the reduction"));
    }
    world.add_to_all({batch.first_rank, batch.sp_degree, "backward " + id});
  };
  std::vector<bool> has_begun_reduction(static_cast<std::size_t>(plan.ranks));
  for (const core::Step& step : plan.steps) {
    std::fill(has_begun_reduction.begin(), has_begun_reduction.end(), false);
    if (plan.lockstep) {
      for (std::int32_t round = 0; round < step.rounds; ++round) {
        world.add_to_all(whole("gather before round " + std::to_string(round)));
        for (const core::MicroBatch& batch : plan.micro_batches_of(step)) {
          if (batch.round == round) add_block(batch, false);
        }
        world.add_to_all(whole("gather after round " + std::to_string(round)));
      }
    } else {
      for (const core::MicroBatch& batch : plan.micro_batches_of(step)) {
        add_block(batch, batch.closing);
        for (std::int32_t i = 0; batch.closing && i < batch.sp_degree; ++i) {
          has_begun_reduction[static_cast<std::size_t>(batch.first_rank + i)] = true;
        }
      }
    }
    for (std::int32_t rank = 0; rank < plan.ranks; ++rank) {
      if (!has_begun_reduction[static_cast<std::size_t>(rank)]) {
        world.add(rank, whole("first half of the reduction"));
      }
    }
    for (const char* tag : {"second half of the reduction", "norm", "loss", "update"}) {
      world.add_to_all(whole(tag));
    }
  }
  return world;
}

}  // namespace dcpbench::test_support

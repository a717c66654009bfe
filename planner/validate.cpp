#include "planner/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/shapes.hpp"

namespace dcpbench::planner {

namespace {

class Validator {
 public:
  Validator(const core::Plan& plan, const core::Workload& workload, const CostModel& cost)
      : plan_(plan), workload_(workload), cost_(cost) {}

  std::vector<std::string> run() {
    check_header();
    // Ranges and blocks must hold before anything is followed through them.
    if (faults_.empty()) check_ranges();
    if (faults_.empty()) check_blocks();
    if (!faults_.empty()) return std::move(faults_);
    check_sequences();
    if (faults_.empty() && plan_.accounting == core::Accounting::equal) check_steps();
    if (!faults_.empty()) return std::move(faults_);
    for (std::size_t s = 0; s < plan_.steps.size() && !full(); ++s) {
      check_weights(s);
      check_micro_batches(s);
      if (plan_.lockstep) check_rounds(s);
    }
    check_closing();
    return std::move(faults_);
  }

 private:
  [[nodiscard]] bool full() const { return faults_.size() >= kMaxFaults; }

  template <class... Args>
  void fault(fmt::format_string<Args...> text, Args&&... args) {
    if (!full()) faults_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void check_header() {
    if (plan_.ranks != cost_.ranks()) {
      fault("the plan is for {} ranks, the cluster has {}", plan_.ranks, cost_.ranks());
    }
    if (plan_.layers != cost_.layers()) {
      fault("the plan is for {} layers, the model has {}", plan_.layers, cost_.layers());
    }
    if (plan_.zero != cost_.zero()) {
      fault("the plan is for ZeRO-{}, the run uses ZeRO-{}", plan_.zero, cost_.zero());
    }
    if (plan_.sp_method != cost_.sp_method()) {
      fault("the plan is for --sp-method {}, the run uses {}", core::to_string(plan_.sp_method),
            core::to_string(cost_.sp_method()));
    }
    if (cost_.lockstep() && !plan_.lockstep) {
      fault(
          "a free-running plan can't run where every round waits for all ranks (ZeRO-3); plan "
          "again with --zero 3");
    }
    if (plan_.steps.empty()) fault("the plan has 0 steps");
  }

  void check_ranges() {
    std::uint64_t next = 0;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const core::Step& step = plan_.steps[s];
      if (step.first_micro_batch != next) fault("step {}: micro-batches are not contiguous", s);
      if (step.micro_batch_count == 0) fault("step {} has no micro-batch", s);
      next += step.micro_batch_count;
    }
    if (next != plan_.micro_batches.size()) {
      fault("the steps hold {} micro-batches, the plan {}", next, plan_.micro_batches.size());
    }
    next = 0;
    for (std::size_t m = 0; m < plan_.micro_batches.size(); ++m) {
      const core::MicroBatch& batch = plan_.micro_batches[m];
      if (batch.first_sequence != next) fault("micro-batch {}: sequences are not contiguous", m);
      if (batch.sequence_count == 0) fault("micro-batch {} has no sequence", m);
      next += batch.sequence_count;
    }
    if (next != plan_.sequence_ids.size()) {
      fault("the micro-batches hold {} sequences, the plan {}", next, plan_.sequence_ids.size());
    }
  }

  void check_blocks() {
    for (std::size_t m = 0; m < plan_.micro_batches.size(); ++m) {
      const core::MicroBatch& batch = plan_.micro_batches[m];
      if (batch.sp_degree < 1 || batch.sp_degree > plan_.ranks) {
        fault("micro-batch {}: SP degree {} is not in 1..{}", m, batch.sp_degree, plan_.ranks);
        continue;
      }
      if (batch.first_rank < 0 || batch.first_rank > plan_.ranks - batch.sp_degree) {
        fault("micro-batch {}: ranks {}..{} are not all in 0..{}", m, batch.first_rank,
              std::int64_t{batch.first_rank} + batch.sp_degree - 1, plan_.ranks - 1);
      } else if (batch.first_rank % batch.sp_degree != 0) {
        fault("micro-batch {}: first rank {} is not a multiple of its SP degree {}", m,
              batch.first_rank, batch.sp_degree);
      }
      if (batch.recompute_layers < 0 || batch.recompute_layers > plan_.layers) {
        fault("micro-batch {}: {} recomputed layers are not in 0..{}", m, batch.recompute_layers,
              plan_.layers);
      }
    }
  }

  void check_sequences() {
    std::vector<std::uint8_t> seen(workload_.sequences.size(), 0);
    const auto mark = [&](std::uint32_t id, const char* where) {
      if (id >= seen.size()) {
        fault("sequence {} ({}) does not exist: the workload has {}", id, where, seen.size());
      } else if (seen[id]++ != 0) {
        seen[id] = 1;
        fault("sequence {} ({} tokens) is in the plan more than once", id,
              workload_.sequences[id].shape.tokens);
      }
    };
    for (const std::uint32_t id : plan_.sequence_ids) mark(id, "executed");
    for (const std::uint32_t id : plan_.dropped) mark(id, "dropped");
    const auto missing = std::count(seen.begin(), seen.end(), 0);
    if (missing > 0) {
      const auto first = std::find(seen.begin(), seen.end(), 0) - seen.begin();
      fault("{} of {} sequences are not in the plan, the first is {}", missing, seen.size(), first);
    }
  }

  // Under `equal` the workload says which sequences a step trains on.
  void check_steps() {
    if (plan_.steps.size() != workload_.steps.size()) {
      fault("the plan has {} steps, the workload {} (--step-tokens, --step-sequences)",
            plan_.steps.size(), workload_.steps.size());
      return;
    }
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const core::SequenceRange& range = workload_.steps[s];
      std::size_t count = 0;
      for (const core::MicroBatch& batch : plan_.micro_batches_of(plan_.steps[s])) {
        for (const std::uint32_t id : plan_.sequences_of(batch)) {
          ++count;
          if (id - range.first < range.count) continue;
          fault("step {} runs sequence {}, which the workload has in another step", s, id);
          return;
        }
      }
      if (count != range.count) {
        fault("step {} runs {} sequences, the workload's step has {}", s, count, range.count);
      }
    }
  }

  void check_weights(std::size_t s) {
    const core::Step& step = plan_.steps[s];
    std::int64_t sum = 0;
    for (const core::MicroBatch& batch : plan_.micro_batches_of(step)) {
      std::int64_t tokens = 0;
      for (const std::uint32_t id : plan_.sequences_of(batch)) {
        tokens += workload_.sequences[id].loss_tokens;
      }
      if (tokens != batch.loss_tokens) {
        fault("step {}: a micro-batch on rank {} says {} loss tokens, its sequences have {}", s,
              batch.first_rank, batch.loss_tokens, tokens);
      }
      sum += tokens;
    }
    if (step.loss_tokens != sum || sum == 0) {
      fault(
          "step {}: weights do not sum to 1: the step says {} loss tokens, its micro-batches have "
          "{}",
          s, step.loss_tokens, sum);
    }
  }

  void check_micro_batches(std::size_t s) {
    for (const core::MicroBatch& batch : plan_.micro_batches_of(plan_.steps[s])) {
      if (const auto refused = cost_.refuse_degree(batch.sp_degree)) {
        fault("step {}: SP degree {}: {}", s, batch.sp_degree, *refused);
        continue;
      }
      executed_shapes(plan_.sequences_of(batch), workload_, plan_.padding, shapes_);
      if (cost_.fits(shapes_, batch.sp_degree, batch.recompute_layers)) continue;
      const core::Bytes bytes = cost_.peak_memory(shapes_, batch.sp_degree, batch.recompute_layers);
      if (cost_.capacity().value() > 0 && bytes > cost_.capacity()) {
        fault(
            "step {}: a micro-batch of {} sequences on ranks {}..{} needs {:.2f} GiB of {:.2f} GiB",
            s, batch.sequence_count, batch.first_rank, batch.first_rank + batch.sp_degree - 1,
            bytes / core::kGiB, cost_.capacity() / core::kGiB);
      } else {
        fault(
            "step {}: a micro-batch on rank {} has {} executed tokens on {} ranks, the cap is {} "
            "each",
            s, batch.first_rank, cost_.executed_tokens(shapes_, batch.sp_degree), batch.sp_degree,
            cost_.rank_tokens());
      }
    }
  }

  // Rounds follow each other without a gap, and a rank runs at most one micro-batch in each.
  void check_rounds(std::size_t s) {
    const core::Step& step = plan_.steps[s];
    std::vector<std::int32_t> last(static_cast<std::size_t>(plan_.ranks), -1);
    std::int32_t previous = -1;
    for (const core::MicroBatch& batch : plan_.micro_batches_of(step)) {
      if (batch.round != previous && batch.round != previous + 1) {
        fault("step {}: round {} follows round {}", s, batch.round, previous);
        return;
      }
      previous = batch.round;
      for (std::int32_t rank = batch.first_rank; rank < batch.first_rank + batch.sp_degree;
           ++rank) {
        std::int32_t& round = last[static_cast<std::size_t>(rank)];
        if (round == batch.round) {
          fault("step {}: rank {} has two micro-batches in round {}", s, rank, batch.round);
          return;
        }
        round = batch.round;
      }
    }
    if (previous + 1 != step.rounds) {
      fault("step {} has {} rounds, its micro-batches fill {}", s, step.rounds, previous + 1);
    }
  }

  void check_closing() {
    core::Plan marked = plan_;
    core::mark_closing(marked);
    for (std::size_t m = 0; m < plan_.micro_batches.size() && !full(); ++m) {
      if (marked.micro_batches[m].closing != plan_.micro_batches[m].closing) {
        fault("micro-batch {} is {}marked closing but is {}the last of all its ranks", m,
              plan_.micro_batches[m].closing ? "" : "not ",
              marked.micro_batches[m].closing ? "" : "not ");
      }
    }
  }

  const core::Plan& plan_;
  const core::Workload& workload_;
  const CostModel& cost_;
  std::vector<std::string> faults_;
  std::vector<ShapeGroup> shapes_;
};

}  // namespace

std::vector<std::string> validate(const core::Plan& plan, const core::Workload& workload,
                                  const CostModel& cost) {
  return Validator(plan, workload, cost).run();
}

}  // namespace dcpbench::planner

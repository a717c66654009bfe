// What the micro-batches of a plan cost on the simulated cluster.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"
#include "planner/shapes.hpp"

namespace dcpbench::sim {

struct BatchCost {
  planner::MicroBatchCost time;  // of each rank of the block, undisturbed
  core::Bytes peak_memory{0};
  std::int64_t useful_tokens = 0;  // of the whole block
};

// Keeps references to its arguments. Not safe to share between threads.
class BatchCosts {
 public:
  BatchCosts(const core::Plan& plan, const core::Workload& workload,
             const planner::CostModel& truth);

  // Asks the cost model, unless the micro-batch before was alike (strategies that work with length
  // classes emit runs of equal ones). Allocates only until the largest micro-batch has been seen.
  [[nodiscard]] BatchCost of(const core::MicroBatch& batch);

 private:
  const core::Plan& plan_;
  const core::Workload& workload_;
  const planner::CostModel& truth_;
  std::vector<planner::ShapeGroup> shapes_;
  std::vector<planner::ShapeGroup> last_shapes_;
  planner::Group last_group_{0, 0};
  std::int32_t last_recompute_layers_ = -1;
  BatchCost last_;
};

}  // namespace dcpbench::sim

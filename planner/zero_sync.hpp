// What ZeRO moves between all ranks (Rajbhandari et al. 2020). N parameters, gradients in fp32.
//
//   stage 0     all-reduce of the gradients, 4N
//   stage 1, 2  reduce-scatter of the gradients, 4N, and after the update all-gather of the
//               weights, 2N. Stage 2 keeps gradients whole until the last micro-batch: the same
//   stage 3     in every layer and micro-batch the weights are gathered for the forward and again
//               for the backward pass, 2N each, and gradients are scattered, 4N: nothing of it is
//               left for the end of the step
//   all         one number, for the gradient norm
//
// Gradients become ready layer by layer. What no backward pass can hide:
//   stage 0, 1, 2   the reduction of the last layer, the all-gather, the norm
//   stage 3         in every round the first gather and the last reduction of a layer
// Computation that hides a transfer of duration t is slowed by the cluster's overlap slowdown s
// while it lasts, so that t (1 - 1/s) of it stays exposed.
//
// The optimizer (Adam) moves 30 bytes per parameter: it reads gradient, master weight and two
// moments and writes the latter three and the bf16 weight. The gradient norm reads 4 bytes more.
// From stage 1 on a rank owns 1/D of the parameters.
//
// The norm takes little but a latency, which is known: it doesn't count as extrapolated, however
// small a buffer the measurement began with.
#pragma once

#include <cstdint>

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "core/units.hpp"
#include "planner/collective_model.hpp"
#include "planner/cost_model.hpp"
#include "planner/memory_model.hpp"

namespace dcpbench::planner {

class ZeroSync {
 public:
  ZeroSync(const core::Cluster& cluster, const core::Model& model, const Parallelism& parallelism,
           const CollectiveModel& collectives);

  [[nodiscard]] const StepCost& step() const { return step_; }
  // Stage 3: of the transfers of one round, what a rank that is busy for `busy` can't hide; else 0.
  [[nodiscard]] core::Nanoseconds exposed_gather(core::Nanoseconds busy) const;

 private:
  double slowdown_share_ = 0;  // of a hidden transfer that stays exposed
  double round_edge_ = 0;      // seconds
  double round_inner_ = 0;
  StepCost step_;
};

}  // namespace dcpbench::planner

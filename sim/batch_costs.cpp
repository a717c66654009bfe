#include "sim/batch_costs.hpp"

#include <algorithm>

namespace dcpbench::sim {
namespace {

bool alike(const planner::ShapeGroup& a, const planner::ShapeGroup& b) {
  return a.shape == b.shape && a.count == b.count;
}

}  // namespace

BatchCosts::BatchCosts(const core::Plan& plan, const core::Workload& workload,
                       const planner::CostModel& truth)
    : plan_(plan), workload_(workload), truth_(truth) {}

BatchCost BatchCosts::of(const core::MicroBatch& batch) {
  const auto ids = plan_.sequences_of(batch);
  planner::executed_shapes(ids, workload_, plan_.padding, shapes_);
  const planner::Group group = truth_.group_at(batch.first_rank, batch.sp_degree);
  const bool same = group.degree == last_group_.degree && group.nodes == last_group_.nodes &&
                    batch.recompute_layers == last_recompute_layers_ &&
                    std::ranges::equal(shapes_, last_shapes_, alike);
  if (!same) {
    last_.time = truth_.micro_batch(shapes_, group, batch.recompute_layers);
    last_.peak_memory = truth_.peak_memory(shapes_, batch.sp_degree, batch.recompute_layers);
    last_group_ = group;
    last_recompute_layers_ = batch.recompute_layers;
    std::swap(shapes_, last_shapes_);
  }
  // Never remembered: sequences that execute alike can differ in their padding.
  last_.useful_tokens = 0;
  for (const std::uint32_t id : ids) last_.useful_tokens += workload_.sequences[id].shape.tokens;
  return last_;
}

}  // namespace dcpbench::sim

#include "planner/plan_facts.hpp"

#include "planner/shapes.hpp"

namespace dcpbench::planner {

PlanFacts plan_facts(const core::Plan& plan, const core::Workload& workload,
                     const CostModel& cost) {
  PlanFacts facts;
  std::vector<ShapeGroup> shapes;
  std::vector<ShapeGroup> peak_shapes;
  const core::MicroBatch* peak_batch = nullptr;
  core::Bytes peak(0);
  for (const core::MicroBatch& batch : plan.micro_batches) {
    executed_shapes(plan.sequences_of(batch), workload, plan.padding, shapes);
    facts.executed_tokens += cost.executed_tokens(shapes, batch.sp_degree);
    const core::Bytes bytes = cost.peak_memory(shapes, batch.sp_degree, batch.recompute_layers);
    if (peak_batch == nullptr || bytes > peak) {
      peak = bytes;
      peak_batch = &batch;
      peak_shapes = shapes;
    }
  }
  if (peak_batch != nullptr) {
    facts.peak_memory_parts =
        cost.memory_parts(peak_shapes, peak_batch->sp_degree, peak_batch->recompute_layers);
  }
  core::Shape last;
  double last_flops = 0;
  for (const std::uint32_t id : plan.sequence_ids) {
    const core::Shape& shape = workload.sequences[id].shape;
    if (shape != last) {
      last = shape;
      last_flops = cost.model_flops(shape);
    }
    facts.model_flops += last_flops;
  }
  return facts;
}

}  // namespace dcpbench::planner

// Builds the cost model of a cluster, and of a model where the cluster needs one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

struct CostOptions {
  std::int32_t zero = 1;          // 0..3
  std::int32_t tp = 1;            // tensor-parallel degree; divides gpus per node and heads
  double memory_fraction = 0.90;  // (0, 1]
  std::int64_t rank_tokens = 0;   // 0: no cap
  std::optional<core::SpMethod> sp_method;  // default: 1D ulysses, 2D dsp
};

// `model` is null exactly for the model-free clusters (cluster.cost is polynomial or table).
// Throws core::Error(usage) with every mistake: a model for a model-free cluster, none where one is
// needed, tp that does not divide, heads over kv heads.
std::unique_ptr<CostModel> make_cost_model(const core::Cluster& cluster, const core::Model* model,
                                           const CostOptions& options);

}  // namespace dcpbench::planner

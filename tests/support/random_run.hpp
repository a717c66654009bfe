// A random but reproducible planning problem: cluster, model, options, workload.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "core/random.hpp"
#include "core/sequence.hpp"
#include "planner/make_cost_model.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::test_support {

struct RandomRun {
  core::Cluster cluster;
  std::optional<core::Model> model;  // none: model-free cluster
  planner::CostOptions cost_options;
  planner::PlanOptions plan_options;
  core::Workload workload;
  std::string description;  // everything needed to understand a failure

  [[nodiscard]] std::unique_ptr<planner::CostModel> cost() const {
    return planner::make_cost_model(cluster, model ? &*model : nullptr, cost_options);
  }
};

// Clusters of 1 to 100 GPUs (nodes of 1 to 8, 6 included), 1D, 2D and model-free, ZeRO 0-3, both
// accountings and paddings, ample and scarce memory; few, many, equal, and one giant sequence.
RandomRun random_run(std::uint64_t seed);

// The same cluster with more of one thing; `what` is printed on a failure.
struct FasterCluster {
  std::string what;
  core::Cluster cluster;
};
std::vector<FasterCluster> faster_clusters(const core::Cluster& cluster);

}  // namespace dcpbench::test_support

// What a job works on: cluster, models and datasets by name or file, which model runs on which
// dataset, and the checks that need them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/cluster.hpp"
#include "core/model.hpp"
#include "datasets/dataset.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::cli {

// A model with its cost models; without a model on model-free clusters.
struct CostedModel {
  std::optional<core::Model> model;
  std::shared_ptr<const planner::CostModel> truth;   // of --cluster
  std::shared_ptr<const planner::CostModel> belief;  // of --plan-cluster, or the same as `truth`

  [[nodiscard]] std::string name() const { return model ? model->name : "none"; }
};

// One model on one dataset: indices into Inputs.
struct Cell {
  std::size_t model = 0;
  std::size_t dataset = 0;
};

struct Inputs {
  core::Cluster cluster;
  core::Cluster described_cluster;  // as its file describes it: before --gpus
  std::vector<CostedModel> models;
  std::vector<datasets::Dataset> datasets;
  std::vector<Cell> cells;
};

// Loads and checks everything. Without --model and --dataset: transformer-1d-1.2b on text-* and
// dit-2d-1.2b on video-*; with one of the two, the other's default of the same kind (1D or 2D);
// with both, every model on every dataset. What is wrong goes to `problems`, and the result is then
// only good for further checks.
Inputs load_inputs(const JobOptions& options, Problems& problems);

}  // namespace dcpbench::cli

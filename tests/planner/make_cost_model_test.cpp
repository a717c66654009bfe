#include "planner/make_cost_model.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/configs.hpp"
#include "core/error.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

std::vector<std::string> mistakes_of(const core::Cluster& cluster, const core::Model* model,
                                     const CostOptions& options) {
  try {
    make_cost_model(cluster, model, options);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    return error.messages();
  }
  return {};
}

TEST(MakeCostModel, NamesEveryWrongOption) {
  const core::Model model = small_lm();
  CostOptions options;
  options.zero = 4;
  options.tp = 3;
  options.memory_fraction = 1.5;
  options.rank_tokens = -1;
  options.sp_method = core::SpMethod::dsp;
  // zero, memory fraction, rank tokens, dsp on 1D; tp: GPUs per node, heads, ffn, kv heads.
  EXPECT_EQ(mistakes_of(small_cluster(), &model, options).size(), 8u);
  EXPECT_TRUE(mistakes_of(small_cluster(), &model, {}).empty());
}

TEST(MakeCostModel, ModelExactlyWhereTheClusterNeedsOne) {
  const core::Model model = small_lm();
  EXPECT_EQ(mistakes_of(small_cluster(), nullptr, {}).size(), 1u);
  const core::Cluster ideal = core::load_cluster("ideal");
  EXPECT_TRUE(mistakes_of(ideal, nullptr, {}).empty());
  EXPECT_EQ(mistakes_of(ideal, &model, {}).size(), 1u);
  CostOptions options;
  options.zero = 3;
  options.tp = 2;
  EXPECT_EQ(mistakes_of(ideal, nullptr, options).size(), 2u);
  EXPECT_EQ(mistakes_of(core::load_cluster("flexsp-7b-a100"), nullptr, {.zero = 3, .sp_method = {}})
                .size(),
            0u);
}

TEST(MakeCostModel, IncompleteClustersAreRefused) {
  const core::Model model = small_lm();
  core::Cluster cluster = small_cluster(2, 4);
  cluster.inter_node.bandwidth = core::BytesPerSecond(0);
  cluster.device.peak = core::FlopsPerSecond(0);
  EXPECT_EQ(mistakes_of(cluster, &model, {}).size(), 2u);
  cluster = small_cluster();
  cluster.device.attention.clear();
  EXPECT_EQ(mistakes_of(cluster, &model, {}).size(), 1u);
  cluster = small_cluster();
  cluster.device.gemm.points.clear();
  EXPECT_EQ(mistakes_of(cluster, &model, {}).size(), 1u);
}

TEST(MakeCostModel, KvHeadsMayBeReplicatedOverTensorParallelRanks) {
  core::Model model = small_lm();
  model.kv_heads = 1;
  EXPECT_TRUE(mistakes_of(small_cluster(), &model, {.tp = 4, .sp_method = {}}).empty());
}

TEST(MakeCostModel, EveryBuiltInPairWorks) {
  for (const std::string& cluster_name : core::builtin_cluster_names()) {
    const core::Cluster cluster = core::load_cluster(cluster_name);
    if (cluster.is_model_free()) continue;
    for (const std::string& model_name : core::builtin_model_names()) {
      const core::Model model = core::load_model(model_name);
      const auto cost = make_cost_model(cluster, &model, {});
      EXPECT_EQ(cost->ranks(), cluster.gpus());
      EXPECT_EQ(cost->published_sp_degree(), model.published_sp_degree);
      EXPECT_GT(cost->step().optimizer.value(), 0) << cluster_name << " " << model_name;
    }
  }
}

}  // namespace
}  // namespace dcpbench::planner

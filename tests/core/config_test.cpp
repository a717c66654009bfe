// The shipped clusters and models, and the files a user may give.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/builtin_configs.hpp"
#include "core/configs.hpp"
#include "core/error.hpp"
#include "tests/core/messages.hpp"

namespace dcpbench::core {
namespace {

using nlohmann::json;

// One message that has every part.
template <class Call>
void expect_refusal(Call call, std::initializer_list<const char*> parts) {
  const std::vector<std::string> messages = messages_of(call);
  ASSERT_EQ(messages.size(), 1u);
  for (const char* part : parts) EXPECT_TRUE(mentions(messages, part)) << part << messages[0];
}

TEST(ShippedClusters, LoadWithoutWarnings) {
  const std::vector<std::string> names = builtin_cluster_names();
  for (const char* expected :
       {"h200-4x8", "h200-1x8", "h100-4x8", "cpu-generic", "ideal", "flexsp-7b-a100"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), expected), names.end()) << expected;
  }
  for (const std::string& name : names) {
    const Cluster cluster = load_cluster(name);
    EXPECT_EQ(cluster.name, name);
    EXPECT_FALSE(cluster.source.empty()) << name;
    EXPECT_TRUE(cluster.warnings.empty()) << name << ": " << cluster.warnings.front();
  }
}

TEST(ShippedModels, LoadAndNameTheirSource) {
  EXPECT_EQ(builtin_model_names().size(), 8u);
  for (const std::string& name : builtin_model_names()) {
    const Model model = load_model(name);
    EXPECT_EQ(model.name, name);
    EXPECT_FALSE(model.source.empty()) << name;
  }
}

// What a thing is or how large the cluster is, as opposed to a constant that someone measured.
bool is_identity(const std::string& key) {
  static constexpr std::array kKeys = {"name",     "nodes", "gpus_per_node",
                                       "head_dim", "mask",  "lockstep"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

void expect_sources(const json& value, const std::string& path) {
  if (value.is_object() && (value.contains("value") || value.contains("points"))) {
    ASSERT_TRUE(value.contains("source")) << path;
    EXPECT_GE(value["source"].get<std::string>().size(), 10u) << path;
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (!is_identity(key) && !(path.empty() && key == "source")) {
        expect_sources(member, path + "." + key);
      }
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      expect_sources(value[i], path + "[" + std::to_string(i) + "]");
    }
  } else {
    ADD_FAILURE() << path << " has no source";
  }
}

TEST(ShippedClusters, EveryConstantNamesItsSource) {
  for (const BuiltinConfig& config : builtin_configs()) {
    SCOPED_TRACE(config.name);
    if (config.folder == "clusters") expect_sources(json::parse(config.text), "");
  }
}

json raw_cluster(std::string_view name) {
  for (const BuiltinConfig& config : builtin_configs()) {
    if (config.name == name) return json::parse(config.text);
  }
  return {};
}

TEST(ShippedClusters, ThatShareHardwareShareItsConstants) {
  const json four = raw_cluster("h200-4x8");
  const json one = raw_cluster("h200-1x8");
  const json h100 = raw_cluster("h100-4x8");
  for (const char* key : {"device", "intra_node", "overheads", "power", "uncertainty"}) {
    EXPECT_EQ(four[key], one[key]) << key;
  }
  for (const char* key : {"intra_node", "inter_node", "overheads", "power", "uncertainty"}) {
    EXPECT_EQ(four[key], h100[key]) << key;
  }
  for (const char* key : {"peak", "gemm", "attention", "kernel_launch"}) {
    EXPECT_EQ(four["device"][key], h100["device"][key]) << key;
  }
}

TEST(ShippedClusters, HoldThePublishedFigures) {
  const Cluster h200 = load_cluster("h200-4x8");
  EXPECT_EQ(h200.gpus(), 32);
  EXPECT_DOUBLE_EQ(h200.device.memory.value(), 139.8 * 1024 * 1024 * 1024);
  EXPECT_EQ(h200.device.peak.value(), 989.5e12);
  EXPECT_EQ(h200.device.memory_bandwidth.value(), 4.8e12);
  EXPECT_EQ(h200.intra_node.bandwidth.value(), 450e9);
  EXPECT_EQ(h200.inter_node.bandwidth.value(), 50e9);  // 400 Gb/s
  // DistCA, all_gather on 8 H200: 96.99 GB/s at 8 MiB and 367.69 at 8 GiB, of 450.
  const EfficiencyCurve& gather = h200.intra_node.efficiency.at(Collective::all_gather).at(8);
  EXPECT_EQ(gather.points.front().size, 8.0 * 1024 * 1024);
  EXPECT_NEAR(gather.points.front().efficiency * 450, 96.99, 0.02);
  EXPECT_NEAR(gather.points.back().efficiency * 450, 367.69, 0.05);
  // All-reduce of 1 MiB on 8: 27.37 us (DGX H100), so 2 * 7/8 * 1 MiB / 27.37 us of bus bandwidth.
  const EfficiencyCurve& reduce = h200.intra_node.efficiency.at(Collective::all_reduce).at(8);
  EXPECT_EQ(reduce.points[2].size, 1024.0 * 1024);
  EXPECT_NEAR(1.75 * 1048576 / (reduce.points[2].efficiency * 450e9), 27.37e-6, 0.01e-6);
  // All-to-all of S on 32 GPUs: the inter-node part S * 24/32 takes as long as S * 31/32 at the
  // published bus bandwidth of 48 GB/s.
  const EfficiencyCurve& inter = h200.inter_node.efficiency.at(Collective::all_to_all).at(32);
  EXPECT_NEAR(24.0 / 32 / (inter.points.back().efficiency * 50), 31.0 / 32 / 48, 1e-5);
  // cuDNN 9.19 on H200, head_dim 128, causal, 8k: 644 forward and 541 backward TFLOP/s.
  for (const AttentionCurve& curve : h200.device.attention) {
    if (curve.head_dim != 128 || curve.mask != Mask::causal) continue;
    const auto at_8k = [](const EfficiencyCurve& rates) {
      return std::find_if(rates.points.begin(), rates.points.end(),
                          [](const auto& point) { return point.size == 8192; })
                 ->efficiency *
             989.5;
    };
    EXPECT_NEAR(at_8k(curve.forward), 644, 0.1);
    EXPECT_NEAR(at_8k(curve.backward), 541, 0.1);
  }
  EXPECT_EQ(load_cluster("h100-4x8").device.memory.value(), 80e9);
}

TEST(ShippedClusters, HaveAnAttentionCurveForTheModelsMeantForThem) {
  const auto has_curve = [](const Cluster& cluster, const Model& model) {
    return std::any_of(cluster.device.attention.begin(), cluster.device.attention.end(),
                       [&model](const AttentionCurve& curve) {
                         return curve.head_dim == model.head_dim() && curve.mask == model.mask;
                       });
  };
  for (const std::string& name : builtin_model_names()) {
    const Model model = load_model(name);
    const char* cluster = name.starts_with("tiny") ? "cpu-generic" : "h200-4x8";
    EXPECT_TRUE(has_curve(load_cluster(cluster), model)) << name;
  }
}

TEST(ShippedClusters, PolynomialCostsAreExactNanoseconds) {
  const Cluster ideal = load_cluster("ideal");
  ASSERT_TRUE(ideal.polynomial);
  EXPECT_EQ(ideal.polynomial->quadratic, 1);
  EXPECT_EQ(ideal.polynomial->linear, 24576);
  EXPECT_EQ(ideal.polynomial->fixed, 0);
  EXPECT_TRUE(ideal.polynomial->transfer.empty());
  EXPECT_FALSE(ideal.polynomial->lockstep);

  const Cluster flexsp = load_cluster("flexsp-7b-a100");
  ASSERT_TRUE(flexsp.polynomial);
  EXPECT_EQ(flexsp.gpus(), 64);
  EXPECT_TRUE(flexsp.polynomial->lockstep);
  EXPECT_DOUBLE_EQ(flexsp.polynomial->quadratic, 5.128);
  EXPECT_DOUBLE_EQ(flexsp.polynomial->linear, 183957.6);
  EXPECT_DOUBLE_EQ(flexsp.polynomial->fixed, 629356300);
  ASSERT_EQ(flexsp.polynomial->transfer.size(), 7u);  // 1, 2, ... 64
  EXPECT_EQ(flexsp.polynomial->transfer.at(1), 0);
  // 16 * 32 * 4096 / 2^20 = 2 MB per token; / 8 ranks / 96.5 MB/ms = 2.5907 us
  EXPECT_NEAR(flexsp.polynomial->transfer.at(8), 2e6 / 8 / 96.5, 1e-9);
  EXPECT_NEAR(flexsp.polynomial->transfer.at(64), 2e6 / 64 / 4.87, 1e-9);
}

TEST(ParameterCount, AgreesWithThePublishedModels) {
  // Llama 3.1 8B and 70B: the published checkpoints have exactly these many.
  EXPECT_EQ(parameter_count(load_model("llama-8b")), 8'030'261'248.0);
  EXPECT_EQ(parameter_count(load_model("llama-70b")), 70'553'706'496.0);
  // STDiT3-XL/2: the gradients of a pair of blocks are 85,022,784 bytes in bf16 (VideoSys profile).
  const Model dit = load_model("dit-2d-1.2b");
  EXPECT_EQ(2 * layer_parameter_count(dit), 85'022'784.0);
  EXPECT_NEAR(parameter_count(dit), 1.2e9, 0.01e9);
}

TEST(ParameterCount, ByHand) {
  // 1 layer, hidden 4, 2 heads (head_dim 2), 1 KV head, ffn 6, gated, vocab 10, tied.
  Model model;
  model.layers = 1;
  model.hidden = 4;
  model.heads = 2;
  model.kv_heads = 1;
  model.ffn = 6;
  model.gated_mlp = true;
  model.vocab = 10;
  model.tied_embeddings = true;
  // q and o 2*16, k and v 2*4*2, MLP 3*4*6, two norms of 4 = 32 + 16 + 72 + 8
  EXPECT_EQ(layer_parameter_count(model), 128);
  EXPECT_EQ(parameter_count(model), 128 + 10 * 4 + 4);
  model.tied_embeddings = false;
  EXPECT_EQ(parameter_count(model), 128 + 2 * 10 * 4 + 4);
}

TEST(ParameterCount, OfOurOwnModelsIsWhatTheirNamesSay) {
  EXPECT_NEAR(parameter_count(load_model("transformer-1d-1.2b")), 1.2e9, 0.05e9);
  EXPECT_NEAR(parameter_count(load_model("transformer-1d-5b")), 5e9, 0.1e9);
  EXPECT_NEAR(parameter_count(load_model("dit-2d-5b")), 5e9, 0.1e9);
  EXPECT_LT(parameter_count(load_model("tiny-1d")), 2e6);
  EXPECT_LT(parameter_count(load_model("tiny-2d")), 2e6);
}

TEST(WithGpus, TakesWholeNodesOrPartOfOne) {
  const Cluster h200 = load_cluster("h200-4x8");
  EXPECT_EQ(with_gpus(h200, 512).nodes, 64);
  EXPECT_EQ(with_gpus(h200, 4).nodes, 1);
  EXPECT_EQ(with_gpus(h200, 4).gpus_per_node, 4);
  expect_refusal([&] { (void)with_gpus(h200, 20); }, {"use 16 or 24"});
  expect_refusal([&] { (void)with_gpus(h200, 0); }, {"allowed: 1 to"});
  expect_refusal([&] { (void)with_gpus(load_cluster("h200-1x8"), 16); }, {"no inter_node link"});
  for (const std::int32_t gpus : {1, 100, 1000, 16384}) {
    EXPECT_EQ(with_gpus(load_cluster("ideal"), gpus).gpus(), gpus);
  }
}

TEST(Load, NamesWhatIsBuiltIn) {
  expect_refusal([&] { (void)load_cluster("h200-4x9"); },
                 {"did you mean \"h200-4x8\"", "cpu-generic"});
  expect_refusal([&] { (void)load_model("lama-8b"); }, {"did you mean \"llama-8b\""});
}

TEST(Load, SaysThatAFileIsMissing) {
  try {
    load_cluster("does_not_exist/cluster.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_STREQ(error.what(),
                 "cannot open does_not_exist/cluster.json: No such file or directory");
  }
}

class TemporaryFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("dcpbench_config_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "dcpbench");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(TemporaryFolder, LocalIsTheCalibratedMachine) {
  ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  try {
    load_cluster("local");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("run `dcpbench calibrate`"), std::string::npos);
  }
  std::ofstream(folder_ / "dcpbench" / "local.json") << raw_cluster("cpu-generic").dump();
  EXPECT_EQ(load_cluster("local").name, "cpu-generic");
  ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(TemporaryFolder, ReadTextFileHasALimit) {
  const std::string path = (folder_ / "text").string();
  std::ofstream(path) << "12345678";
  EXPECT_EQ(read_text_file(path), "12345678");
  EXPECT_EQ(read_text_file(path, 8), "12345678");
  expect_refusal([&] { (void)read_text_file(path, 7); }, {"larger than the 7 bytes"});
  EXPECT_THROW(read_text_file(folder_.string()), Error);
  expect_refusal([&] { (void)read_text_file(folder_.string()); }, {"is a directory"});
  expect_refusal([&] { (void)read_text_file("/dev/zero", 1000); }, {"is a device"});
  // Opening a pipe without a writer would wait for ever.
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refusal([&] { (void)read_text_file(pipe); }, {"is a pipe, not a regular file"});
}

}  // namespace
}  // namespace dcpbench::core

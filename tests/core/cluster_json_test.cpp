// Mistakes in cluster and model files: each kind, and all at once.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "tests/core/messages.hpp"

namespace dcpbench::core {
namespace {

using nlohmann::json;

json curve(std::initializer_list<json> points) { return {{"points", json::array_t(points)}}; }

json link(const char* bandwidth, const char* latency) {
  const json by_ranks = {{"2", curve({{"1 MiB", 0.5}, {"1 GiB", 0.8}})}};
  return {{"bandwidth", bandwidth},
          {"latency", latency},
          {"efficiency",
           {{"all_to_all", by_ranks},
            {"all_reduce", by_ranks},
            {"all_gather", by_ranks},
            {"reduce_scatter", by_ranks}}}};
}

// A small valid cluster.
json cluster() {
  return {{"name", "base"},
          {"nodes", 2},
          {"gpus_per_node", 8},
          {"device",
           {{"name", "generic"},
            {"memory", "80 GB"},
            {"peak", {{"value", "400 TFLOP/s"}, {"source", "data sheet"}}},
            {"memory_bandwidth", "2 TB/s"},
            {"memory_efficiency", 0.9},
            {"kernel_launch", "5 us"},
            {"gemm", curve({{128, 0.3}, {4096, 0.7}})},
            {"attention",
             {{{"head_dim", 128},
               {"mask", "causal"},
               {"forward", curve({{1024, 0.4}, {8192, 0.6}})},
               {"backward", curve({{1024, 0.3}})}}}}}},
          {"intra_node", link("300 GB/s", "5 us")},
          {"inter_node", link("400 Gb/s", "15 us")},
          {"overheads",
           {{"step", "10 ms"},
            {"micro_batch", "1 ms"},
            {"context", "1 GiB"},
            {"communicator", "100 MB"},
            {"workspace", "32 MiB"},
            {"fragmentation", 0.05},
            {"overlap_slowdown", 1.1}}},
          {"uncertainty", 0.1}};
}

json model() {
  return {{"name", "gen-7b"}, {"kind", "transformer_1d"},
          {"layers", 32},     {"hidden", 4096},
          {"heads", 32},      {"kv_heads", 8},
          {"ffn", 11008},     {"gated_mlp", true},
          {"mask", "causal"}, {"head", "lm"},
          {"vocab", 32000},   {"tied_embeddings", false}};
}

std::vector<std::string> text_mistakes(const std::string& text) {
  return messages_of([&] { (void)cluster_from_json(text, "my.json"); });
}
std::vector<std::string> cluster_mistakes(const json& value) {
  return text_mistakes(value.dump(1));
}
std::vector<std::string> model_mistakes(const json& value) {
  return messages_of([&] { (void)model_from_json(value.dump(1), "model.json"); });
}

TEST(ClusterJson, ReadsBareAndSourcedConstants) {
  const Cluster read = cluster_from_json(cluster().dump(), "my.json");
  EXPECT_EQ(read.gpus(), 16);
  EXPECT_EQ(read.device.peak.value(), 400e12);
  EXPECT_EQ(read.device.memory.value(), 80e9);
  EXPECT_EQ(read.inter_node.bandwidth.value(), 50e9);
  EXPECT_EQ(read.intra_node.efficiency.at(Collective::all_gather).at(2).points.at(1).size,
            1024.0 * 1024 * 1024);
  EXPECT_EQ(read.device.attention.at(0).mask, Mask::causal);
  EXPECT_FALSE(read.power);
  EXPECT_TRUE(read.warnings.empty());
}

TEST(ClusterJson, AllMistakesAtOnceWithLineAndKey) {
  // Lines:                        1  2                   3              4
  const std::string text = R"json({
  "name": "typo",
  "nodes": 1,
  "gpus_per_nod": 8,
  "nodes": 2,
  "device": {"memory": 80, "peak": "400 TFLOPs/s", "heads": null},
  "uncertainty": 2,
  "overheads": [],
  "extra": {"x": 1}
})json";
  const auto messages = text_mistakes(text);
  for (const char* part : {
           "my.json:5: nodes: duplicate key \"nodes\"",
           "my.json:1: missing key \"gpus_per_node\"",
           "my.json:4: gpus_per_nod: unknown key (did you mean \"gpus_per_node\"?)",
           "my.json:6: device.memory: expected text with a unit",
           "found 80",
           "my.json:6: device.peak: \"400 TFLOPs/s\" has the unknown unit \"TFLOPs/s\" (did you "
           "mean \"TFLOP/s\"?)",
           "my.json:6: device.heads: unknown key",
           "my.json:6: device: missing key \"gemm\"",
           "my.json:7: uncertainty: 2 is out of range; allowed: from 0 to 1",
           "my.json:8: overheads: expected an object, found an array",
           "my.json:9: extra: unknown key",
       }) {
    EXPECT_TRUE(mentions(messages, part)) << part << "\n" << ::testing::PrintToString(messages);
  }
}

TEST(ClusterJson, ABandwidthNeedsItsUnit) {
  json value = cluster();
  value["inter_node"]["bandwidth"] = "400";
  expect_messages(cluster_mistakes(value), {"inter_node.bandwidth: \"400\" has no unit"});
  value["inter_node"]["bandwidth"] = nullptr;
  expect_messages(cluster_mistakes(value), {"inter_node.bandwidth: null is not a value"});
  value["inter_node"]["bandwidth"] = 400;
  expect_messages(cluster_mistakes(value), {"found 400"});
  value["inter_node"]["bandwidth"] = "-1 GB/s";
  expect_messages(cluster_mistakes(value), {"\"-1 GB/s\" is out of range; allowed: above 0"});
}

TEST(ClusterJson, WarnsOfALinkInTheWrongUnit) {
  json value = cluster();
  value["inter_node"]["bandwidth"] = "400 GB/s";
  const auto warnings = cluster_from_json(value.dump(), "my.json").warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_TRUE(mentions(warnings,
                       "400 GB/s (3200 Gb/s) is above intra_node.bandwidth 300 GB/s "
                       "(2400 Gb/s)"));
  EXPECT_TRUE(mentions(warnings, "did you mean \"400 Gb/s\"?"));
}

TEST(ClusterJson, ALinkThatIsNotThereMayBeLeftOut) {
  json value = cluster();
  value.erase("inter_node");
  expect_messages(cluster_mistakes(value), {"missing key \"inter_node\""});
  value["nodes"] = 1;
  EXPECT_EQ(cluster_from_json(value.dump(), "").inter_node.bandwidth.value(), 0);
  value.erase("intra_node");
  expect_messages(cluster_mistakes(value), {"missing key \"intra_node\""});
  value["gpus_per_node"] = 1;
  EXPECT_TRUE(cluster_mistakes(value).empty());
}

TEST(ClusterJson, CurvesAscendAndTimeNeverFalls) {
  json value = cluster();
  value["device"]["gemm"] = curve({{128, 0.3}, {128, 0.3}});
  expect_messages(cluster_mistakes(value), {"device.gemm.points[1]: sizes must ascend"});
  // 128 rows take 128/0.1, 256 rows 256/0.3: less.
  value["device"]["gemm"] = curve({{128, 0.1}, {256, 0.3}});
  expect_messages(cluster_mistakes(value), {"less time than the one before; the efficiency may be "
                                            "at most 0.2 here"});
  value["device"]["gemm"] = curve({{128, 0}, {256, 1.5}, {512}, 3});
  expect_messages(cluster_mistakes(value),
                  {"points[0][1]: 0 is out of range", "points[1][1]: 1.5 is out of range",
                   "points[2]: expected a pair", "points[3]: expected a pair"});
  value["device"]["gemm"] = curve({});
  expect_messages(cluster_mistakes(value), {"device.gemm.points: has 0 elements"});
  // Attention work grows with the square: 4 times the work, 3 times the rate is fine.
  value = cluster();
  value["device"]["attention"][0]["forward"] = curve({{128, 0.1}, {256, 0.3}});
  EXPECT_TRUE(cluster_mistakes(value).empty());
}

TEST(ClusterJson, EfficiencyIsByRanksAndForEveryCollective) {
  json value = cluster();
  value["intra_node"]["efficiency"].erase("all_reduce");
  value["intra_node"]["efficiency"]["all_gather"] = {{"eight", curve({{"1 MiB", 0.5}})}};
  value["intra_node"]["efficiency"]["all_to_al"] = json::object();
  expect_messages(cluster_mistakes(value),
                  {"missing key \"all_reduce\"", "all_gather.eight: the key must be a number",
                   "all_to_al: unknown key (did you mean \"all_to_all\"?)"});
}

TEST(ClusterJson, OtherRanges) {
  json value = cluster();
  value["nodes"] = 60000;
  value["power"] = {{"idle", "800 W"}, {"busy", "700 W"}};
  value["overheads"]["context"] = "90 GB";
  value["device"]["attention"].push_back(value["device"]["attention"][0]);
  value["name"] = "a\u001b[31m";
  expect_messages(cluster_mistakes(value),
                  {"are 480000 GPUs; at most 65536", "idle is above busy",
                   "overheads.context: \"90 GB\" is out of range",
                   "attention[1]: a second curve for head_dim 128 and mask causal",
                   "name: the text has control characters"});
  value = cluster();
  value["nodes"] = 2.5;
  expect_messages(cluster_mistakes(value), {"nodes: expected a whole number, found 2.5"});
}

TEST(ClusterJson, IsNotJson) {
  expect_messages(text_mistakes("{\n \"uncertainty\": NaN}"),
                  {"my.json:2: is not valid JSON: NaN and Infinity are not JSON numbers (at byte "
                   "offset 18)"});
  expect_messages(text_mistakes("[-Infinity]"), {"(at byte offset 1)"});
  expect_messages(text_mistakes("{\"a\": 1,\n\n}"), {"my.json:3: is not valid JSON"});
  expect_messages(text_mistakes(""), {"my.json:1: is not valid JSON"});
  expect_messages(text_mistakes("{} {}"), {"is not valid JSON"});
  expect_messages(text_mistakes("{\"a\": 1e999}"), {"is not valid JSON"});
  expect_messages(text_mistakes("\"\xff\""), {"is not valid JSON"});
  expect_messages(text_mistakes("[]"), {"my.json:1: expected an object, found an array"});
}

TEST(ClusterJson, DepthNumberOfValuesAndMistakesAreLimited) {
  expect_messages(text_mistakes(std::string(100'000, '[')), {"nested deeper than 16 levels"});
  std::string many = "[0";
  for (int i = 0; i < 2'100'000; ++i) many += ",0";
  expect_messages(text_mistakes(many), {"values"});
  json value = cluster();
  for (int i = 0; i < 1000; ++i) value["unknown_" + std::to_string(i)] = i;
  const auto messages = cluster_mistakes(value);
  EXPECT_EQ(messages.size(), 51u);
  EXPECT_TRUE(mentions(messages, "only the first 50 mistakes are listed"));
}

json polynomial_cluster() {
  return {{"name", "poly"},
          {"nodes", 1},
          {"gpus_per_node", 8},
          {"polynomial",
           {{"quadratic", "1 ns"},
            {"linear", "24576 ns"},
            {"fixed", "0 ns"},
            {"transfer", {{"1", "0 ns"}, {"2", "3 us"}}},
            {"lockstep", true}}}};
}

TEST(ModelFreeClusters, Polynomial) {
  const Cluster read = cluster_from_json(polynomial_cluster().dump(), "my.json");
  EXPECT_TRUE(read.is_model_free());
  EXPECT_EQ(read.polynomial->linear, 24576);
  EXPECT_EQ(read.polynomial->transfer.at(2), 3000);
  EXPECT_TRUE(read.polynomial->lockstep);

  json value = polynomial_cluster();
  value["device"] = cluster()["device"];
  value["polynomial"]["transfer"]["3"] = "1 ns";
  value["polynomial"]["linear"] = "-1 ns";
  expect_messages(cluster_mistakes(value),
                  {"device: not allowed: a cluster with a polynomial",
                   "transfer.3: the key must be an SP degree", "\"-1 ns\" is out of range"});
}

json table_cluster() {
  const auto point = [](int length, const char* time) {
    return json{{"length", length}, {"batch", 1}, {"sp_degree", 1}, {"time", time}};
  };
  return {{"name", "profile"},
          {"nodes", 1},
          {"gpus_per_node", 8},
          {"table",
           {{"layers", 32},
            {"points", {point(1024, "0.9 ms"), point(4096, "7.1 ms"), point(16384, "120 ms")}},
            {"gradient_sync", "10 ms"},
            {"optimizer", "5 ms"},
            {"overhead", "1 ms"}}}};
}

TEST(ModelFreeClusters, TableRejectsNegativeTimesAndDuplicates) {
  EXPECT_EQ(cluster_from_json(table_cluster().dump(), "").table->points.size(), 3u);
  json value = table_cluster();
  value["table"]["points"][0]["time"] = "-1 ms";
  value["table"]["points"].push_back(value["table"]["points"][1]);
  value["table"]["points"][2]["recompute"] = "130 ms";
  value["table"]["points"][2]["sp_degree"] = 3;
  expect_messages(
      cluster_mistakes(value),
      {"points[0].time: \"-1 ms\" is out of range; allowed: above 0",
       "points[3]: a second point for length 4096", "sp_degree 3 is not a power of two"});
  value = table_cluster();
  value["table"]["points"][2]["recompute"] = "130 ms";
  expect_messages(cluster_mistakes(value), {"recompute is a part of time"});
}

TEST(ModelFreeClusters, TableWarnsWhenLongerIsFaster) {
  json value = table_cluster();
  value["table"]["points"][2]["time"] = "6 ms";
  const auto warnings = cluster_from_json(value.dump(), "my.json").warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(mentions(warnings, "length 16384 takes 0.006 s, less than length 4096 (0.0071 s)"));
}

TEST(ClusterJson, ADamagedFileIsReadOrRefused) {
  Random random(2);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const json original = i % 4 == 0   ? polynomial_cluster()
                          : i % 4 == 1 ? table_cluster()
                                       : cluster();
    if (!text_mistakes(mutated(original.dump(1), random)).empty()) ++refused;
    (void)messages_of([&] { (void)model_from_json(mutated(model().dump(), random), "m.json"); });
  }
  EXPECT_GT(refused, 1000);
}

TEST(ModelJson, HeadRulesNameWhatWouldWork) {
  EXPECT_TRUE(model_mistakes(model()).empty());
  json value = model();
  value["hidden"] = 3840;
  value["heads"] = 30;
  expect_messages(model_mistakes(value), {"heads 30 is not a multiple of kv_heads 8; use heads 32 "
                                          "or 24, or kv_heads 6"});
  value = model();
  value["heads"] = 33;
  value["kv_heads"] = 33;
  expect_messages(model_mistakes(value), {"hidden 4096 is not a multiple of heads 33"});
}

TEST(ModelJson, KeysFollowTheHead) {
  json value = model();
  value["head"] = "regression";
  expect_messages(model_mistakes(value),
                  {"missing key \"output_channels\"", "vocab: not allowed: the head is regression",
                   "tied_embeddings: not allowed"});
  value = model();
  value["output_channels"] = 4;
  value["mask"] = "casual";
  value["cross_attention_tokens"] = 300;
  value["published_sp_degree"] = 6;
  expect_messages(model_mistakes(value),
                  {"output_channels: not allowed", "found \"casual\" (did you mean \"causal\"?)",
                   "come together", "6 is not a power of two"});
  value = model();
  value["kind"] = "transformer_2d";
  expect_messages(model_mistakes(value), {"mask must be \"full\"", "head must be \"regression\""});
}

}  // namespace
}  // namespace dcpbench::core

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "planner/make_cost_model.hpp"
#include "planner/memory_model.hpp"
#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

std::map<std::string, double> parts_of(const CostModel& cost, std::vector<ShapeGroup> shapes,
                                       std::int32_t degree, std::int32_t recompute) {
  std::map<std::string, double> parts;
  for (const MemoryPart& part : cost.memory_parts(shapes, degree, recompute)) {
    parts[part.name] = part.bytes.value();
  }
  return parts;
}

core::Cluster cluster_with_overheads() {
  core::Cluster cluster = small_cluster();
  cluster.overheads.context = core::Bytes(100);
  cluster.overheads.communicator = core::Bytes(10);
  cluster.overheads.workspace = core::Bytes(7);
  cluster.overheads.fragmentation = 0.5;
  return cluster;
}

TEST(Memory, FixedPartsByZeroStage) {
  const core::Cluster cluster = cluster_with_overheads();
  const core::Model model = small_lm();
  const double n = core::parameter_count(model);
  const double layer = core::layer_parameter_count(model);
  // Layer: Q, O 2 x 64; K, V 2 x 8 x 4; MLP 3 x 8 x 16; two norms 2 x 8 = 592. Outside: embedding
  // and head 2 x 8 x 10, final norm 8 = 168.
  ASSERT_EQ(layer, 592);
  ASSERT_EQ(n, 2 * 592 + 168);
  const auto fixed = [&](std::int32_t zero) {
    return parts_of(*make_cost_model(cluster, &model, {.zero = zero, .sp_method = {}}), {}, 1, 0);
  };
  auto parts = fixed(0);
  EXPECT_EQ(parts["weights"], 2 * n);
  EXPECT_EQ(parts["gathered layers"], 0);
  EXPECT_EQ(parts["gradients"], 4 * n);
  EXPECT_EQ(parts["optimizer"], 12 * n);
  EXPECT_EQ(parts["weight-gradient scratch"], 2 * layer);
  EXPECT_EQ(parts["context"], 100);
  // The world and SP degrees 2 and 4: 8 would not divide the 4 heads.
  EXPECT_EQ(parts["communicators"], 30);
  EXPECT_EQ(parts["workspace"], 7);
  EXPECT_EQ(parts.count("activations"), 0u);
  for (const std::int32_t zero : {1, 2}) {
    parts = fixed(zero);
    EXPECT_EQ(parts["weights"], 2 * n);
    EXPECT_EQ(parts["gradients"], 4 * n);
    EXPECT_EQ(parts["optimizer"], 12 * n / 8);
  }
  parts = fixed(3);
  EXPECT_EQ(parts["weights"], 2 * n / 8);
  EXPECT_EQ(parts["gathered layers"], 2 * (2 * layer + 168));
  EXPECT_EQ(parts["gradients"], 4 * n / 8 + 4 * layer);
  EXPECT_EQ(parts["optimizer"], 12 * n / 8);
}

TEST(Memory, Zero3KeepsItsLargestUnitOfGradients) {
  core::Model model = small_lm();
  model.vocab = 100;  // embedding and head 8 x 100 each, more than the 592 of a layer
  const double n = 2 * 592 + 2 * 800 + 8;
  const auto gradients = [&](std::int32_t tp) {
    const auto cost =
        make_cost_model(small_cluster(), &model, {.zero = 3, .tp = tp, .sp_method = {}});
    return parts_of(*cost, {}, 1, 0).at("gradients");
  };
  EXPECT_EQ(gradients(1), 4 * n / 8 + 4 * 800);
  EXPECT_EQ(gradients(2), 4 * (n / 2) / 4 + 4 * 400);
}

TEST(Memory, TokenPartsOfALanguageModel) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(cluster_with_overheads(), &model, {});
  // Saved per token and layer: h (12 + 4 k/a) + 6f + 4a = 8 x 14 + 96 + 16 = 224. Logits 6 x 10.
  auto parts = parts_of(*cost, {text(3), text(5)}, 1, 0);
  EXPECT_EQ(parts["checkpoints"], 0);
  EXPECT_EQ(parts["activations"], 8 * 2 * 224);
  EXPECT_EQ(parts["logits"], 8 * 60);
  EXPECT_EQ(parts["working set"], 0);
  EXPECT_EQ(parts["fragmentation"], 0.5 * 8 * (448 + 60));
  // One of two layers recomputed: its 224 are needed when the other's 224 are gone.
  parts = parts_of(*cost, {text(8)}, 1, 1);
  EXPECT_EQ(parts["checkpoints"], 8 * 16);
  EXPECT_EQ(parts["activations"], 8 * 224);
  EXPECT_EQ(parts["working set"], 0);
  // Both: a layer's 224 less its input, 16, need the place of the logits, 60, and 148 more.
  parts = parts_of(*cost, {text(8)}, 1, 2);
  EXPECT_EQ(parts["checkpoints"], 2 * 8 * 16);
  EXPECT_EQ(parts["activations"], 0);
  EXPECT_EQ(parts["working set"], 8 * 148);
}

TEST(Memory, UlyssesAboveKvHeadsReplicatesKAndV) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(cluster_with_overheads(), &model, {});
  // Degree 2 = kv heads: nothing. K and V of one head and token: 2 x 2 x 2 bytes = 8, of both 16.
  EXPECT_EQ(parts_of(*cost, {text(8)}, 2, 0)["replicated K and V"], 0);
  // Degree 4: 2 tokens per rank, 4 heads instead of 2: 16 bytes more per token and layer.
  const auto parts = parts_of(*cost, {text(8)}, 4, 0);
  EXPECT_EQ(parts.at("replicated K and V"), 2 * 2 * 16);
  EXPECT_EQ(parts.at("activations"), 2 * 2 * 224);
}

TEST(Memory, VideoBlocksTextAndModulation) {
  core::Model model = small_video();
  const auto activations = [&] {
    return parts_of(*make_cost_model(small_cluster(), &model, {}), {video(2, 5)}, 1, 0);
  };
  // A block: attention 8h + 4h + 4a, MLP 4h + 4f = 64 + 32 + 16 + 32 + 128 = 272; a pair has two.
  EXPECT_EQ(activations()["activations"], 10 * 2 * 272);
  EXPECT_EQ(activations()["logits"], 10 * 6 * 4);
  // Text adds 6h + 4a = 64 per token, and per text token K and V, 4h, in each block; once the
  // embedding and its projection, 2 (w + h) per text token.
  model.cross_attention_tokens = 3;
  model.cross_attention_width = 6;
  EXPECT_EQ(activations()["activations"], 10 * 2 * (272 + 64));
  EXPECT_EQ(activations()["text"], 3 * (2 * 32 + 2 * (6 + 8)));
  // Modulation adds the two gated outputs 4h and Q and K before their norms 4h.
  model.modulated = true;
  EXPECT_EQ(activations()["activations"], 10 * 2 * (272 + 64 + 64));
}

TEST(Memory, TensorParallelDividesAllButTheClustersParts) {
  const core::Model model = small_lm();
  const core::Cluster cluster = cluster_with_overheads();
  const auto whole =
      parts_of(*make_cost_model(cluster, &model, {.zero = 0, .sp_method = {}}), {text(8)}, 1, 1);
  const auto half = parts_of(
      *make_cost_model(cluster, &model, {.zero = 0, .tp = 2, .sp_method = {}}), {text(8)}, 1, 1);
  for (const char* name : {"weights", "gradients", "optimizer", "weight-gradient scratch",
                           "checkpoints", "activations", "logits"}) {
    EXPECT_EQ(half.at(name), whole.at(name) / 2) << name;
  }
  EXPECT_EQ(half.at("context"), 100);
  // World, tensor parallel, and SP degree 2: two heads are left on a GPU.
  EXPECT_EQ(half.at("communicators"), 30);
}

TEST(Memory, PeakIsTheSumOfThePartsAndNeverGrowsWithRecomputation) {
  const core::Model model = small_lm();
  const auto cost = make_cost_model(cluster_with_overheads(), &model, {});
  const std::vector<ShapeGroup> shapes = {text(3), text(5)};
  core::Bytes previous(1e300);
  for (std::int32_t recompute = 0; recompute <= 2; ++recompute) {
    double sum = 0;
    for (const auto& [name, bytes] : parts_of(*cost, shapes, 2, recompute)) sum += bytes;
    const core::Bytes peak = cost->peak_memory(shapes, 2, recompute);
    EXPECT_NEAR(peak.value(), sum, 1e-9 * sum);
    EXPECT_LE(peak, previous);
    previous = peak;
  }
  EXPECT_LT(cost->peak_memory({}, 2, 0), cost->peak_memory(shapes, 2, 2));
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\r') continue;  // the file may have CRLF ends
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// Peak allocations published by SimuMax for Llama-3 widths on B200: tensor, Ulysses and data
// parallel, ZeRO-1 over all that are not tensor parallel, gradients in fp32, no recomputation,
// untied embeddings. What the allocator reports contains no context, communicator or fragmentation.
TEST(Memory, PublishedPeakAllocations) {
  const char* variable = std::getenv("DCPBENCH_SHARED");
  const std::filesystem::path folder = variable != nullptr ? variable : DCPBENCH_DEFAULT_SHARED;
  std::ifstream file(folder / "reference" / "memory_rows.csv");
  if (!file) GTEST_SKIP() << "no memory_rows.csv in " << folder / "reference";

  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = fields_of(line);
  std::int32_t rows = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < header.size() && i < fields.size(); ++i) row[header[i]] = fields[i];
    const auto number = [&row](const char* key) { return std::stoi(row.at(key)); };

    core::Model model;
    model.name = row["model"];
    model.layers = number("layers");
    model.hidden = number("hidden");
    model.heads = number("heads");
    model.kv_heads = number("kv_heads");
    model.ffn = number("ffn");
    model.gated_mlp = true;
    model.vocab = number("vocab");
    core::Cluster cluster = small_cluster(1, number("gpus"));
    CostOptions options;
    options.tp = number("tp");
    const auto cost = make_cost_model(cluster, &model, options);
    const std::vector<ShapeGroup> shapes = {text(number("seq_len"), number("micro_batch"))};
    const double gib =
        cost->peak_memory(shapes, number("cp_or_sp"), 0).value() / core::kGiB.value();

    const std::string mark = "real peak allocation ";
    const double published =
        std::stod(row.at("notes").substr(row.at("notes").find(mark) + mark.size()));
    EXPECT_NEAR(gib / published, 1, 0.05)
        << row["model"] << " tp " << row["tp"] << " cp " << row["cp_or_sp"] << ": " << gib
        << " GiB, published " << published;
    RecordProperty("error_" + std::to_string(rows), std::to_string(gib / published - 1));
    ++rows;
  }
  EXPECT_EQ(rows, 6);
}

}  // namespace
}  // namespace dcpbench::planner

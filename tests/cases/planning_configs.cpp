// Configurations, plans and reports with a mistake, translated from the corpus' dialect into ours.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/cases/planning_case.hpp"

namespace dcpbench::tests {

namespace {

const Words kShortData = {"--dataset", "web", "--sequences", "50"};

std::string corpus_file(const char* name) { return (shared_folder() / "cases" / name).string(); }

// A cluster and a model as files, and the words that name them.
class Setup {
 public:
  Setup(const json& cluster, const json& model)
      : cluster_(folder_.write("cluster.json", cluster.dump(1))),
        model_(folder_.write("model.json", model.dump(1))) {}

  [[nodiscard]] Words words(const Words& more = kShortData) const {
    return Words{"--cluster", cluster_, "--model", model_} + more;
  }
  [[nodiscard]] const std::string& cluster() const { return cluster_; }
  [[nodiscard]] const std::string& model() const { return model_; }

 private:
  TemporaryFolder folder_;
  std::string cluster_;
  std::string model_;
};

json model_with(const json& changes) {
  json model = base_model();
  model.update(changes);
  return model;
}

void base(const std::string& /*path*/) {
  const json report = report_of(on_base() + kShortData);
  EXPECT_TRUE(report["warnings"].empty()) << report["warnings"];
  EXPECT_TRUE(report["infeasible"].empty());
  ASSERT_EQ(report["results"].size(), 5U);
  for (const json& result : report["results"]) {
    EXPECT_EQ(result["gpus"], 8);
    EXPECT_TRUE(result["warnings"].empty()) << result["warnings"];
    EXPECT_TRUE(std::isfinite(result["useful_tokens_per_second"].get<double>()));
    EXPECT_GT(result["useful_tokens_per_second"], 0);
  }
}

void heads_28(const std::string& /*path*/) {
  const Setup setup(base_cluster(), model_with({{"hidden", 3584}, {"heads", 28}, {"kv_heads", 4}}));
  expect_refusal(2, Words{"simulate", "--strategy", "packed", "--bucket-sp", "8"} + setup.words(),
                 {"--bucket-sp 8 for model gen-7b: head rule: 28 heads are not divisible by SP "
                  "degree 8; valid degrees: 1, 2, 4"});
  const Outcome explained =
      dcpbench(Words{"plan", "--strategy", "dcp", "--explain"} + setup.words());
  EXPECT_EQ(explained.exit_code, 0) << explained.all();
  EXPECT_TRUE(says(explained.out, {"head rule: 28 heads are not divisible by SP degree 8"}));
  const json result = report_of(setup.words(kShortData + Words{"--strategy", "dcp"}))["results"][0];
  EXPECT_FALSE(result["sp_degrees"].contains("8")) << result["sp_degrees"];
}

void kv_heads_8_of_30(const std::string& /*path*/) {
  const Setup setup(base_cluster(), model_with({{"hidden", 3840}, {"heads", 30}, {"kv_heads", 8}}));
  expect_refusal(2, Words{"simulate"} + setup.words(),
                 {setup.model(), "heads 30 is not a multiple of kv_heads 8",
                  "use heads 32 or 24, or kv_heads 6"});
}

void sp_3_of_8(const std::string& /*path*/) {
  expect_refusal(
      2, Words{"simulate", "--strategy", "bucket", "--bucket-sp", "3"} + on_base() + kShortData,
      {"--bucket-sp 3", "8 ranks are not divisible by 3", "32 heads are not divisible by 3",
       "valid degrees: 1, 2, 4, 8"});
}

void least_above_most(const std::string& /*path*/) {
  expect_refusal(
      2,
      Words{"simulate", "--min-accumulation", "15", "--max-accumulation", "5"} + on_base() +
          kShortData,
      {"--min-accumulation 15 is above --max-accumulation 5", "raise the maximum to at least 15"});
}

void bandwidth_units(const std::string& /*path*/) {
  json cluster = base_cluster();
  cluster["nodes"] = 4;
  for (const json& bare : {json("400"), json(400)}) {
    cluster["inter_node"]["bandwidth"] = bare;
    const Setup setup(cluster, base_model());
    expect_refusal(2, Words{"simulate"} + setup.words(),
                   {setup.cluster(), "inter_node.bandwidth", "\"50 GB/s\"", "\"400 Gb/s\" (bits)"});
  }
  cluster["inter_node"]["bandwidth"] = "400 GB/s";
  const Setup setup(cluster, base_model());
  const Words words = setup.words(kShortData + Words{"--strategy", "dcp"});
  const json report = report_of(words);
  EXPECT_TRUE(says(warning_with(report["warnings"], "is above intra_node"),
                   {setup.cluster(), "400 GB/s", "300 GB/s", "\"400 Gb/s\" is 50 GB/s"}));
  EXPECT_TRUE(says(warning_with(report["warnings"], "per GPU; did you mean"),
                   {"200 GB/s", "did you mean \"400 Gb/s\"?"}));
  EXPECT_TRUE(says(dcpbench(Words{"simulate"} + words).out,
                   {"inter_node 400 GB/s = 3200 Gb/s", "intra_node 300 GB/s = 2400 Gb/s"}));
}

void model_does_not_fit(const std::string& /*path*/) {
  json cluster = base_cluster();
  cluster["gpus_per_node"] = 1;
  cluster["device"]["memory"] = "24 GiB";
  cluster["device"]["peak"] = "160 TFLOP/s";
  const Setup setup(
      cluster,
      model_with(
          {{"layers", 80}, {"hidden", 8192}, {"heads", 64}, {"kv_heads", 8}, {"ffn", 28672}}));
  // 69.0e9 parameters: 2 bytes each of weights (128.5 GiB), 4 of gradients, 12 of optimizer state.
  // Weights and gradients are whole on every GPU below ZeRO-3, so no number of GPUs helps.
  expect_infeasible(setup.words(),
                    {"the model does not fit, whatever the lengths", "of 21.6 GiB per GPU on 1 GPU",
                     "weights 128.5 GiB", "gradients 257.0 GiB", "optimizer 770.9 GiB",
                     "fits on no number of GPUs up to 16384 with ZeRO-1",
                     "with --zero 3 from 125 "
                     "GPUs (--zero 3 --gpus 125)"});
  const Words sharded = {"--zero", "3", "--strategy", "dcp"};
  expect_infeasible(setup.words(kShortData + sharded + Words{"--gpus", "124"}),
                    {"fits from 125 GPUs (--gpus 125)"});
  EXPECT_EQ(report_of(setup.words(kShortData + sharded + Words{"--gpus", "125"}))["results"].size(),
            1U);
}

void unknown_and_duplicate_keys(const std::string& /*path*/) {
  json cluster = base_cluster();
  cluster["gpus_per_nod"] = cluster["gpus_per_node"];
  cluster.erase("gpus_per_node");
  cluster["extra"] = {{"x", 1}};
  const Setup setup(cluster, base_model());
  std::string model = base_model().dump(1);
  model.insert(model.find("\"heads\""), "\"heads\": 16, ");
  const TemporaryFolder folder;
  const std::string repeated = folder.write("repeated.json", model);
  expect_refusal(
      2, Words{"simulate", "--cluster", setup.cluster(), "--model", repeated} + kShortData,
      {"gpus_per_nod: unknown key", "did you mean \"gpus_per_node\"?",
       "missing key \"gpus_per_node\"", "extra: unknown key", "duplicate key \"heads\""});
}

void missing_file(const std::string& path) {
  std::ifstream file(path);
  std::string name;
  file >> name;
  expect_refusal(5, {"simulate", "--cluster", name},
                 {"cannot open " + name + ": No such file or directory"});
}

void many_groups(const std::string& /*path*/) {
  json cluster = base_cluster();
  cluster["nodes"] = 64;
  const Setup setup(cluster, model_with({{"hidden", 32768}, {"heads", 256}, {"kv_heads", 256}}));
  const Words words = setup.words({"--lengths", corpus_file("C40_one_giant.txt"), "--zero", "3"});
  const json report = report_of(words);
  ASSERT_EQ(report["results"].size(), 5U);
  for (const json& result : report["results"]) {
    // The world and one for each degree above 1 that the plan uses, of the eight that there are;
    // memory is planned for all nine at 256 MiB.
    std::int64_t used = 1;
    for (const auto& [degree, count] : result["sp_degrees"].items()) used += degree != "1" ? 1 : 0;
    EXPECT_EQ(result["communicators"], used) << result["strategy"];
    EXPECT_EQ(result["peak_memory_parts_bytes"]["communicators"], 9.0 * 256 * 1024 * 1024);
  }
  expect_infeasible(words + Words{"--max-communicators", "1"},
                    {"the plan needs 2 communicators per rank, --max-communicators allows 1"});
}

void recompute_conflict(const std::string& /*path*/) {
  expect_refusal(
      2, Words{"plan", "--recompute", "none", "--recompute-layers", "40"} + on_base() + kShortData,
      {"--recompute none contradicts --recompute-layers 40", "40 > 32 layers of gen-7b"});
}

void bucket_edges(const std::string& /*path*/) {
  const Words words =
      Words{"plan", "--strategy", "bucket", "--lengths", corpus_file("C40_one_giant.txt")} +
      on_base();
  expect_refusal(
      2, words + Words{"--bucket-edges", "1024,2048,2048,8192,4096"},
      {"--bucket-edges must rise: 2048 twice, 4096 after 8192", "did you mean 1024,2048,4096,8192?",
       "--bucket-edges 8192: 1 of the 500 sequences of C40_one_giant.txt is longer",
       "the longest has 131072 tokens", "50.6 % of the tokens",
       "raise it to 131072, or choose --oversize drop or truncate"});
  const Words rising = words + Words{"--bucket-edges", "1024,2048,4096,8192"};
  const Outcome dropped = dcpbench(rising + Words{"--oversize", "drop"});
  EXPECT_EQ(dropped.exit_code, 0) << dropped.all();
  EXPECT_TRUE(says(dropped.out, {"499 sequences, 1 dropped (131072 tokens), 0 tokens truncated"}));
}

json profile(const std::vector<std::pair<int, const char*>>& times) {
  json points;
  for (const auto& [length, time] : times) {
    points.push_back({{"length", length}, {"batch", 1}, {"sp_degree", 1}, {"time", time}});
  }
  return {{"name", "profile"},
          {"nodes", 1},
          {"gpus_per_node", 8},
          {"table",
           {{"layers", 32},
            {"gradient_sync", "10 ms"},
            {"optimizer", "5 ms"},
            {"overhead", "10 ms"},
            {"points", points}}}};
}

void profile_table(const std::string& /*path*/) {
  const TemporaryFolder folder;
  const std::string lengths = folder.write("lengths.txt", "1024\n524288\n");
  const auto words = [&](const json& cluster) {
    return Words{"--cluster",  folder.write("table.json", cluster.dump(1)),
                 "--lengths",  lengths,
                 "--strategy", "bucket"};
  };
  expect_refusal(2, Words{"simulate"} + words(profile({{1024, "0.9 ms"}, {8192, "-1.0 ms"}})),
                 {"table.points[1].time", "\"-1.0 ms\"", "above 0"});
  const json report = report_of(
      words(profile({{1024, "0.9 ms"}, {4096, "7.1 ms"}, {16384, "120 ms"}, {32768, "110 ms"}})));
  EXPECT_TRUE(says(warning_with(report["warnings"], "measure again"),
                   {"table.json:", "length 32768 takes 0.11 s, less than length 16384 (0.12 s)"}));
  // 524,288 tokens are 16 times the longest that was measured.
  EXPECT_EQ(report["results"][0]["max_extrapolation"], 16.0);
  EXPECT_TRUE(
      says(dcpbench(Words{"simulate"} + words(profile({{1024, "0.9 ms"}, {32768, "110 ms"}}))).out,
           {"extrapolated: 1 of 1 results", "by up to 16.0x"}));
}

void reports_of_different_workloads(const std::string& /*path*/) {
  const TemporaryFolder folder;
  const Words words = on_base() + kShortData + Words{"--strategy", "dcp"};
  const json first = report_of(words);
  json other = first;
  other["results"][0]["workload_sha256"] = std::string(64, 'b');
  other["results"][0]["gpus"] = 16;
  other["results"][0]["dropped_sequences"] = 3;
  const std::string a = folder.write("a.json", first.dump());
  const std::string b = folder.write("b.json", other.dump());
  expect_refusal(2, {"compare", a, b},
                 {"not comparable: workload_sha256: ", "gpus: 8 in " + a + ", 16 in " + b,
                  "dropped_sequences: 0 in " + a + ", 3 in " + b, "--force compares all the same"});
  const Outcome forced = dcpbench({"compare", a, b, "--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.all();
  EXPECT_TRUE(says(forced.out, {"# NOT COMPARABLE: workload_sha256", "# NOT COMPARABLE: gpus: 8",
                                "# NOT COMPARABLE: dropped_sequences: 0"}));
  EXPECT_EQ(dcpbench({"compare", a, a}).exit_code, 0);
}

void report_of_the_future(const std::string& /*path*/) {
  const TemporaryFolder folder;
  json report = report_of(on_base() + kShortData + Words{"--strategy", "dcp"});
  const std::string now = folder.write("now.json", report.dump());
  report["schema_version"] = 9;
  const std::string future = folder.write("future.json", report.dump());
  expect_refusal(2, {"compare", now, future},
                 {future, "schema_version 9 is newer than this tool reads (1)"});
}

void pack_below_longest(const std::string& /*path*/) {
  const Words words =
      on_base() + Words{"--strategy", "packed",    "--pack-tokens",
                        "4096",       "--lengths", corpus_file("C40_one_giant.txt")};
  expect_refusal(2, Words{"simulate"} + words,
                 {"--pack-tokens 4096: 1 of the 500 sequences", "the longest has 131072 tokens",
                  "50.6 % of the tokens", "raise it to 131072", "--oversize drop or truncate"});
  const json dropped = report_of(words + Words{"--oversize", "drop"})["results"][0];
  EXPECT_EQ(dropped["sequences"], 499);
  EXPECT_EQ(dropped["dropped_sequences"], 1);
  EXPECT_EQ(dropped["dropped_tokens"], 131'072);
  const json cut = report_of(words + Words{"--oversize", "truncate"})["results"][0];
  EXPECT_EQ(cut["sequences"], 500);
  EXPECT_EQ(cut["truncated_tokens"], 131'072 - 4096);
}

void hdf5(const std::string& path) {
  const json result =
      report_of(on_base() + Words{"--lengths", path, "--strategy", "bucket"})["results"][0];
  EXPECT_EQ(result["sequences"], 2);
  EXPECT_EQ(result["useful_tokens"], 512 + 2048);
}

void truncated_hdf5(const std::string& path) {
  const Words words = {"simulate", "--lengths", path};
  expect_refusal(2, words, {path, "truncated HDF5 (eof 4122, expected 6184)"});
  EXPECT_EQ(dcpbench(words).err.find("HDF5-DIAG"), std::string::npos);
  expect_refusal(2, {"compare", path, path}, {"truncated HDF5 (eof 4122, expected 6184)"});
}

void not_hdf5(const std::string& path) {
  expect_refusal(2, {"simulate", "--lengths", path}, {path, "not an HDF5 file (first bytes"});
}

void sp_above_need(const std::string& /*path*/) {
  const json report =
      report_of(on_base() + kShortData + Words{"--strategy", "bucket,packed", "--bucket-sp", "8"});
  ASSERT_EQ(report["results"].size(), 2U);
  for (const json& result : report["results"]) {
    EXPECT_EQ(result["sp_degrees"].size(), 1U);
    EXPECT_TRUE(result["sp_degrees"].contains("8"));
    EXPECT_TRUE(says(warning_with(result["warnings"], "would fit every sequence"),
                     {"SP degree 1 would fit every sequence; 8 is used, which costs ",
                      "% more rank time before balance (--bucket-sp 1)"}));
  }
}

void edited_plan(const std::string& /*path*/) {
  const TemporaryFolder folder;
  const Words words = on_base() + Words{"--lengths", corpus_file("C15_all_equal.txt")};
  json plan = plan_of("dcp", words);
  json& batches = plan["steps"][0]["micro_batches"];
  const auto of_rank_3 = std::find_if(batches.begin(), batches.end(), [](const json& batch) {
    return batch["first_rank"] == 3 && batch["closing"] == true;
  });
  ASSERT_NE(of_rank_3, batches.end());
  const std::size_t lost = (*of_rank_3)["sequences"].size();
  batches.erase(of_rank_3);
  const std::string once = folder.write("once.json", plan.dump(1));
  const Outcome refused = dcpbench(Words{"simulate", "--plan", once} + words);
  EXPECT_EQ(refused.exit_code, 2) << refused.all();
  EXPECT_TRUE(says(refused.err, {once, "plan_digest: the file was edited after it was written"}));
  // With the digest that the message names, the plan itself is wrong: a rank with less to do.
  const std::string phrase = "its content gives ";
  plan["plan_digest"] = refused.err.substr(refused.err.find(phrase) + phrase.size(), 64);
  const std::string twice = folder.write("twice.json", plan.dump(1));
  expect_refusal(2, Words{"simulate", "--plan", twice} + words,
                 {twice, std::to_string(lost) + " of 64 sequences are not in the plan"});
}

}  // namespace

const std::map<std::string, Check>& config_checks() {
  static const std::map<std::string, Check> checks = {
      {"K00", base},
      {"K60", heads_28},
      {"K63", kv_heads_8_of_30},
      {"K65", sp_3_of_8},
      {"K66", least_above_most},
      {"K67", bandwidth_units},
      {"K68", model_does_not_fit},
      {"K70", unknown_and_duplicate_keys},
      {"K71b", missing_file},
      {"K73", many_groups},
      {"K74", recompute_conflict},
      {"K75", bucket_edges},
      {"K77", profile_table},
      {"K79", reports_of_different_workloads},
      {"K79d", report_of_the_future},
      {"K80", pack_below_longest},
      {"K81", hdf5},
      {"K81b", truncated_hdf5},
      {"K81d", not_hdf5},
      {"K83", sp_above_need},
      {"K85", edited_plan},
  };
  return checks;
}

}  // namespace dcpbench::tests

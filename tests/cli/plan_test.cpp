// dcpbench plan, and executing a plan from a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using nlohmann::json;

const std::vector<std::string> kWorkload = {"--dataset", "web", "--sequences", "100"};

std::vector<std::string> with_workload(std::vector<std::string> words,
                                       const std::vector<std::string>& more) {
  words.insert(words.end(), kWorkload.begin(), kWorkload.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Plan, PrintsOneEntryPerStrategy) {
  const Outcome outcome = dcpbench(with_workload({"plan"}, {}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  for (const char* strategy : {"bucket", "packed", "dcp-inter", "dcp-intra", "dcp"}) {
    EXPECT_NE(outcome.out.find("transformer-1d-1.2b on web, " + std::string(strategy) + ", seed 0"),
              std::string::npos)
        << outcome.out;
  }
}

TEST(Plan, ExplainsTheChoices) {
  const Outcome outcome = dcpbench(with_workload({"plan", "--explain"}, {"--strategy", "bucket"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NE(outcome.out.find("tokens/s/rank"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" *"), std::string::npos) << outcome.out;
  // The fairness table: SP degrees 1 to 32, each with and without the median cut and with all and
  // no layers recomputed: 6 x 2 x 2 rows, one of them used.
  const std::size_t table = outcome.out.find("fixed settings");
  ASSERT_NE(table, std::string::npos) << outcome.out;
  std::size_t rows = 0;
  std::size_t used = 0;
  for (const std::string& line : lines_of(outcome.out.substr(table))) {
    if (line.find(" yes ") != std::string::npos || line.find(" no ") != std::string::npos) ++rows;
    if (line.starts_with(" *")) ++used;
  }
  EXPECT_EQ(rows, 24U) << outcome.out;
  EXPECT_EQ(used, 1U) << outcome.out;
}

TEST(Plan, TheFairnessTableSaysHowFarTheDefaultIsFromTheBest) {
  for (const char* strategy : {"bucket", "packed"}) {
    const Outcome outcome =
        dcpbench(with_workload({"plan", "--explain", "--json", "-"}, {"--strategy", strategy}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
    const json plan = json::parse(outcome.out)["plans"][0];
    const json table = plan["fixed_settings"];
    double used = 0;
    double best = 0;
    double least = 0;
    std::size_t used_rows = 0;
    for (const json& row : table["settings"]) {
      ASSERT_TRUE(row["predicted_seconds"].is_number()) << row;
      const double seconds = row["predicted_seconds"];
      least = least == 0 ? seconds : std::min(least, seconds);
      used_rows += row["is_used"].get<bool>() ? 1 : 0;
      if (row["is_used"]) used = seconds;
      if (row["is_best"]) best = seconds;
      EXPECT_EQ(row["median_cut"].is_boolean(), std::string(strategy) == "bucket") << row;
    }
    EXPECT_EQ(used_rows, 1U) << table;
    EXPECT_DOUBLE_EQ(best, least);
    EXPECT_DOUBLE_EQ(table["used_over_best"].get<double>(), used / best);
    const std::string text = plan["explanation"];
    const bool is_best = used == best;
    EXPECT_NE(text.find(is_best ? "the default is the best fixed setting" : "the default takes "),
              std::string::npos)
        << text;
  }
  // What the user fixed is not called the default.
  const Outcome fixed =
      dcpbench(with_workload({"plan", "--explain"}, {"--strategy", "bucket", "--bucket-sp", "32"}));
  EXPECT_NE(fixed.out.find("the setting used takes "), std::string::npos) << fixed.all();
}

TEST(Plan, TheFairnessTableRecomputesNoMoreThanMemoryForces) {
  // 60000 tokens on one rank fit 80 GB only with recomputation, on 32 ranks without.
  const TemporaryFolder folder;
  const std::string file = folder.write("l.txt", "60000\n60000\n");
  const Outcome outcome = dcpbench({"plan", "--explain", "--json", "-", "--lengths", file,
                                    "--strategy", "bucket", "--cluster", "h100-4x8"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  std::map<int, std::int64_t> least;
  const json plan = json::parse(outcome.out)["plans"][0];
  for (const json& row : plan["fixed_settings"]["settings"]) {
    const int degree = row["sp_degree"];
    const std::int64_t layers = row["least_recompute_layers"];
    EXPECT_EQ(row["most_recompute_layers"], layers);
    least[degree] = least.contains(degree) ? std::min(least[degree], layers) : layers;
  }
  EXPECT_GT(least.at(1), 0) << outcome.out;
  EXPECT_EQ(least.at(32), 0) << outcome.out;
}

TEST(Plan, AnExplanationByStepSaysWhichStep) {
  const std::vector<std::string> steps = {"--strategy", "dcp", "--step-sequences", "25"};
  const Outcome outcome = dcpbench(with_workload({"plan", "--explain"}, steps));
  EXPECT_NE(
      outcome.out.find("note: each class is explained in the first step that has it; the plan "
                       "has 4 steps"),
      std::string::npos)
      << outcome.all();
  const Outcome single = dcpbench(with_workload({"plan", "--explain"}, {"--strategy", "dcp"}));
  EXPECT_EQ(single.out.find("each class is explained"), std::string::npos) << single.all();
}

TEST(Plan, APlanFileLeavesNothingToPlan) {
  const TemporaryFolder folder;
  const std::string file = folder.path("plan.json");
  ASSERT_EQ(dcpbench(with_workload({"plan", "--out", file}, {"--strategy", "dcp"})).exit_code, 0);
  const std::vector<std::pair<std::string, std::string>> options = {
      {"--strategy", "dcp"},          {"--seeds", "2"},
      {"--plan-cluster", "h100-4x8"}, {"--bucket-sp", "4"},
      {"--recompute", "none"},        {"--recompute-layers", "0"},
      {"--padding", "none"},          {"--bucket-edges", "1000000"},
      {"--pack-tokens", "1000000"},   {"--min-accumulation", "2"},
      {"--max-accumulation", "4"},    {"--max-communicators", "9"},
      {"--no-median-cut", ""},        {"--drop-last", ""}};
  std::vector<std::string> words = with_workload({"simulate"}, {"--plan", file});
  for (const auto& [name, value] : options) {
    words.push_back(name);
    if (!value.empty()) words.push_back(value);
  }
  const Outcome outcome = dcpbench(words);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  for (const auto& [name, value] : options) {
    EXPECT_NE(outcome.err.find("--plan contradicts " + name + ": the plan is already made"),
              std::string::npos)
        << name << "\n"
        << outcome.all();
  }
  EXPECT_EQ(lines_of(outcome.err).size(), options.size()) << outcome.all();
  // The accounting that the plan has may be said again.
  EXPECT_EQ(
      dcpbench(with_workload({"simulate"}, {"--plan", file, "--accounting", "equal"})).exit_code,
      0);
}

TEST(Plan, JsonHoldsTheDigestThatSimulateReports) {
  const json plan =
      json::parse(dcpbench(with_workload({"plan", "--json", "-"}, {"--strategy", "dcp"})).out);
  const json report =
      json::parse(dcpbench(with_workload({"simulate", "--json", "-"}, {"--strategy", "dcp"})).out);
  ASSERT_EQ(plan["plans"].size(), 1U);
  EXPECT_EQ(plan["plans"][0]["plan_digest"], report["results"][0]["plan_digest"]);
  EXPECT_EQ(plan["plans"][0]["workload_sha256"], report["results"][0]["workload_sha256"]);
}

TEST(Plan, APlanFileIsExecutedAsItIs) {
  const TemporaryFolder folder;
  const std::string file = folder.path("plan.json");
  const Outcome planned =
      dcpbench(with_workload({"plan", "--out", file}, {"--strategy", "dcp-inter"}));
  ASSERT_EQ(planned.exit_code, 0) << planned.all();
  const json direct = json::parse(
      dcpbench(with_workload({"simulate", "--json", "-"}, {"--strategy", "dcp-inter"})).out);
  const Outcome executed = dcpbench(with_workload({"simulate", "--json", "-"}, {"--plan", file}));
  ASSERT_EQ(executed.exit_code, 0) << executed.all();
  const json report = json::parse(executed.out);
  for (const char* key : {"strategy", "plan_digest", "total_seconds"}) {
    EXPECT_EQ(report["results"][0][key], direct["results"][0][key]) << key;
  }
}

TEST(Plan, APlanForOtherSequencesIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.path("plan.json");
  ASSERT_EQ(dcpbench(with_workload({"plan", "--out", file}, {"--strategy", "dcp"})).exit_code, 0);
  const Outcome outcome =
      dcpbench({"simulate", "--dataset", "web", "--sequences", "101", "--plan", file});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(file + ": "), std::string::npos) << outcome.all();
}

TEST(Plan, AFileThatIsNoPlanIsRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write("plan.json", "{\"steps\": 3}");
  const Outcome outcome = dcpbench(with_workload({"simulate"}, {"--plan", file}));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.all();
}

TEST(Plan, OneFileHoldsOnePlan) {
  const TemporaryFolder folder;
  const Outcome outcome = dcpbench(with_workload({"plan"}, {"--out", folder.path("plan.json")}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("holds one plan, but there are 5"), std::string::npos)
      << outcome.all();
}

}  // namespace
}  // namespace dcpbench::tests

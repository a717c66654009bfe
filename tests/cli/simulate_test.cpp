// dcpbench simulate: what it prints, and that the same request gives the same answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using nlohmann::json;

json simulate(std::vector<std::string> words, int exit_code = 0) {
  words.insert(words.begin(), {"simulate", "--json", "-"});
  const Outcome outcome = dcpbench(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.all();
  return json::parse(outcome.out);
}

std::vector<std::string> column(const json& results, const char* key) {
  std::vector<std::string> values;
  for (const json& result : results) values.push_back(result[key].get<std::string>());
  return values;
}

TEST(Simulate, WithoutOptionsComparesFiveStrategiesOnTwoModels) {
  const Outcome outcome = dcpbench({"simulate"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.err, "");
  // 2 models x 3 datasets x 5 strategies, in reporting order, each under the line of its workload.
  const std::vector<std::string> strategies = {"bucket", "packed", "dcp-inter", "dcp-intra", "dcp"};
  std::vector<std::string> rows;
  std::vector<std::string> recommendations;
  std::size_t workloads = 0;
  for (const std::string& line : lines_of(outcome.out)) {
    if (line.find("accounting equal") != std::string::npos) ++workloads;
    if (line.empty() || line[0] == '#') continue;
    const std::size_t begin = line.find_first_not_of(' ');
    const std::string word = line.substr(begin, line.find(' ', begin) - begin);
    (word.back() == ',' ? recommendations : rows).push_back(word);
  }
  EXPECT_EQ(workloads, 6U) << outcome.out;
  ASSERT_EQ(rows.size(), 30U) << outcome.out;
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], strategies[i % 5]);
  EXPECT_EQ(recommendations.size(), 6U) << outcome.out;
}

TEST(Simulate, JsonOnStandardOutputIsNothingElse) {
  const json report =
      simulate({"--dataset", "web", "--sequences", "500", "--strategy", "bucket,dcp"});
  EXPECT_EQ(report["schema_version"], 1);
  EXPECT_EQ(report["complete"], true);
  EXPECT_EQ(report["command"],
            "dcpbench simulate --json - --dataset web --sequences 500 --strategy bucket,dcp");
  ASSERT_EQ(report["results"].size(), 2U);
  const json& bucket = report["results"][0];
  EXPECT_EQ(bucket["model"], "transformer-1d-1.2b");
  EXPECT_EQ(bucket["strategy"], "bucket");
  EXPECT_EQ(bucket["sequences"], 500);
  EXPECT_EQ(bucket["speedup_vs_bucket"], 1.0);
  EXPECT_EQ(report["results"][1]["workload_sha256"], bucket["workload_sha256"]);
}

TEST(Simulate, TheSameSeedGivesTheSamePlansAndTimes) {
  const std::vector<std::string> words = {"--dataset", "chat", "--sequences", "400", "--seed", "5"};
  const json first = simulate(words)["results"];
  const json second = simulate(words)["results"];
  EXPECT_EQ(column(first, "plan_digest"), column(second, "plan_digest"));
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i]["total_seconds"], second[i]["total_seconds"]);
  }
  const json other =
      simulate({"--dataset", "chat", "--sequences", "400", "--seed", "6"})["results"];
  EXPECT_NE(first[0]["workload_sha256"], other[0]["workload_sha256"]);
}

TEST(Simulate, SeedsAreRepeats) {
  const json results = simulate({"--dataset", "chat", "--sequences", "200", "--seed", "3",
                                 "--seeds", "4", "--strategy", "dcp"})["results"];
  ASSERT_EQ(results.size(), 4U);
  std::set<std::string> workloads;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results[i]["seed"], 3 + i);
    workloads.insert(results[i]["workload_sha256"].get<std::string>());
  }
  EXPECT_EQ(workloads.size(), 4U);
}

TEST(Simulate, ModelsAndDatasetsCross) {
  const json results =
      simulate({"--model", "llama-8b", "--model", "transformer-1d-5b", "--dataset", "web",
                "--dataset", "code", "--sequences", "100", "--strategy", "dcp"})["results"];
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(
      column(results, "model"),
      (std::vector<std::string>{"llama-8b", "llama-8b", "transformer-1d-5b", "transformer-1d-5b"}));
  EXPECT_EQ(column(results, "dataset"), (std::vector<std::string>{"web", "code", "web", "code"}));
}

TEST(Simulate, ADatasetAloneGetsTheModelOfItsKind) {
  const json results = simulate({"--dataset", "video-short", "--dataset", "web", "--sequences",
                                 "100", "--strategy", "bucket"})["results"];
  EXPECT_EQ(column(results, "model"),
            (std::vector<std::string>{"dit-2d-1.2b", "transformer-1d-1.2b"}));
}

TEST(Simulate, LengthsFromAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.csv", "length\n100\n200\n300\n5000\n");
  const json result = simulate({"--lengths", file, "--strategy", "dcp"})["results"][0];
  EXPECT_EQ(result["sequences"], 4);
  EXPECT_EQ(result["useful_tokens"], 5600);
}

TEST(Simulate, TheReportSaysHowSequencesWereChosenOncePerDataset) {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.txt", "131072\n256\n256\n256\n256\n");
  const json report =
      simulate({"--lengths", file, "--sequences", "4", "--seed", "3", "--seeds", "3", "--model",
                "transformer-1d-1.2b", "--model", "llama-8b", "--strategy", "bucket,dcp"});
  EXPECT_EQ(
      report["notes"],
      json({"4 of 5 rows of mine.txt, sampled without replacement with seed 3, in drawn order; "
            "likewise with seeds 4 to 5"}));
  const json drawn = simulate(
      {"--dataset", "web", "--dataset", "chat", "--sequences", "10", "--strategy", "bucket"});
  ASSERT_EQ(drawn["notes"].size(), 2U);
  EXPECT_EQ(
      drawn["notes"][0].get<std::string>().rfind("10 sequences drawn from web with seed 0", 0), 0U);
  const Outcome table = dcpbench({"simulate", "--lengths", file, "--strategy", "dcp"});
  EXPECT_NE(table.out.find("# note: all 5 rows of mine.txt, shuffled with seed 0\n"),
            std::string::npos)
      << table.all();
  EXPECT_NE(table.out.find("1 of 5 sequences (row 0, 131072 tokens) is 99% of the tokens"),
            std::string::npos)
      << table.all();
}

TEST(Simulate, AGiantInADrawIsWarnedOf) {
  // Of a histogram only the draw tells. A draw of 20 holds one giant with probability
  // 20 (1/51) (50/51)^19 = 0.27, and it is then 100000 of 101900 tokens: 98 %. 40 seeds without any
  // have probability 0.73^40 = 3e-6, and the draws are the same on every machine.
  const TemporaryFolder folder;
  const std::string file = folder.write("h.csv", "length,weight\n100,50\n100000,1\n");
  bool warned = false;
  for (int seed = 0; seed < 40 && !warned; ++seed) {
    const json report = simulate({"--lengths", file, "--sequences", "20", "--seed",
                                  std::to_string(seed), "--strategy", "bucket"});
    for (const json& text : report["warnings"]) {
      if (text.get<std::string>().find("100000 tokens) is 98% of the tokens") !=
          std::string::npos) {
        warned = true;
        EXPECT_EQ(std::count(report["warnings"].begin(), report["warnings"].end(), text), 1);
      }
    }
  }
  EXPECT_TRUE(warned);
}

TEST(Simulate, AModelFreeClusterNeedsNoModel) {
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.txt", "1000\n1000\n");
  const json report = simulate({"--cluster", "ideal", "--gpus", "2", "--lengths", file,
                                "--strategy", "dcp-inter", "--step-sequences", "all"});
  const json& result = report["results"][0];
  EXPECT_EQ(result["model"], "none");
  // Two sequences of 1000^2 + 24576 x 1000 = 25,576,000 ns of work on two GPUs, communication free.
  EXPECT_DOUBLE_EQ(result["total_seconds"].get<double>(), 0.025576);
  EXPECT_EQ(report["cluster"]["gpus"], "2");
}

TEST(Simulate, OversizePoliciesCountWhatTheyTake) {
  // --pack-tokens 4096 drops 10000 tokens, or cuts them to 4096: 5904 tokens less.
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.txt", "1000\n10000\n2000\n");
  const std::vector<std::string> words = {"--lengths",  file,     "--pack-tokens", "4096",
                                          "--strategy", "packed", "--oversize"};
  std::vector<std::string> drop = words;
  drop.emplace_back("drop");
  const json dropped = simulate(drop)["results"][0];
  EXPECT_EQ(dropped["sequences"], 2);
  EXPECT_EQ(dropped["dropped_sequences"], 1);
  EXPECT_EQ(dropped["dropped_tokens"], 10000);
  std::vector<std::string> cut = words;
  cut.emplace_back("truncate");
  const json truncated = simulate(cut)["results"][0];
  EXPECT_EQ(truncated["sequences"], 3);
  EXPECT_EQ(truncated["truncated_tokens"], 5904);
  EXPECT_EQ(truncated["useful_tokens"], 7096);
}

TEST(Simulate, AStrategyWithoutAPlanIsAnAnswerWithExitCode3) {
  // 70 billion parameters do not fit one 8-GPU node without sharding of the optimizer.
  const std::vector<std::string> words = {"simulate",  "--cluster",   "h200-1x8", "--model",
                                          "llama-70b", "--zero",      "0",        "--dataset",
                                          "web",       "--sequences", "50"};
  const Outcome outcome = dcpbench(words);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.all();
  EXPECT_NE(outcome.out.find("no plan"), std::string::npos) << outcome.all();
  const json report = simulate({words.begin() + 1, words.end()}, 3);
  EXPECT_EQ(report["complete"], true);
  EXPECT_EQ(report["results"].size(), 0U);
  ASSERT_EQ(report["infeasible"].size(), 5U);
  EXPECT_NE(report["infeasible"][0]["reason"], "");
}

TEST(Simulate, CommunicatorsCanBeLimited) {
  const json report = simulate({"--dataset", "web", "--sequences", "100", "--strategy", "bucket",
                                "--max-communicators", "1"},
                               3);
  EXPECT_NE(
      report["infeasible"][0]["reason"].get<std::string>().find("--max-communicators allows 1"),
      std::string::npos);
}

TEST(Simulate, ASlowRankCostsTime) {
  const std::vector<std::string> words = {"--dataset", "web",        "--sequences",
                                          "200",       "--strategy", "bucket"};
  std::vector<std::string> slow = words;
  slow.insert(slow.end(), {"--slow-rank", "0", "--slow-factor", "2"});
  EXPECT_GT(simulate(slow)["results"][0]["total_seconds"].get<double>(),
            simulate(words)["results"][0]["total_seconds"].get<double>());
  const Outcome refused = dcpbench({"simulate", "--slow-rank", "32", "--slow-factor", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--slow-rank 32: ranks are 0 to 31"), std::string::npos)
      << refused.all();
}

TEST(Simulate, APlanForAnotherClusterIsExecutedOnThisOne) {
  const std::vector<std::string> words = {"--dataset", "text-long",  "--sequences",
                                          "300",       "--strategy", "dcp"};
  const auto planned_for = [&](const char* belief, const char* truth, int exit_code) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--plan-cluster", belief, "--cluster", truth});
    return simulate(all, exit_code);
  };
  const json smaller = planned_for("h100-4x8", "h200-4x8", 0);
  EXPECT_EQ(smaller["cluster"]["name"], "h200-4x8");
  EXPECT_EQ(smaller["cluster"]["plan_cluster"], "h100-4x8");
  // A plan that fills 141 GB does not run in 80 GB.
  const json larger = planned_for("h200-4x8", "h100-4x8", 3);
  EXPECT_NE(larger["infeasible"][0]["reason"].get<std::string>().find(
                "the plan for h200-4x8 can't run on h100-4x8"),
            std::string::npos);
}

TEST(Simulate, QuietAndVerboseOnlyChangeStandardError) {
  const std::vector<std::string> words = {"simulate", "--dataset",  "web",   "--sequences",
                                          "50",       "--strategy", "bucket"};
  std::vector<std::string> verbose = words;
  verbose.emplace_back("-v");
  const Outcome outcome = dcpbench(verbose);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("transformer-1d-1.2b on web: bucket"), std::string::npos);
  std::vector<std::string> quiet = words;
  quiet.emplace_back("-q");
  EXPECT_EQ(dcpbench(quiet).err, "");
}

}  // namespace
}  // namespace dcpbench::tests

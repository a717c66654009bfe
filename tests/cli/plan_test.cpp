// dcpbench plan, and executing a plan from a file.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

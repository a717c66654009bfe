// Files that the program writes: what is in them, that existing ones are kept, and what happens
// when they can't be written.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::string> small_job(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"simulate", "--dataset",  "web",       "--sequences",
                                    "100",      "--strategy", "bucket,dcp"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Output, AFolderReceivesReportAndPlans) {
  const TemporaryFolder folder;
  const std::string out = folder.path("a/b");
  const Outcome outcome = dcpbench(small_job({"--out", out}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NE(outcome.out.find("dcp"), std::string::npos);
  const json report = json::parse(read_file(out + "/report.json"));
  EXPECT_EQ(report["complete"], true);
  EXPECT_EQ(read_file(out + "/report.h5").substr(1, 3), "HDF");
  for (const char* strategy : {"bucket", "dcp"}) {
    const std::string plan = out + "/plans/transformer-1d-1.2b.web." + strategy + ".seed0.json";
    EXPECT_EQ(json::parse(read_file(plan))["strategy"], strategy) << plan;
  }
  // Nothing but these: no temporary file is left.
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(out + "/plans"), fs::directory_iterator()), 2);
}

TEST(Output, ExistingFilesAreKeptWithoutForce) {
  const TemporaryFolder folder;
  const std::string file = folder.write("report.json", "precious");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--json", file}, {"--out", fs::path(file).parent_path()}}) {
    const Outcome outcome = dcpbench(small_job(more));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
    EXPECT_NE(outcome.err.find(file + " exists; --force overwrites it"), std::string::npos)
        << outcome.all();
    EXPECT_EQ(read_file(file), "precious");
  }
  EXPECT_EQ(dcpbench(small_job({"--json", file, "--force"})).exit_code, 0);
  EXPECT_EQ(json::parse(read_file(file))["complete"], true);
}

TEST(Output, AnUnwritablePlaceIsFoundBeforePlanning) {
  // Below a regular file nobody can make a folder, root neither.
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "");
  const Outcome out = dcpbench(small_job({"--out", file + "/results"}));
  EXPECT_EQ(out.exit_code, 5) << out.all();
  EXPECT_EQ(out.out, "");
  EXPECT_NE(out.err.find(file + "/results"), std::string::npos) << out.all();
  const Outcome to_json = dcpbench(small_job({"--json", folder.path("none/report.json")}));
  EXPECT_EQ(to_json.exit_code, 5) << to_json.all();
}

TEST(Output, AFullStandardOutputIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  const Outcome outcome = dcpbench({"info"}, "/dev/full");
  EXPECT_EQ(outcome.exit_code, 5) << outcome.all();
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos);
}

TEST(Output, AnInterruptedJobLeavesAReadableReport) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const Outcome outcome =
      interrupt_dcpbench({"simulate", "--seeds", "1000", "--out", out}, out + "/report.json");
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT) << outcome.all();
  const json report = json::parse(read_file(out + "/report.json"));
  EXPECT_EQ(report["complete"], false);
  EXPECT_LT(report["results"].size(), 30000U);
}

}  // namespace
}  // namespace dcpbench::tests

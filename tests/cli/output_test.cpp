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
  const Outcome outcome = signal_dcpbench({"simulate", "--seeds", "1000", "--out", out}, SIGINT,
                                          [&]() { return fs::exists(out + "/report.json"); });
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT) << outcome.all();
  const json report = json::parse(read_file(out + "/report.json"));
  EXPECT_EQ(report["complete"], false);
  EXPECT_LT(report["results"].size(), 30000U);
}

TEST(Output, AKilledJobLeavesAReportThatSaysWhyThereIsNoSpeedup) {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  const Outcome outcome = signal_dcpbench(
      {"simulate", "--dataset", "web", "--seeds", "1000", "--strategy", "dcp", "--json", file},
      SIGKILL, [&]() {
        return fs::exists(file) && read_file(file).find("\"strategy\"") != std::string::npos;
      });
  ASSERT_EQ(outcome.exit_code, 128 + SIGKILL) << outcome.all();
  const json report = json::parse(read_file(file));
  EXPECT_EQ(report["complete"], false);
  ASSERT_GT(report["results"].size(), 0U);
  for (const json& result : report["results"]) {
    EXPECT_TRUE(result["speedup_vs_bucket"].is_null());
    EXPECT_EQ(result["speedup_reason"], "bucket was not run");
  }
}

TEST(Output, PlansOfAnEarlierRunAreKeptWithoutForce) {
  // What a run leaves whose report was moved away.
  const TemporaryFolder folder;
  const std::string plans = folder.path("plans");
  fs::create_directory(plans);
  const std::string plan = folder.write("plans/transformer-1d-1.2b.web.dcp.seed0.json", "precious");
  const std::string out = fs::path(plan).parent_path().parent_path().string();
  const Outcome refused = dcpbench(small_job({"--out", out}));
  EXPECT_EQ(refused.exit_code, 2) << refused.all();
  EXPECT_NE(refused.err.find(plans + " exists; --force overwrites it"), std::string::npos)
      << refused.all();
  EXPECT_EQ(read_file(plan), "precious");
  EXPECT_FALSE(fs::exists(out + "/report.json"));
  EXPECT_EQ(dcpbench(small_job({"--out", out, "--force"})).exit_code, 0);
  EXPECT_EQ(json::parse(read_file(plan))["strategy"], "dcp");
}

TEST(Output, OnlyAFolderReceivesTheTimesOfEveryStep) {
  // Results are the same whether or not their timelines are kept for report.h5.
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const Outcome outcome = dcpbench(small_job({"--out", out, "--json", folder.path("r.json")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  json kept = json::parse(read_file(folder.path("r.json")))["results"];
  json small = json::parse(dcpbench(small_job({"--json", "-"})).out)["results"];
  for (json* results : {&kept, &small}) {
    for (json& result : *results) result.erase("plan_seconds");
  }
  EXPECT_EQ(kept, small);
  EXPECT_NE(read_file(out + "/report.h5").find("step_seconds"), std::string::npos);
}

TEST(Output, OutOfMemoryIsAUsageErrorWithARemedy) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer reserves more address space than any limit";
#endif
  // Four million sequences of 40 bytes do not fit 150 MB.
  const Outcome outcome =
      dcpbench_within(150'000'000, {"simulate", "--dataset", "web", "--sequences", "4000000"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
  EXPECT_NE(outcome.err.find("out of memory; ask for fewer --sequences"), std::string::npos)
      << outcome.all();
}

}  // namespace
}  // namespace dcpbench::tests

// Requests that try to break the program: pipes, terminal escapes, file limits, two runs at once,
// and requests that were once answered in silence.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::string> small_job(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"simulate", "--dataset", "web", "--sequences", "100"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void expect_says(const Outcome& outcome, int exit_code, const std::string& text) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.all();
  EXPECT_NE((outcome.out + outcome.err).find(text), std::string::npos) << text << "\n"
                                                                       << outcome.all();
}

TEST(Safety, APipeIsNeverWaitedFor) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe.json");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* option : {"--plan", "--model", "--cluster"}) {
    expect_says(dcpbench(small_job({option, pipe})), 2, pipe + " is a pipe, not a regular file");
  }
  expect_says(dcpbench({"compare", pipe, "/dev/zero"}), 2, "/dev/zero is a device");
}

TEST(Safety, NoTerminalEscapeIsRepeated) {
  const std::string escape = "\x1b]0;title\x07";
  const TemporaryFolder folder;
  const std::string lengths = folder.write("a\x1b[31m\nb.csv", "100\n200\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"simulate", "--strategy", escape},
        {"simulate", "--model", "./" + escape},
        {"simulate", "--cluster", escape + "/x.json"},
        {"compare", escape, escape},
        {escape},
        {"info", "--" + escape},
        {"dataset", "show", "--lengths", lengths},
        {"plan", "--strategy", "dcp", "--lengths", lengths},
        {"simulate", "--strategy", "dcp", "--lengths", lengths}}) {
    const Outcome outcome = dcpbench(words);
    const std::string all = outcome.out + outcome.err;
    EXPECT_EQ(all.find('\x1b'), std::string::npos) << outcome.all();
    EXPECT_NE(all.find("\\x1B"), std::string::npos) << outcome.all();
  }
}

TEST(Safety, AFileLimitIsAnErrorAndLeavesNoFile) {
  const TemporaryFolder folder;
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  // The program inherits it; its messages are shorter, its report is not.
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Outcome outcome = dcpbench(small_job({"-q", "--json", folder.path("report.json")}));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  expect_says(outcome, 5, "File too large");
  for (const auto& entry : fs::directory_iterator(folder.path(""))) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".dcpbench-")) << entry.path();
  }
}

TEST(Safety, AFolderTakesOneRunAtATime) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  fs::create_directory(out);
  const int held = open(out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(held, 0);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  const std::string text = out + ": another run is writing into this folder";
  expect_says(dcpbench(small_job({"--out", out, "--force"})), 2, text);
  expect_says(dcpbench({"plan", "--dataset", "web", "--out", out, "--force"}), 2, text);
  close(held);
  EXPECT_EQ(dcpbench(small_job({"--out", out, "--force"})).exit_code, 0);
}

TEST(Safety, WhatKilledRunsLeftIsRemoved) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  fs::create_directories(out + "/plans");
  // Process numbers end at 2^22 on Linux; this test's own process lives.
  const std::string own = ".dcpbench-" + std::to_string(getpid()) + "-0.tmp";
  const std::vector<std::string> kept = {own, ".dcpbench-99999999-0.tmp.csv", ".dcpbench--1-0.tmp",
                                         ".dcpbench-099999999-0.tmp", ".dcpbench-99999999.tmp"};
  for (const std::string& name : kept) (void)folder.write("out/" + name, "");
  const std::vector<std::string> stale = {folder.write("out/.dcpbench-99999999-0.tmp", ""),
                                          folder.write("out/plans/.dcpbench-99999998-17.tmp", "")};
  EXPECT_EQ(dcpbench(small_job({"--out", out, "--force"})).exit_code, 0);
  for (const std::string& path : stale) EXPECT_FALSE(fs::exists(path)) << path;
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(out + "/" + name)) << name;
}

TEST(Safety, ALinkToNothingIsKept) {
  const TemporaryFolder folder;
  fs::create_symlink("nowhere", folder.path("report.json"));
  expect_says(dcpbench(small_job({"--out", folder.path("")})), 2, "report.json exists");
}

TEST(Safety, AnInterruptIsAnsweredInWords) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  const Outcome outcome = signal_dcpbench({"simulate", "--seeds", "1000", "--out", out}, SIGINT,
                                          [&]() { return fs::exists(out + "/report.json"); });
  expect_says(outcome, 128 + SIGINT, "interrupted; ");
}

TEST(Told, LengthsThatScalingBringsBelowOne) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.csv", "100\n200\n5000\n");
  const std::string text = "2 of 3 lengths would be below 1 and are 1";
  expect_says(dcpbench({"dataset", "show", "--lengths", file, "--scale-lengths", "0.001"}), 0,
              text);
  expect_says(
      dcpbench({"simulate", "--strategy", "dcp", "--lengths", file, "--scale-lengths", "0.001"}), 0,
      text);
}

TEST(Told, TheAccumulationThatCameOut) {
  const std::vector<std::string> words = {
      "plan", "--dataset", "web", "--accounting", "native", "--zero", "1", "--strategy", "dcp"};
  std::vector<std::string> capped = words;
  capped.insert(capped.end(), {"--max-accumulation", "1"});
  const Outcome outcome = dcpbench(capped);
  expect_says(outcome, 0, "accumulation: 1..1 micro-batches per group and round");
  expect_says(outcome, 0, "--max-accumulation 1 is below the least of dcp, 15");
  expect_says(dcpbench({"plan", "--dataset", "web", "--sequences", "64", "--strategy", "dcp",
                        "--min-accumulation", "1000"}),
              0, "--min-accumulation 1000: no group of a round had that many");
  expect_says(dcpbench({"plan", "--dataset", "web", "--sequences", "64", "--strategy", "dcp",
                        "--zero", "3", "--max-accumulation", "2"}),
              0, "have no effect");
}

TEST(Told, PaddingToTheLongestLeavesPackedOut) {
  expect_says(dcpbench(small_job({"--padding", "longest"})), 0,
              "--padding longest does not apply to packed");
  expect_says(dcpbench(small_job({"--padding", "longest", "--strategy", "dcp,packed"})), 2,
              "--padding longest contradicts --strategy packed");
}

TEST(Told, ThatNothingWasExecuted) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.csv", "100\n200\n");
  expect_says(
      dcpbench({"simulate", "--lengths", file, "--pack-tokens", "10", "--oversize", "drop"}), 3,
      "# NOTHING EXECUTED");
}

TEST(Told, LimitsNameTheirOption) {
  expect_says(dcpbench({"simulate", "--jitter", "1e300"}), 2, "--jitter: \"1e300\"");
  expect_says(dcpbench({"simulate", "--slow-rank", "0", "--slow-factor", "1e7"}), 2,
              "--slow-factor: \"1e7\"");
  expect_says(dcpbench({"simulate", "--strategy", "dcp,bucket,dcp"}), 2,
              "--strategy dcp is given twice");
}

}  // namespace
}  // namespace dcpbench::tests

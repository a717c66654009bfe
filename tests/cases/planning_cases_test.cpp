// The case corpus through the command line: lengths that are hard to plan, configurations with
// mistakes, plans and reports that do not fit. The corpus is found by the environment variable
// DCPBENCH_SHARED, else beside the source tree; without it the tests are skipped.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/cases/planning_case.hpp"

namespace dcpbench::tests {
namespace {

// Wholly about reading a file: length_cases_test.cpp has them.
const std::set<std::string> kReaderCases = {"C01",  "C02",  "C03", "C03b", "C04",  "C06", "C07",
                                            "C09",  "C11",  "C12", "C13",  "C17",  "C19", "C20",
                                            "C21b", "C23",  "C24", "C26",  "C26b", "C27", "C27c",
                                            "C27d", "C27f", "C29", "C30",  "C32",  "C34", "C37"};

// Nothing to be seen of these before there are real runs, and what will have to be seen then.
const std::map<std::string, std::string> kWaitingForRun = {
    {"K72",
     "16 GPUs asked for, 8 processes started: one error, every rank ends; 8 singletons named"},
    {"K76", "10 steps of which 10 warm up: no measured step is left; 1 repeat: no spread, n = 1"},
};

// Case names and files of index.csv: its first two fields never hold a quote. K79 names two files,
// the first with a blank behind it.
std::vector<std::pair<std::string, std::string>> indexed_cases() {
  std::ifstream index(shared_folder() / "cases" / "index.csv");
  std::vector<std::pair<std::string, std::string>> cases;
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    const std::string files = line.substr(first + 1, second - first - 1);
    cases.emplace_back(line.substr(0, first), files.substr(0, files.find(' ')));
  }
  return cases;
}

void skip_without_corpus() {
  if (!std::filesystem::exists(shared_folder() / "cases" / "index.csv")) {
    GTEST_SKIP() << "no case files in " << shared_folder() << " (set DCPBENCH_SHARED)";
  }
}

class PlanningCase : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { skip_without_corpus(); }
};

TEST_P(PlanningCase, BehavesAsTheIndexSays) {
  const std::map<std::string, Check>& checks =
      length_checks().contains(GetParam()) ? length_checks() : config_checks();
  for (const auto& [name, file] : indexed_cases()) {
    if (name != GetParam()) continue;
    checks.at(name)((shared_folder() / "cases" / file).string());
    return;
  }
  FAIL() << "index.csv has no case " << GetParam();
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& [name, check] : length_checks()) names.push_back(name);
  for (const auto& [name, check] : config_checks()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Corpus, PlanningCase, testing::ValuesIn(case_names()),
                         [](const auto& test) { return test.param; });

TEST(PlanningCases, EveryCaseOfTheIndexIsKnown) {
  if (skip_without_corpus(); testing::Test::IsSkipped()) return;
  for (const auto& [name, file] : indexed_cases()) {
    const std::size_t tables = length_checks().count(name) + config_checks().count(name) +
                               kReaderCases.count(name) + kWaitingForRun.count(name);
    EXPECT_EQ(tables, 1U) << name << " (" << file << ") is in " << tables << " of the tables here";
  }
}

// The corpus writes configurations in a dialect of its own: none may pass for ours, whole or in
// part.
TEST(PlanningCases, ForeignConfigurationsAreRefusedByTheirKeys) {
  if (skip_without_corpus(); testing::Test::IsSkipped()) return;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared_folder() / "cases")) {
    if (entry.path().extension() != ".json" || entry.path().filename().string()[0] != 'K') continue;
    const std::string path = entry.path().string();
    SCOPED_TRACE(path);
    ++files;
    std::vector<std::string> unknown;
    std::vector<std::string> present;
    const json foreign = json::parse(read_file(path));
    for (const auto& [key, value] : foreign.items()) {
      unknown.push_back(": " + key + ": unknown key");
      present.push_back("\"" + key + "\"");
    }
    expect_refusal(2, {"simulate", "--cluster", path}, unknown);
    expect_refusal(2, {"simulate", "--model", path}, unknown);
    expect_refusal(2, {"simulate", "--plan", path, "--dataset", "web"}, {path + ":1: missing key"});
    // A duplicate key is refused before anything else.
    const bool repeats = path.find("duplicate") != std::string::npos;
    expect_refusal(2, {"compare", path, path},
                   repeats ? std::vector<std::string>{"duplicate key \"heads\""}
                           : std::vector<std::string>{"not a dcpbench report"} + present);
  }
  EXPECT_GE(files, 18U);
}

}  // namespace
}  // namespace dcpbench::tests

#include "tests/cases/planning_case.hpp"

#include <cstdlib>

namespace dcpbench::tests {

namespace {

std::string source_path(const char* name) { return std::string(DCPBENCH_CASES_SOURCE "/") + name; }

}  // namespace

std::filesystem::path shared_folder() {
  const char* variable = std::getenv("DCPBENCH_SHARED");
  return variable != nullptr ? variable : DCPBENCH_SHARED_DEFAULT;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json base_cluster() { return json::parse(read_file(source_path("base_8gpu.json"))); }
json base_model() { return json::parse(read_file(source_path("gen_7b.json"))); }

const Words& on_base() {
  static const Words words = {"--cluster", source_path("base_8gpu.json"), "--model",
                              source_path("gen_7b.json")};
  return words;
}

json report_of(const Words& words) {
  const Outcome outcome = dcpbench(Words{"simulate", "--json", "-"} + words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  return json::parse(outcome.out);
}

json results_of(const Words& words) { return report_of(words).at("results"); }

std::map<std::string, json> results_by_strategy(const json& report) {
  std::map<std::string, json> results;
  for (const json& result : report["results"]) {
    results[result["strategy"].get<std::string>()] = result;
  }
  return results;
}

json plan_of(const std::string& strategy, const Words& words) {
  const TemporaryFolder folder;
  const std::string file = folder.path("plan.json");
  const Outcome outcome = dcpbench(Words{"plan", "--strategy", strategy, "--out", file} + words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  return json::parse(read_file(file));
}

json micro_batches_of(const json& plan) { return plan.at("steps").at(0).at("micro_batches"); }

const std::vector<std::string>& default_strategies() {
  static const std::vector<std::string> names = {"bucket", "packed", "dcp-inter", "dcp-intra",
                                                 "dcp"};
  return names;
}

testing::AssertionResult says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (text.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "no '" << part << "' in: " << text;
    }
  }
  return testing::AssertionSuccess();
}

void expect_refusal(int exit_code, const Words& words, const std::vector<std::string>& parts) {
  const Outcome outcome = dcpbench(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.all();
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(says(outcome.err, parts));
}

void expect_infeasible(const Words& words, const std::vector<std::string>& parts) {
  const Outcome outcome = dcpbench(Words{"simulate", "--json", "-"} + words);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.all();
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["complete"], true);
  EXPECT_TRUE(report["results"].empty());
  EXPECT_FALSE(report["infeasible"].empty());
  for (const json& answer : report["infeasible"]) {
    EXPECT_TRUE(says(answer["reason"].get<std::string>(), parts)) << answer["strategy"];
  }
}

std::string warning_with(const json& warnings, const std::string& part) {
  std::vector<std::string> found;
  for (const json& warning : warnings) {
    if (warning.get<std::string>().find(part) != std::string::npos) found.push_back(warning);
  }
  EXPECT_EQ(found.size(), 1U) << "warnings with '" << part << "' in " << warnings;
  return found.size() == 1 ? found.front() : "";
}

}  // namespace dcpbench::tests

// What the checks of the case corpus share. A case is a file of $DCPBENCH_SHARED/cases with an
// entry in its index.csv; a check runs the program on it as a user would.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {

using nlohmann::json;
using Words = std::vector<std::string>;

// $DCPBENCH_SHARED, else the folder beside the source tree.
std::filesystem::path shared_folder();

// By case name of index.csv; called with the path of the case's file.
using Check = std::function<void(const std::string& path)>;
const std::map<std::string, Check>& length_checks();  // lengths to be planned
const std::map<std::string, Check>& config_checks();  // configurations, plans and reports

Words operator+(Words words, const Words& more);

// The corpus' base machine and model, in our own format.
json base_cluster();
json base_model();
// --cluster and --model of the two.
const Words& on_base();

// Runs and expects exit code 0.
json report_of(const Words& words);   // dcpbench simulate --json - ...
json results_of(const Words& words);  // its results
std::map<std::string, json> results_by_strategy(const json& report);
// dcpbench plan for one strategy: the plan's own JSON.
json plan_of(const std::string& strategy, const Words& words);
json micro_batches_of(const json& plan);  // of its first step
const std::vector<std::string>& default_strategies();

// EXPECT_TRUE(says(text, {"a", "b"})): the text holds all of them.
testing::AssertionResult says(const std::string& text, const std::vector<std::string>& parts);
// Expects that the program refuses `words` with this exit code and says all parts on stderr, and
// nothing on stdout.
void expect_refusal(int exit_code, const Words& words, const std::vector<std::string>& parts);
// Expects exit code 3 and the parts in the reason of every strategy.
void expect_infeasible(const Words& words, const std::vector<std::string>& parts);

// The only warning of a report that holds `part`; "" and a failure when there is not exactly one.
std::string warning_with(const json& warnings, const std::string& part);

}  // namespace dcpbench::tests

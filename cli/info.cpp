// dcpbench info: what this build and machine can do.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/environment.hpp"
#include "cli/output.hpp"
#include "core/configs.hpp"
#include "datasets/dataset.hpp"
#include "planner/strategy.hpp"
#include "report/write.hpp"

namespace dcpbench::cli {

namespace {

using Names = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add_options(CLI::App& app) {
  add_option(app, "Output", "--json", "FILE|-", "Write it as JSON; - for standard output");
  add_flag(app, "Output", "--force", "Overwrite an existing file");
  add_verbosity_options(app);
}

Names names() {
  std::vector<std::string> strategies;
  for (const planner::Strategy& strategy : planner::strategies()) {
    strategies.emplace_back(strategy.name);
  }
  return {{"models", core::builtin_model_names()},
          {"clusters", core::builtin_cluster_names()},
          {"datasets", datasets::preset_names()},
          {"strategies", strategies}};
}

// Backends are modules that a build may lack; that is an ordinary answer.
Facts backends() { return {{"simulator", "ready"}, {"cuda", "not built"}, {"mpi", "not built"}}; }

std::string text() {
  std::string result;
  const auto add = [&](const std::string& key, const std::string& value) {
    result += fmt::format("{:<12} {}\n", key, value);
  };
  for (const auto& [key, value] : build_facts()) add(key, value);
  for (const auto& [key, value] : machine_facts()) add(key, value);
  for (const auto& [key, value] : backends()) add(key, value);
  for (const auto& [key, list] : names()) add(key, fmt::format("{}", fmt::join(list, ", ")));
  return result;
}

std::string json_text() {
  nlohmann::ordered_json json;
  for (const auto& [key, value] : build_facts()) json["build"][key] = value;
  for (const auto& [key, value] : machine_facts()) json["machine"][key] = value;
  for (const auto& [key, value] : backends()) json["backends"][key] = value;
  for (const auto& [key, list] : names()) json[key] = list;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run(const Arguments& arguments) {
  const std::optional<std::string> json = arguments.text("--json");
  if (json && json != "-") {
    check_overwrite(*json, arguments.flag("--force"), arguments.problems());
  }
  arguments.problems().throw_if_any();
  if (json == "-") {
    print_result(json_text());
  } else {
    print_text(text());
  }
  if (json && json != "-") report::write_file_atomically(*json, json_text());
  return 0;
}

}  // namespace

const Command kInfoCommand = {"info", "What this build and machine can do",
                              "Example: dcpbench info --json -", add_options, run};

}  // namespace dcpbench::cli

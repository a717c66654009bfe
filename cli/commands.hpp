// The subcommands, one file each.
#pragma once

#include <span>

#include "cli/arguments.hpp"

namespace dcpbench::cli {

struct Command {
  const char* name;
  const char* summary;
  const char* footer;                      // the example at the end of its help
  void (*add_options)(CLI::App& app);      // null: a group of further commands
  int (*run)(const Arguments& arguments);  // returns the exit code; throws core::Error
  std::span<const Command> children{};
};

extern const Command kSimulateCommand;
extern const Command kPlanCommand;
extern const Command kCompareCommand;
extern const Command kDatasetCommand;
extern const Command kInfoCommand;

// Runs what the words after the program's name ask for and returns the exit code. Throws
// core::Error.
int run_command_line(const std::vector<std::string>& words);

}  // namespace dcpbench::cli

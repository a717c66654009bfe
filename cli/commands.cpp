#include "cli/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>

#include "cli/log.hpp"
#include "cli/output.hpp"
#include "generated/build_info.hpp"

namespace dcpbench::cli {

namespace {

constexpr std::size_t kHelpColumn = 28;

const std::array<const Command*, 5>& commands() {
  static const std::array<const Command*, 5> all = {
      &kSimulateCommand, &kPlanCommand, &kCompareCommand, &kDatasetCommand, &kInfoCommand};
  return all;
}

void add_command(CLI::App& parent, const Command& command) {
  CLI::App& app = *parent.add_subcommand(command.name, command.summary);
  app.footer(command.footer);
  if (command.add_options != nullptr) command.add_options(app);
  app.set_help_flag("-h,--help", "Print this help")->group("Output");
  for (const Command& child : command.children) add_command(app, child);
}

std::vector<std::string> path_of(const CLI::App& app) {
  std::vector<std::string> path;
  for (const CLI::App* part = &app; part->get_parent() != nullptr; part = part->get_parent()) {
    path.insert(path.begin(), part->get_name());
  }
  return path;
}

const Command* find_command(const std::vector<std::string>& path) {
  const Command* found = nullptr;
  for (const Command* command : commands()) {
    if (!path.empty() && path[0] == command->name) found = command;
  }
  for (std::size_t i = 1; i < path.size() && found != nullptr; ++i) {
    const Command* group = found;
    found = nullptr;
    for (const Command& child : group->children) {
      if (path[i] == child.name) found = &child;
    }
  }
  return found;
}

// The line that reproduces this run, quoted for a shell where it needs to be.
std::string command_line(const std::vector<std::string>& words) {
  std::string line = "dcpbench";
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=+,./:@%") == std::string::npos;
    line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string help_of(const CLI::App& app) {
  std::string before;  // CLI11 adds the name of `app` itself
  for (const CLI::App* part = app.get_parent(); part != nullptr; part = part->get_parent()) {
    before = part->get_name() + (before.empty() ? "" : " ") + before;
  }
  std::string text = app.help(before);
  for (std::size_t gap = text.find("\n\n\n"); gap != std::string::npos;) {
    text.erase(gap, 1);
    gap = text.find("\n\n\n", gap);
  }
  return text;
}

}  // namespace

int run_command_line(const std::vector<std::string>& words) {
  CLI::App app(
      "How fast is each way of training a transformer on sequences of different lengths, why,\n"
      "and what should I run?",
      "dcpbench");
  app.get_formatter()->column_width(kHelpColumn);
  app.set_help_flag("-h,--help", "Print this help");
  add_flag(app, "Options", "--version", "Print the version");
  for (const Command* command : commands()) add_command(app, *command);
  app.footer(
      "Exit codes: 0 ok, 2 usage or input, 3 no feasible plan, 4 device or communication, 5 file.\n"
      "Example: dcpbench simulate");

  Problems problems;
  const Parsed parsed = parse(app, words, problems);
  if (parsed.help) {
    print_result(help_of(*parsed.command));
    return 0;
  }
  if (parsed.version) {
    print_result(fmt::format("dcpbench {}\n", kVersion));
    return 0;
  }
  const Command* command = find_command(path_of(*parsed.command));
  if (command == nullptr || command->run == nullptr) {
    problems.throw_if_any();
    std::fputs(help_of(*parsed.command).c_str(), stderr);
    return static_cast<int>(core::ErrorKind::usage);
  }
  const Arguments arguments(parsed, command_line(words), problems);
  set_verbosity(arguments);
  return command->run(arguments);
}

}  // namespace dcpbench::cli

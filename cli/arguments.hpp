// From argv to values. CLI11 keeps the options, their help and their text; it stops at the first
// mistake, so the pass here finds unknown options, missing values and stray arguments beforehand,
// and values are converted by the readers below, all of which add to one list of problems.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/problems.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dcpbench::cli {

// Adds an option with one value, shown in the help as `--name value`. It may be repeated as far as
// CLI11 is concerned; Arguments::text refuses that where one value is meant.
CLI::Option* add_option(CLI::App& app, const std::string& group, const std::string& name,
                        const std::string& value, const std::string& description);
void add_flag(CLI::App& app, const std::string& group, const std::string& name,
              const std::string& description);
// Positional arguments, for the help; Arguments::positionals has them.
void add_positional(CLI::App& app, const std::string& name, const std::string& description);

struct Parsed {
  const CLI::App* command = nullptr;  // the innermost subcommand named; the app itself if none
  std::vector<std::string> positionals;
  bool help = false;
  bool version = false;
};
// Never throws for what a user wrote: mistakes go to `problems`.
Parsed parse(CLI::App& app, const std::vector<std::string>& words, Problems& problems);

// The values of a parsed command. Readers return nothing for an option that was not given, and add
// a problem and return nothing for a wrong value.
class Arguments {
 public:
  // `parsed.command` must outlive it.
  Arguments(Parsed parsed, std::string command_line, Problems& problems);

  [[nodiscard]] const std::vector<std::string>& positionals() const { return parsed_.positionals; }
  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] bool given(const std::string& name) const;
  // Names of the options of a help group that were given, in the order of the help.
  [[nodiscard]] std::vector<std::string> given_of(const std::string& group) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  std::optional<std::string> text(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name, std::int64_t min,
                                      std::int64_t max) const;
  std::optional<std::int32_t> integer32(
      const std::string& name, std::int32_t min,
      std::int32_t max = std::numeric_limits<std::int32_t>::max()) const;
  // A whole number, or `word`, which means `meaning`.
  std::optional<std::int64_t> integer_or(const std::string& name, std::string_view word,
                                         std::int64_t meaning, std::int64_t min,
                                         std::int64_t max) const;
  // Whole numbers separated by commas, each within the limits.
  std::vector<std::int64_t> integers(const std::string& name, std::int64_t min,
                                     std::int64_t max) const;
  // A finite number with min <= value <= max; `open_min`: min itself is refused.
  std::optional<double> number(const std::string& name, double min, double max,
                               bool open_min = false) const;
  template <class T>
  std::optional<T> choice(const std::string& name,
                          std::initializer_list<std::pair<std::string_view, T>> choices) const {
    std::vector<std::string> words;
    for (const auto& [word, value] : choices) words.emplace_back(word);
    const std::optional<std::size_t> index = choice_index(name, words);
    if (!index) return std::nullopt;
    return (choices.begin() + *index)->second;
  }

  [[nodiscard]] Problems& problems() const { return problems_; }
  [[nodiscard]] const std::string& command_line() const { return command_line_; }

 private:
  [[nodiscard]] std::optional<std::size_t> choice_index(const std::string& name,
                                                        std::span<const std::string> words) const;

  Parsed parsed_;
  std::string command_line_;
  Problems& problems_;
};

}  // namespace dcpbench::cli

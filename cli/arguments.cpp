#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/did_you_mean.hpp"

namespace dcpbench::cli {

namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// `-` (standard input or output) and negative numbers are values.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool takes_positionals(const CLI::App& command) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return option->get_positional(); });
}

// Sorts the words of one command into options, in the form in which CLI11 can't misread them
// (`--name=value`), and positional arguments.
class Normalizer {
 public:
  Normalizer(const CLI::App& command, Problems& problems)
      : command_(command), problems_(problems) {}

  void read(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--") {
        for (++i; i < words.size(); ++i) add_positional_word(words[i]);
      } else if (!is_option(words[i])) {
        add_positional_word(words[i]);
      } else {
        i += option_word(words[i], words.subspan(i + 1));
      }
    }
  }
  [[nodiscard]] const std::vector<std::string>& options() const { return options_; }
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  void add_positional_word(const std::string& word) {
    if (takes_positionals(command_)) {
      positionals_.push_back(word);
    } else {
      problems_.add(fmt::format("unexpected argument \"{}\"", word));
    }
  }

  // Returns how many of `following` it took.
  std::size_t option_word(const std::string& word, std::span<const std::string> following) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool value_follows = !following.empty() && !is_option(following[0]);
    const CLI::Option* option = command_.get_option_no_throw(name);
    if (option == nullptr) {
      problems_.add(fmt::format("unknown option {}{}", name,
                                core::did_you_mean(name, option_names(command_))));
      // What follows an unknown option is most likely its value, not a second mistake.
      return equals == std::string::npos && value_follows && !takes_positionals(command_) ? 1 : 0;
    }
    if (!takes_value(*option)) {
      if (equals != std::string::npos) problems_.add(fmt::format("{} takes no value", name));
      options_.push_back(name);
      return 0;
    }
    const bool next = equals == std::string::npos && value_follows;
    const std::string value = next                          ? following[0]
                              : equals == std::string::npos ? std::string()
                                                            : word.substr(equals + 1);
    if (value.empty()) {
      problems_.add(fmt::format("{} needs a value", name));
    } else {
      options_.push_back(name + "=" + value);
    }
    return next ? 1 : 0;
  }

  const CLI::App& command_;
  Problems& problems_;
  std::vector<std::string> options_;
  std::vector<std::string> positionals_;
};

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(const std::string& name, std::string_view text,
                                          std::int64_t min, std::int64_t max, Problems& problems) {
  const std::optional<std::int64_t> value = parse_whole<std::int64_t>(text);
  if (value && *value >= min && *value <= max) return value;
  problems.add(fmt::format("{}: \"{}\" is not a whole number from {} to {}", name, text, min, max));
  return std::nullopt;
}

}  // namespace

CLI::Option* add_option(CLI::App& app, const std::string& group, const std::string& name,
                        const std::string& value, const std::string& description) {
  return app.add_option(name, CLI::callback_t(), description)
      ->option_text(value)
      ->group(group)
      ->take_all()
      ->allow_extra_args(false);
}

void add_flag(CLI::App& app, const std::string& group, const std::string& name,
              const std::string& description) {
  app.add_flag(name, description)->group(group);
}

void add_positional(CLI::App& app, const std::string& name, const std::string& description) {
  app.add_option(name, CLI::callback_t(), description)->option_text(" ");
}

Parsed parse(CLI::App& app, const std::vector<std::string>& words, Problems& problems) {
  Parsed parsed;
  CLI::App* command = &app;
  std::vector<std::string> path;
  while (path.size() < words.size() && !is_option(words[path.size()])) {
    const auto children = command->get_subcommands([](CLI::App*) { return true; });
    if (children.empty()) break;
    const std::string& word = words[path.size()];
    const auto child = std::find_if(children.begin(), children.end(), [&](const CLI::App* known) {
      return known->get_name() == word;
    });
    if (child == children.end()) {
      std::vector<std::string> names;
      for (const CLI::App* known : children) names.push_back(known->get_name());
      problems.add(fmt::format("unknown command \"{}\"{}; commands: {}", word,
                               core::did_you_mean(word, names), fmt::join(names, ", ")));
      parsed.command = command;
      return parsed;
    }
    command = *child;
    path.push_back(word);
  }
  parsed.command = command;

  const std::span<const std::string> rest = std::span(words).subspan(path.size());
  const auto has = [&](std::string_view word) {
    return std::find(rest.begin(), rest.end(), word) != rest.end();
  };
  parsed.help = has("--help") || has("-h");
  parsed.version = command == &app && has("--version");
  if (parsed.help || parsed.version) return parsed;

  Normalizer normalizer(*command, problems);
  normalizer.read(rest);
  parsed.positionals = normalizer.positionals();
  std::vector<std::string> clean = path;
  clean.insert(clean.end(), normalizer.options().begin(), normalizer.options().end());
  std::reverse(clean.begin(), clean.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(clean));
  } catch (const CLI::ParseError& error) {
    problems.add(error.what());
  }
  return parsed;
}

Arguments::Arguments(Parsed parsed, std::string command_line, Problems& problems)
    : parsed_(std::move(parsed)), command_line_(std::move(command_line)), problems_(problems) {}

bool Arguments::flag(const std::string& name) const { return given(name); }

bool Arguments::given(const std::string& name) const {
  const CLI::Option* option = parsed_.command->get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

std::vector<std::string> Arguments::given_of(const std::string& group) const {
  std::vector<std::string> names;
  for (const CLI::Option* option : parsed_.command->get_options()) {
    if (option->get_group() == group && option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

std::vector<std::string> Arguments::texts(const std::string& name) const {
  const CLI::Option* option = parsed_.command->get_option_no_throw(name);
  return option == nullptr ? std::vector<std::string>() : option->results();
}

std::optional<std::string> Arguments::text(const std::string& name) const {
  const std::vector<std::string> values = texts(name);
  if (values.empty()) return std::nullopt;
  if (values.size() > 1) {
    problems_.add(
        fmt::format("{} is given {} times: {}", name, values.size(), fmt::join(values, ", ")));
    return std::nullopt;
  }
  return values[0];
}

std::optional<std::int64_t> Arguments::integer(const std::string& name, std::int64_t min,
                                               std::int64_t max) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  return parse_integer(name, *given, min, max, problems_);
}

std::optional<std::int64_t> Arguments::integer_or(const std::string& name, std::string_view word,
                                                  std::int64_t meaning, std::int64_t min,
                                                  std::int64_t max) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  if (*given == word) return meaning;
  return parse_integer(name, *given, min, max, problems_);
}

std::optional<std::int32_t> Arguments::integer32(const std::string& name, std::int32_t min,
                                                 std::int32_t max) const {
  const std::optional<std::int64_t> value = integer(name, min, max);
  if (!value) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

std::vector<std::int64_t> Arguments::integers(const std::string& name, std::int64_t min,
                                              std::int64_t max) const {
  std::vector<std::int64_t> values;
  const std::optional<std::string> given = text(name);
  if (!given) return values;
  for (const std::string& item : CLI::detail::split(*given, ',')) {
    if (const auto value = parse_integer(name, item, min, max, problems_)) values.push_back(*value);
  }
  return values;
}

std::optional<double> Arguments::number(const std::string& name, double min, double max,
                                        bool open_min) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const std::optional<double> value = parse_whole<double>(*given);
  if (value && std::isfinite(*value) && *value <= max &&
      (open_min ? *value > min : *value >= min)) {
    return value;
  }
  problems_.add(fmt::format("{}: \"{}\" is not a number {} {}{}", name, *given,
                            open_min ? "above" : "of at least", min,
                            std::isinf(max) ? std::string() : fmt::format(" and at most {}", max)));
  return std::nullopt;
}

std::optional<std::size_t> Arguments::choice_index(const std::string& name,
                                                   std::span<const std::string> words) const {
  const std::optional<std::string> given = text(name);
  if (!given) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  problems_.add(fmt::format("{}: \"{}\" is none of {}{}", name, *given, fmt::join(words, ", "),
                            core::did_you_mean(*given, words)));
  return std::nullopt;
}

}  // namespace dcpbench::cli

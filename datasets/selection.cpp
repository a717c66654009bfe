#include "datasets/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/did_you_mean.hpp"
#include "core/error.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

// input_length and output_length stand together in traces of requests: with both, a person chooses.
constexpr std::array<std::string_view, 12> kLengthNames = {
    "length", "lengths",    "tokens",      "num_tokens",      "n_tokens",     "seq_len",
    "seqlen", "seq_length", "token_count", "sequence_length", "input_length", "output_length"};
constexpr std::array<std::string_view, 3> kTokenArrayNames = {"input_ids", "token_ids", "tokens"};
constexpr std::array<std::string_view, 4> kWeightNames = {"weight", "count", "frequency",
                                                          "probability"};
constexpr std::array<std::string_view, 2> kFrameNames = {"frames", "latent_frames"};
constexpr std::array<std::string_view, 1> kTokensPerFrameNames = {"tokens_per_frame"};
constexpr std::array<std::string_view, 3> kLowNames = {"lo", "low", "lower"};
constexpr std::array<std::string_view, 3> kHighNames = {"hi", "high", "upper"};
constexpr std::array<std::string_view, 1> kLossNames = {"loss_tokens"};
constexpr std::size_t kColumnsTold = 20;

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  std::string key = lower(name);
  std::replace(key.begin(), key.end(), '-', '_');
  std::replace(key.begin(), key.end(), ' ', '_');
  return std::find(names.begin(), names.end(), key) != names.end();
}

bool looks_like_a_duration(std::string_view name) {
  const std::string key = lower(name);
  return key.find("duration") != key.npos || key.find("second") != key.npos || key == "time" ||
         key.ends_with("_s") || key.ends_with("_sec") || key.ends_with("_secs") ||
         key.ends_with("_ms");
}

class Chooser {
 public:
  Chooser(const std::string& path, const ColumnTable& table) : path_(path), table_(table) {}

  [[nodiscard]] Selection by_request(std::string_view request) const;
  [[nodiscard]] Selection by_name() const;
  // Weight and loss columns, which are found by name in both cases.
  void add_companions(Selection& selection, bool weight_given) const;

 private:
  template <std::size_t N>
  [[nodiscard]] std::vector<std::size_t> matches(const std::array<std::string_view, N>& names,
                                                 ColumnKind kind = ColumnKind::scalar) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; table_.has_names && i < table_.names.size(); ++i) {
      if (table_.kind(i) == kind && is_one_of(table_.names[i], names)) found.push_back(i);
    }
    return found;
  }
  template <std::size_t N>
  [[nodiscard]] std::optional<std::size_t> at_most_one(
      const std::array<std::string_view, N>& names) const {
    const std::vector<std::size_t> found = matches(names);
    if (found.size() > 1) ambiguous(found);
    return found.empty() ? std::nullopt : std::optional(found[0]);
  }

  [[nodiscard]] std::optional<std::size_t> exact(std::string_view name) const;
  [[nodiscard]] std::size_t resolve(std::string_view name) const;
  void parse(std::string_view expression, Selection& selection) const;
  [[nodiscard]] std::string listing() const;
  [[nodiscard]] std::string hint() const;
  [[noreturn]] void ambiguous(const std::vector<std::size_t>& found) const;
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {}; {}: {}; {}", path_, what, table_.noun, listing(), remedy));
  }

  const std::string& path_;
  const ColumnTable& table_;
};

std::string Chooser::listing() const {
  std::string text;
  const std::size_t told = std::min(table_.names.size(), kColumnsTold);
  for (std::size_t i = 0; i < told; ++i) {
    if (i > 0) text += ", ";
    if (!table_.has_names) {
      text += fmt::format("{} (\"{}\")", i + 1, printable(table_.samples[i], 24));
      continue;
    }
    text +=
        table_.names[i].empty() ? fmt::format("{} (unnamed)", i + 1) : printable(table_.names[i]);
    const std::size_t bad = find_invalid_utf8(table_.names[i]);
    if (bad != std::string::npos) {
      text += fmt::format(" (column {}; byte {} of its name is not UTF-8)", i + 1, bad + 1);
    }
  }
  if (told < table_.names.size()) {
    text += fmt::format(", ... ({} in all)", table_.names.size());
  }
  return text.empty() ? "none" : text;
}

std::string Chooser::hint() const {
  for (const std::string& name : table_.names) {
    if (!looks_like_a_duration(name)) continue;
    return fmt::format(
        "\"{}\" looks like seconds, and lengths are tokens: convert first (latent frames from "
        "seconds x fps, times the tokens per latent frame) and give columns frames and "
        "tokens_per_frame",
        printable(name));
  }
  if (!table_.has_names) return "choose one with --column NUMBER, or a sum with --column 1+2";
  return "choose one with --column NAME, or a sum with --column A+B";
}

void Chooser::ambiguous(const std::vector<std::size_t>& found) const {
  std::string names;
  for (const std::size_t i : found) append(names, printable(table_.names[i]));
  fail(fmt::format("{} of the {} could be meant ({})", found.size(), table_.noun, names), hint());
}

std::optional<std::size_t> Chooser::exact(std::string_view name) const {
  if (!table_.has_names) return std::nullopt;
  const auto& names = table_.names;
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) return std::nullopt;
  if (std::find(place + 1, names.end(), name) != names.end()) {
    fail(fmt::format("several {} are named \"{}\"", table_.noun, printable(name)),
         "choose one by its number, --column NUMBER");
  }
  return static_cast<std::size_t>(place - names.begin());
}

std::size_t Chooser::resolve(std::string_view name) const {
  name = trim(name);
  if (const auto column = exact(name)) return *column;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size() && !name.empty()) {
    if (number >= 1 && number <= table_.names.size()) return number - 1;
    fail(fmt::format("--column {}: there are {} {}", number, table_.names.size(), table_.noun),
         hint());
  }
  const std::string guess =
      table_.has_names ? core::did_you_mean(name, table_.names) : " (there is no header)";
  fail(fmt::format("--column: none of the {} is named \"{}\"{}", table_.noun, printable(name),
                   printable(guess, 120)),
       hint());
}

void Chooser::parse(std::string_view expression, Selection& selection) const {
  selection.columns.clear();
  if (const auto whole = exact(trim(expression))) {
    selection.columns = {*whole};
    return;
  }
  for (const char op : {'*', '/'}) {
    const std::size_t at = expression.find(op);
    if (at == expression.npos || (op == '/' && table_.names_hold_slashes)) continue;
    selection.kind = op == '*' ? Selection::Kind::product : Selection::Kind::quotient;
    selection.columns = {resolve(expression.substr(0, at)), resolve(expression.substr(at + 1))};
    return;
  }
  for (;;) {
    const std::size_t at = expression.find('+');
    const std::size_t column = resolve(expression.substr(0, at));
    const auto& known = selection.columns;
    if (std::find(known.begin(), known.end(), column) != known.end()) {
      fail(fmt::format("--column adds \"{}\" twice", column_label(table_, column)), hint());
    }
    selection.columns.push_back(column);
    if (at == expression.npos) return;
    expression.remove_prefix(at + 1);
  }
}

Selection Chooser::by_request(std::string_view request) const {
  Selection selection;
  const std::size_t at = request.rfind('@');
  const bool weighted = at != request.npos && !exact(trim(request));
  parse(weighted ? request.substr(0, at) : request, selection);
  if (weighted) selection.weight = resolve(request.substr(at + 1));
  return selection;
}

Selection Chooser::by_name() const {
  Selection selection;
  if (!table_.has_names && table_.names.size() == 1) return selection;
  const auto low = at_most_one(kLowNames);
  const auto high = at_most_one(kHighNames);
  std::vector<std::size_t> counts = matches(kLengthNames);
  const std::vector<std::size_t> arrays = matches(kTokenArrayNames, ColumnKind::array);
  if (low && high && counts.empty()) {
    selection.kind = Selection::Kind::bins;
    selection.columns = {*low, *high};
    return selection;
  }
  if (counts.size() > 1) ambiguous(counts);
  if (arrays.size() > 1) ambiguous(arrays);
  if (const auto tokens_per_frame = at_most_one(kTokensPerFrameNames)) {
    if (const auto frames = at_most_one(kFrameNames)) {
      selection.kind = Selection::Kind::product;
      selection.columns = {*frames, *tokens_per_frame};
      if (!counts.empty()) selection.check = counts[0];
      return selection;
    }
  }
  if (counts.empty() && arrays.empty()) {
    fail(table_.has_names
             ? fmt::format("none of the {} is named length (or tokens, num_tokens, seq_len, ...)",
                           table_.noun)
             : fmt::format("there is no header and several {}", table_.noun),
         hint());
  }
  selection.columns = {arrays.empty() ? counts[0] : arrays[0]};
  if (!arrays.empty() && !counts.empty()) selection.check = counts[0];
  return selection;
}

void Chooser::add_companions(Selection& selection, bool weight_given) const {
  const auto used = [&](std::size_t column) {
    const auto& columns = selection.columns;
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (!weight_given) {
    std::vector<std::size_t> found = matches(kWeightNames);
    std::erase_if(found, used);
    if (found.size() > 1) ambiguous(found);
    if (!found.empty()) selection.weight = found[0];
  }
  if (selection.kind == Selection::Kind::bins && !selection.weight) {
    fail("bins need a weight", "name that column count or weight");
  }
  if (const auto loss = at_most_one(kLossNames); loss && !used(*loss)) selection.loss = loss;
}

}  // namespace

bool is_length_name(std::string_view name) { return is_one_of(name, kLengthNames); }
bool is_token_array_name(std::string_view name) { return is_one_of(name, kTokenArrayNames); }

std::string column_label(const ColumnTable& table, std::size_t column) {
  if (!table.has_names || table.names[column].empty()) return fmt::format("{}", column + 1);
  return printable(table.names[column]);
}

Selection select_columns(const std::string& path, const ColumnTable& table,
                         const std::optional<std::string>& request) {
  const Chooser chooser(path, table);
  Selection selection = request ? chooser.by_request(*request) : chooser.by_name();
  chooser.add_companions(selection, selection.weight.has_value());
  return selection;
}

std::string describe(const Selection& selection, const ColumnTable& table) {
  constexpr std::array<std::string_view, 4> kOperators = {" + ", " * ", " / ", " to "};
  const bool one = selection.columns.size() == 1;
  std::string text(table.noun.substr(0, table.noun.size() - (one ? 1 : 0)));
  text += ' ';
  for (std::size_t i = 0; i < selection.columns.size(); ++i) {
    if (i > 0) text += kOperators[static_cast<std::size_t>(selection.kind)];
    text += column_label(table, selection.columns[i]);
  }
  if (selection.weight) text += ", weighted by " + column_label(table, *selection.weight);
  return text;
}

}  // namespace dcpbench::datasets

#include "core/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/error.hpp"
#include "core/tracking_iterator.hpp"

namespace dcpbench::core {

namespace {

// nlohmann/json's id of a number that no double holds.
constexpr int kNumberOverflow = 406;

bool is_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+';
}

// The start of a NaN or an infinity around byte `at`, which some writers put where JSON has no
// word.
std::size_t not_a_number_near(std::string_view text, std::size_t at) {
  if (at >= text.size()) return std::string_view::npos;
  std::size_t first = at;
  std::size_t last = at;
  while (first > 0 && at - first < 16 && is_word(text[first - 1])) --first;
  while (last < text.size() && last - at < 16 && is_word(text[last])) ++last;
  std::string word;
  for (const char c : text.substr(first, last - first)) {
    if (c != '-' && c != '+') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  const bool found = word == "nan" || word == "inf" || word == "infinity";
  return found ? first : std::string_view::npos;
}

}  // namespace

std::string_view describe(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::integer:
      return "a whole number";
    case JsonKind::number:
      return "a number";
    case JsonKind::string:
      return "text";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "?";
}

// The SAX handler that fills a document.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonBuilder(JsonDocument& document, std::string_view text)
      : document_(document),
        text_(text),
        cursor_(text.data()),
        counted_(text.data()),
        max_values_(JsonDocument::kFreeValues + text.size() / 4) {}

  void run() {
    if (text_.size() >= JsonDocument::kNone) fail(0, "is larger than 4 GB");
    const TrackingIterator first{text_.data(), &cursor_};
    const TrackingIterator last{text_.data() + text_.size(), &cursor_};
    nlohmann::json::sax_parse(first, last, this);
  }

  bool null() override { return value(JsonKind::null); }
  bool boolean(bool flag) override {
    value(JsonKind::boolean);
    document_.nodes_.back().integer = flag;
    return true;
  }
  bool number_integer(number_integer_t number) override {
    value(JsonKind::integer);
    document_.nodes_.back().integer = number;
    return true;
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<number_unsigned_t>(INT64_MAX)) {
      return number_float(static_cast<double>(number), {});
    }
    return number_integer(static_cast<number_integer_t>(number));
  }
  bool number_float(number_float_t number, const string_t&) override {
    value(JsonKind::number);
    document_.nodes_.back().number = number;
    return true;
  }
  bool string(string_t& text) override {
    value(JsonKind::string);
    document_.nodes_.back().text = {static_cast<std::uint32_t>(document_.texts_.size()),
                                    static_cast<std::uint32_t>(text.size())};
    document_.texts_ += text;
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonKind::object); }
  bool start_array(std::size_t) override { return open(JsonKind::array); }
  bool key(string_t& name) override {
    const auto [place, is_new] =
        key_indices_.try_emplace(name, static_cast<std::uint32_t>(document_.keys_.size()));
    if (is_new) document_.keys_.push_back(name);
    key_ = place->second;
    return true;
  }
  bool end_object() override {
    note_duplicates(open_.back().node);
    open_.pop_back();
    return true;
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    const std::size_t at = position > 0 ? position - 1 : 0;
    if (const std::size_t word = not_a_number_near(text_, at); word != std::string_view::npos) {
      fail(word, "is not valid JSON: NaN and Infinity are not JSON numbers");
    }
    if (error.id == kNumberOverflow) {
      fail(at, "is not valid JSON: a number is out of range (beyond 1.8e308)");
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ..."
    std::string_view what = error.what();
    if (const auto colon = what.find(": "); colon != std::string_view::npos) {
      what.remove_prefix(colon + 2);
    }
    constexpr std::size_t kLongest = 200;
    fail(at, fmt::format("is not valid JSON: {}", what.substr(0, kLongest)));
  }

 private:
  struct Open {
    std::uint32_t node;
    std::uint32_t last_child;
  };

  bool value(JsonKind kind) {
    auto& nodes = document_.nodes_;
    if (nodes.size() >= max_values_) {
      fail(offset(), fmt::format("has more than {} values", max_values_));
    }
    const auto index = static_cast<std::uint32_t>(nodes.size());
    JsonDocument::Node node;
    node.kind = kind;
    // The lexer has read one character beyond a number.
    const bool is_number = kind == JsonKind::integer || kind == JsonKind::number;
    node.line = line_at(is_number ? cursor_ - 1 : cursor_);
    if (!open_.empty()) {
      Open& parent = open_.back();
      node.parent = parent.node;
      if (nodes[parent.node].kind == JsonKind::object) node.key = key_;
      (parent.last_child == JsonDocument::kNone ? nodes[parent.node].first
                                                : nodes[parent.last_child].next) = index;
      parent.last_child = index;
      ++nodes[parent.node].integer;
    }
    nodes.push_back(node);
    return true;
  }

  bool open(JsonKind kind) {
    if (open_.size() >= JsonDocument::kMaxDepth) {
      fail(offset(), fmt::format("is nested deeper than {} levels", JsonDocument::kMaxDepth));
    }
    value(kind);
    open_.push_back({static_cast<std::uint32_t>(document_.nodes_.size() - 1), JsonDocument::kNone});
    return true;
  }

  void note_duplicates(std::uint32_t object) {
    members_.clear();
    const auto& nodes = document_.nodes_;
    for (std::uint32_t i = nodes[object].first; i != JsonDocument::kNone; i = nodes[i].next) {
      members_.emplace_back(nodes[i].key, i);
    }
    std::sort(members_.begin(), members_.end());
    for (std::size_t i = 1; i < members_.size(); ++i) {
      if (members_[i].first == members_[i - 1].first) {
        document_.duplicates_.push_back(members_[i].second);
      }
    }
  }

  // Positions only grow, so every newline is counted once.
  std::uint32_t line_at(const char* position) {
    if (position > counted_) {
      line_ += static_cast<std::uint32_t>(std::count(counted_, position, '\n'));
      counted_ = position;
    }
    return line_;
  }

  [[nodiscard]] std::size_t offset() const {
    return static_cast<std::size_t>(cursor_ - text_.data());
  }

  [[noreturn]] void fail(std::size_t at, std::string_view problem) const {
    at = std::min(at, text_.size());
    const auto lines =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw Error(ErrorKind::usage, fmt::format("{}:{}: {} (at byte offset {})", document_.origin(),
                                              lines + 1, problem, at));
  }

  JsonDocument& document_;
  std::string_view text_;
  const char* cursor_;
  const char* counted_;
  std::size_t max_values_;
  std::uint32_t line_ = 1;
  std::uint32_t key_ = JsonDocument::kNone;
  std::vector<Open> open_;
  std::unordered_map<std::string, std::uint32_t> key_indices_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members_;
};

JsonDocument::JsonDocument(std::string_view text, std::string_view origin) : origin_(origin) {
  JsonBuilder(*this, text).run();
}

JsonValue JsonDocument::root() const { return {this, 0}; }

std::vector<JsonValue> JsonDocument::duplicates() const {
  std::vector<JsonValue> values;
  values.reserve(duplicates_.size());
  for (const std::uint32_t index : duplicates_) values.push_back(JsonValue(this, index));
  return values;
}

std::size_t JsonValue::size() const {
  const bool has_children = is(JsonKind::array) || is(JsonKind::object);
  return has_children ? static_cast<std::size_t>(node().integer) : 0;
}

std::string_view JsonValue::key() const {
  return node().key == JsonDocument::kNone ? std::string_view()
                                           : std::string_view(document_->keys_[node().key]);
}

std::string JsonValue::path() const {
  std::vector<std::string> parts;  // from the leaf up
  const auto& nodes = document_->nodes_;
  for (std::uint32_t i = index_; nodes[i].parent != JsonDocument::kNone; i = nodes[i].parent) {
    if (nodes[i].key != JsonDocument::kNone) {
      parts.push_back("." + document_->keys_[nodes[i].key]);
      continue;
    }
    std::size_t place = 0;
    for (std::uint32_t j = nodes[nodes[i].parent].first; j != i; j = nodes[j].next) ++place;
    parts.push_back(fmt::format("[{}]", place));
  }
  std::string path;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) path += *part;
  if (path.starts_with('.')) path.erase(0, 1);
  return path;
}

std::string JsonValue::shown() const {
  switch (kind()) {
    case JsonKind::boolean:
      return boolean() ? "true" : "false";
    case JsonKind::integer:
      return fmt::format("{}", integer());
    case JsonKind::number:
      return fmt::format("{}", number());
    case JsonKind::string: {
      constexpr std::size_t kLongest = 80;
      const std::string_view all = text();
      return fmt::format("\"{}{}\"", all.substr(0, kLongest), all.size() > kLongest ? "..." : "");
    }
    default:
      return std::string(describe(kind()));
  }
}

}  // namespace dcpbench::core

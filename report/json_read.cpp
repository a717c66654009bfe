// Reading a report that a stranger may have written: bounded depth, size and number of values
// before anything is kept, then every key with its type and range, all mistakes at once.
#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.hpp"
#include "core/tracking_iterator.hpp"
#include "report/consistency.hpp"
#include "report/json_fields.hpp"
#include "report/text.hpp"
#include "report/write.hpp"

namespace dcpbench::report {

namespace {

using nlohmann::ordered_json;

// A report with 5,000 results has about 500,000 values in 15 MB.
constexpr std::size_t kMaxBytes = 64u << 20;
constexpr std::size_t kMaxValues = 1'000'000;
constexpr std::size_t kMaxKeys = 256;  // of one object; look-up in an ordered object is linear
constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxMistakes = 20;

[[noreturn]] void refuse(std::string_view origin, const std::string& why) {
  throw core::Error(core::ErrorKind::usage,
                    fmt::format("{}: {}", printable(origin, kLongText), why));
}

// nlohmann's message without its "[json.exception.parse_error.101] ".
std::string plain_message(const ordered_json::exception& error) {
  std::string_view text = error.what();
  if (const auto end = text.find("] "); end != std::string_view::npos) text.remove_prefix(end + 2);
  return printable(text, 200);
}

ordered_json parse_bounded(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxBytes) {
    refuse(origin, fmt::format("{} bytes are too many for a report (limit {})",
                               grouped(static_cast<std::int64_t>(text.size())),
                               grouped(static_cast<std::int64_t>(kMaxBytes))));
  }
  std::size_t values = 0;
  const char* cursor = text.data();                   // where the parser is
  std::vector<std::unordered_set<std::string>> keys;  // of the open objects
  const auto check = [&](int depth, ordered_json::parse_event_t event, ordered_json& parsed) {
    using Event = ordered_json::parse_event_t;
    if (depth > kMaxDepth) refuse(origin, fmt::format("nested deeper than {} levels", kMaxDepth));
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(name).second) {
        refuse(origin, fmt::format("duplicate key \"{}\"", printable(name, 60)));
      }
      if (keys.back().size() > kMaxKeys) {
        refuse(origin, fmt::format("an object with more than {} keys", kMaxKeys));
      }
    }
    if (event != Event::object_end && event != Event::array_end && ++values > kMaxValues) {
      refuse(origin, fmt::format("more than {} values", grouped(kMaxValues)));
    }
    return true;
  };
  try {
    const core::TrackingIterator first{text.data(), &cursor};
    const core::TrackingIterator last{text.data() + text.size(), &cursor};
    return ordered_json::parse(first, last, check);
  } catch (const ordered_json::out_of_range&) {
    refuse(origin, fmt::format("not JSON: the number that ends at byte {} is out of range (beyond "
                               "1.8e308)",
                               cursor - text.data() - 1));
  } catch (const ordered_json::exception& error) {
    refuse(origin, "not JSON: " + plain_message(error));
  }
}

std::string shown(const ordered_json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return printable(value.dump(), 60);
}

class Reader {
 public:
  Reader(const ordered_json& object, std::string path, std::string_view origin,
         core::Mistakes& mistakes)
      : object_(object), path_(std::move(path)), origin_(origin), mistakes_(mistakes) {
    if (!object.is_object()) complain("", "an object", object);
  }

  template <class T>
  void key(const char* name, T& value) {
    if (!object_.is_object()) return;
    const auto found = object_.find(name);
    if (found == object_.end()) {
      add(fmt::format("{}: missing", place(name)));
    } else {
      read(name, *found, value);
    }
  }
  template <class T>
  void extra(const char* name, T& value) {
    if (!object_.is_object()) return;
    const auto found = object_.find(name);
    if (found != object_.end() && !found->is_null()) read(name, *found, value);
  }
  void rate(const char* name, double& value) {
    std::optional<double> number;
    key(name, number);
    value = number.value_or(0);
  }

 private:
  [[nodiscard]] std::string place(const std::string& name) const {
    if (name.empty()) return path_;
    return path_.empty() ? name : path_ + "." + name;
  }
  void add(const std::string& mistake) {
    if (mistakes_.messages().size() == kMaxMistakes) mistakes_.add("... and more");
    if (mistakes_.messages().size() > kMaxMistakes) return;
    mistakes_.add(fmt::format("{}: {}", printable(origin_, kLongText), mistake));
  }
  void complain(const std::string& name, std::string_view expected, const ordered_json& found) {
    add(fmt::format("{}: expected {}, found {}", printable(place(name), 200), expected,
                    shown(found)));
  }

  void read(const std::string& name, const ordered_json& json, std::string& value) {
    if (!json.is_string()) return complain(name, "a text", json);
    value = json.get<std::string>();
  }
  void read(const std::string& name, const ordered_json& json, bool& value) {
    if (!json.is_boolean()) return complain(name, "true or false", json);
    value = json.get<bool>();
  }
  template <std::integral T>
  void read(const std::string& name, const ordered_json& json, T& value) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    // nlohmann keeps every integer that is not negative as unsigned.
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMax) {
      return complain(name, fmt::format("an integer from 0 to {}", kMax), json);
    }
    value = static_cast<T>(json.get<std::uint64_t>());
  }
  void read(const std::string& name, const ordered_json& json, double& value) {
    if (!json.is_number() || json.get<double>() < 0) {
      return complain(name, "a number that is not negative", json);
    }
    value = json.get<double>();
  }
  void read(const std::string& name, const ordered_json& json, std::optional<double>& value) {
    value.reset();
    if (json.is_null()) return;
    double number = 0;
    read(name, json, number);
    value = number;
  }
  void read(const std::string& name, const ordered_json& json, std::vector<std::string>& values) {
    if (!json.is_array()) return complain(name, "an array of texts", json);
    for (std::size_t i = 0; i < json.size(); ++i) {
      read(fmt::format("{}[{}]", name, i), json[i], values.emplace_back());
    }
  }
  template <class T>
  void read(const std::string& name, const ordered_json& json,
            std::vector<std::pair<std::string, T>>& pairs) {
    if (!json.is_object()) return complain(name, "an object", json);
    for (const auto& [key, value] : json.items()) {
      read(name + "." + key, value, pairs.emplace_back(key, T{}).second);
    }
  }
  void read(const std::string& name, const ordered_json& json,
            std::map<std::int32_t, std::int64_t>& counts) {
    if (!json.is_object()) return complain(name, "an object", json);
    for (const auto& [key, value] : json.items()) {
      std::int32_t degree = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), degree);
      if (error != std::errc() || end != key.data() + key.size() || degree < 1) {
        add(fmt::format("{}: \"{}\" is no SP degree (an integer above 0)", place(name),
                        printable(key, 60)));
      } else {
        read(name + "." + key, value, counts[degree]);
      }
    }
  }
  void read(const std::string& name, const ordered_json& json,
            std::array<double, core::kParts>& parts) {
    Reader reader(json, place(name), origin_, mistakes_);
    for (std::size_t i = 0; i < core::kParts; ++i) reader.key(core::kPartNames[i].data(), parts[i]);
  }
  void read(const std::string& name, const ordered_json& json, Distribution& distribution) {
    Reader reader(json, place(name), origin_, mistakes_);
    visit_distribution(reader, distribution);
  }

  const ordered_json& object_;
  std::string path_;
  std::string_view origin_;
  core::Mistakes& mistakes_;
};

// Refuses what is no report of this schema before its keys are looked at one by one.
void require_schema(const ordered_json& root, std::string_view origin) {
  if (!root.is_object()) {
    refuse(origin, fmt::format("not a dcpbench report: expected an object, found {}", shown(root)));
  }
  const auto version = root.find("schema_version");
  if (version == root.end()) {
    std::string missing, present;
    for (const char* name : {"schema_version", "complete", "command", "tool_version", "environment",
                             "cluster", "warnings", "recommendation", "results"}) {
      if (!root.contains(name)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
    }
    for (const auto& item : root.items()) {
      present += fmt::format("{}\"{}\"", present.empty() ? "" : ", ", printable(item.key(), 40));
    }
    refuse(origin, fmt::format("not a dcpbench report: it has no {} (it has {})", missing,
                               present.empty() ? "no keys" : printable(present, 300)));
  }
  if (!version->is_number_integer()) {
    refuse(origin, fmt::format("schema_version: expected {}, found {}", Report::kSchemaVersion,
                               shown(*version)));
  }
  if (*version == Report::kSchemaVersion) return;
  refuse(origin, fmt::format("schema_version {} is {} than this tool reads ({})", shown(*version),
                             *version > Report::kSchemaVersion ? "newer" : "older",
                             Report::kSchemaVersion));
}

}  // namespace

Report from_json(std::string_view text, std::string_view origin) {
  const ordered_json root = parse_bounded(text, origin);
  require_schema(root, origin);

  Report report;
  core::Mistakes mistakes;
  Reader head(root, "", origin, mistakes);
  visit_head(head, report);

  // Calls visit(reader, record) for every object of the array `name`.
  const auto read_list = [&](const char* name, bool is_required, auto& records, auto visit) {
    const auto list = root.find(name);
    if (list == root.end() && !is_required) return;
    if (list == root.end() || !list->is_array()) {
      mistakes.add(fmt::format("{}: {}: {}", printable(origin, kLongText), name,
                               list == root.end() ? "missing" : "expected an array"));
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      Reader reader((*list)[i], fmt::format("{}[{}]", name, i), origin, mistakes);
      visit(reader, records.emplace_back());
    }
  };
  read_list("results", true, report.results, [](Reader& reader, Result& result) {
    result.max_extrapolation = 1;
    visit_result(reader, result);
    if (result.ranks == 0) result.ranks = result.gpus;  // written by a tool without the key
  });
  read_list("recommendations", false, report.recommendations,
            [](Reader& reader, Recommendation& r) { visit_recommendation(reader, r); });
  read_list("infeasible", false, report.infeasible,
            [](Reader& reader, InfeasibleResult& r) { visit_infeasible(reader, r); });
  if (const auto best = root.find("recommendation"); best == root.end()) {
    mistakes.add(fmt::format("{}: recommendation: missing", printable(origin, kLongText)));
  } else if (report.recommendations.empty() && !best->is_null()) {
    Reader reader(*best, "recommendation", origin, mistakes);
    visit_recommendation(reader, report.recommendations.emplace_back());
  }
  mistakes.throw_if_any();
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    for (const std::string& problem : contradictions(report.results[i])) {
      if (mistakes.messages().size() > kMaxMistakes) break;
      const bool is_full = mistakes.messages().size() == kMaxMistakes;
      mistakes.add(
          is_full ? "... and more"
                  : fmt::format("{}: results[{}].{}", printable(origin, kLongText), i, problem));
    }
  }
  mistakes.throw_if_any();
  return report;
}

}  // namespace dcpbench::report

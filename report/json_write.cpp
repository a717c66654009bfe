#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "report/json_fields.hpp"
#include "report/write.hpp"

namespace dcpbench::report {

namespace {

using nlohmann::ordered_json;
using Texts = std::vector<std::pair<std::string, std::string>>;
using Numbers = std::vector<std::pair<std::string, double>>;
using Parts = std::array<double, core::kParts>;

// nlohmann writes NaN and infinity as null.
template <class T>
requires std::is_arithmetic_v<T> ordered_json to_value(T value) { return value; }
ordered_json to_value(const std::string& text) { return text; }
ordered_json to_value(const std::vector<std::string>& texts) { return texts; }
ordered_json to_value(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}
template <class T>
ordered_json to_value(const std::vector<std::pair<std::string, T>>& pairs) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}
ordered_json to_value(const std::map<std::int32_t, std::int64_t>& counts) {
  ordered_json object = ordered_json::object();
  for (const auto& [degree, count] : counts) object[std::to_string(degree)] = count;
  return object;
}
ordered_json to_value(const Parts& parts) {
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < core::kParts; ++i) {
    object[std::string(core::kPartNames[i])] = parts[i];
  }
  return object;
}
ordered_json to_value(const Distribution& distribution);

class Writer {
 public:
  template <class T>
  void key(const char* name, const T& value) {
    object_[name] = to_value(value);
  }
  // Rates and quantiles of a run that took time are above 0.
  void rate(const char* name, double value) {
    object_[name] = value > 0 ? ordered_json(value) : ordered_json();
  }
  template <class T>
  void extra(const char* name, const T& value) {
    key(name, value);
  }
  [[nodiscard]] ordered_json take() { return std::move(object_); }

 private:
  ordered_json object_ = ordered_json::object();
};

ordered_json to_value(const Distribution& distribution) {
  Writer writer;
  visit_distribution(writer, distribution);
  return writer.take();
}

ordered_json to_object(const Recommendation& recommendation) {
  Writer writer;
  visit_recommendation(writer, recommendation);
  return writer.take();
}

}  // namespace

std::string to_json(const Report& report) {
  ordered_json root = ordered_json::object();
  root["schema_version"] = Report::kSchemaVersion;
  Writer head;
  visit_head(head, report);
  root.update(head.take());

  const auto best = std::max_element(
      report.recommendations.begin(), report.recommendations.end(),
      [](const Recommendation& a, const Recommendation& b) { return a.gain < b.gain; });
  root["recommendation"] = best == report.recommendations.end() ? ordered_json() : to_object(*best);
  ordered_json& recommendations = root["recommendations"] = ordered_json::array();
  for (const Recommendation& recommendation : report.recommendations) {
    recommendations.push_back(to_object(recommendation));
  }
  ordered_json results = ordered_json::array();
  for (const Result& result : report.results) {
    Writer writer;
    visit_result(writer, result);
    results.push_back(writer.take());
  }
  root["results"] = std::move(results);
  ordered_json infeasible = ordered_json::array();
  for (const InfeasibleResult& result : report.infeasible) {
    Writer writer;
    visit_infeasible(writer, result);
    infeasible.push_back(writer.take());
  }
  root["infeasible"] = std::move(infeasible);
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace dcpbench::report

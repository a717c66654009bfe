// Compares reports. A ratio is useful tokens per second over the first report's. Its spread over
// steps: with equal accounting and one workload, step i holds the same sequences in both reports,
// so the step times' quantiles are compared (first / other at p10, median and p90; the least and
// the greatest are the spread). Otherwise steps are not alike and there is no such spread.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "report/cells.hpp"
#include "report/pairing.hpp"
#include "report/statistics.hpp"
#include "report/text.hpp"
#include "report/write.hpp"

namespace dcpbench::report {

namespace {

using nlohmann::ordered_json;
using Parts = std::array<double, core::kParts>;

// Differences in time below this share of the first's time are not split into shares.
constexpr double kSameTime = 0.001;

std::string tag(std::size_t report) {
  return report < 26 ? std::string(1, static_cast<char>('A' + report))
                     : fmt::format("R{}", report + 1);
}

std::string label(const Result& result) {
  return fmt::format("{} {} {} seed {}", printable(result.model, 40), printable(result.dataset, 40),
                     printable(result.strategy, 40), result.seed);
}

std::optional<double> ratio(double value, double base) {
  if (!(value > 0) || !(base > 0)) return std::nullopt;
  return value / base;
}

struct StepRatios {
  double p10 = 0, median = 0, p90 = 0;
};

std::optional<StepRatios> step_ratios(const Result& first, const Result& other) {
  if (first.accounting != "equal" || other.accounting != "equal" ||
      first.workload_sha256 != other.workload_sha256 ||
      first.step_seconds.count != other.step_seconds.count) {
    return std::nullopt;
  }
  const auto p10 = ratio(first.step_seconds.p10, other.step_seconds.p10);
  const auto median = ratio(first.step_seconds.median, other.step_seconds.median);
  const auto p90 = ratio(first.step_seconds.p90, other.step_seconds.p90);
  if (!p10 || !median || !p90) return std::nullopt;
  return StepRatios{*p10, *median, *p90};
}

// The pairs of one strategy over its seeds.
struct Row {
  std::size_t report = 0;  // of `other`
  StrategyRuns first, other;

  [[nodiscard]] Parts difference_seconds() const {
    Parts parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto part = static_cast<core::Part>(i);
      parts[i] = other.part_seconds(part) - first.part_seconds(part);
    }
    return parts;
  }
  [[nodiscard]] double total_difference() const {
    return other.total_seconds() - first.total_seconds();
  }
  [[nodiscard]] bool takes_the_same_time() const {
    return std::fabs(total_difference()) < kSameTime * first.total_seconds();
  }
  [[nodiscard]] MeanAndDeviation ratio_of_rates() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < first.runs.size(); ++i) {
      const auto value =
          ratio(other.runs[i]->useful_tokens_per_second, first.runs[i]->useful_tokens_per_second);
      if (value) ratios.push_back(*value);
    }
    return mean_and_deviation(ratios);
  }
};

MeanAndDeviation rate(const StrategyRuns& runs, double unit) {
  std::vector<double> rates;
  for (const Result* run : runs.runs) rates.push_back(run->useful_tokens_per_second * unit);
  return mean_and_deviation(rates);
}

struct Collected {
  std::vector<Row> rows;  // in the order of the first report, then of the other reports
  std::vector<std::pair<std::size_t, const Result*>> unmatched;  // (report, result)
  std::vector<std::string> differences;
};

// Each difference once, with the number of results that it concerns.
void add_differences(const Pairing& pairing, std::size_t report, const std::string& first_name,
                     const std::string& name, std::vector<std::string>& differences) {
  struct Seen {
    Difference difference;
    const Result* where = nullptr;
    std::size_t count = 0;
  };
  std::vector<Seen> seen;
  std::map<Difference, std::size_t> places;
  for (const auto& [first, other] : pairing.pairs) {
    for (const Difference& difference : differences_of(*first, *other)) {
      const auto [place, is_new] = places.try_emplace(difference, seen.size());
      if (is_new) seen.push_back({difference, first, 0});
      ++seen[place->second].count;
    }
  }
  for (const Seen& entry : seen) {
    std::string text =
        fmt::format("{}: {} in {}, {} in {} ({}", entry.difference.field, entry.difference.first,
                    first_name, entry.difference.other, name, label(*entry.where));
    if (entry.count > 1) text += fmt::format(" and {} more", entry.count - 1);
    differences.push_back(text + ")");
  }
  if (pairing.pairs.empty()) {
    differences.push_back(fmt::format("results: none of {} (report {}) has a counterpart in {}",
                                      name, tag(report), first_name));
  }
}

Collected collect(const std::vector<Report>& reports, const std::vector<std::string>& names) {
  Collected collected;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i].complete) {
      collected.differences.push_back(
          fmt::format("complete: false in {}: its run did not finish", names[i]));
    }
  }
  using RowKey = std::tuple<std::string, std::string, std::string, std::string, std::size_t>;
  std::map<RowKey, std::size_t> places;
  std::map<const Result*, std::size_t> order;
  for (const Result& result : reports.front().results) order.emplace(&result, order.size());
  for (std::size_t report = 1; report < reports.size(); ++report) {
    const Pairing pairing = pair_results(reports.front(), reports[report]);
    add_differences(pairing, report, names.front(), names[report], collected.differences);
    for (const auto& [first, other] : pairing.pairs) {
      const RowKey key(first->model, first->dataset, first->strategy, other->strategy, report);
      const auto [place, is_new] = places.try_emplace(key, collected.rows.size());
      if (is_new) collected.rows.push_back({report, {first->strategy, {}}, {other->strategy, {}}});
      collected.rows[place->second].first.runs.push_back(first);
      collected.rows[place->second].other.runs.push_back(other);
    }
    for (const Result* result : pairing.only_first) collected.unmatched.emplace_back(0, result);
    for (const Result* result : pairing.only_other) {
      collected.unmatched.emplace_back(report, result);
    }
  }
  std::stable_sort(collected.rows.begin(), collected.rows.end(), [&](const Row& a, const Row& b) {
    return order.at(a.first.runs.front()) < order.at(b.first.runs.front());
  });
  std::sort(collected.unmatched.begin(), collected.unmatched.end());
  collected.unmatched.erase(std::unique(collected.unmatched.begin(), collected.unmatched.end()),
                            collected.unmatched.end());
  return collected;
}

// "idle -12.3 s (61 %), recompute -7.0 s (35 %)": largest first, what matters only.
std::string where_it_sits(const Row& row) {
  const Parts parts = row.difference_seconds();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double limit =
        std::max(0.01 * std::fabs(row.total_difference()), kSameTime * row.first.total_seconds());
    if (std::fabs(parts[i]) >= limit && parts[i] != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(parts[a]) > std::fabs(parts[b]);
  });
  std::string text;
  for (const std::size_t i : order) {
    text += fmt::format("{}{} {}{} s", text.empty() ? "" : ", ", core::kPartNames[i],
                        parts[i] > 0 ? "+" : "", significant(parts[i], 3));
    if (!row.takes_the_same_time()) {
      text += fmt::format(" ({:.0f} %)", 100 * parts[i] / row.total_difference());
    }
  }
  return text.empty() ? "-" : text;
}

std::string format(const std::vector<Report>& reports, const std::vector<std::string>& names,
                   const Collected& collected) {
  std::string text;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    text += fmt::format("# {} = {} (dcpbench {})\n", tag(i), printable(names[i], 200),
                        printable(reports[i].tool_version, 40));
  }
  for (const std::string& difference : collected.differences) {
    text += fmt::format("# NOT COMPARABLE: {}\n", printable(difference, kLongText));
  }
  text +=
      "# ratio: useful tokens/s over A's; [..]: least and greatest of A's step time over the "
      "other's at p10, median, p90\n"
      "# difference: the other's time minus A's, mean over ranks, and its share of the whole "
      "difference\n";
  Columns table({{"strategy", ""},
                 {"report", ""},
                 {"execution", ""},
                 {"useful", "Mtok/s"},
                 {"ratio", "/A"},
                 {"time", "s"},
                 {"where the difference sits", ""}});
  const auto add_row = [&](const StrategyRuns& runs, std::size_t report,
                           const std::string& relative, const std::string& where) {
    const MeanAndDeviation megatokens = rate(runs, 1e-6);
    table.add_row({printable(runs.strategy, 40), tag(report),
                   printable(runs.runs.front()->execution, 20),
                   with_deviation(megatokens, decimals_for(megatokens.mean, 4)), relative,
                   significant(runs.total_seconds(), 4), where});
  };
  std::string cell;
  const Result* last_first = nullptr;
  for (const Row& row : collected.rows) {
    const Result& first = *row.first.runs.front();
    const Result& other = *row.other.runs.front();
    const std::string here =
        fmt::format("# {}, {}", printable(first.model, 40), printable(first.dataset, 40));
    if (here != cell) table.add_line(here);
    cell = here;
    if (last_first != &first) add_row(row.first, 0, "1", "-");
    last_first = &first;
    const MeanAndDeviation mean = row.ratio_of_rates();
    std::string relative = mean.mean > 0 ? with_deviation(mean, 3) : "-";
    if (row.first.runs.size() == 1) {
      if (const auto steps = step_ratios(first, other)) {
        const auto [least, greatest] = std::minmax({steps->p10, steps->median, steps->p90});
        relative += fmt::format("[{:.3f}..{:.3f}]", least, greatest);
      }
    }
    add_row(row.other, row.report, relative, where_it_sits(row));
  }
  text += table.format();
  for (const auto& [report, result] : collected.unmatched) {
    text += fmt::format("# only in {}: {}\n", tag(report), label(*result));
  }
  return text;
}

ordered_json optional_number(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const Row& row, const std::vector<std::string>& names) {
  const Result& first = *row.first.runs.front();
  const MeanAndDeviation mean = row.ratio_of_rates();
  ordered_json object;
  object["model"] = first.model;
  object["dataset"] = first.dataset;
  object["first_strategy"] = row.first.strategy;
  object["strategy"] = row.other.strategy;
  object["report"] = names[row.report];
  object["execution"] = row.other.runs.front()->execution;
  object["ratio"] = mean.mean > 0 ? ordered_json(mean.mean) : ordered_json();
  object["ratio_deviation"] =
      row.first.runs.size() > 1 ? ordered_json(mean.deviation) : ordered_json();
  ordered_json runs = ordered_json::array();
  for (std::size_t i = 0; i < row.first.runs.size(); ++i) {
    const Result& a = *row.first.runs[i];
    const Result& b = *row.other.runs[i];
    ordered_json run;
    run["seed"] = b.seed;
    run["first_useful_tokens_per_second"] = a.useful_tokens_per_second;
    run["useful_tokens_per_second"] = b.useful_tokens_per_second;
    run["ratio"] = optional_number(ratio(b.useful_tokens_per_second, a.useful_tokens_per_second));
    if (const auto steps = step_ratios(a, b)) {
      run["step_ratio"] = {{"p10", steps->p10}, {"median", steps->median}, {"p90", steps->p90}};
    } else {
      run["step_ratio"] = nullptr;
    }
    runs.push_back(std::move(run));
  }
  object["runs"] = std::move(runs);
  object["first_total_seconds"] = row.first.total_seconds();
  object["total_seconds"] = row.other.total_seconds();
  const Parts parts = row.difference_seconds();
  ordered_json seconds, shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part(core::kPartNames[i]);
    seconds[part] = parts[i];
    shares[part] = row.takes_the_same_time() ? ordered_json()
                                             : ordered_json(parts[i] / row.total_difference());
  }
  object["difference_seconds"] = std::move(seconds);
  object["difference_share"] = std::move(shares);
  return object;
}

std::string to_json(const std::vector<Report>& reports, const std::vector<std::string>& names,
                    const Collected& collected) {
  ordered_json root;
  root["schema_version"] = Report::kSchemaVersion;
  root["reports"] = ordered_json::array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    root["reports"].push_back({{"name", names[i]},
                               {"tool_version", reports[i].tool_version},
                               {"complete", reports[i].complete}});
  }
  root["differences"] = collected.differences;
  root["rows"] = ordered_json::array();
  for (const Row& row : collected.rows) root["rows"].push_back(to_json(row, names));
  root["unmatched"] = ordered_json::array();
  for (const auto& [report, result] : collected.unmatched) {
    root["unmatched"].push_back({{"report", names[report]},
                                 {"model", result->model},
                                 {"dataset", result->dataset},
                                 {"strategy", result->strategy},
                                 {"seed", result->seed}});
  }
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

Comparison compare(const std::vector<Report>& reports, const std::vector<std::string>& names) {
  if (reports.size() < 2 || names.size() != reports.size()) {
    throw std::invalid_argument("compare needs two reports or more, each with its name");
  }
  const Collected collected = collect(reports, names);
  return {collected.differences, format(reports, names, collected),
          to_json(reports, names, collected)};
}

}  // namespace dcpbench::report

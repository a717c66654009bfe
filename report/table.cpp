// The table in the manners of nccl-tests: lines that start with '#' are context, every other line
// is one result with the same columns, "-" for what does not exist.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/cells.hpp"
#include "report/statistics.hpp"
#include "report/text.hpp"
#include "report/write.hpp"

namespace dcpbench::report {

namespace {

using core::Part;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr std::size_t kNameLimit = 40;

std::string name(const std::string& text) { return printable(text, kNameLimit); }

template <class Value>
MeanAndDeviation over(const StrategyRuns& runs, Value value_of) {
  std::vector<double> values;
  for (const Result* run : runs.runs) values.push_back(value_of(*run));
  return mean_and_deviation(values);
}

// Mean over the seeds of a figure that a run may lack; absent when any lacks it.
template <class Value>
std::optional<MeanAndDeviation> over_known(const StrategyRuns& runs, Value value_of) {
  for (const Result* run : runs.runs) {
    if (!value_of(*run)) return std::nullopt;
  }
  return over(runs, [&](const Result& run) { return *value_of(run); });
}

std::string count(const MeanAndDeviation& value) { return fmt::format("{:.0f}", value.mean); }
std::string tenths(double fraction) { return fmt::format("{:.1f}", fraction * 100); }

// Steps are shown in one unit for the whole table.
struct TimeUnit {
  double seconds = 1;
  const char* name = "s";
};

TimeUnit pick_unit(const std::vector<Result>& results) {
  double shortest = INFINITY;
  for (const Result& result : results) {
    if (result.step_seconds.median > 0) shortest = std::min(shortest, result.step_seconds.median);
  }
  if (shortest < 1e-3) return {1e-6, "us"};
  return shortest < 0.1 ? TimeUnit{1e-3, "ms"} : TimeUnit{};
}

std::string step_time(const StrategyRuns& runs, TimeUnit unit) {
  const auto mean = [&](auto member) {
    return over(runs, [&](const Result& run) { return run.step_seconds.*member; }).mean /
           unit.seconds;
  };
  return fmt::format("{}[{}..{}]", significant(mean(&Distribution::median), 4),
                     significant(mean(&Distribution::p10), 3),
                     significant(mean(&Distribution::p90), 3));
}

std::string memory(const StrategyRuns& runs) {
  double peak = 0, capacity = 0;
  for (const Result* run : runs.runs) {
    peak = std::max(peak, run->peak_memory_bytes);
    capacity = std::max(capacity, run->memory_capacity_bytes);
  }
  if (!(capacity > 0)) return "-";
  return fmt::format("{}/{}", significant(peak / kGiB, 3), significant(capacity / kGiB, 3));
}

std::string sp_degrees(const StrategyRuns& runs) {
  std::map<std::int32_t, std::int64_t> sums;
  for (const Result* run : runs.runs) {
    for (const auto& [degree, micro_batches] : run->sp_degrees) sums[degree] += micro_batches;
  }
  std::string text;
  for (const auto& [degree, micro_batches] : sums) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", degree, micro_batches);
  }
  return text.empty() ? "-" : text;
}

std::vector<Columns::Column> columns(TimeUnit unit) {
  return {{"strategy", ""},       {"steps", ""},
          {"micro-b", ""},        {"useful", "Mtok/s"},
          {"speedup", "/bucket"}, {"step median[p10..p90]", unit.name},
          {"MFU", "%"},           {"idle", "%"},
          {"comm", "%"},          {"recomp", "%"},
          {"sync", "%"},          {"pad", "%"},
          {"imbal", "%"},         {"bound", "%"},
          {"peak/cap", "GiB"},    {"SP degrees", "degree:micro-batches"}};
}

std::vector<std::string> row(const StrategyRuns& runs, TimeUnit unit) {
  const auto rate = over(runs, [](const Result& r) { return r.useful_tokens_per_second / 1e6; });
  const auto speedup = over_known(runs, [](const Result& r) { return r.speedup_vs_bucket; });
  const auto mfu = over_known(runs, [](const Result& r) { return r.model_flops_utilization; });
  const auto bound = over_known(runs, [](const Result& r) -> std::optional<double> {
    if (!r.lower_bound_seconds || !(r.total_seconds > 0)) return std::nullopt;
    return *r.lower_bound_seconds / r.total_seconds;
  });
  const auto imbalance = over(runs, [](const Result& r) { return r.imbalance; });
  return {name(runs.strategy),
          count(over(runs, [](const Result& r) { return static_cast<double>(r.steps); })),
          count(over(runs, [](const Result& r) { return static_cast<double>(r.micro_batches); })),
          rate.mean > 0 ? with_deviation(rate, decimals_for(rate.mean, 4)) : "-",
          speedup ? with_deviation(*speedup, 2) : "-",
          step_time(runs, unit),
          mfu ? tenths(mfu->mean) : "-",
          tenths(runs.part_share(Part::idle)),
          tenths(runs.part_share(Part::communication)),
          tenths(runs.part_share(Part::recompute)),
          tenths(runs.part_share(Part::gradient_sync)),
          tenths(runs.padding_ratio()),
          tenths(imbalance.mean),
          bound ? tenths(bound->mean) : "-",
          memory(runs),
          sp_degrees(runs)};
}

// "450 GB/s" -> "450 GB/s = 3600 Gb/s": links are sold in one unit and measured in the other.
std::string with_gigabits(const std::string& value) {
  constexpr std::string_view kUnit = " GB/s";
  double rate = 0;
  std::size_t used = 0;
  if (value.size() <= kUnit.size() || value.size() > 32 || !value.ends_with(kUnit)) return value;
  try {
    rate = std::stod(value, &used);
  } catch (const std::exception&) {
    return value;
  }
  if (used != value.size() - kUnit.size() || !std::isfinite(rate)) return value;
  return fmt::format("{} = {:g} Gb/s", value, rate * 8);
}

std::string context(const Report& report) {
  std::string text = fmt::format("# dcpbench {}: {}\n", printable(report.tool_version, kLongText),
                                 printable(report.command, 400));
  std::vector<std::string> items;
  for (const auto& [key, value] : report.cluster) {
    items.push_back(fmt::format("{} {}", name(key), with_gigabits(printable(value, 300))));
  }
  if (!items.empty()) text += wrapped("# cluster:", items);
  return text +
         "# useful: unpadded tokens of executed sequences; GiB = 2^30 bytes, Mtok = 1e6 tokens\n"
         "# idle, comm, recomp, sync: share of the time, mean over ranks; comm and sync exclude "
         "waiting, which is idle\n"
         "# pad: padding / executed tokens; imbal: (max - mean) / max of busy time over ranks; "
         "bound: lower bound / time\n"
         "# peak/cap: highest memory of a rank / capacity\n";
}

std::string cell_line(const Cell& cell) {
  const Result& first = *cell.strategies.front().runs.front();
  std::set<std::uint64_t> seeds;
  for (const StrategyRuns& runs : cell.strategies) {
    for (const Result* run : runs.runs) seeds.insert(run->seed);
  }
  std::string seed_text = fmt::format("seed {}", *seeds.begin());
  if (seeds.size() > 1) seed_text = fmt::format("{} seeds (mean+-deviation)", seeds.size());
  return fmt::format("# {}, {}: {}, accounting {}, {} GPUs, {} sequences, {} Mtok, {}, workload {}",
                     name(cell.model), name(cell.dataset), name(cell.execution),
                     name(cell.accounting), first.gpus, grouped(first.sequences),
                     significant(static_cast<double>(first.useful_tokens) / 1e6, 4), seed_text,
                     printable(first.workload_sha256.substr(0, 12), kLongText));
}

std::string label(const Result& result) {
  return fmt::format("{} {} {}", name(result.model), name(result.dataset), name(result.strategy));
}

// Notes in order of first appearance; the same note of several results is one line.
class Notes {
 public:
  void add(const std::string& note, const std::string& where) {
    const auto [place, is_new] = places_.try_emplace(note, entries_.size());
    if (is_new) entries_.push_back({note, where, 0});
    ++entries_[place->second].count;
  }
  [[nodiscard]] std::string format() const {
    std::string text;
    for (const Entry& entry : entries_) {
      text += fmt::format("# {}", entry.note);
      if (!entry.where.empty()) text += fmt::format(" ({}", entry.where);
      if (!entry.where.empty() && entry.count > 1) {
        text += fmt::format(" and {} more", entry.count - 1);
      }
      text += entry.where.empty() ? "\n" : ")\n";
    }
    return text;
  }

 private:
  struct Entry {
    std::string note, where;
    std::size_t count = 0;
  };
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> places_;
};

std::string notes(const Report& report) {
  Notes notes;
  for (const std::string& note : report.notes) notes.add("note: " + printable(note), "");
  for (const std::string& warning : report.warnings) {
    notes.add("warning: " + printable(warning, kLongText), "");
  }
  for (const Result& result : report.results) {
    for (const std::string& warning : result.warnings) {
      notes.add("warning: " + printable(warning, kLongText), label(result));
    }
    if (!result.speedup_vs_bucket && !result.speedup_reason.empty()) {
      notes.add("no speedup: " + printable(result.speedup_reason, kLongText), label(result));
    }
    if (result.idle_ranks > 0) {
      notes.add(
          fmt::format("{} of {} ranks never run a micro-batch", result.idle_ranks, result.ranks),
          label(result));
    }
  }
  const auto furthest = std::max_element(
      report.results.begin(), report.results.end(),
      [](const Result& a, const Result& b) { return a.max_extrapolation < b.max_extrapolation; });
  if (furthest != report.results.end() && furthest->max_extrapolation > 1) {
    const auto count = std::count_if(report.results.begin(), report.results.end(),
                                     [](const Result& r) { return r.max_extrapolation > 1; });
    notes.add(
        fmt::format("extrapolated: {} of {} results leave the measured tables, by up to {}x", count,
                    report.results.size(), significant(furthest->max_extrapolation, 3)),
        label(*furthest));
  }
  if (!report.complete) notes.add("INCOMPLETE: the run did not finish", "");
  return notes.format();
}

// Always the last line, so that nobody has to look for it.
std::string dropped_line(const Report& report) {
  std::vector<std::string> items;
  for (const Result& result : report.results) {
    if (result.dropped_sequences == 0 && result.dropped_tokens == 0 &&
        result.truncated_tokens == 0) {
      continue;
    }
    const auto all = static_cast<double>(result.useful_tokens) +
                     static_cast<double>(result.dropped_tokens) +
                     static_cast<double>(result.truncated_tokens);
    const auto lost =
        static_cast<double>(result.dropped_tokens) + static_cast<double>(result.truncated_tokens);
    items.push_back(
        fmt::format("{} seed {}: dropped {} sequences = {} tokens, truncated {} tokens "
                    "({} of the tokens)",
                    label(result), result.seed, grouped(result.dropped_sequences),
                    grouped(result.dropped_tokens), grouped(result.truncated_tokens),
                    percent(share(lost, all))));
  }
  if (report.results.empty() && !report.infeasible.empty()) {
    return "# NOTHING EXECUTED: no strategy has a plan for any workload\n";
  }
  if (items.empty()) return "# dropped 0 sequences, truncated 0 tokens\n";
  std::string text = "# DROPPED: ";
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(items.size(), kShown); ++i) {
    text += (i == 0 ? "" : "; ") + items[i];
  }
  if (items.size() > kShown) text += fmt::format("; and {} more results", items.size() - kShown);
  return text + '\n';
}

}  // namespace

std::string format_table(const Report& report) {
  const TimeUnit unit = pick_unit(report.results);
  Columns table(columns(unit));
  std::map<std::pair<std::string, std::string>, std::vector<const InfeasibleResult*>> without_plan;
  for (const InfeasibleResult& result : report.infeasible) {
    without_plan[{result.model, result.dataset}].push_back(&result);
  }
  const auto add_infeasible = [&](const std::vector<const InfeasibleResult*>& results) {
    // What is wrong with a workload is the same for every strategy: said once.
    for (std::size_t i = 0; i < results.size();) {
      const InfeasibleResult& first = *results[i];
      std::string strategies;
      for (; i < results.size() && results[i]->reason == first.reason &&
             results[i]->seed == first.seed;
           ++i) {
        strategies += (strategies.empty() ? "" : ", ") + name(results[i]->strategy);
      }
      table.add_line(fmt::format("  {} no plan (seed {}): {}", strategies, first.seed,
                                 printable(first.reason, kLongText)));
    }
  };
  for (const Cell& cell : group_cells(report.results)) {
    table.add_line(cell_line(cell));
    for (const StrategyRuns& runs : cell.strategies) table.add_row(row(runs, unit));
    if (const auto here = without_plan.extract({cell.model, cell.dataset})) {
      add_infeasible(here.mapped());
    }
  }
  for (const auto& [cell, results] : without_plan) {
    table.add_line(
        fmt::format("# {}, {}: no strategy has a plan", name(cell.first), name(cell.second)));
    add_infeasible(results);
  }
  return context(report) + table.format() + notes(report) + dropped_line(report);
}

std::string format_recommendations(const Report& report) {
  std::string text;
  for (const Recommendation& r : report.recommendations) {
    text += fmt::format("{}, {}: {}", name(r.model), name(r.dataset), name(r.strategy));
    if (r.strategy != r.baseline) {
      text += fmt::format(" is {:.2f}x {}", r.gain, name(r.baseline));
      if (r.gain_uncertainty > 0) text += fmt::format(" (+-{})", percent(r.gain_uncertainty));
    }
    text += fmt::format(": {}", printable(r.reason, kLongText));
    std::string settings;
    for (const auto& [key, value] : r.settings) {
      settings += fmt::format("{}{} {}", settings.empty() ? "" : ", ", name(key), name(value));
    }
    text += settings.empty() ? "\n" : fmt::format(" [{}]\n", settings);
  }
  return text;
}

}  // namespace dcpbench::report

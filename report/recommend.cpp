#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/cells.hpp"
#include "report/statistics.hpp"
#include "report/summarize.hpp"
#include "report/text.hpp"

namespace dcpbench::report {

namespace {

using core::Part;

// What moved less than this share of the baseline's time is not worth a word.
constexpr double kWorthAWord = 0.01;

std::string spoken(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

struct Change {
  Part part = Part::compute;
  double saved = 0;  // time per useful token, as a share of the baseline's time per useful token
};

// One part's change in words, in the numbers that stand in the table where they tell the story.
std::string describe(const Change& change, const StrategyRuns& before, const StrategyRuns& after) {
  const std::string name = spoken(core::kPartNames[static_cast<std::size_t>(change.part)]);
  const double old_share = before.part_share(change.part);
  const double new_share = after.part_share(change.part);
  if (change.part == Part::compute) {
    const double old_padding = before.padding_ratio(), new_padding = after.padding_ratio();
    if (change.saved > 0 && old_padding - new_padding >= kWorthAWord) {
      return fmt::format("padding {} -> {} of the tokens", percent(old_padding),
                         percent(new_padding));
    }
  } else if ((new_share < old_share) == (change.saved > 0)) {
    return fmt::format("{} {} -> {}", name, percent(old_share), percent(new_share));
  }
  // The whole shrinks faster than this part, so its share would tell the opposite.
  const double old_cost = share(before.part_seconds(change.part), before.useful_tokens());
  const double new_cost = share(after.part_seconds(change.part), after.useful_tokens());
  return fmt::format("{} per token {}{}", name, new_cost < old_cost ? "-" : "+",
                     percent(share(std::fabs(new_cost - old_cost), old_cost)));
}

// Where the time per useful token went, largest saving first.
std::string explain(const StrategyRuns& before, const StrategyRuns& after) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < core::kParts; ++i) {
    const auto part = static_cast<Part>(i);
    const double old_cost = share(before.part_seconds(part), before.useful_tokens());
    const double new_cost = share(after.part_seconds(part), after.useful_tokens());
    const double whole = share(before.total_seconds(), before.useful_tokens());
    const double saved = whole > 0 ? (old_cost - new_cost) / whole : 0;
    if (std::fabs(saved) >= kWorthAWord) changes.push_back({part, saved});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.saved > b.saved; });
  std::vector<std::string> gains, prices;
  for (const Change& change : changes) {
    (change.saved > 0 ? gains : prices).push_back(describe(change, before, after));
  }
  std::string text = gains.empty() ? "no part of the time changes by 1 % or more" : joined(gains);
  if (!prices.empty()) text += "; at the price of " + joined(prices);
  return text;
}

struct Candidate {
  const StrategyRuns* runs = nullptr;
  MeanAndDeviation gain;
};

double mean_rate(const StrategyRuns& runs) {
  std::vector<double> rates;
  for (const Result* run : runs.runs) rates.push_back(run->useful_tokens_per_second);
  return mean_and_deviation(rates).mean;
}

// Ratios seed by seed, because a seed draws its own sequences.
std::vector<double> gains_over(const StrategyRuns& baseline, const StrategyRuns& runs) {
  std::vector<double> gains;
  for (const Result* run : runs.runs) {
    for (const Result* base : baseline.runs) {
      if (base->seed != run->seed || !(base->useful_tokens_per_second > 0)) continue;
      gains.push_back(run->useful_tokens_per_second / base->useful_tokens_per_second);
      break;
    }
  }
  return gains;
}

const StrategyRuns& pick_baseline(const std::vector<const StrategyRuns*>& complete) {
  for (const StrategyRuns* runs : complete) {
    if (runs->strategy == "bucket") return *runs;
  }
  return **std::min_element(complete.begin(), complete.end(), [](const auto* a, const auto* b) {
    return mean_rate(*a) < mean_rate(*b);
  });
}

std::int64_t dropped_sequences(const StrategyRuns& runs) {
  std::int64_t dropped = 0;
  for (const Result* run : runs.runs) dropped += run->dropped_sequences;
  return dropped;
}

std::string reason_for(const Candidate& chosen, const Candidate& best, const StrategyRuns& baseline,
                       std::size_t compared, double equal_below) {
  std::string reason;
  if (compared == 1) {
    reason = "the only strategy with a plan";
  } else if (chosen.runs == &baseline && best.runs == &baseline) {
    reason = "no strategy is faster";
  } else if (chosen.runs == &baseline) {
    reason = fmt::format("{} would gain {:.2f}x, within the uncertainty of {}: called equal",
                         best.runs->strategy, best.gain.mean, percent(equal_below));
  } else {
    reason = explain(baseline, *chosen.runs);
    if (chosen.runs != best.runs) {
      reason += fmt::format("; {} ({:.2f}x) is equal within {}", best.runs->strategy,
                            best.gain.mean, percent(equal_below));
    }
  }
  if (const std::int64_t dropped = dropped_sequences(*chosen.runs); dropped > 0) {
    reason += fmt::format("; drops {} sequences", grouped(dropped));
  }
  return reason;
}

std::optional<Recommendation> recommend_cell(const Cell& cell, double uncertainty) {
  std::size_t seeds = 0;
  for (const StrategyRuns& runs : cell.strategies) seeds = std::max(seeds, runs.runs.size());
  std::vector<const StrategyRuns*> complete;
  for (const StrategyRuns& runs : cell.strategies) {
    if (runs.runs.size() == seeds && mean_rate(runs) > 0) complete.push_back(&runs);
  }
  if (complete.empty()) return std::nullopt;

  const StrategyRuns& baseline = pick_baseline(complete);
  std::vector<Candidate> candidates;
  for (const StrategyRuns* runs : complete) {
    const std::vector<double> gains = gains_over(baseline, *runs);
    if (!gains.empty()) candidates.push_back({runs, mean_and_deviation(gains)});
  }
  const auto best =
      std::max_element(candidates.begin(), candidates.end(),
                       [](const auto& a, const auto& b) { return a.gain.mean < b.gain.mean; });
  if (best == candidates.end()) return std::nullopt;
  const auto spread_of = [&](const Candidate& candidate) {
    const double deviation = share(candidate.gain.deviation, candidate.gain.mean);
    return std::sqrt(uncertainty * uncertainty + deviation * deviation);
  };
  const double equal_below = spread_of(*best);
  const auto chosen = std::find_if(candidates.begin(), best, [&](const Candidate& candidate) {
    return best->gain.mean < candidate.gain.mean * (1 + equal_below);
  });

  Recommendation result;
  result.model = cell.model;
  result.dataset = cell.dataset;
  result.strategy = chosen->runs->strategy;
  result.settings = chosen->runs->runs.front()->settings;
  result.gain = chosen->gain.mean;
  // A ratio of one result to itself is exact.
  result.gain_uncertainty = chosen->runs == &baseline ? 0 : spread_of(*chosen);
  result.baseline = baseline.strategy;
  result.reason = reason_for(*chosen, *best, baseline, candidates.size(), equal_below);
  return result;
}

}  // namespace

std::vector<Recommendation> recommend(const std::vector<Result>& results, double uncertainty) {
  std::vector<Recommendation> recommendations;
  for (const Cell& cell : group_cells(results)) {
    if (auto recommendation = recommend_cell(cell, uncertainty)) {
      recommendations.push_back(std::move(*recommendation));
    }
  }
  return recommendations;
}

}  // namespace dcpbench::report

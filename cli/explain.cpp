#include "cli/explain.hpp"

#include <fmt/format.h>

#include "cli/fixed_settings.hpp"

namespace dcpbench::cli {

namespace {

// Three significant digits in the unit that fits.
std::string duration(core::Nanoseconds time) {
  const double seconds = core::to_seconds(time).value();
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

std::string candidate_line(const planner::Candidate& candidate) {
  const bool timed = candidate.time.value() > 0;
  return fmt::format(
      "{:>2} {:>4} {:>9} {:>10} {:>11} {:>15} {:>11}  {}\n", candidate.chosen ? "*" : "",
      candidate.sp_degree, candidate.batch, candidate.recompute_layers,
      timed ? duration(candidate.time) : "-",
      timed ? fmt::format("{:.0f}", candidate.tokens_per_rank_second) : "-",
      candidate.memory.value() > 0 ? fmt::format("{:.1f} GiB", candidate.memory / core::kGiB) : "-",
      candidate.reason);
}

std::string recompute_of(const planner::FixedSetting& setting) {
  if (setting.least_recompute == setting.most_recompute) {
    return std::to_string(setting.least_recompute);
  }
  return fmt::format("{}..{}", setting.least_recompute, setting.most_recompute);
}

std::string cut_of(const planner::FixedSetting& setting) {
  if (!setting.median_cut) return "-";
  return *setting.median_cut ? "yes" : "no";
}

std::string distance_to_best(const BestFixedSetting& found) {
  const char* subject = found.used->is_default ? "the default" : "the setting used";
  if (found.best == found.used) return fmt::format("{} is the best fixed setting\n", subject);
  std::string cut;
  if (found.best->median_cut) cut = *found.best->median_cut ? "median cut, " : "no median cut, ";
  return fmt::format("{} takes {:.2f}x the best fixed setting (SP {}, {}recompute {})\n", subject,
                     found.used_over_best, found.best->sp_degree, cut, recompute_of(*found.best));
}

std::string fixed_settings(const planner::Explanation& explanation) {
  std::string text =
      fmt::format("fixed settings, each planned as a whole\n{:>2} {:>4} {:>10} {:>10} {:>12}\n", "",
                  "SP", "median cut", "recompute", "predicted");
  for (const planner::FixedSetting& setting : explanation.fixed_settings) {
    text += fmt::format("{:>2} {:>4} {:>10} {:>10} {:>12}  {}\n", setting.is_used ? "*" : "",
                        setting.sp_degree, cut_of(setting), recompute_of(setting),
                        setting.total.value() > 0 ? duration(setting.total) : "-", setting.reason);
  }
  if (const auto found = find_best(explanation.fixed_settings)) text += distance_to_best(*found);
  return text;
}

}  // namespace

std::string format_explanation(const planner::Explanation& explanation, const core::Plan& plan) {
  std::string text;
  for (const planner::ClassExplanation& item : explanation.classes) {
    text += fmt::format("{}: {} sequences, {} tokens\n", item.label, item.sequences, item.tokens);
    text += fmt::format("{:>2} {:>4} {:>9} {:>10} {:>11} {:>15} {:>11}\n", "", "SP", "batch",
                        "recompute", "time", "tokens/s/rank", "memory");
    for (const planner::Candidate& candidate : item.candidates) text += candidate_line(candidate);
  }
  const bool is_by_step = plan.accounting == core::Accounting::equal && plan.steps.size() > 1 &&
                          !has_fixed_settings(plan.strategy);
  if (is_by_step && !explanation.classes.empty()) {
    text += fmt::format(
        "note: each class is explained in the first step that has it; the plan has {} steps, and "
        "every step chooses by its own sequences\n",
        plan.steps.size());
  }
  if (!explanation.fixed_settings.empty()) text += fixed_settings(explanation);
  for (const std::string& line : explanation.notes) text += fmt::format("note: {}\n", line);
  return text;
}

}  // namespace dcpbench::cli

#include "cli/explain.hpp"

#include <fmt/format.h>

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

std::string fixed_settings(const planner::Explanation& explanation) {
  std::string text =
      fmt::format("fixed settings, each planned as a whole\n{:>2} {:>4} {:>10} {:>12}\n", "", "SP",
                  "median cut", "predicted");
  for (const planner::FixedSetting& setting : explanation.fixed_settings) {
    text += fmt::format("{:>2} {:>4} {:>10} {:>12}  {}\n", setting.is_default ? "*" : "",
                        setting.sp_degree, setting.median_cut ? "yes" : "no",
                        setting.total.value() > 0 ? duration(setting.total) : "-", setting.reason);
  }
  return text;
}

}  // namespace

std::string format_explanation(const planner::Explanation& explanation) {
  std::string text;
  for (const planner::ClassExplanation& item : explanation.classes) {
    text += fmt::format("{}: {} sequences, {} tokens\n", item.label, item.sequences, item.tokens);
    text += fmt::format("{:>2} {:>4} {:>9} {:>10} {:>11} {:>15} {:>11}\n", "", "SP", "batch",
                        "recompute", "time", "tokens/s/rank", "memory");
    for (const planner::Candidate& candidate : item.candidates) text += candidate_line(candidate);
  }
  if (!explanation.fixed_settings.empty()) text += fixed_settings(explanation);
  for (const std::string& line : explanation.notes) text += fmt::format("note: {}\n", line);
  return text;
}

}  // namespace dcpbench::cli

// Groups results for reading: a cell is one model and dataset, with its strategies in the order of
// the results and each strategy's runs over the seeds. Internal to report/.
#pragma once

#include <string>
#include <vector>

#include "core/timeline.hpp"
#include "report/result.hpp"

namespace dcpbench::report {

struct StrategyRuns {
  std::string strategy;
  std::vector<const Result*> runs;  // at least one; one per seed

  // Sums over the runs.
  [[nodiscard]] double total_seconds() const;
  [[nodiscard]] double part_seconds(core::Part part) const;
  [[nodiscard]] double useful_tokens() const;
  [[nodiscard]] double padded_tokens() const;

  // Of all runs together.
  [[nodiscard]] double part_share(core::Part part) const;  // of the time
  [[nodiscard]] double padding_ratio() const;
};

struct Cell {
  std::string model, dataset;
  std::string accounting, execution;  // results that differ in these are never averaged
  std::vector<StrategyRuns> strategies;
};

// The pointers stay valid as long as `results`.
std::vector<Cell> group_cells(const std::vector<Result>& results);

}  // namespace dcpbench::report

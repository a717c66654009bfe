#include "report/cells.hpp"

#include <map>
#include <tuple>

#include "report/statistics.hpp"

namespace dcpbench::report {

double StrategyRuns::total_seconds() const {
  double sum = 0;
  for (const Result* run : runs) sum += run->total_seconds;
  return sum;
}

double StrategyRuns::part_seconds(core::Part part) const {
  double sum = 0;
  for (const Result* run : runs) sum += run->breakdown_seconds[static_cast<std::size_t>(part)];
  return sum;
}

double StrategyRuns::useful_tokens() const {
  double sum = 0;
  for (const Result* run : runs) sum += static_cast<double>(run->useful_tokens);
  return sum;
}

double StrategyRuns::padded_tokens() const {
  double sum = 0;
  for (const Result* run : runs) sum += static_cast<double>(run->padded_tokens);
  return sum;
}

double StrategyRuns::part_share(core::Part part) const {
  return share(part_seconds(part), total_seconds());
}

double StrategyRuns::padding_ratio() const {
  return share(padded_tokens() - useful_tokens(), padded_tokens());
}

std::vector<Cell> group_cells(const std::vector<Result>& results) {
  using CellKey = std::tuple<std::string, std::string, std::string, std::string>;
  std::vector<Cell> cells;
  std::map<CellKey, std::size_t> cell_places;
  std::map<std::pair<std::size_t, std::string>, std::size_t> strategy_places;
  for (const Result& result : results) {
    const auto [cell_place, is_new_cell] = cell_places.try_emplace(
        CellKey(result.model, result.dataset, result.accounting, result.execution), cells.size());
    if (is_new_cell) {
      cells.push_back({result.model, result.dataset, result.accounting, result.execution, {}});
    }
    std::vector<StrategyRuns>& strategies = cells[cell_place->second].strategies;
    const auto [strategy_place, is_new_strategy] = strategy_places.try_emplace(
        std::pair(cell_place->second, result.strategy), strategies.size());
    if (is_new_strategy) strategies.push_back({result.strategy, {}});
    strategies[strategy_place->second].runs.push_back(&result);
  }
  return cells;
}

}  // namespace dcpbench::report

// What an execution of a plan took, simulated or measured. All times are integer nanoseconds, so
// the seven parts of a rank's step sum exactly to the step's duration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace dcpbench::core {

// `communication` and `gradient_sync` count only exposed transfer after the last member arrived;
// waiting for members is `idle`.
enum class Part { compute, recompute, communication, idle, gradient_sync, optimizer, overhead };
inline constexpr std::size_t kParts = 7;
inline constexpr std::array<std::string_view, kParts> kPartNames = {
    "compute", "recompute", "communication", "idle", "gradient_sync", "optimizer", "overhead"};

struct PartTimes {
  std::array<Nanoseconds, kParts> value{};
  Nanoseconds& operator[](Part part) { return value[static_cast<std::size_t>(part)]; }
  Nanoseconds operator[](Part part) const { return value[static_cast<std::size_t>(part)]; }
  PartTimes& operator+=(const PartTimes& other) {
    for (std::size_t i = 0; i < kParts; ++i) value[i] += other.value[i];
    return *this;
  }
  [[nodiscard]] Nanoseconds total() const {
    Nanoseconds sum(0);
    for (const Nanoseconds part : value) sum += part;
    return sum;
  }
  // compute + recompute + communication
  [[nodiscard]] Nanoseconds busy() const {
    return (*this)[Part::compute] + (*this)[Part::recompute] + (*this)[Part::communication];
  }
};

struct StepTiming {
  Nanoseconds duration{0};   // common start to the last rank's end of update
  PartTimes sum_over_ranks;  // divide by the ranks for the mean
  Nanoseconds busy_max{0};
  Nanoseconds busy_sum{0};        // over ranks
  std::int32_t slowest_rank = 0;  // the lowest rank with busy_max
  std::int64_t tokens_max = 0;  // useful tokens of a rank (a group's tokens / its degree), rounded
  std::int64_t tokens_sum = 0;
  Bytes peak_memory{0};  // of the fullest rank
};

// Marginals per step and per rank; the full steps x ranks table only while it is small.
struct Timeline {
  static constexpr std::size_t kMaxCells = 10'000'000;

  std::int32_t ranks = 0;
  std::vector<StepTiming> steps;
  std::vector<PartTimes> rank_totals;  // [ranks], summed over steps
  std::vector<PartTimes> cells;        // [step * ranks + rank], or empty above kMaxCells
  double max_extrapolation = 1;        // largest factor by which a prediction left its table
};

}  // namespace dcpbench::core

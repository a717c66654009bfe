// What can be wrong with a row of a length file. Faults are collected over the whole file and told
// once per kind: how many, where the first ones are, and what to do.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace dcpbench::datasets {

enum class Fault {
  missing,  // empty, NA, NaN, null, None
  zero,
  negative,
  fractional,   // 2.3
  too_large,    // above core::kMaxTokens
  thousands,    // 1,024
  unit_suffix,  // 8k
  duration,     // 2.3s, 01:30
  not_a_number,
  ragged,       // another number of fields than the first row
  indivisible,  // N/T: tokens not a multiple of frames
  disagrees,    // two columns that should say the same
  loss,         // more loss tokens than tokens
  weight,       // missing, negative or no number
  bin           // no upper edge, empty, gap or overlap
};
inline constexpr std::size_t kFaults = 15;

// May be left out with --skip-invalid. The others mean that the file is read wrongly.
[[nodiscard]] bool is_skippable(Fault fault);

class Faults {
 public:
  // `place_word`: what a place counts, "line" or "element".
  Faults(std::string file, std::string_view place_word)
      : file_(std::move(file)), place_word_(place_word) {}

  // `detail`: what was found there, ready to print. `place` counts from 1.
  void add(Fault fault, std::int64_t place, std::string_view detail);
  [[nodiscard]] std::int64_t total() const { return total_; }
  // `3 missing values (line 3: empty; line 4: "NA"; ...)`, one per kind that occurred.
  [[nodiscard]] std::vector<std::string> summaries() const;
  // Throws Error(usage) with one message per kind: file, summary and remedy.
  void throw_if_any() const;

 private:
  struct Kept {
    std::int64_t count = 0;
    std::vector<std::string> first;
  };
  [[nodiscard]] std::string summary(std::size_t kind) const;

  std::string file_;
  std::string place_word_;
  std::int64_t total_ = 0;
  std::array<Kept, kFaults> kept_;
};

}  // namespace dcpbench::datasets

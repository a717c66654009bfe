// Where lengths come from: a shipped preset, a histogram or a file of lengths. A dataset is data;
// `draw` turns it into sequences, the same on every machine for the same seed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sequence.hpp"

namespace dcpbench::datasets {

// One value of a distribution with its integer weight.
struct Rung {
  core::Shape shape;
  std::uint64_t weight = 0;
};

struct Dataset {
  std::string name;
  std::string summary;
  std::string source;  // where the numbers come from, or "our choice"
  bool is_2d = false;
  // Exactly one of the two is not empty: a distribution to draw from, or the sequences themselves.
  std::vector<Rung> distribution;
  std::vector<core::Sequence> sequences;
  // Kept decisions: skipped comments, dropped invalid rows, how rows were chosen.
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// video-short|balanced|long, text-short|balanced|long, web, chat, code, longdoc.
std::vector<std::string> preset_names();
// Throws Error(usage) with "did you mean" for an unknown name.
Dataset preset(std::string_view name);

struct DrawOptions {
  // Distribution: how many to draw (default 20,000). File: a seeded sample of that many (default
  // all); more than the file holds is Error(usage).
  std::optional<std::int64_t> sequences;
  std::uint64_t seed = 0;
  double scale_lengths = 1;  // lengths x F, rounded half up, at least 1 (2D: tokens per frame first,
                             // then frames, each at least 1, so that the shape stays a product)
  bool file_order = false;   // keep a file's order instead of shuffling
};

// The sequences in drawn order, as one step. Throws Error(usage), also when scaled lengths leave
// [1, kMaxTokens] or counts exceed kMaxSequences.
core::Workload draw(const Dataset& dataset, const DrawOptions& options);

}  // namespace dcpbench::datasets

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

inline constexpr std::int64_t kDefaultDraws = 20'000;

struct DrawOptions {
  // Distribution: how many to draw (default kDefaultDraws). File: a seeded sample of that many
  // (default all), without replacement; more than the file holds is Error(usage).
  std::optional<std::int64_t> sequences = std::nullopt;
  std::uint64_t seed = 0;
  // Lengths x F, rounded half up, at least 1. 2D: first tokens per frame S' = S x F, then the
  // frames take what that rounding left, T' = T x (S x F / S'), so that the shape stays a product.
  // Loss tokens keep their share of the tokens.
  double scale_lengths = 1;
  bool file_order = false;  // keep a file's order instead of shuffling; not for a distribution
};

// The sequences in drawn order, as one step; all tokens are loss tokens unless the file says
// otherwise. Throws Error(usage), also when scaled lengths leave
// [1, kMaxTokens] or counts exceed kMaxSequences.
core::Workload draw(const Dataset& dataset, const DrawOptions& options);

// What --scale-lengths does to lengths that it would bring below one token: "1950 of 2000 lengths
// would be below 1 and are 1". Draws again; nothing when there is no such length.
std::optional<std::string> scale_warning(const Dataset& dataset, const DrawOptions& options);

// For the report: how the sequences of `workload` = draw(dataset, options) were chosen (count,
// seed, scale), and warnings that the dataset does not carry already.
struct DrawRecord {
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};
DrawRecord describe_draw(const Dataset& dataset, const DrawOptions& options,
                         const core::Workload& workload);

}  // namespace dcpbench::datasets

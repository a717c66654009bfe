// Histograms of real lengths: our own bins of public data, made by scripts/make_histogram.py.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dcpbench::datasets {

struct LengthCount {
  std::int64_t length = 0;   // mean of the bin, rounded
  std::uint64_t weight = 0;  // lengths in the bin
};

struct RealPreset {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  std::span<const LengthCount> histogram;
};

std::span<const RealPreset> real_presets();

}  // namespace dcpbench::datasets

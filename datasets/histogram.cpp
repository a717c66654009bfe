#include "datasets/histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "datasets/text.hpp"

namespace dcpbench::datasets {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMaxSum = std::uint64_t{1} << 62;

int digits_of(std::uint64_t value) {
  int digits = 1;
  for (; value >= 10; value /= 10) ++digits;
  return digits;
}

// mantissa * 10^(exponent + scale), rounded half up; at most kMaxSum + 1.
std::uint64_t scaled(const Decimal& weight, std::int32_t scale) {
  if (weight.mantissa == 0) return 0;
  std::int32_t places = weight.exponent + scale;
  Wide value = weight.mantissa;
  for (; places > 0 && value <= kMaxSum; --places) value *= 10;
  if (places < -20) return 0;
  Wide divisor = 1;
  for (; places < 0; ++places) divisor *= 10;
  value = (value + divisor / 2) / divisor;
  return static_cast<std::uint64_t>(std::min<Wide>(value, kMaxSum + 1));
}

}  // namespace

std::vector<Rung> to_rungs(const std::vector<WeightedShape>& shapes,
                           std::vector<std::string>& notes) {
  std::int32_t finest = 0;   // makes every weight whole
  std::int32_t highest = 0;  // decimal place of the largest weight
  bool any = false;
  bool exact = true;
  for (const WeightedShape& row : shapes) {
    if (row.weight.mantissa == 0) continue;
    const std::int32_t top = digits_of(row.weight.mantissa) + row.weight.exponent;
    finest = std::max(finest, -row.weight.exponent);
    highest = any ? std::max(highest, top) : top;
    any = true;
    exact = exact && row.weight.exact;
  }
  if (!any) return {};

  const auto sum_fits = [&](std::int32_t scale) {
    std::uint64_t sum = 0;
    for (const WeightedShape& row : shapes) {
      sum += scaled(row.weight, scale);
      if (sum > kMaxSum) return false;
    }
    return true;
  };
  // 10^18 is the largest power of ten within the limit.
  std::int32_t scale = std::min(finest, 19 - highest);
  while (!sum_fits(scale)) --scale;
  exact = exact && scale == finest;

  std::vector<Rung> rungs;
  rungs.reserve(shapes.size());
  std::int64_t zeros = 0;
  std::int64_t vanished = 0;
  for (const WeightedShape& row : shapes) {
    const std::uint64_t weight = scaled(row.weight, scale);
    if (weight > 0) {
      rungs.push_back({row.shape, weight});
    } else {
      ++(row.weight.mantissa == 0 ? zeros : vanished);
    }
  }
  if (zeros > 0) notes.push_back(counted(zeros, "row has weight 0", "rows have weight 0"));
  if (!exact) {
    notes.push_back(fmt::format("weights were rounded to a multiple of 1e{}, which makes {} 0",
                                -scale, counted(vanished, "weight", "weights")));
  }
  return rungs;
}

std::int64_t merge_repeats(std::vector<Rung>& rungs) {
  std::map<core::Shape, std::size_t> places;
  std::vector<Rung> merged;
  merged.reserve(rungs.size());
  for (const Rung& rung : rungs) {
    const auto [place, is_new] = places.try_emplace(rung.shape, merged.size());
    if (is_new) {
      merged.push_back(rung);
    } else {
      merged[place->second].weight += rung.weight;
    }
  }
  const auto repeated = static_cast<std::int64_t>(rungs.size() - merged.size());
  rungs = std::move(merged);
  return repeated;
}

std::vector<WeightedShape> spread(const std::vector<Bin>& bins) {
  std::vector<WeightedShape> shapes;
  shapes.reserve(bins.size() * static_cast<std::size_t>(kRungsPerBin));
  for (const Bin& bin : bins) {
    const std::int64_t lo = std::max<std::int64_t>(bin.lo, 1);
    const std::int64_t width = bin.hi - lo;
    for (std::int64_t part = 0; part < kRungsPerBin; ++part) {
      const std::int64_t tokens = lo + (2 * part + 1) * width / (2 * kRungsPerBin);
      shapes.push_back({{tokens, 0, 0}, bin.weight});
    }
  }
  return shapes;
}

}  // namespace dcpbench::datasets

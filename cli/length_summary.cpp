#include "cli/length_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace dcpbench::cli {

namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kPercentiles[] = {10, 25, 50, 75, 90, 99};

// `lengths` ascending, not empty.
std::int64_t nearest_rank(const std::vector<std::int64_t>& lengths, std::size_t percent) {
  const std::size_t rank = (lengths.size() * percent + 99) / 100;
  return lengths[std::max<std::size_t>(rank, 1) - 1];
}

struct Bin {
  std::size_t sequences = 0;
  double tokens = 0;
};

std::string histogram(const std::vector<std::int64_t>& lengths, double tokens) {
  std::map<int, Bin> bins;  // by bit width: bin b holds 2^(b-1) .. 2^b - 1
  for (const std::int64_t length : lengths) {
    Bin& bin = bins[static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length)))];
    ++bin.sequences;
    bin.tokens += static_cast<double>(length);
  }
  std::size_t most = 0;
  for (const auto& [width, bin] : bins) most = std::max(most, bin.sequences);

  std::string text = fmt::format("# {:>25}  {:>9}  {:>9}\n", "length", "sequences", "tokens");
  for (int width = bins.begin()->first; width <= bins.rbegin()->first; ++width) {
    const auto found = bins.find(width);
    const Bin bin = found == bins.end() ? Bin() : found->second;
    std::size_t bar = (bin.sequences * kBarWidth + most / 2) / most;
    if (bin.sequences > 0) bar = std::max<std::size_t>(bar, 1);  // rare, but there
    text += fmt::format(
        "{:>12}..{:<13}  {:>7.2f} %  {:>7.2f} %  {}\n", std::int64_t{1} << (width - 1),
        (std::int64_t{1} << width) - 1,
        100.0 * static_cast<double>(bin.sequences) / static_cast<double>(lengths.size()),
        100.0 * bin.tokens / tokens, std::string(bar, '#'));
  }
  return text;
}

}  // namespace

std::string format_lengths(const core::Workload& workload) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(workload.sequences.size());
  for (const core::Sequence& sequence : workload.sequences) {
    lengths.push_back(sequence.shape.tokens);
  }
  if (lengths.empty()) return "no sequences\n";
  std::sort(lengths.begin(), lengths.end());
  const std::int64_t tokens = workload.total_tokens();

  std::string text =
      fmt::format("sequences {}\ntokens    {}\nmean      {:.1f}\n", lengths.size(), tokens,
                  static_cast<double>(tokens) / static_cast<double>(lengths.size()));
  text += fmt::format("min       {}\n", lengths.front());
  for (const std::size_t percent : kPercentiles) {
    text += fmt::format("p{}       {}\n", percent, nearest_rank(lengths, percent));
  }
  text += fmt::format("max       {}\n", lengths.back());
  return text + histogram(lengths, static_cast<double>(tokens));
}

std::map<core::Shape, std::uint64_t> count_shapes(const std::vector<core::Sequence>& sequences) {
  std::map<core::Shape, std::uint64_t> counts;
  for (const core::Sequence& sequence : sequences) ++counts[sequence.shape];
  return counts;
}

}  // namespace dcpbench::cli

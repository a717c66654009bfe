#include "datasets/length_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dcpbench::datasets {

namespace {

constexpr std::int64_t kFewestAtTheMaximum = 5;

// Rounded half up, but 100 only for all.
std::int64_t percent(std::int64_t part, std::int64_t whole) {
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  const auto rounded = static_cast<std::int64_t>(100.0 * share + 0.5);
  return part < whole ? std::min<std::int64_t>(rounded, 99) : rounded;
}

}  // namespace

std::optional<std::string> truncation_warning(std::span<const core::Sequence> sequences) {
  std::int64_t longest = 0;
  std::int64_t count = 0;
  for (const core::Sequence& sequence : sequences) {
    if (sequence.shape.tokens > longest) {
      longest = sequence.shape.tokens;
      count = 0;
    }
    count += sequence.shape.tokens == longest ? 1 : 0;
  }
  const auto total = static_cast<std::int64_t>(sequences.size());
  if (count < kFewestAtTheMaximum || count == total || 5 * count <= total) return std::nullopt;
  return fmt::format("{}% of the lengths equal the maximum {}: the file looks truncated upstream",
                     percent(count, total), longest);
}

std::optional<std::string> giant_warning(std::span<const core::Sequence> sequences) {
  if (sequences.size() < 2) return std::nullopt;
  std::int64_t total = 0;  // 2^22 sequences of 2^40 tokens fit
  const core::Sequence* giant = &sequences[0];
  for (const core::Sequence& sequence : sequences) {
    total += sequence.shape.tokens;
    if (sequence.shape.tokens > giant->shape.tokens) giant = &sequence;
  }
  const std::int64_t tokens = giant->shape.tokens;
  if (tokens <= total - tokens) return std::nullopt;
  return fmt::format("1 of {} sequences (row {}, {} tokens) is {}% of the tokens", sequences.size(),
                     giant->row, tokens, percent(tokens, total));
}

}  // namespace dcpbench::datasets

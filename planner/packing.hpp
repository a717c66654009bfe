// Bin packing for variable-length micro-batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dcpbench::planner {

struct PackItem {
  std::uint32_t id = 0;
  std::int64_t size = 0;  // > 0
};

struct Packs {
  std::vector<std::uint32_t> ids;    // grouped by pack
  std::vector<std::size_t> offsets;  // pack p: ids[offsets[p] .. offsets[p + 1])
  std::vector<std::int64_t> sizes;   // [pack]
  [[nodiscard]] std::size_t count() const { return sizes.size(); }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t pack) const {
    return std::span(ids).subspan(offsets[pack], offsets[pack + 1] - offsets[pack]);
  }
};

// Best fit decreasing: `items` sorted by falling size (ties by id); each goes to the fullest pack
// that still has room, else into a new one. An item above `capacity` gets a pack of its own.
// O(n log packs).
Packs best_fit_decreasing(std::span<const PackItem> items, std::int64_t capacity);

// Packs for `bins` workers under a hard `capacity`: the fewest multiples of `bins` that best fit
// decreasing reaches, at the smallest capacity of a fine grid that reaches it, so that packs are
// even. Items above `capacity` are the caller's mistake.
Packs even_packs(std::span<const PackItem> items, std::int64_t capacity, std::int64_t bins);

}  // namespace dcpbench::planner

#include "planner/packing.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace dcpbench::planner {

namespace {

// Capacities tried above the even share, in 1/64 of it: best fit decreasing with many small items
// succeeds at the first ones; a quarter more is rarely needed.
constexpr std::int64_t kGrid = 64;

Packs gather(std::span<const PackItem> items, std::span<const std::uint32_t> pack_of,
             std::vector<std::int64_t> sizes) {
  Packs packs;
  packs.sizes = std::move(sizes);
  packs.offsets.assign(packs.sizes.size() + 1, 0);
  for (const std::uint32_t pack : pack_of) ++packs.offsets[pack + 1];
  for (std::size_t p = 1; p < packs.offsets.size(); ++p) packs.offsets[p] += packs.offsets[p - 1];
  std::vector<std::size_t> next(packs.offsets.begin(), packs.offsets.end() - 1);
  packs.ids.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) packs.ids[next[pack_of[i]]++] = items[i].id;
  return packs;
}

}  // namespace

Packs best_fit_decreasing(std::span<const PackItem> items, std::int64_t capacity) {
  std::vector<std::uint32_t> pack_of(items.size());
  std::vector<std::int64_t> sizes;
  std::set<std::pair<std::int64_t, std::uint32_t>> room;  // (free, pack)
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int64_t size = items[i].size;
    const auto fit = room.lower_bound({size, 0});
    if (fit == room.end()) {
      pack_of[i] = static_cast<std::uint32_t>(sizes.size());
      sizes.push_back(size);
      if (size < capacity) room.emplace(capacity - size, pack_of[i]);
      continue;
    }
    auto node = room.extract(fit);
    pack_of[i] = node.value().second;
    sizes[pack_of[i]] += size;
    node.value().first -= size;
    if (node.value().first > 0) room.insert(std::move(node));
  }
  return gather(items, pack_of, std::move(sizes));
}

namespace {

// The even share of `packs` packs once every item above it has a pack of its own.
std::int64_t even_share(std::span<const PackItem> items, std::int64_t packs) {
  std::int64_t total = 0;
  for (const PackItem& item : items) total += item.size;
  std::int64_t share = (total - 1) / packs + 1;
  for (const PackItem& item : items) {
    if (item.size <= share || packs == 1) break;
    total -= item.size;
    --packs;
    share = std::max<std::int64_t>(1, (total - 1) / packs + 1);
  }
  return share;
}

}  // namespace

Packs even_packs(std::span<const PackItem> items, std::int64_t capacity, std::int64_t bins) {
  std::int64_t total = 0;
  for (const PackItem& item : items) total += item.size;
  for (std::int64_t rounds = (total - 1) / (capacity * bins) + 1;; ++rounds) {
    const std::int64_t packs = rounds * bins;
    const std::int64_t share = even_share(items, packs);
    for (std::int64_t i = 0; i <= kGrid; ++i) {
      const std::int64_t tried = std::min(capacity, share + share * i / kGrid);
      Packs result = best_fit_decreasing(items, tried);
      if (static_cast<std::int64_t>(result.count()) <= packs) return result;
      if (tried == capacity) break;
    }
  }
}

}  // namespace dcpbench::planner

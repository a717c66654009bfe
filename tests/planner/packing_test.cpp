#include "planner/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.hpp"

namespace dcpbench::planner {
namespace {

std::vector<PackItem> falling(std::vector<std::int64_t> sizes) {
  std::sort(sizes.rbegin(), sizes.rend());
  std::vector<PackItem> items;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    items.push_back({static_cast<std::uint32_t>(i), sizes[i]});
  }
  return items;
}

void expect_partition(const Packs& packs, std::size_t items) {
  std::vector<std::uint32_t> ids = packs.ids;
  std::sort(ids.begin(), ids.end());
  ASSERT_EQ(ids.size(), items);
  for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(ids[i], i);
}

TEST(BestFitDecreasing, PrefersTheFullestPackThatHasRoom) {
  // Capacity 10: 7 | 6 | then 4 fits only beside 6 (full), 3 beside 7 (full), 2 opens a third.
  const auto items = falling({7, 6, 4, 3, 2});
  const Packs packs = best_fit_decreasing(items, 10);
  EXPECT_EQ(packs.sizes, (std::vector<std::int64_t>{10, 10, 2}));
  expect_partition(packs, 5);
}

TEST(BestFitDecreasing, UnsplittableItemsNeedTheirOwnPacks) {
  // Nine of 700 at 1000: nine packs, not ceil(6300 / 1000) = 7.
  const auto items = falling(std::vector<std::int64_t>(9, 700));
  EXPECT_EQ(best_fit_decreasing(items, 1000).count(), 9u);
}

TEST(EvenPacks, BalanceAndRespectTheCapacity) {
  core::Random random(5);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::int64_t> sizes(1 + random.below(200));
    for (auto& size : sizes) size = 1 + static_cast<std::int64_t>(random.below(1000));
    const std::int64_t capacity = 1000 + static_cast<std::int64_t>(random.below(3000));
    const std::int64_t bins = 1 + static_cast<std::int64_t>(random.below(8));
    const auto items = falling(sizes);
    const Packs packs = even_packs(items, capacity, bins);
    expect_partition(packs, items.size());
    for (std::size_t p = 0; p < packs.count(); ++p) {
      std::int64_t sum = 0;
      for (const std::uint32_t id : packs.of(p)) sum += items[id].size;
      ASSERT_EQ(sum, packs.sizes[p]);
      ASSERT_LE(sum, capacity);
    }
  }
}

TEST(EvenPacks, OneGiantDoesNotSwallowTheRest) {
  // 1 x 1000 and 100 x 10 on 4 workers: the giant alone, the others split over three.
  std::vector<std::int64_t> sizes(100, 10);
  sizes.push_back(1000);
  const Packs packs = even_packs(falling(sizes), 4000, 4);
  // Without the giant a share is ceil(1000 / 3) = 334; 33 x 10 fill one, so 100 items need 4 packs.
  // The next capacity of the grid that holds 34 items is 334 + 334 x 2 / 64 = 344.
  EXPECT_EQ(packs.sizes, (std::vector<std::int64_t>{1000, 340, 340, 320}));
}

}  // namespace
}  // namespace dcpbench::planner

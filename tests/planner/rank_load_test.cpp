#include "planner/rank_load.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "small_cluster.hpp"

namespace dcpbench::planner {
namespace {

std::vector<LocalShape> locals_of(const std::vector<ShapeGroup>& shapes, std::int64_t degree,
                                  Sharding sharding) {
  std::vector<LocalShape> locals;
  for_each_local(shapes, degree, sharding,
                 [&](const LocalShape& local) { locals.push_back(local); });
  return locals;
}

TEST(RankLoad, EverySequenceIsPaddedToTheDegree) {
  // 1 -> 4, 3 -> 4, 7 -> 8 at degree 4.
  const std::vector<ShapeGroup> shapes = {text(1), text(3), text(7, 2)};
  EXPECT_EQ(executed_tokens_of(shapes, 4, Sharding::sequence), 4 + 4 + 2 * 8);
  EXPECT_EQ(rank_tokens_of(shapes, 4, Sharding::sequence).tokens, 1 + 1 + 2 * 2);
  EXPECT_EQ(rank_tokens_of(shapes, 4, Sharding::sequence).sequences, 4);
  EXPECT_EQ(locals_of(shapes, 4, Sharding::sequence).front().length, 8);
}

TEST(RankLoad, UlyssesOnVideosShardsTokensAndKeepsBothAttentionsWhole) {
  const auto locals = locals_of({video(3, 5, 2)}, 2, Sharding::frames);
  ASSERT_EQ(locals.size(), 1u);
  EXPECT_EQ(locals[0].tokens, 2 * 8);  // 15 -> 16, halved, twice
  EXPECT_EQ(locals[0].queries, 2 * 7.5);
  EXPECT_EQ(locals[0].length, 5);
  EXPECT_EQ(locals[0].frames, 3);
}

TEST(RankLoad, DspPadsFramesAndTokensPerFrame) {
  // 3 x 5 at degree 2: 4 x 6 = 24 tokens, 12 per rank.
  const auto locals = locals_of({video(3, 5)}, 2, Sharding::dynamic);
  ASSERT_EQ(locals.size(), 1u);
  EXPECT_EQ(locals[0].tokens, 12);
  EXPECT_EQ(locals[0].length, 6);
  EXPECT_EQ(locals[0].frames, 4);
  EXPECT_EQ(executed_tokens_of(std::vector{video(3, 5)}, 2, Sharding::dynamic), 24);
  // Fewer frames than ranks: 2 -> 8.
  EXPECT_EQ(executed_tokens_of(std::vector{video(2, 8)}, 8, Sharding::dynamic), 64);
}

TEST(RankLoad, DspShardsImagesAlongTheBatch) {
  const auto executed = [](std::int64_t count, std::int64_t degree) {
    return executed_tokens_of(std::vector{video(1, 10, count)}, degree, Sharding::dynamic);
  };
  EXPECT_EQ(executed(8, 4), 80);
  EXPECT_EQ(executed(9, 4), 120);  // three rounds of four
  EXPECT_EQ(executed(1, 4), 40);
  EXPECT_EQ(executed(5, 1), 50);
  const auto locals = locals_of({video(1, 10, 9)}, 4, Sharding::dynamic);
  ASSERT_EQ(locals.size(), 1u);
  EXPECT_EQ(locals[0].tokens, 30);
  EXPECT_EQ(locals[0].length, 10);
  EXPECT_EQ(locals[0].frames, 0);
}

TEST(RankLoad, DspFillsRoundsOfImagesLargestFirst) {
  // Degree 2, images 20, 20, 20, 10, 10: rounds (20 20) (20 10) (10 -) cost 20 + 20 + 10.
  const std::vector<ShapeGroup> shapes = {video(1, 10, 2), video(1, 20, 3)};
  EXPECT_EQ(rank_tokens_of(shapes, 2, Sharding::dynamic).tokens, 50);
  EXPECT_EQ(rank_tokens_of(shapes, 2, Sharding::dynamic).sequences, 5);
  // Without the last: (20 20) (20 10).
  EXPECT_EQ(rank_tokens_of(std::vector{video(1, 10), video(1, 20, 3)}, 2, Sharding::dynamic).tokens,
            40);
}

TEST(RankLoad, LeastOfAnImageIsItsShareOfAFullRound) {
  EXPECT_EQ(least_local({10, 1, 10}, 4, Sharding::dynamic).tokens, 2.5);
  EXPECT_EQ(least_local({15, 3, 5}, 2, Sharding::dynamic).tokens, 12);
  EXPECT_EQ(least_local({7, 0, 0}, 4, Sharding::sequence).tokens, 2);
}

TEST(RankLoad, HugePacksAreCutNotOverflown) {
  const std::vector<ShapeGroup> shapes = {text(core::kMaxTokens, core::kMaxSequences),
                                          text(core::kMaxTokens, core::kMaxSequences)};
  EXPECT_EQ(executed_tokens_of(shapes, 1, Sharding::sequence), INT64_C(1) << 62);
}

}  // namespace
}  // namespace dcpbench::planner

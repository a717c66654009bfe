#include "datasets/histogram.hpp"

#include <gtest/gtest.h>

#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

std::vector<std::uint64_t> weights_of(const Dataset& dataset) {
  std::vector<std::uint64_t> weights;
  for (const Rung& rung : dataset.distribution) weights.push_back(rung.weight);
  return weights;
}
using Weights = std::vector<std::uint64_t>;

TEST(Histogram, KeepsIntegerWeights) {
  const Dataset dataset = read_text("h.csv", "length,count\n64,12\n512,30\n4096,9\n");
  EXPECT_TRUE(dataset.sequences.empty());
  EXPECT_EQ(weights_of(dataset), (Weights{12, 30, 9}));
  EXPECT_EQ(dataset.distribution[2].shape.tokens, 4096);
  EXPECT_EQ(dataset.summary, "histogram of 3 lengths (CSV, column length, weighted by count)");
}

TEST(Histogram, MakesDecimalWeightsWholeByAPowerOfTen) {
  EXPECT_EQ(weights_of(read_text("h.csv", "length,weight\n64,12\n512,0.02\n")), (Weights{1200, 2}));
  EXPECT_EQ(weights_of(read_text("h.csv", "length,weight\n64,5.9e-09\n512,1\n")),
            (Weights{59, 10'000'000'000}));
}

TEST(Histogram, RoundsWhatDoesNotFitAndSaysSo) {
  // 1e-30 beside 1: the sum may be at most 2^62, so the finest power of ten is 1e18.
  const Dataset dataset = read_text("h.csv", "length,weight\n64,1\n512,1e-30\n");
  EXPECT_EQ(weights_of(dataset), (Weights{1'000'000'000'000'000'000}));
  EXPECT_TRUE(says(dataset.notes.at(0), "rounded to a multiple of 1e-18", "1 weight 0"));
  // Huge weights are scaled down.
  EXPECT_EQ(weights_of(read_text("h.csv", "length,weight\n1,1e40\n2,3e40\n")),
            (Weights{1'000'000'000'000'000'000, 3'000'000'000'000'000'000}));
}

TEST(Histogram, LeavesOutZeroWeightsAndCountsThem) {
  const Dataset dataset = read_text("h.csv", "length,weight\n64,0\n512,3\n");
  EXPECT_EQ(weights_of(dataset), (Weights{3}));
  EXPECT_EQ(dataset.notes.at(0), "1 row has weight 0");
  EXPECT_TRUE(says(refusal("h.csv", "length,weight\n64,0\n"), "all weights are 0"));
}

TEST(Histogram, AddsUpTheWeightsOfARepeatedLength) {
  const Dataset dataset = read_text("h.csv", "length,weight\n64,2\n512,3\n64,5\n");
  EXPECT_EQ(weights_of(dataset), (Weights{7, 3}));
  EXPECT_EQ(dataset.notes.at(0), "1 row repeats a length: the weights add up");
  EXPECT_TRUE(dataset.summary.starts_with("histogram of 2 lengths"));
}

TEST(Histogram, RefusesImpossibleWeights) {
  EXPECT_TRUE(says(refusal("h.csv", "length,weight\n64,-1\n65,\n66,x\n"), "3 impossible weights",
                   "line 2: \"-1\"", "line 3: empty", "line 4: \"x\""));
  EXPECT_TRUE(says(refusal("h.csv", "length,weight,count\n64,1,1\n"), "could be meant"));
  ReadOptions options;
  options.limit = 1;
  EXPECT_TRUE(says(refusal("h.csv", "length,weight\n64,1\n", options), "--limit", "--sequences"));
}

TEST(Histogram, TakesAWeightColumnByName) {
  constexpr std::string_view kText = "S,T,w_short,w_long\n100,2,3,4\n200,1,5,0\n";
  const Dataset dataset = read_text("h.csv", kText, column("T*S@w_long"));
  EXPECT_TRUE(dataset.is_2d);
  ASSERT_EQ(dataset.distribution.size(), 1u);
  EXPECT_EQ(dataset.distribution[0].shape, (core::Shape{200, 2, 100}));
  EXPECT_EQ(dataset.distribution[0].weight, 4u);
}

TEST(Histogram, IsTwoDimensionalWithFrames) {
  const Dataset dataset =
      read_text("h.csv", "frames,tokens_per_frame,weight\n1,144,50\n15,144,1\n");
  EXPECT_TRUE(dataset.is_2d);
  EXPECT_EQ(dataset.distribution[1].shape, (core::Shape{2160, 15, 144}));
  EXPECT_EQ(weights_of(dataset), (Weights{50, 1}));
}

TEST(Bins, StandForEquallyLikelyLengths) {
  const Dataset dataset = read_text("h.csv", "lo,hi,count\n0,4096,700\n4096,32768,1\n");
  ASSERT_EQ(dataset.distribution.size(), 32u);
  // Length 0 is none, so the first bin is 1 to 4095: 16 parts of 255.9, their middles at 128, 384,
  // ...
  EXPECT_EQ(dataset.distribution[0].shape.tokens, 1 + 4095 / 32);
  EXPECT_EQ(dataset.distribution[1].shape.tokens, 1 + 3 * 4095 / 32);
  EXPECT_EQ(dataset.distribution[15].shape.tokens, 1 + 31 * 4095 / 32);
  EXPECT_EQ(dataset.distribution[16].shape.tokens, 4096 + 896);
  EXPECT_EQ(dataset.distribution[15].weight, 700u);
  EXPECT_EQ(dataset.distribution[16].weight, 1u);
  // The mean of a uniform draw from 4096 to 32767 is 18431.5; the middles give 18432.
  std::int64_t sum = 0;
  for (std::size_t i = 16; i < 32; ++i) sum += dataset.distribution[i].shape.tokens;
  EXPECT_EQ(sum / 16, 18432);
}

TEST(Bins, OfOneLengthGiveIt) {
  const Dataset dataset = read_text("h.csv", "lo,hi,count\n7,8,2\n8,10,1\n");
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(dataset.distribution[i].shape.tokens, 7);
  // 8 and 9 eight times each.
  EXPECT_EQ(dataset.distribution[16].shape.tokens, 8);
  EXPECT_EQ(dataset.distribution[23].shape.tokens, 8);
  EXPECT_EQ(dataset.distribution[24].shape.tokens, 9);
}

TEST(Bins, NeedAnUpperEdge) {
  constexpr std::string_view kText = "lo,hi,count\n0,4096,700\n4096,,1\n";
  EXPECT_TRUE(
      says(refusal("h.csv", kText), "line 3: bin 4096.. has no upper edge; give --max-length"));
  ReadOptions options;
  options.max_length = 8191;
  const Dataset dataset = read_text("h.csv", kText, options);
  EXPECT_EQ(dataset.distribution[16].shape.tokens, 4096 + 128);
  EXPECT_TRUE(says(dataset.notes.at(1), "--max-length 8191"));
  options.max_length = 4095;
  EXPECT_TRUE(says(refusal("h.csv", kText, options), "--max-length 4095", "4096"));
  EXPECT_TRUE(says(refusal("h.csv", "length\n5\n", options), "--max-length", "leave it out"));
  EXPECT_TRUE(
      says(refusal("h.csv", "lo,hi,count\n0,4096,700\n", options), "--max-length", "leave it out"));
}

TEST(Bins, MustFollowEachOther) {
  EXPECT_TRUE(says(refusal("h.csv", "lo,hi,count\n0,10,1\n12,20,1\n30,25,1\n"), "2 bad bins",
                   "line 3: bin 12..20 after a bin that ends at 10",
                   "line 4: bin 30..25 is empty"));
  EXPECT_TRUE(says(refusal("h.csv", "lo,hi\n0,10\n"), "bins need a weight"));
  EXPECT_TRUE(says(refusal("h.csv", "lo,hi,count\n0,1,5\n"), "holds only the length 0"));
}

}  // namespace
}  // namespace dcpbench::datasets

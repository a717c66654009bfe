#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/error.hpp"
#include "datasets/dataset.hpp"
#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

std::uint64_t weight_sum(const std::vector<Rung>& rungs, std::size_t first, std::size_t last) {
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += rungs[i].weight;
  return sum;
}

double mean_tokens(const std::vector<Rung>& rungs) {
  double tokens = 0;
  for (const Rung& rung : rungs) {
    tokens += static_cast<double>(rung.shape.tokens) * static_cast<double>(rung.weight);
  }
  return tokens / static_cast<double>(weight_sum(rungs, 0, rungs.size()));
}

// The published generator: counts = round(N p), what rounding leaves goes to the first.
std::vector<std::int64_t> counts(const std::vector<Rung>& rungs, std::size_t first,
                                 std::size_t last, std::int64_t total) {
  const auto sum = static_cast<long double>(weight_sum(rungs, first, last));
  std::vector<std::int64_t> result;
  for (std::size_t i = first; i < last; ++i) {
    const long double share = static_cast<long double>(rungs[i].weight) / sum;
    result.push_back(static_cast<std::int64_t>(share * static_cast<long double>(total) + 0.5L));
  }
  result[0] += total - std::accumulate(result.begin(), result.end(), std::int64_t{0});
  return result;
}

TEST(VideoPreset, GivesThePublishedCounts) {
  // VideoSys dcp branch, dummy_data_size 2000, zipf alpha 3 and offset 5, image_mixing_frac 50
  // and 1.
  const std::vector<Rung> rungs = preset("video-short").distribution;
  ASSERT_EQ(rungs.size(), 25u);
  EXPECT_EQ(counts(rungs, 0, 5, 100'000),
            (std::vector<std::int64_t>{39003, 24562, 16454, 11556, 8425}));
  EXPECT_EQ(counts(rungs, 0, 5, 2'000), (std::vector<std::int64_t>{781, 491, 329, 231, 168}));
  EXPECT_EQ(counts(rungs, 5, 25, 2'000),
            (std::vector<std::int64_t>{592, 373, 250, 176, 128, 96, 74, 58, 47, 38,
                                       31,  26,  22,  19,  16,  14, 12, 11, 9,  8}));
}

TEST(VideoPreset, SortsVideosByFramesTimesHeight) {
  // 144p51 240p51 144p102 360p51 240p102 480p51 144p204 ... as (T, S); T = floor(5 frames / 17).
  const std::vector<Rung> rungs = preset("video-long").distribution;
  EXPECT_EQ(rungs[0].shape, (core::Shape{144, 1, 144}));
  EXPECT_EQ(rungs[4].shape, (core::Shape{3600, 1, 3600}));
  constexpr std::array<std::array<std::int64_t, 2>, 7> kFirst = {
      {{15, 144}, {15, 405}, {30, 144}, {15, 920}, {30, 405}, {15, 1590}, {60, 144}}};
  for (std::size_t i = 0; i < kFirst.size(); ++i) {
    EXPECT_EQ(rungs[5 + i].shape.frames, kFirst[i][0]) << i;
    EXPECT_EQ(rungs[5 + i].shape.tokens_per_frame, kFirst[i][1]) << i;
  }
  EXPECT_EQ(rungs[24].shape, (core::Shape{432'000, 120, 3600}));
}

TEST(VideoPreset, MixesImagesAndVideosExactlyByCount) {
  constexpr std::array<std::pair<const char*, std::uint64_t>, 3> kMixes = {
      {{"video-short", 50}, {"video-balanced", 10}, {"video-long", 1}}};
  for (const auto& [name, ratio] : kMixes) {
    const Dataset dataset = preset(name);
    EXPECT_TRUE(dataset.is_2d);
    EXPECT_EQ(weight_sum(dataset.distribution, 0, 5),
              ratio * weight_sum(dataset.distribution, 5, 25))
        << name;
  }
}

TEST(VideoPreset, HasTheMeanTokensOfThePublishedCounts) {
  // Sum of counts x tokens: 1,586,089 for 2,000 images and 32,781,435 for 2,000 videos; 79,405,762
  // for 100,000 images. The counts are rounded, so the means of the weights are within 0.1 %.
  // (Means of 1,092, 2,196 and 8,528 that are quoted count latent pixels / 4, where 240p has 397.5
  // instead of 405 tokens per frame: its odd rows and columns of latents are padded to patches.)
  EXPECT_NEAR(mean_tokens(preset("video-short").distribution), 1099.87, 1.1);
  EXPECT_NEAR(mean_tokens(preset("video-balanced").distribution), 2211.01, 2.2);
  EXPECT_NEAR(mean_tokens(preset("video-long").distribution), 8591.88, 8.6);
}

TEST(TextPreset, HasNineRungs) {
  for (const char* name : {"text-short", "text-balanced", "text-long"}) {
    const Dataset dataset = preset(name);
    ASSERT_EQ(dataset.distribution.size(), 9u);
    EXPECT_FALSE(dataset.is_2d);
    EXPECT_EQ(dataset.distribution[0].shape.tokens, 1024);
    EXPECT_EQ(dataset.distribution[8].shape.tokens, 262'144);
    EXPECT_EQ(dataset.source, "our choice");
  }
  // 2^32 / 6^3 = 19884107.85; long is short mirrored: 15 - 9 = 6 = 1 + 5.
  EXPECT_EQ(preset("text-short").distribution[0].weight, 19'884'108u);
  EXPECT_EQ(preset("text-long").distribution[8].weight, 19'884'108u);
  EXPECT_EQ(preset("text-balanced").distribution[3].weight, 1u);
  // 1024 * 511 / 9
  EXPECT_DOUBLE_EQ(mean_tokens(preset("text-balanced").distribution), 1024.0 * 511 / 9);
}

TEST(RealPreset, KeepsTheCountAndTheTokensOfItsSource) {
  // Lengths and tokens of the source data; every bin's mean is rounded, so within half a token
  // each.
  struct Expected {
    const char* name;
    std::uint64_t lengths;
    double tokens;
  };
  constexpr std::array<Expected, 4> kExpected = {{{"web", 25'000, 25'535'239},
                                                  {"chat", 19'366, 26'450'535},
                                                  {"code", 8'819, 18'305'870},
                                                  {"longdoc", 12'031, 148'915'871}}};
  for (const Expected& expected : kExpected) {
    const std::vector<Rung> rungs = preset(expected.name).distribution;
    EXPECT_EQ(weight_sum(rungs, 0, rungs.size()), expected.lengths) << expected.name;
    const auto lengths = static_cast<double>(expected.lengths);
    EXPECT_NEAR(mean_tokens(rungs) * lengths, expected.tokens, lengths / 2) << expected.name;
    for (std::size_t i = 1; i < rungs.size(); ++i) {
      EXPECT_LT(rungs[i - 1].shape.tokens, rungs[i].shape.tokens) << expected.name;
    }
  }
}

TEST(Preset, NamesAllAndSuggestsOne) {
  EXPECT_EQ(preset_names().size(), 10u);
  for (const std::string& name : preset_names()) {
    const Dataset dataset = preset(name);
    EXPECT_EQ(dataset.name, name);
    EXPECT_FALSE(dataset.summary.empty());
    EXPECT_FALSE(dataset.source.empty());
    EXPECT_TRUE(dataset.sequences.empty());
  }
  try {
    static_cast<void>(preset("text-shrt"));
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    EXPECT_TRUE(
        says(error.what(), "text-shrt", "did you mean \"text-short\"", "longdoc", "--lengths"));
  }
}

}  // namespace
}  // namespace dcpbench::datasets

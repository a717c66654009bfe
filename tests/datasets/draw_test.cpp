#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "datasets/dataset.hpp"
#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

std::vector<std::int64_t> tokens_of(const core::Workload& workload) {
  std::vector<std::int64_t> tokens;
  for (const core::Sequence& sequence : workload.sequences) tokens.push_back(sequence.shape.tokens);
  return tokens;
}

Dataset file_of(std::initializer_list<std::int64_t> lengths) {
  Dataset dataset;
  dataset.name = "file.csv";
  for (const std::int64_t tokens : lengths) {
    dataset.sequences.push_back(
        {{tokens, 0, 0}, tokens, static_cast<std::uint32_t>(dataset.sequences.size())});
  }
  return dataset;
}

std::string refusal_to_draw(const Dataset& dataset, const DrawOptions& options) {
  try {
    static_cast<void>(draw(dataset, options));
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Draw, IsPinned) {
  // From an independent implementation of SplitMix64, Lemire's rejection and the inverse CDF.
  EXPECT_EQ(tokens_of(draw(preset("text-short"), {.sequences = 8, .seed = 0})),
            (std::vector<std::int64_t>{16384, 1024, 1024, 1024, 2048, 65536, 1024, 1024}));
  EXPECT_EQ(tokens_of(draw(preset("text-short"), {.sequences = 8, .seed = 1})),
            (std::vector<std::int64_t>{4096, 1024, 1024, 4096, 1024, 1024, 1024, 8192}));
  const core::Workload video = draw(preset("video-long"), {.sequences = 8, .seed = 0});
  EXPECT_EQ(tokens_of(video),
            (std::vector<std::int64_t>{30 * 144, 144, 144, 144, 920, 60 * 144, 144, 144}));
  EXPECT_EQ(video.sequences[0].shape, (core::Shape{4320, 30, 144}));
}

TEST(Draw, TakesTwentyThousandByDefaultAsOneStep) {
  const core::Workload workload = draw(preset("text-balanced"), {});
  EXPECT_EQ(workload.dataset, "text-balanced");
  ASSERT_EQ(workload.sequences.size(), 20'000u);
  ASSERT_EQ(workload.steps.size(), 1u);
  EXPECT_EQ(workload.steps[0].count, 20'000u);
  // 20,000 / 9 each; six standard deviations of a binomial are 267.
  std::array<int, 9> hits{};
  for (const core::Sequence& sequence : workload.sequences) {
    EXPECT_EQ(sequence.loss_tokens, sequence.shape.tokens);
    ++hits[static_cast<std::size_t>(std::log2(static_cast<double>(sequence.shape.tokens)) - 10)];
  }
  for (const int count : hits) EXPECT_NEAR(count, 2222, 267);
  EXPECT_EQ(workload.sequences[7].row, 7u);
}

TEST(Draw, FewerAreThePrefixOfMore) {
  const auto few = tokens_of(draw(preset("chat"), {.sequences = 100, .seed = 5}));
  auto many = tokens_of(draw(preset("chat"), {.sequences = 1000, .seed = 5}));
  many.resize(100);
  EXPECT_EQ(few, many);
}

TEST(Draw, ShufflesAFileBySeed) {
  const Dataset file = file_of({10, 20, 30, 40, 50, 60});
  const core::Workload workload = draw(file, {.seed = 7});
  EXPECT_EQ(tokens_of(workload), (std::vector<std::int64_t>{60, 30, 40, 20, 50, 10}));
  EXPECT_EQ(workload.sequences[0].row, 5u);
  EXPECT_EQ(tokens_of(draw(file, {.seed = 7, .file_order = true})), tokens_of(file));
  // A sample is the head of the shuffle; in file order it is the same rows, sorted.
  EXPECT_EQ(tokens_of(draw(file, {.sequences = 3, .seed = 7})),
            (std::vector<std::int64_t>{60, 30, 40}));
  EXPECT_EQ(tokens_of(draw(file, {.sequences = 3, .seed = 7, .file_order = true})),
            (std::vector<std::int64_t>{30, 40, 60}));
}

TEST(Draw, ScalesLengthsHalfUpAndNeverToZero) {
  // 10 / 4 = 2.5 -> 3, 1 / 4 -> 1, 6 / 4 = 1.5 -> 2, 100 / 4 = 25
  const Dataset file = file_of({10, 1, 6, 100});
  EXPECT_EQ(tokens_of(draw(file, {.scale_lengths = 0.25, .file_order = true})),
            (std::vector<std::int64_t>{3, 1, 2, 25}));
  EXPECT_EQ(tokens_of(draw(file, {.scale_lengths = 3, .file_order = true})),
            (std::vector<std::int64_t>{30, 3, 18, 300}));
}

TEST(Draw, KeepsTheShareOfLossTokensWhenScaling) {
  Dataset file = file_of({100, 100, 100});
  file.sequences[0].loss_tokens = 50;
  file.sequences[1].loss_tokens = 1;  // 0.1, but never 0
  file.sequences[2].loss_tokens = 0;
  const core::Workload workload = draw(file, {.scale_lengths = 0.1, .file_order = true});
  EXPECT_EQ(workload.sequences[0].loss_tokens, 5);
  EXPECT_EQ(workload.sequences[1].loss_tokens, 1);
  EXPECT_EQ(workload.sequences[2].loss_tokens, 0);
}

TEST(Draw, ScalesTwoDimensionsAsAProduct) {
  Dataset file;
  file.name = "video";
  file.is_2d = true;
  for (const core::Shape shape :
       {core::Shape{144, 1, 144}, core::Shape{2160, 15, 144}, core::Shape{432'000, 120, 3600}}) {
    file.sequences.push_back(
        {shape, shape.tokens, static_cast<std::uint32_t>(file.sequences.size())});
  }
  const core::Workload workload = draw(file, {.scale_lengths = 1.0 / 256, .file_order = true});
  // S = 144 / 256 = 0.5625 -> 1, leaves 0.5625: T = 1 -> 1, 15 * 0.5625 = 8.4375 -> 8.
  EXPECT_EQ(workload.sequences[0].shape, (core::Shape{1, 1, 1}));
  EXPECT_EQ(workload.sequences[1].shape, (core::Shape{8, 8, 1}));
  // S = 3600 / 256 = 14.0625 -> 14, leaves 1.00446: T = 120.5 -> 121 (120.536).
  EXPECT_EQ(workload.sequences[2].shape, (core::Shape{121 * 14, 121, 14}));
}

TEST(Draw, RefusesImpossibleOptionsAllAtOnce) {
  const Dataset file = file_of({10, 20});
  EXPECT_TRUE(says(refusal_to_draw(file, {.sequences = 3}), "--sequences 3", "file.csv holds 2"));
  EXPECT_TRUE(says(refusal_to_draw(file, {.sequences = 0, .scale_lengths = 0}), "--sequences 0",
                   "from 1 to 4194304", "--scale-lengths 0"));
  EXPECT_TRUE(says(refusal_to_draw(preset("web"), {.sequences = 4'194'305}), "from 1 to 4194304"));
  EXPECT_TRUE(says(refusal_to_draw(preset("web"), {.file_order = true}), "--file-order",
                   "web is a distribution"));
  EXPECT_TRUE(says(refusal_to_draw(file, {.scale_lengths = std::nan("")}), "--scale-lengths"));
  EXPECT_TRUE(says(refusal_to_draw(file, {.scale_lengths = -1}), "--scale-lengths"));
  EXPECT_TRUE(
      says(refusal_to_draw(file, {.scale_lengths = std::numeric_limits<double>::infinity()}),
           "--scale-lengths"));
  EXPECT_TRUE(says(refusal_to_draw(file, {.scale_lengths = 1e12}), "row ",
                   "larger than the supported maximum 1099511627776"));
  EXPECT_TRUE(says(refusal_to_draw(preset("video-long"), {.scale_lengths = 1e9}),
                   "larger than the supported maximum"));
}

TEST(DescribeDraw, SaysHowRowsWereChosen) {
  const Dataset file = file_of({10, 20, 1000});
  const auto notes = [&](const Dataset& dataset, const DrawOptions& options) {
    return describe_draw(dataset, options, draw(dataset, options)).notes.at(0);
  };
  EXPECT_EQ(notes(file, {.seed = 3}), "all 3 rows of file.csv, shuffled with seed 3");
  EXPECT_EQ(notes(file, {.file_order = true}), "all 3 rows of file.csv in file order");
  EXPECT_TRUE(says(notes(file, {.sequences = 2, .seed = 3}), "2 of 3 rows",
                   "sampled without replacement with seed 3"));
  EXPECT_TRUE(says(notes(preset("chat"), {.sequences = 9, .seed = 4}),
                   "9 sequences drawn from chat", "seed 4", "Azure"));
}

TEST(ScaleWarning, CountsWhatWouldBeBelowOneToken) {
  // x 0.01: 0.1, 0.99 and 1.
  const Dataset file = file_of({10, 99, 100});
  EXPECT_EQ(scale_warning(file, {.scale_lengths = 0.01}).value_or(""),
            "--scale-lengths 0.01: 2 of 3 lengths would be below 1 and are 1");
  EXPECT_FALSE(scale_warning(file, {.scale_lengths = 0.1}));
}

TEST(DescribeDraw, WarnsOfAGiantInASample) {
  const Dataset file = file_of({10, 20, 1000});
  // Rows 2 and 0 or 1: found by a seed whose sample holds the giant.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DrawOptions options{.sequences = 2, .seed = seed};
    const core::Workload workload = draw(file, options);
    const bool giant = workload.sequences[0].row == 2 || workload.sequences[1].row == 2;
    const auto warnings = describe_draw(file, options, workload).warnings;
    if (giant) {
      ASSERT_EQ(warnings.size(), 1u);
      EXPECT_TRUE(says(warnings[0], "1 of 2 sequences (row 2, 1000 tokens)"));
    }
  }
  // The reader of a whole file has warned already.
  EXPECT_TRUE(describe_draw(file, {}, draw(file, {})).warnings.empty());
}

}  // namespace
}  // namespace dcpbench::datasets

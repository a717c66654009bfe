#include <gtest/gtest.h>

#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

using Lengths = std::vector<std::int64_t>;

TEST(JsonArray, HoldsNumbersOrObjects) {
  EXPECT_EQ(tokens_of(read_text("a.json", "[1000, 2.048e3,\n 999.0]\n")),
            (Lengths{1000, 2048, 999}));
  EXPECT_EQ(tokens_of(read_text("a.json", "\xef\xbb\xbf [ {\"length\": 5}, {\"length\": 6} ]")),
            (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.json", "[{\"input_ids\": [1, 2, 3]}, {\"input_ids\": [4]}]")),
            (Lengths{3, 1}));
}

TEST(JsonArray, NamesTheElement) {
  EXPECT_TRUE(says(refusal("a.json", "[5, -1, \"7\", true, [1], {\"a\": 1}, null]"),
                   "negative length (element 2: \"-1\")", "element 3: \"7\"", "element 4: \"true\"",
                   "4 values that are not numbers", "missing value (element 7"));
  EXPECT_TRUE(says(refusal("a.json", "[]"), "holds no lengths (an empty array)"));
  EXPECT_TRUE(
      says(refusal("a.json", "[5, 6]", column("length")), "none of the keys is named \"length\""));
  EXPECT_TRUE(says(refusal("a.json", "[1099511627777, 99999999999999999999]"),
                   "2 lengths larger than the supported maximum 1099511627776"));
}

TEST(JsonArray, GivesTheByteOfASyntaxError) {
  EXPECT_TRUE(says(refusal("a.json", "[512, NaN, 1024]"), "byte offset 6", "NaN is not JSON"));
  EXPECT_TRUE(says(refusal("a.json", "[512, -Infinity]"), "byte offset 7", "Infinity is not JSON"));
  EXPECT_TRUE(says(refusal("a.json", "[1, 2"), "not a JSON array", "byte offset 5"));
  EXPECT_TRUE(says(refusal("a.json", "[1] [2]"), "byte offset 4", "expected end of input"));
  EXPECT_TRUE(says(refusal("a.json", std::string(100'000, '[')), "nested deeper than 64 levels"));
}

TEST(JsonLines, TakesACountKey) {
  const Dataset dataset =
      read_text("a.jsonl", "{\"id\": \"a\", \"length\": 120}\n\n{\"length\": 7, \"id\": \"b\"}");
  EXPECT_EQ(tokens_of(dataset), (Lengths{120, 7}));
  EXPECT_EQ(dataset.summary, "2 lengths (JSONL, key length)");
  EXPECT_EQ(dataset.notes.at(0), "skipped 1 blank line");
  EXPECT_EQ(tokens_of(read_text("a.jsonl", "{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"b\": 4}\n",
                                column("a+b"))),
            (Lengths{3, 7}));
}

TEST(JsonLines, CountsTokenArraysOnce) {
  const Dataset dataset = read_text(
      "a.jsonl",
      "{\"input_ids\": [1, 2, 3], \"attention_mask\": [1, 1, 1], \"labels\": [-100, 2, 3]}\n"
      "{\"input_ids\": [4, 5], \"labels\": [-100, -100]}\n");
  EXPECT_EQ(tokens_of(dataset), (Lengths{3, 2}));
  EXPECT_EQ(loss_of(dataset), (Lengths{2, 0}));
  EXPECT_TRUE(says(dataset.notes.at(0), "loss tokens from labels"));
  EXPECT_EQ(tokens_of(read_text("a.jsonl", "{\"prompt\": [1, 2], \"answer\": [3]}",
                                column("prompt+answer"))),
            (Lengths{3}));
}

TEST(JsonLines, RefusesContradictions) {
  EXPECT_TRUE(says(refusal("a.jsonl",
                           "{\"num_tokens\": 3, \"input_ids\": [5, 6, 7]}\n"
                           "{\"num_tokens\": 9, \"input_ids\": [5, 6, 7, 8]}\n"),
                   "line 2: num_tokens 9 but input_ids has 4"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"input_ids\": [5, 6, 7], \"labels\": [5]}"),
                   "line 1: labels has 1 but input_ids has 3"));
  EXPECT_TRUE(
      says(refusal("a.jsonl", "{\"input_ids\": [5, 6], \"labels\": [5, -100], \"loss_tokens\": 2}"),
           "loss_tokens 2 but labels has 1"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\": 5, \"length\": 6}"), "line 1",
                   "\"length\" stands twice"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\": 5}\n{\"length\": 5, \"length\": 6}"), "line 2",
                   "stands twice"));
}

TEST(JsonLines, NeverGuessesAmongKeys) {
  EXPECT_TRUE(
      says(refusal("a.jsonl", "{\"input_length\": 5, \"output_length\": 6, \"hash_ids\": [1]}"),
           "2 of the keys could be meant", "hash_ids", "--column"));
  EXPECT_TRUE(
      says(refusal("a.jsonl", "{\"text\": \"abc\"}"), "none of the keys is named length", "text"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\": 5}\n{\"tokens\": 6}\n"), "line 2: empty"));
}

TEST(JsonLines, RefusesOtherTypes) {
  EXPECT_TRUE(
      says(refusal("a.jsonl", "{\"length\": \"512\"}"), "line 1: length is the text \"512\""));
  EXPECT_TRUE(
      says(refusal("a.jsonl", "{\"length\": 5}\n{\"length\": [1]}"), "line 2: length is an array"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"input_ids\": [[1, 2], [3]]}"), "array of arrays"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"tokens\": [1]}\n{\"tokens\": 5}"),
                   "line 2: tokens is the number 5"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\": 5}\n7\n"), "line 2: no object"));
}

TEST(JsonLines, ShowsWhereALineIsTorn) {
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\": 5}\n{\"leng"), "line 2", "near \"{\"leng\"",
                   "cut short"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\": 5}\n{\"length\": NaN}\n"), "line 2", "byte 12",
                   "NaN is not JSON"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\n\"length\": 5\n}\n"), "line 1 is not one JSON object"));
  EXPECT_TRUE(says(refusal("a.jsonl", "{\"length\":1,\"a\":" + std::string(100'000, '[')),
                   "nested deeper"));
}

TEST(JsonLines, ReadsTwoDimensionsAndWeights) {
  const Dataset shapes = read_text("a.jsonl", "{\"frames\": 15, \"tokens_per_frame\": 144}\n");
  EXPECT_EQ(shapes.sequences.at(0).shape, (core::Shape{2160, 15, 144}));
  const Dataset histogram =
      read_text("a.jsonl", "{\"length\": 5, \"weight\": 0.5}\n{\"length\": 6, \"weight\": 2}\n");
  ASSERT_EQ(histogram.distribution.size(), 2u);
  EXPECT_EQ(histogram.distribution[0].weight, 5u);
  EXPECT_EQ(histogram.distribution[1].weight, 20u);
}

}  // namespace
}  // namespace dcpbench::datasets

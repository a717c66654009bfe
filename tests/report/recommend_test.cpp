#include <gtest/gtest.h>

#include <cmath>

#include "report/summarize.hpp"
#include "report/write.hpp"
#include "tests/report/fixtures.hpp"

namespace dcpbench::report {
namespace {

TEST(Recommend, NamesTheGainAndWhereItComesFrom) {
  // bucket 2.0 s, dcp 1.0 s for the same tokens. Saved per token, as shares of bucket's time: idle
  // (0.60 - 0.05) / 2 = 27.5 %, recompute 18.5 %, compute 2.0 %, communication 1.5 %.
  // Own shares: idle 0.60 / 2 = 30 % -> 0.05 / 1 = 5 %; recompute 20 % -> 3 %; communication
  // 5 % -> 7 %, so its fall per token is said instead: 0.10 -> 0.07 = -30 %; compute 0.80 -> 0.76.
  const std::vector<Recommendation> all = recommend(made_report().results, 0.08);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].strategy, "dcp");
  EXPECT_EQ(all[0].baseline, "bucket");
  EXPECT_DOUBLE_EQ(all[0].gain, 2);
  EXPECT_DOUBLE_EQ(all[0].gain_uncertainty, 0.08);
  EXPECT_EQ(all[0].reason,
            "idle 30 % -> 5.0 %, recompute 20 % -> 3.0 %, compute per token -5.0 %, "
            "communication per token -30 %");
  EXPECT_EQ(all[0].settings.at(0).first, "min_accumulation");
}

TEST(Recommend, SaysPaddingWhenComputeFallsBecauseOfIt) {
  std::vector<Result> results = {made_result("bucket", {2}), made_result("packed", {1.6})};
  results[1].padded_tokens = 1'000'000;
  EXPECT_EQ(recommend(results, 0)[0].reason, "padding 20 % -> 0.0 % of the tokens");
}

TEST(Recommend, NamesThePrice) {
  const std::vector<Result> results = {made_result("bucket", {1, 0, 0, 1}),
                                       made_result("dcp", {1, 0, 0.5, 0})};
  EXPECT_EQ(recommend(results, 0)[0].reason,
            "idle 50 % -> 0.0 %; at the price of communication 0.0 % -> 33 %");
}

TEST(Recommend, DifferencesBelowTheUncertaintyAreEqualAndTheFirstWins) {
  const std::vector<Result> results = {made_result("bucket", {2}), made_result("packed", {1}),
                                       made_result("dcp", {0.97})};
  EXPECT_EQ(recommend(results, 0.01)[0].strategy, "dcp");
  const Recommendation equal = recommend(results, 0.05)[0];  // 1 / 0.97 = 1.031 < 1.05
  EXPECT_EQ(equal.strategy, "packed");
  EXPECT_NE(equal.reason.find("; dcp (2.06x) is equal within 5.0 %"), std::string::npos);
}

TEST(Recommend, KeepsTheBaselineWhenNothingIsSurelyFaster) {
  const std::vector<Result> results = {made_result("bucket", {1}), made_result("dcp", {0.97})};
  const Recommendation r = recommend(results, 0.08)[0];
  EXPECT_EQ(r.strategy, "bucket");
  EXPECT_EQ(r.gain, 1);
  EXPECT_EQ(r.reason, "dcp would gain 1.03x, within the uncertainty of 8.0 %: called equal");
  EXPECT_EQ(recommend({made_result("bucket", {1}), made_result("dcp", {2})}, 0.08)[0].reason,
            "no strategy is faster");
}

TEST(Recommend, AveragesPairedGainsOverSeeds) {
  // Gains 2.0 and 1.5: mean 1.75, deviation sqrt(0.125) = 0.3536, relative 0.2020.
  const std::vector<Result> results = {made_result("bucket", {2}, 0), made_result("dcp", {1}, 0),
                                       made_result("bucket", {3}, 1), made_result("dcp", {2}, 1)};
  const Recommendation r = recommend(results, 0.08)[0];
  EXPECT_DOUBLE_EQ(r.gain, 1.75);
  EXPECT_DOUBLE_EQ(r.gain_uncertainty, std::hypot(0.08, std::sqrt(0.125) / 1.75));
}

TEST(Recommend, AStrategyWithoutAPlanForASeedIsNotRecommended) {
  const std::vector<Result> results = {made_result("bucket", {2}, 0), made_result("dcp", {1}, 0),
                                       made_result("bucket", {2}, 1)};
  EXPECT_EQ(recommend(results, 0)[0].strategy, "bucket");
}

TEST(Recommend, WithoutBucketTheSlowestIsTheBaseline) {
  const std::vector<Result> results = {made_result("packed", {1}), made_result("dcp-inter", {3}),
                                       made_result("dcp", {2})};
  const Recommendation r = recommend(results, 0)[0];
  EXPECT_EQ(r.baseline, "dcp-inter");
  EXPECT_EQ(r.strategy, "packed");
  EXPECT_DOUBLE_EQ(r.gain, 3);
}

TEST(Recommend, OnePerCellAndNoneWithoutResults) {
  std::vector<Result> results = {made_result("dcp", {1}), made_result("dcp", {1})};
  results[1].dataset = "text-short";
  EXPECT_EQ(recommend(results, 0).size(), 2u);
  EXPECT_EQ(recommend(results, 0)[0].reason, "the only strategy with a plan");
  EXPECT_TRUE(recommend({}, 0).empty());
}

TEST(Recommend, SaysThatItDrops) {
  std::vector<Result> results = {made_result("bucket", {2}), made_result("dcp", {1})};
  results[1].dropped_sequences = 3;
  const std::string reason = recommend(results, 0)[0].reason;
  EXPECT_NE(reason.find("; drops 3 sequences"), std::string::npos) << reason;
}

TEST(FormatRecommendations, OneLinePerCell) {
  EXPECT_EQ(format_recommendations(made_report()),
            "transformer-1d-1.2b, text-long: dcp is 2.00x bucket (+-8.0 %): idle 30 % -> 5.0 %, "
            "recompute 20 % -> 3.0 %, compute per token -5.0 %, communication per token -30 % "
            "[min_accumulation 1]\n");
}

}  // namespace
}  // namespace dcpbench::report

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/write.hpp"
#include "tests/report/fixtures.hpp"

namespace dcpbench::report {
namespace {

using nlohmann::json;

Report single(Result result) {
  Report report;
  report.complete = true;
  report.tool_version = "0.1.0";
  report.results = {std::move(result)};
  return report;
}

TEST(Compare, RatioSpreadAndWhereTheDifferenceSits) {
  Report simulated = made_report();
  Report measured = made_report();
  for (Result& result : measured.results) result.execution = "measured";
  // dcp takes 1.25 s instead of 1 s: 0.2 s more idle, 0.05 s more communication.
  measured.results[1] = made_result("dcp", {0.76, 0.03, 0.12, 0.25, 0.05, 0.03, 0.01});
  measured.results[1].execution = "measured";
  const Comparison c = compare({simulated, measured}, {"sim.json", "run.json"});
  EXPECT_TRUE(c.differences.empty());
  EXPECT_EQ(
      c.table,
      "# A = sim.json (dcpbench 0.1.0)\n"
      "# B = run.json (dcpbench 0.1.0)\n"
      "# ratio: useful tokens/s over A's; [..]: least and greatest of A's step time over the "
      "other's at p10, median, p90\n"
      "# difference: the other's time minus A's, mean over ranks, and its share of the whole "
      "difference\n"
      "# strategy report execution useful               ratio  time where the difference sits\n"
      "#                           Mtok/s                  /A     s\n"
      "# transformer-1d-1.2b, text-long\n"
      "  bucket        A simulated 0.5000                   1 2.000 -\n"
      "  bucket        B  measured 0.5000 1.000[1.000..1.000] 2.000 -\n"
      "  dcp           A simulated  1.000                   1 1.000 -\n"
      "  dcp           B  measured 0.8000 0.800[0.800..0.800] 1.250 idle +0.200 s (80 %), "
      "communication +0.0500 s (20 %)\n");
  const json root = json::parse(c.json);
  EXPECT_TRUE(root["differences"].empty());
  const json& row = root["rows"][1];
  EXPECT_EQ(row["strategy"], "dcp");
  EXPECT_DOUBLE_EQ(row["ratio"].get<double>(), 0.8);
  EXPECT_NEAR(row["difference_seconds"]["idle"].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(row["difference_share"]["communication"].get<double>(), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(row["runs"][0]["step_ratio"]["median"].get<double>(), 0.8);
  EXPECT_TRUE(root["rows"][0]["difference_share"]["idle"].is_null());
}

// Two reports of one result each: another workload, another world, dropped 0 against 3.
TEST(Compare, RefusalsNameEachDifferenceWithBothValues) {
  Result a = made_result("bucket", {3});
  a.gpus = a.ranks = 8;
  Result b = made_result("dcp", {2});
  b.gpus = b.ranks = 16;
  b.workload_sha256 = std::string(64, 'b');
  b.dropped_sequences = 3;
  b.dropped_tokens = 60'000;
  const Comparison c = compare({single(a), single(b)}, {"a.json", "b.json"});
  const std::string where = " (transformer-1d-1.2b text-long bucket seed 0)";
  EXPECT_EQ(c.differences,
            (std::vector<std::string>{"workload_sha256: " + std::string(64, 'a') + " in a.json, " +
                                          std::string(64, 'b') + " in b.json" + where,
                                      "gpus: 8 in a.json, 16 in b.json" + where,
                                      "ranks: 8 in a.json, 16 in b.json" + where,
                                      "dropped_sequences: 0 in a.json, 3 in b.json" + where,
                                      "dropped_tokens: 0 in a.json, 60000 in b.json" + where}));
  EXPECT_NE(c.table.find("# NOT COMPARABLE: gpus: 8 in a.json, 16 in b.json"), std::string::npos);
  // Steps of other sequences are not set against each other.
  EXPECT_TRUE(json::parse(c.json)["rows"][0]["runs"][0]["step_ratio"].is_null());
}

TEST(Compare, TheSameDifferenceOfManyResultsIsOneLine) {
  Report other = made_report();
  for (Result& result : other.results) result.accounting = "native";
  const Comparison c = compare({made_report(), other}, {"a", "b"});
  ASSERT_EQ(c.differences.size(), 1u);
  EXPECT_EQ(
      c.differences[0],
      "accounting: equal in a, native in b (transformer-1d-1.2b text-long bucket seed 0 and 1 "
      "more)");
}

TEST(Compare, UnfinishedReportsAreADifference) {
  Report other = made_report();
  other.complete = false;
  const Comparison c = compare({made_report(), other}, {"a", "b"});
  ASSERT_EQ(c.differences.size(), 1u);
  EXPECT_EQ(c.differences[0], "complete: false in b: its run did not finish");
}

TEST(Compare, OneWorkloadUnderTwoNamesIsOneWorkload) {
  Report other = made_report();
  for (Result& result : other.results) result.dataset = "./text-long.csv";
  const Comparison c = compare({made_report(), other}, {"a", "b"});
  EXPECT_TRUE(c.differences.empty());
  EXPECT_EQ(json::parse(c.json)["rows"].size(), 2u);
}

TEST(Compare, WhatHasNoCounterpartIsNamed) {
  Report other = made_report();
  other.results.erase(other.results.begin());
  other.results.push_back(made_result("packed", {1}));
  const Comparison c = compare({made_report(), other}, {"a", "b"});
  EXPECT_TRUE(c.differences.empty());
  EXPECT_NE(c.table.find("# only in A: transformer-1d-1.2b text-long bucket seed 0\n"
                         "# only in B: transformer-1d-1.2b text-long packed seed 0\n"),
            std::string::npos)
      << c.table;
}

TEST(Compare, NothingInCommonIsADifference) {
  Report other = made_report();
  for (Result& result : other.results) {
    result.dataset = "video-long";
    result.workload_sha256 = std::string(64, 'd');
  }
  const Comparison c = compare({made_report(), other}, {"a", "b"});
  ASSERT_EQ(c.differences.size(), 1u);
  EXPECT_EQ(c.differences[0], "results: none of b (report B) has a counterpart in a");
}

TEST(Compare, SeedsAreAveraged) {
  Report first = single(made_result("dcp", {2}, 0));
  first.results.push_back(made_result("dcp", {2}, 1));
  Report other = single(made_result("dcp", {1}, 0));
  other.results.push_back(made_result("dcp", {2}, 1));
  const json row = json::parse(compare({first, other}, {"a", "b"}).json)["rows"][0];
  EXPECT_DOUBLE_EQ(row["ratio"].get<double>(), 1.5);  // 2 and 1
  EXPECT_NEAR(row["ratio_deviation"].get<double>(), 0.70710678118654757, 1e-15);
  EXPECT_EQ(row["runs"].size(), 2u);
}

TEST(Compare, ThreeReportsAndRunsWithoutTime) {
  Report empty = made_report();
  for (Result& result : empty.results) {
    const Result full = result;
    result = made_result(full.strategy, {});
    result.useful_tokens_per_second = 0;
    result.step_seconds = {};
  }
  const Comparison c = compare({made_report(), made_report(), empty}, {"a", "b", "c"});
  const json root = json::parse(c.json);
  ASSERT_EQ(root["rows"].size(), 4u);
  EXPECT_EQ(root["rows"][1]["report"], "c");
  EXPECT_TRUE(root["rows"][1]["ratio"].is_null());
  EXPECT_EQ(c.table.find("nan"), std::string::npos);
  EXPECT_EQ(c.table.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace dcpbench::report

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "report/write.hpp"
#include "tests/report/fixtures.hpp"
#include "tests/report/shared_cases.hpp"

namespace dcpbench::report {
namespace {

using nlohmann::ordered_json;

std::string refusal(const std::string& text) {
  try {
    from_json(text, "r.json");
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::usage);
    return error.what();
  }
  return "(accepted)";
}

std::string changed(const std::string& pointer, const ordered_json& value) {
  static const ordered_json original = ordered_json::parse(to_json(made_report()));
  ordered_json root = original;
  root[ordered_json::json_pointer(pointer)] = value;
  return root.dump();
}

TEST(Json, KeysInTheirOrder) {
  const ordered_json root = ordered_json::parse(to_json(made_report()));
  std::vector<std::string> keys;
  for (const auto& item : root.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"schema_version", "complete", "command", "tool_version",
                                            "environment", "cluster", "warnings", "notes",
                                            "recommendation", "recommendations", "results",
                                            "infeasible"}));
  EXPECT_EQ(root["schema_version"], 1);
  const ordered_json& result = root["results"][1];
  for (const char* key : {"model",
                          "dataset",
                          "strategy",
                          "accounting",
                          "execution",
                          "seed",
                          "gpus",
                          "lockstep",
                          "workload_sha256",
                          "plan_digest",
                          "sequences",
                          "useful_tokens",
                          "padded_tokens",
                          "padding_ratio",
                          "dropped_sequences",
                          "dropped_tokens",
                          "truncated_tokens",
                          "steps",
                          "micro_batches",
                          "empty_micro_batches",
                          "useful_tokens_per_second",
                          "sequences_per_second",
                          "speedup_vs_bucket",
                          "total_seconds",
                          "step_seconds",
                          "breakdown_seconds",
                          "imbalance",
                          "token_imbalance",
                          "idle_rank_seconds",
                          "model_flops_utilization",
                          "gpu_hours",
                          "energy_joules",
                          "peak_memory_bytes",
                          "memory_capacity_bytes",
                          "peak_step",
                          "communicators",
                          "sp_degrees",
                          "lower_bound_seconds",
                          "plan_seconds"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result["sp_degrees"].dump(), R"({"1":60,"8":40})");
  EXPECT_EQ(result["breakdown_seconds"]["idle"], 0.05);
  EXPECT_TRUE(result["energy_joules"].is_null());
  EXPECT_EQ(root["recommendation"]["strategy"], "dcp");
  EXPECT_EQ(root["infeasible"][0]["reason"], "needs 3 GiB more");
}

TEST(Json, RecommendationIsTheLargestGainOrNull) {
  Report report;
  EXPECT_TRUE(ordered_json::parse(to_json(report))["recommendation"].is_null());
  report.recommendations.resize(2);
  report.recommendations[0].gain = 1.5;
  report.recommendations[1].gain = 2.5;
  report.recommendations[1].dataset = "b";
  EXPECT_EQ(ordered_json::parse(to_json(report))["recommendation"]["dataset"], "b");
}

TEST(Json, RoundTripChangesNothing) {
  const HandRun run = hand_run();
  Report report = made_report();
  report.results.push_back(make_result(run.plan, run.workload, run.timeline, run.facts));
  report.results.back().seed = std::numeric_limits<std::uint64_t>::max();
  const std::string text = to_json(report);
  EXPECT_EQ(to_json(from_json(text, "r.json")), text);
}

TEST(Json, NoNanNoInfinityNoBrokenText) {
  Report report = made_report();
  report.results[0].imbalance = std::nan("");
  report.results[0].energy_joules = std::numeric_limits<double>::infinity();
  report.command =
      "a\xff"
      "b";
  const ordered_json root = ordered_json::parse(to_json(report));
  EXPECT_TRUE(root["results"][0]["imbalance"].is_null());
  EXPECT_TRUE(root["results"][0]["energy_joules"].is_null());
  EXPECT_EQ(root["command"],
            "a\xef\xbf\xbd"
            "b");
}

TEST(Json, ForeignFilesAreRefusedWithWhatIsMissing) {
  EXPECT_EQ(refusal(R"({"schema": "report/1", "world": 8})"),
            "r.json: not a dcpbench report: it has no schema_version, complete, command, "
            "tool_version, environment, cluster, warnings, recommendation, results (it has "
            "\"schema\", \"world\")");
  EXPECT_EQ(refusal("[1, 2]"), "r.json: not a dcpbench report: expected an object, found an array");
  EXPECT_NE(refusal("{}").find("(it has no keys)"), std::string::npos);
}

TEST(Json, ReportsOfAnotherDialectAreRefused) {
  for (const char* name :
       {"K79a_report.json", "K79b_report_other_workload.json", "K79d_report_future_schema.json"}) {
    const auto text = shared_case(name);
    if (!text) GTEST_SKIP() << "no folder with cases (DCPBENCH_SHARED)";
    EXPECT_NE(refusal(*text).find("not a dcpbench report: it has no schema_version"),
              std::string::npos)
        << name;
  }
}

TEST(Json, OtherSchemaVersionsAreRefused) {
  EXPECT_EQ(refusal(changed("/schema_version", 9)),
            "r.json: schema_version 9 is newer than this tool reads (1)");
  EXPECT_EQ(refusal(changed("/schema_version", 0)),
            "r.json: schema_version 0 is older than this tool reads (1)");
  EXPECT_EQ(refusal(changed("/schema_version", "1")),
            "r.json: schema_version: expected 1, found \"1\"");
}

TEST(Json, EveryMistakeIsListedWithItsKey) {
  ordered_json root = ordered_json::parse(to_json(made_report()));
  root["results"][0].erase("accounting");
  root["results"][1]["useful_tokens"] = -5;
  root["results"][1]["breakdown_seconds"]["idle"] = "0.1";
  root["results"][1]["sp_degrees"] = {{"two", 1}};
  root["complete"] = 1;
  EXPECT_EQ(refusal(root.dump()),
            "r.json: complete: expected true or false, found 1\n"
            "r.json: results[0].accounting: missing\n"
            "r.json: results[1].useful_tokens: expected an integer from 0 to 9223372036854775807, "
            "found -5\n"
            "r.json: results[1].breakdown_seconds.idle: expected a number that is not negative, "
            "found \"0.1\"\n"
            "r.json: results[1].sp_degrees: \"two\" is no SP degree (an integer above 0)");
}

TEST(Json, FiguresThatCantAllBeTrueAreRefused) {
  // The parts of the second result sum to 0.76 + 0.03 + 0.07 + 0.05 + 0.05 + 0.03 + 0.01 = 1 s.
  EXPECT_EQ(refusal(changed("/results/1/total_seconds", 1.00001)),
            "r.json: results[1].breakdown_seconds: the parts sum to 1, total_seconds is 1.00001");
  EXPECT_EQ(refusal(changed("/results/1/total_seconds", 1.0000005)), "(accepted)");
  EXPECT_NE(
      refusal(changed("/results/0/step_seconds/min", 99)).find("step_seconds.min: 99 is above"),
      std::string::npos);
  EXPECT_EQ(refusal(changed("/results/0/useful_tokens", 0)),
            "r.json: results[0].useful_tokens: 0 in a result; must be above 0");
  EXPECT_EQ(refusal(changed("/results/0/padding_ratio", 1.5)),
            "r.json: results[0].padding_ratio: 1.5 is above 1");
}

TEST(Json, NumbersOutOfRangeAreToldInOurWords) {
  // {"a": 1e999} : the number ends at byte 11, the brace is the 12th.
  EXPECT_EQ(refusal("{\"a\": 1e999}"),
            "r.json: not JSON: the number that ends at byte 11 is out of range (beyond 1.8e308)");
}

TEST(Json, WrongTypesAreRefusedAndNeverCrash) {
  const std::vector<ordered_json> values = {nullptr,
                                            true,
                                            -1,
                                            1.5,
                                            1e300,
                                            "x",
                                            ordered_json::array({1}),
                                            ordered_json::object({{"k", 1}})};
  const ordered_json places = ordered_json::parse(to_json(made_report())).flatten();
  std::size_t refused = 0;
  for (const auto& place : places.items()) {
    for (const ordered_json& value : values) {
      refused += refusal(changed(place.key(), value)) == "(accepted)" ? 0 : 1;
    }
  }
  EXPECT_GT(refused, places.size() * 3);
  EXPECT_EQ(refusal(changed("/results/0/gpus", 3'000'000'000)),
            "r.json: results[0].gpus: expected an integer from 0 to 2147483647, found 3000000000");
}

TEST(Json, HostileTextIsRefusedCheaply) {
  EXPECT_EQ(refusal(R"({"schema_version": 1, "schema_version": 1})"),
            "r.json: duplicate key \"schema_version\"");
  EXPECT_EQ(refusal(std::string(1'000'000, '[')), "r.json: nested deeper than 16 levels");
  std::string values = "[0";
  for (int i = 0; i < 1'100'000; ++i) values += ",0";
  EXPECT_EQ(refusal(values + "]"), "r.json: more than 1,000,000 values");
  std::string keys = "{\"a\": 0";
  for (int i = 0; i < 300; ++i) keys += ", \"" + std::to_string(i) + "\": 0";
  EXPECT_EQ(refusal(keys + "}"), "r.json: an object with more than 256 keys");
  EXPECT_EQ(refusal(std::string(70u << 20, ' ')),
            "r.json: 73,400,320 bytes are too many for a report (limit 67,108,864)");
  for (const char* text :
       {"", "{", "nul", "{\"a\": NaN}", "{\"a\": 1e999}", "\xff\xfe{", "{\"a\"\0}"}) {
    EXPECT_EQ(refusal(text).find("r.json: not JSON: "), 0u) << text << refusal(text);
  }
}

TEST(Json, ManyMistakesAreCut) {
  ordered_json root = ordered_json::parse(to_json(made_report()));
  for (int i = 0; i < 1000; ++i) root["results"].push_back(1);
  const std::string text = refusal(root.dump());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20);
  EXPECT_TRUE(text.ends_with("... and more"));
}

}  // namespace
}  // namespace dcpbench::report

// Lengths that are hard to plan: what each asks of every strategy.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "tests/cases/planning_case.hpp"

namespace dcpbench::tests {

namespace {

Words with(const std::string& path, const Words& more = {}) {
  return on_base() + Words{"--lengths", path} + more;
}

double number(const json& object, const char* key) { return object[key].get<double>(); }

std::vector<std::int64_t> lengths_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 0; file >> length;) lengths.push_back(length);
  return lengths;
}

// Every number of the report but the seed is finite: JSON has no NaN, so none may have become null.
void expect_numbers(const json& result) {
  for (const char* key :
       {"useful_tokens_per_second", "sequences_per_second", "total_seconds", "imbalance",
        "token_imbalance", "padding_ratio", "idle_rank_seconds", "model_flops_utilization",
        "gpu_hours", "lower_bound_seconds", "plan_seconds", "speedup_vs_bucket"}) {
    EXPECT_TRUE(result[key].is_number())
        << key << " of " << result["strategy"] << ": " << result[key];
  }
}

void one_sequence(const std::string& path) {
  for (const auto& [strategy, result] : results_by_strategy(report_of(with(path)))) {
    SCOPED_TRACE(strategy);
    expect_numbers(result);
    EXPECT_EQ(result["steps"], 1);
    EXPECT_EQ(result["sequences"], 1);
    EXPECT_EQ(result["useful_tokens"], 4096);
    for (const char* key : {"median", "mean", "min", "max", "p10", "p90"}) {
      EXPECT_EQ(result["step_seconds"][key], result["total_seconds"]) << key;
    }
    EXPECT_EQ(result["step_seconds"]["count"], 1);
    // One of 8 ranks is busy, or all alike: (max - mean) / max = 1 - degree / 8.
    const double degree = std::stod(result["sp_degrees"].begin().key());
    EXPECT_NEAR(number(result, "imbalance"), 1 - degree / 8, 1e-9);
    EXPECT_EQ(result["idle_ranks"], 8 - degree);
  }
  const Outcome shown = dcpbench({"dataset", "show", "--lengths", path});
  EXPECT_TRUE(says(shown.out, {"min       4096", "p10       4096", "p50       4096",
                               "p99       4096", "max       4096"}));
}

void all_equal(const std::string& path) {
  // 64 sequences of 2048 on 8 ranks: 8 each. Nothing is left to balance or to pad.
  auto results = results_by_strategy(report_of(with(path)));
  for (const auto& [strategy, result] : results) {
    SCOPED_TRACE(strategy);
    expect_numbers(result);
    EXPECT_EQ(result["imbalance"], 0.0);
    EXPECT_EQ(result["token_imbalance"], 0.0);
    EXPECT_EQ(result["padding_ratio"], 0.0);
  }
  // What packed, dcp-intra and dcp gain here is recomputation that memory does not force; without
  // that choice all are the same within the efficiency of their batch sizes.
  for (const char* strategy : {"packed", "dcp-intra", "dcp"}) {
    EXPECT_EQ(results[strategy]["breakdown_seconds"]["recompute"], 0.0) << strategy;
    EXPECT_GT(number(results[strategy], "speedup_vs_bucket"), 1) << strategy;
  }
  const double bucket = number(results["bucket"], "total_seconds");
  for (const json& result : results_of(with(path, {"--recompute", "full"}))) {
    EXPECT_NEAR(number(result, "total_seconds"), bucket, 0.03 * bucket) << result["strategy"];
  }
}

void two_hundred_thousand(const std::string& path) {
  const std::vector<std::int64_t> lengths = lengths_in(path);
  const std::int64_t tokens = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  for (const auto& [strategy, result] : results_by_strategy(report_of(with(path)))) {
    SCOPED_TRACE(strategy);
    EXPECT_EQ(result["sequences"], 200'000);
    EXPECT_EQ(result["useful_tokens"], tokens);
    EXPECT_LE(number(result, "peak_memory_bytes"), number(result, "memory_capacity_bytes"));
    EXPECT_GT(number(result, "plan_seconds"), 0);
    EXPECT_LE(number(result, "lower_bound_seconds"), number(result, "total_seconds"));
  }
}

void one_giant(const std::string& path) {
  const json report = report_of(with(path));
  EXPECT_TRUE(says(warning_with(report["warnings"], "of the tokens"),
                   {"1 of 500 sequences (row 499, 131072 tokens) is 51% of the tokens"}));
  auto results = results_by_strategy(report);
  // The degree that the giant needs, for all 499 short ones too.
  for (const char* strategy : {"bucket", "packed"}) {
    const json& degrees = results[strategy]["sp_degrees"];
    EXPECT_EQ(degrees.size(), 1U) << degrees;
    EXPECT_TRUE(degrees.contains("4")) << degrees;
  }
  const json plan = plan_of("dcp", with(path));
  for (const json& batch : plan["steps"][0]["micro_batches"]) {
    if (batch["sequences"].size() == 1 && batch["loss_tokens"] == 131072) {
      EXPECT_EQ(batch["sp_degree"], 8);
    } else {
      EXPECT_EQ(batch["sp_degree"], 1);
    }
  }
  EXPECT_GT(number(results["dcp"], "speedup_vs_bucket"), 1.1);  // above the uncertainty
  const Outcome explained =
      dcpbench(Words{"plan", "--explain", "--strategy", "bucket"} + with(path));
  EXPECT_TRUE(says(explained.out, {"# warning: " + path, "fixed settings",
                                   "a sequence of 131072 tokens does not fit at SP degree 2: needs",
                                   "GiB of 72.0 GiB per GPU"}));
}

void truncated_upstream(const std::string& path) {
  const json report = report_of(with(path));
  EXPECT_TRUE(says(warning_with(report["warnings"], "truncated upstream"),
                   {path, "50% of the lengths equal the maximum 2048"}));
  EXPECT_EQ(report["results"].size(), 5U);
}

void above_bucket_edges(const std::string& path) {
  // A batch is padded to its longest, not to the upper edge of its bucket, and these batches hold
  // equal lengths: at SP 1 nothing is padded although every length is one past a power of two.
  auto results = results_by_strategy(report_of(with(path)));
  EXPECT_EQ(results["bucket"]["padding_ratio"], 0.0);
  EXPECT_EQ(results["bucket"]["padded_tokens"], results["bucket"]["useful_tokens"]);
  // One bucket for all pads, which is said with its remedies; both rates are shown.
  const json report = report_of(with(path, {"--bucket-edges", "32768", "--strategy", "bucket"}));
  const json& coarse = report["results"][0];
  const double useful = number(coarse, "useful_tokens");
  const double padded = number(coarse, "padded_tokens");
  EXPECT_NEAR(number(coarse, "padding_ratio"), (padded - useful) / padded, 1e-12);
  EXPECT_GT(number(coarse, "padding_ratio"), 0.2);
  EXPECT_NEAR(number(coarse, "padded_tokens_per_second") / padded,
              number(coarse, "useful_tokens_per_second") / useful, 1e-9);
  EXPECT_TRUE(says(warning_with(coarse["warnings"], "are padding"),
                   {std::to_string(std::lround(100 * (padded - useful) / padded)) + "% of the",
                    "finer --bucket-edges", "--padding none"}));
}

void unsplittable(const std::string& path) {
  const Words capped = with(path, {"--rank-tokens", "1000"});
  // 9 x 700 tokens: two do not share a rank, so 9 micro-batches at SP 1 and not ceil(6300 / 1000).
  for (const char* strategy : {"bucket", "packed"}) {
    const json plan = plan_of(strategy, capped + Words{"--bucket-sp", "1"});
    EXPECT_EQ(micro_batches_of(plan).size(), 9U) << strategy;
  }
  for (const std::string& strategy : default_strategies()) {
    SCOPED_TRACE(strategy);
    std::size_t sequences = 0;
    for (const json& batch : micro_batches_of(plan_of(strategy, capped))) {
      sequences += batch["sequences"].size();
      // 700 is a multiple of every degree used, so SP pads nothing.
      EXPECT_EQ(700 % batch["sp_degree"].get<int>(), 0);
      EXPECT_LE(700 * batch["sequences"].size(), 1000 * batch["sp_degree"].get<std::size_t>());
    }
    EXPECT_EQ(sequences, 9U);
  }
  // dcp shares two groups of 4 ranks (5 x 700 <= 4 x 1000) instead of a second round for one rank.
  auto results = results_by_strategy(report_of(capped));
  EXPECT_LT(number(results["dcp-inter"], "total_seconds"),
            number(results["bucket"], "total_seconds"));
}

void fewer_than_ranks(const std::string& path) {
  for (const auto& [strategy, result] : results_by_strategy(report_of(with(path)))) {
    SCOPED_TRACE(strategy);
    expect_numbers(result);
    EXPECT_EQ(result["sequences"], 3);
    std::vector<char> used(8, 0);
    for (const json& batch : micro_batches_of(plan_of(strategy, with(path)))) {
      std::fill_n(used.begin() + batch["first_rank"].get<int>(), batch["sp_degree"].get<int>(), 1);
    }
    EXPECT_EQ(result["idle_ranks"], std::count(used.begin(), used.end(), 0));
    EXPECT_GE(number(result, "speedup_vs_bucket"), 1 - 1e-9);
  }
  const Outcome table = dcpbench(Words{"simulate"} + with(path));
  EXPECT_TRUE(says(table.out, {"5 of 8 ranks never run a micro-batch"}));
}

void does_not_fit(const std::string& path) {
  expect_infeasible(
      with(path),
      {"1 of 32 sequences (97% of all tokens) do not fit", "index 31, 2000000 tokens",
       "GiB of 72.0 GiB per GPU at SP degree 8 with full", "the longest that fits here has ",
       "--oversize drop or truncate", "fits from 32 GPUs (--gpus 32)"});
  // The change that is named works, and less does not.
  EXPECT_EQ(report_of(with(path, {"--gpus", "32"}))["results"].size(), 5U);
  expect_infeasible(with(path, {"--gpus", "24"}), {"fits from 32 GPUs"});

  for (const json& result : results_of(with(path, {"--oversize", "drop"}))) {
    EXPECT_EQ(result["sequences"], 31);
    EXPECT_EQ(result["dropped_sequences"], 1);
    EXPECT_EQ(result["dropped_tokens"], 2'000'000);
    EXPECT_EQ(result["truncated_tokens"], 0);
  }
  for (const json& result : results_of(with(path, {"--oversize", "truncate"}))) {
    EXPECT_EQ(result["sequences"], 32);
    EXPECT_EQ(result["dropped_sequences"], 0);
    // 31 x 2048 and what is left of the long one.
    EXPECT_EQ(result["useful_tokens"].get<int>() + result["truncated_tokens"].get<int>(),
              31 * 2048 + 2'000'000);
    EXPECT_GT(result["truncated_tokens"], 0);
  }
  const Outcome planned =
      dcpbench(Words{"plan", "--strategy", "dcp", "--oversize", "drop"} + with(path));
  EXPECT_TRUE(says(planned.out, {"31 sequences, 1 dropped (2000000 tokens), 0 tokens truncated"}));
}

void worst_last(const std::string& path) {
  // In the order of the file the 13 shorter ones (28,544 tokens) fill the first step.
  const json report = report_of(with(path, {"--file-order", "--step-tokens", "32768"}));
  ASSERT_EQ(report["results"].size(), 5U);
  for (const json& result : report["results"]) {
    EXPECT_EQ(result["steps"], 2) << result["strategy"];
    EXPECT_EQ(result["peak_step"], 1) << result["strategy"];
    EXPECT_LE(number(result, "peak_memory_bytes"), number(result, "memory_capacity_bytes"));
  }
}

void equal_tokens_unequal_squares(const std::string& path) {
  // 4 packs of 8192 tokens: two hold one 8192, two hold eight 1024.
  auto results = results_by_strategy(report_of(with(path, {"--gpus", "4"})));
  EXPECT_EQ(results["packed"]["micro_batches"], 4);
  EXPECT_EQ(results["packed"]["token_imbalance"], 0.0);
  EXPECT_GT(number(results["packed"], "imbalance"), 0.05);
}

void rare_bucket(const std::string& path) {
  // 96 x 1024 + 65536 = 163,840 tokens, of which the rare bucket has 40 %.
  const Words native = with(path, {"--accounting", "native", "--strategy", "bucket"});
  expect_infeasible(native + Words{"--drop-last"},
                    {"plan has 0 steps: --drop-last left out all 97 sequences",
                     "bucket up to 1024 tokens: 96 of 96 sequences dropped (100%), 60% of all",
                     "bucket up to 65536 tokens: 1 of 1 sequences dropped (100%), 40% of all"});
  EXPECT_EQ(report_of(native)["results"][0]["sequences"], 97);

  // 8 x 8192 tokens: batches of 64 and of 1, one replica; 32 of the short ones fill no batch.
  const json result = report_of(
      native + Words{"--drop-last", "--rank-tokens", "8192", "--bucket-sp", "8"})["results"][0];
  EXPECT_EQ(result["sequences"], 65);
  EXPECT_EQ(result["dropped_sequences"], 32);
  EXPECT_EQ(result["dropped_tokens"], 32 * 1024);
  EXPECT_TRUE(says(warning_with(result["warnings"], "--drop-last"),
                   {"bucket up to 1024 tokens: 32 of 96 sequences dropped (33%), 20% of all tokens",
                    "its batch is 64"}));

  const Words dropping = Words{"simulate"} + with(path, {"--drop-last"});
  expect_refusal(2, dropping,
                 {"--drop-last contradicts --accounting equal", "choose --accounting native"});
  EXPECT_EQ(lines_of(dcpbench(dropping).err).size(), 1U);
}

void all_under_batch(const std::string& path) {
  const Words native = with(path, {"--accounting", "native"});
  std::vector<std::string> parts = {"plan has 0 steps: --drop-last left out all 12 sequences",
                                    "plan without it, or with more sequences"};
  for (const char* edge : {"512", "1024", "2048", "4096", "8192", "16384"}) {
    parts.push_back(std::string("bucket up to ") + edge +
                    " tokens: 2 of 2 sequences dropped (100%)");
  }
  expect_infeasible(native + Words{"--drop-last"}, parts);
  for (const json& result : results_of(native)) EXPECT_EQ(result["sequences"], 12);
}

void primes(const std::string& path) {
  // To multiples of 8: 8191 + 1, 127 + 1, 57829 + 3, 3 + 5, 4093 + 3, 65521 + 7.
  const json result =
      report_of(with(path, {"--strategy", "packed", "--bucket-sp", "8"}))["results"][0];
  EXPECT_EQ(result["useful_tokens"], 135'764);
  EXPECT_EQ(result["padded_tokens"], 135'764 + 20);
  EXPECT_NEAR(number(result, "padding_ratio"), 20.0 / 135'784, 1e-12);
  EXPECT_NEAR(number(result, "useful_tokens_per_second") * number(result, "total_seconds"), 135'764,
              1e-3);
}

void ramp_up(const std::string& path) {
  const json report = report_of(with(path, {"--limit", "100", "--strategy", "dcp"}));
  EXPECT_TRUE(says(warning_with(report["warnings"], "mean length"),
                   {"first 100 rows have a mean length of 17 tokens, all 300 rows 4257",
                    "--sequences 100 without --limit"}));
  EXPECT_TRUE(says(warning_with(report["warnings"], "--limit took"), {"first 100 of 300 rows"}));
  const json sampled = report_of(with(path, {"--sequences", "100", "--strategy", "dcp"}));
  EXPECT_TRUE(sampled["warnings"].empty()) << sampled["warnings"];
  EXPECT_EQ(sampled["results"][0]["sequences"], 100);
  EXPECT_GT(sampled["results"][0]["useful_tokens"], 100 * 2000);
}

void loss_normalisation(const std::string& path) {
  // Weights 10/1010 and 1000/1010 however the two are split: the mean of means would be 1/2 each.
  for (const std::string& strategy : default_strategies()) {
    SCOPED_TRACE(strategy);
    const json plan = plan_of(strategy, with(path));
    ASSERT_EQ(plan["steps"].size(), 1U);
    const json& step = plan["steps"][0];
    EXPECT_EQ(step["loss_tokens"], 1010);
    std::vector<int> weights;
    for (const json& batch : step["micro_batches"]) weights.push_back(batch["loss_tokens"]);
    std::sort(weights.begin(), weights.end());
    EXPECT_EQ(weights, (std::vector<int>{10, 1000}));
  }
  // In one micro-batch, the weight is 1.
  const json one = plan_of("packed", with(path, {"--bucket-sp", "8"}));
  EXPECT_EQ(one["steps"][0]["micro_batches"].size(), 1U);
  EXPECT_EQ(one["steps"][0]["micro_batches"][0]["loss_tokens"], 1010);
}

}  // namespace

const std::map<std::string, Check>& length_checks() {
  static const std::map<std::string, Check> checks = {
      {"C14", one_sequence},
      {"C15", all_equal},
      {"C36", two_hundred_thousand},
      {"C40", one_giant},
      {"C42", truncated_upstream},
      {"C43", above_bucket_edges},
      {"C45", unsplittable},
      {"C46", fewer_than_ranks},
      {"C48", does_not_fit},
      {"C49", worst_last},
      {"C50", equal_tokens_unequal_squares},
      {"C52", rare_bucket},
      {"C53", all_under_batch},
      {"C55", primes},
      {"C56", ramp_up},
      {"C59", loss_normalisation},
  };
  return checks;
}

}  // namespace dcpbench::tests

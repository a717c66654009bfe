// Public length files from one end of the program to the other: every strategy plans each of them
// and none is refused. The files are found by the environment variable DCPBENCH_SHARED, else
// beside the source tree; without them the tests are skipped.
#include <gtest/gtest.h>

#include "tests/cases/planning_case.hpp"

namespace dcpbench::tests {
namespace {

struct PublicFile {
  const char* name;
  const char* file;
  Words options;
  std::int64_t sequences;
  std::int64_t tokens;  // 0: drawn from a histogram
};

const Words kText = {"--model", "llama-8b", "--cluster", "h200-1x8"};

// Counts and sums of the columns.
const std::vector<PublicFile> kFiles = {
    {"AzureCode", "azure2023_code.csv", kText, 8'819, 18'305'870},
    {"AzureConversation", "azure2023_conv.csv", kText, 19'366, 26'450'535},
    {"Mooncake", "mooncake_conversation.csv", kText, 12'031, 148'915'871},
    {"OpenChat", "openchat_v1_multipack_testdata.csv", kText, 6'144, 0},
    {"ServeGenSmall", "servegen_m-small_input_tokens.hist.csv", kText, 20'000, 0},
    {"ServeGenLarge", "servegen_m-large_input_tokens.hist.csv", kText, 20'000, 0},
    {"Wikipedia", "wikipedia_25k.txt", kText, 25'000, 25'535'239},
    {"VideoBuckets",
     "video_bucket_tokens.csv",
     {"--model", "dit-2d-1.2b", "--column", "tokens_per_sample/latent_frames@w_short_zipf3_off5"},
     20'000,
     0},
};

class PublicLengths : public testing::TestWithParam<PublicFile> {};

TEST_P(PublicLengths, EveryStrategyPlansThem) {
  const PublicFile& file = GetParam();
  const std::string path = (shared_folder() / "lengths" / file.file).string();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << " (set DCPBENCH_SHARED)";

  const json report = report_of(file.options + Words{"--lengths", path});
  EXPECT_TRUE(report["infeasible"].empty()) << report["infeasible"];
  ASSERT_EQ(report["results"].size(), 5U);
  for (const json& result : report["results"]) {
    SCOPED_TRACE(result["strategy"]);
    EXPECT_EQ(result["sequences"], file.sequences);
    if (file.tokens > 0) {
      EXPECT_EQ(result["useful_tokens"], file.tokens);
    }
    EXPECT_EQ(result["dropped_sequences"], 0);
    EXPECT_GE(result["padded_tokens"], result["useful_tokens"]);
    EXPECT_LE(result["peak_memory_bytes"], result["memory_capacity_bytes"]);
    EXPECT_LE(result["lower_bound_seconds"], result["total_seconds"]);
    // Of the peak rate at most what attention and matrices reach alone, and not next to nothing.
    EXPECT_GT(result["model_flops_utilization"], 0.1);
    EXPECT_LT(result["model_flops_utilization"], 0.75);
  }
  auto results = results_by_strategy(report);
  // More than the model's uncertainty: balance and less recomputation are what it is about.
  EXPECT_GT(results["dcp"]["speedup_vs_bucket"], 1.08);
  EXPECT_NE(report["recommendation"]["strategy"], "bucket");
}

INSTANTIATE_TEST_SUITE_P(Files, PublicLengths, testing::ValuesIn(kFiles),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace dcpbench::tests

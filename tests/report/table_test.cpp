#include <gtest/gtest.h>

#include "report/write.hpp"
#include "tests/report/fixtures.hpp"

namespace dcpbench::report {
namespace {

std::string last_line(const std::string& text) {
  const std::size_t start = text.rfind('\n', text.size() - 2);
  return text.substr(start + 1);
}

TEST(Table, Snapshot) {
  Report report = made_report();
  report.results[1].warnings = {"a batch was cut"};
  EXPECT_EQ(format_table(report),
            R"(# dcpbench 0.1.0: dcpbench simulate --dataset text-long
# cluster: name h200-4x8, gpus 32, intra_node 450 GB/s = 3600 Gb/s
# useful: unpadded tokens of executed sequences; GiB = 2^30 bytes, Mtok = 1e6 tokens
# idle, comm, recomp, sync: share of the time, mean over ranks; comm and sync exclude waiting, which is idle
# pad: padding / executed tokens; imbal: (max - mean) / max of busy time over ranks; bound: lower bound / time
# peak/cap: highest memory of a rank / capacity
# strategy steps micro-b useful speedup step median[p10..p90]  MFU idle comm recomp sync  pad imbal bound peak/cap SP degrees
#                        Mtok/s /bucket                     s    %    %    %      %    %    %     %     %      GiB degree:micro-batches
# transformer-1d-1.2b, text-long: simulated, accounting equal, 32 GPUs, 1,000 sequences, 1.000 Mtok, seed 0, workload aaaaaaaaaaaa
  bucket       4     100 0.5000    1.00  0.5000[0.430..0.570] 20.0 30.0  5.0   20.0  2.5 20.0  25.0  25.0 64.0/128 1:60,8:40
  dcp          4     100  1.000    2.00  0.2500[0.215..0.285] 40.0  5.0  7.0    3.0  5.0 20.0  25.0  50.0 64.0/128 1:60,8:40
  packed no plan (seed 0): needs 3 GiB more
# warning: seed 0 draws few long sequences
# warning: a batch was cut (transformer-1d-1.2b text-long dcp)
# dropped 0 sequences, truncated 0 tokens
)");
}

TEST(Table, DroppedSequencesStandOnTheLastLine) {
  Report report = made_report();
  report.complete = false;
  report.results[1].dropped_sequences = 3;
  report.results[1].dropped_tokens = 60'000;
  const std::string table = format_table(report);
  EXPECT_EQ(last_line(table),
            "# DROPPED: transformer-1d-1.2b text-long dcp seed 0: dropped 3 sequences = 60,000 "
            "tokens, truncated 0 tokens (5.7 % of the tokens)\n");
  EXPECT_NE(table.find("# INCOMPLETE: the run did not finish\n"), std::string::npos);
}

TEST(Table, SeedsAreShownAsMeanAndDeviation) {
  Report report = made_report();
  report.results = {made_result("bucket", {2}, 0), made_result("bucket", {2}, 1),
                    made_result("dcp", {1}, 0), made_result("dcp", {2}, 1)};
  set_speedups(report.results, {});
  const std::string table = format_table(report);
  EXPECT_NE(table.find(", 2 seeds (mean+-deviation), "), std::string::npos) << table;
  // Rates 1 and 0.5 Mtok/s: mean 0.75, deviation 0.5 / sqrt(2) = 0.3536. Speedups 2 and 1.
  EXPECT_NE(table.find(" 0.7500+-0.3536 1.50+-0.71 "), std::string::npos) << table;
}

TEST(Table, SaysWhatIsMissingAndWhatIsExtrapolated) {
  Report report = made_report();
  Result& result = report.results[1];
  result.speedup_vs_bucket.reset();
  result.speedup_reason = "bucket was not run";
  result.model_flops_utilization.reset();
  result.lower_bound_seconds.reset();
  result.memory_capacity_bytes = 0;
  result.max_extrapolation = 2.5;
  result.idle_ranks = 5;
  const std::string table = format_table(report);
  for (const char* line :
       {"# no speedup: bucket was not run (transformer-1d-1.2b text-long dcp)\n",
        "# extrapolated: 1 of 2 results leave the measured tables, by up to 2.50x "
        "(transformer-1d-1.2b text-long dcp)\n",
        "# 5 of 32 ranks never run a micro-batch (transformer-1d-1.2b text-long dcp)\n"}) {
    EXPECT_NE(table.find(line), std::string::npos) << table;
  }
}

TEST(Table, CellsWithoutAnyPlanAreShown) {
  Report report = made_report();
  report.infeasible.push_back({"llama-70b", "longdoc", "dcp", 0, "needs 16 GPUs"});
  const std::string table = format_table(report);
  EXPECT_NE(table.find("# llama-70b, longdoc: no strategy has a plan\n"
                       "  dcp no plan (seed 0): needs 16 GPUs\n"),
            std::string::npos)
      << table;
}

TEST(Table, OneReasonOfSeveralStrategiesIsSaidOnce) {
  Report report = made_report();
  report.infeasible.clear();
  report.infeasible.push_back({"llama-70b", "longdoc", "bucket", 0, "needs 16 GPUs"});
  report.infeasible.push_back({"llama-70b", "longdoc", "packed", 0, "needs 16 GPUs"});
  report.infeasible.push_back({"llama-70b", "longdoc", "dcp", 0, "needs 8 GPUs"});
  const std::string table = format_table(report);
  EXPECT_NE(table.find("  bucket, packed no plan (seed 0): needs 16 GPUs\n"
                       "  dcp no plan (seed 0): needs 8 GPUs\n"),
            std::string::npos)
      << table;
}

TEST(Table, EveryRowHasTheSameNumberOfWords) {
  Report report = made_report();
  report.infeasible.clear();
  report.results[0].sp_degrees.clear();
  report.results[0].step_seconds = {};
  const std::string table = format_table(report);
  std::size_t rows = 0;
  for (std::size_t start = 0; start < table.size();) {
    const std::size_t end = table.find('\n', start);
    const std::string line = table.substr(start, end - start);
    start = end + 1;
    if (line.empty() || line[0] == '#') continue;
    std::size_t words = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      words += line[i] != ' ' && (i == 0 || line[i - 1] == ' ') ? 1 : 0;
    }
    EXPECT_EQ(words, 16u) << line;
    EXPECT_LE(line.size(), 140u);
    ++rows;
  }
  EXPECT_EQ(rows, 2u);
}

TEST(Table, NamesFromAStrangersFileAreHarmlessToATerminal) {
  Report report = made_report();
  report.results[0].strategy = "\x1b[31mred\n# fake\xc2\x9b";
  report.command = std::string(5000, 'c');
  const std::string table = format_table(report);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_EQ(table.find('\x9b'), std::string::npos);
  EXPECT_NE(table.find("\\x1B[31mred\\x0A# fake"), std::string::npos);
  EXPECT_EQ(table.find(std::string(401, 'c')), std::string::npos);
}

TEST(Table, LinksAreShownInBothUnits) {
  Report report;
  report.cluster = {{"link", "50 GB/s"}, {"odd", "x GB/s"}, {"disk", "nan GB/s"}};
  const std::string table = format_table(report);
  EXPECT_NE(table.find("# cluster: link 50 GB/s = 400 Gb/s, odd x GB/s, disk nan GB/s\n"),
            std::string::npos)
      << table;
}

}  // namespace
}  // namespace dcpbench::report

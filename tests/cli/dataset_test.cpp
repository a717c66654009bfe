// dcpbench dataset and dcpbench info.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using nlohmann::json;

TEST(Dataset, ListNamesEveryPreset) {
  const Outcome outcome = dcpbench({"dataset", "list"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_of(outcome.out).size(), 10U) << outcome.out;
}

TEST(Dataset, ShowGivesQuantilesAndAHistogram) {
  // 1, 2, 3 and 4: nearest rank of p50 is the second of four; bins 1..1, 2..3 and 4..7 hold 1, 2
  // and 1 sequences with 1, 5 and 4 of 10 tokens.
  const TemporaryFolder folder;
  const std::string file = folder.write("l.txt", "4\n1\n3\n2\n");
  const Outcome outcome = dcpbench({"dataset", "show", "--lengths", file});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  for (const char* text : {"sequences 4\n", "tokens    10\n", "mean      2.5\n", "min       1\n",
                           "p50       2\n", "max       4\n", "2..3", "50.00 %", "40.00 %"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
  }
}

TEST(Dataset, ASampleCanBeReadBack) {
  for (const char* name : {"web", "video-balanced"}) {
    const TemporaryFolder folder;
    const Outcome sample = dcpbench({"dataset", "sample", name, "--sequences", "300"});
    ASSERT_EQ(sample.exit_code, 0) << sample.all();
    EXPECT_EQ(lines_of(sample.out).size(), 301U);
    const std::string file = folder.write("sample.csv", sample.out);
    const Outcome again = dcpbench({"dataset", "sample", "--lengths", file, "--file-order"});
    EXPECT_EQ(again.out, sample.out) << again.all();
  }
}

TEST(Dataset, ImportWritesLengthsOrAHistogram) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("l.jsonl", "{\"length\": 7}\n{\"length\": 5}\n{\"length\": 7}\n");
  EXPECT_EQ(dcpbench({"dataset", "import", file}).out, "length\n7\n5\n7\n");
  const std::string out = folder.path("l.csv");
  const Outcome outcome = dcpbench({"dataset", "import", file, "--histogram", "--out", out});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(read_file(out), "length,weight\n5,1\n7,2\n");
  EXPECT_EQ(dcpbench({"dataset", "import", file, "--out", out}).exit_code, 2);
}

TEST(Dataset, WrongRequests) {
  const Outcome unknown = dcpbench({"dataset", "show", "webb"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("(did you mean \"web\"?)"), std::string::npos) << unknown.all();
  EXPECT_EQ(dcpbench({"dataset", "show"}).exit_code, 2);
  EXPECT_EQ(dcpbench({"dataset", "import", "/nonexistent"}).exit_code, 5);
}

TEST(Info, NamesBackendsAndConfigs) {
  const Outcome outcome = dcpbench({"info"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NE(outcome.out.find("h200-4x8"), std::string::npos);
  const json info = json::parse(dcpbench({"info", "--json", "-"}).out);
  EXPECT_EQ(info["backends"]["cuda"], "not built");
  EXPECT_EQ(info["backends"]["mpi"], "not built");
  EXPECT_EQ(info["strategies"][0], "bucket");
}

}  // namespace
}  // namespace dcpbench::tests

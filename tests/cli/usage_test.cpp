// Wrong requests: every mistake at once, each with what would work.
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using Words = std::vector<std::string>;

// Runs a wrong request and expects each of `texts` in what it says.
void expect_refused(const Words& words, const Words& texts, int exit_code = 2) {
  const Outcome outcome = dcpbench(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.all();
  EXPECT_EQ(outcome.out, "");
  for (const std::string& text : texts) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << "\n" << outcome.all();
  }
}

TEST(Usage, AllMistakesAppearTogether) {
  expect_refused(
      {"simulate", "--sed", "7", "--strategy", "dcpp", "--model", "lama-8b", "--cluster",
       "h200-4x9", "--gpus", "0", "--accounting", "equl", "--zero", "4", "--json"},
      {"unknown option --sed (did you mean \"--seed\"?)",
       "unknown strategy \"dcpp\" (did you mean \"dcp\"?)", "(did you mean \"llama-8b\"?)",
       "(did you mean \"h200-4x8\"?)", "--gpus: \"0\" is not a whole number from 1",
       "--accounting: \"equl\" is none of equal, native (did you mean \"equal\"?)",
       "--zero: \"4\" is not a whole number from 0 to 3", "--json needs a value"});
}

TEST(Usage, EveryCommandFindsUnknownOptions) {
  expect_refused({"plan", "--explian"}, {"unknown option --explian (did you mean \"--explain\"?)"});
  expect_refused({"dataset", "show", "web", "--sead=3"}, {"(did you mean \"--seed\"?)"});
  expect_refused({"info", "extra"}, {"unexpected argument \"extra\""});
  expect_refused({"simulate", "extra", "--force=yes"},
                 {"unexpected argument \"extra\"", "--force takes no value"});
}

TEST(Usage, NumbersAreReadWhole) {
  expect_refused({"simulate", "--seed", "-1"}, {"--seed: \"-1\" is not a whole number from 0"});
  expect_refused({"simulate", "--sequences", "20k"}, {"--sequences: \"20k\""});
  expect_refused({"simulate", "--memory-fraction", "1.5"},
                 {"--memory-fraction: \"1.5\" is not a number above 0 and at most 1"});
  expect_refused({"simulate", "--jitter", "nan"}, {"--jitter: \"nan\" is not a number"});
  expect_refused({"simulate", "--sequences", "99999999999999999999"}, {"--sequences"});
}

TEST(Usage, AnOptionIsGivenOnce) {
  expect_refused({"simulate", "--dataset", "web", "--dataset", "web"},
                 {"--dataset web is given twice"});
  expect_refused({"simulate", "--seed", "1", "--seed=2"}, {"--seed is given 2 times: 1, 2"});
}

TEST(Usage, ContradictionsNameBothSides) {
  expect_refused({"simulate", "--min-accumulation", "15", "--max-accumulation", "5"},
                 {"--min-accumulation 15 is above --max-accumulation 5"});
  expect_refused({"simulate", "--step-tokens", "1000", "--step-sequences", "5"},
                 {"--step-tokens contradicts --step-sequences"});
  expect_refused({"simulate", "--accounting", "native", "--step-tokens", "1000"},
                 {"--step-tokens contradicts --accounting native"});
  expect_refused({"simulate", "--drop-last"}, {"--drop-last contradicts --accounting equal"});
  expect_refused({"simulate", "--dataset", "web", "--lengths", "x.csv"},
                 {"--dataset contradicts --lengths"});
  expect_refused({"simulate", "--column", "length"}, {"--column", "needs --lengths"});
  expect_refused({"simulate", "--slow-rank", "3"}, {"--slow-rank and --slow-factor"});
  expect_refused({"simulate", "-q", "-v"}, {"-q contradicts -v"});
}

TEST(Usage, DroppingNeedsNativeAccounting) {
  expect_refused({"simulate", "--drop-last", "--zero", "9"},
                 {"--drop-last contradicts --accounting equal", "choose --accounting native",
                  "--zero: \"9\""});
}

TEST(Usage, GpusEndWhereClustersEnd) {
  for (const char* option : {"--gpus", "--tp", "--bucket-sp"}) {
    expect_refused({"simulate", option, "65537"},
                   {"\"65537\" is not a whole number from 1 to 65536"});
  }
}

TEST(Usage, ModelsOfOneNameAreRefused) {
  const TemporaryFolder folder;
  const auto model = [&](const std::string& file, const std::string& name) {
    return folder.write(file, R"({"name": ")" + name + R"(", "source": "a test",
        "kind": "transformer_1d", "layers": 2, "hidden": 256, "heads": 4, "kv_heads": 4, "ffn": 512,
        "gated_mlp": true, "mask": "causal", "head": "lm", "vocab": 1000,
        "tied_embeddings": false})");
  };
  const std::string copy = model("copy.json", "llama-8b");
  expect_refused({"simulate", "--model", "llama-8b", "--model", copy, "--dataset", "web"},
                 {"--model " + copy + " has the name of --model llama-8b, \"llama-8b\"",
                  "change \"name\" in one of the two files"});
  // Names that would give their plans the same file are one name too.
  const std::string a = model("a.json", "my model");
  const std::string b = model("b.json", "my_model");
  expect_refused({"simulate", "--model", a, "--model", b, "--dataset", "web"},
                 {"--model " + b + " has the name of --model " + a});
}

TEST(Usage, StepsTimesRanksAreLimited) {
  // 2^33 / 65536 = 131072 steps at most; 200000 sequences then need 2 in a step. 2^33 / 200000 =
  // 42949 ranks, in nodes of 8: 42944.
  expect_refused({"simulate", "--dataset", "web", "--sequences", "200000", "--gpus", "65536",
                  "--step-sequences", "1"},
                 {"web: 200000 steps x 65536 ranks = 13107200000, at most 8589934592",
                  "--step-sequences 2 or more", "at most --gpus 42944"});
  // Within what --oversize leaves, the plan's own steps are counted.
  expect_refused({"simulate", "--dataset", "web", "--sequences", "200000", "--gpus", "65536",
                  "--step-tokens", "1", "--oversize", "drop", "--strategy", "bucket"},
                 {"200000 steps x 65536 ranks", "--step-tokens above 1"});
}

TEST(Usage, RecomputeOptionsMustAgree) {
  expect_refused(
      {"simulate", "--model", "llama-8b", "--recompute", "none", "--recompute-layers", "40"},
      {"--recompute none contradicts --recompute-layers 40; 40 > 32 layers"});
  expect_refused({"simulate", "--recompute", "full", "--recompute-layers", "1"},
                 {"--recompute full contradicts --recompute-layers 1"});
}

TEST(Usage, BucketEdgesMustRise) {
  // 2048 is repeated and 4096 comes after 8192; text-long has sequences up to 256k.
  expect_refused(
      {"simulate", "--dataset", "text-long", "--bucket-edges", "1024,2048,2048,8192,4096"},
      {"2048 twice", "4096 after 8192", "did you mean 1024,2048,4096,8192?",
       "--bucket-edges 8192: ", "--oversize drop or truncate"});
}

TEST(Usage, PacksMustHoldTheLongest) {
  // One of 131072 tokens beside 499 of 256: 131072 / 258816 = 50.6 % of the tokens.
  const TemporaryFolder folder;
  std::string lengths = "131072\n";
  for (int i = 0; i < 499; ++i) lengths += "256\n";
  const std::string file = folder.write("giant.txt", lengths);
  expect_refused({"simulate", "--lengths", file, "--pack-tokens", "4096"},
                 {"--pack-tokens 4096: 1 of the 500 sequences", "131072 tokens", "50.6 %",
                  "--oversize drop or truncate"});
}

TEST(Usage, AFixedDegreeNamesEveryReasonAndTheValidOnes) {
  // 3 divides neither 8 ranks nor 32 heads.
  expect_refused({"simulate", "--cluster", "h200-1x8", "--model", "llama-8b", "--bucket-sp", "3"},
                 {"--bucket-sp 3 for model llama-8b", "8 ranks are not divisible by 3",
                  "32 heads are not divisible by 3", "valid degrees: 1, 2, 4, 8"});
}

TEST(Usage, ModelFreeClustersRefuseAModel) {
  expect_refused({"simulate", "--cluster", "ideal", "--model", "llama-8b"},
                 {"--model llama-8b has no meaning on cluster ideal", "leave --model out"});
  expect_refused({"simulate", "--cluster", "h200-1x8", "--plan-cluster", "ideal"},
                 {"--plan-cluster ideal"});
}

TEST(Usage, A2dModelNeedsFrames) {
  expect_refused({"simulate", "--model", "dit-2d-1.2b", "--dataset", "text-short"},
                 {"model dit-2d-1.2b needs frames and tokens per frame", "text-short",
                  "frames and tokens_per_frame"});
}

TEST(Usage, MissingFilesAreInputOutputErrors) {
  expect_refused({"simulate", "--lengths", "/nonexistent/lengths.csv"},
                 {"/nonexistent/lengths.csv"}, 5);
  expect_refused({"simulate", "--cluster", "/nonexistent/cluster.json"},
                 {"/nonexistent/cluster.json"}, 5);
  // Beside a usage mistake, usage comes first; both are named.
  expect_refused({"simulate", "--lengths", "/nonexistent/lengths.csv", "--zero", "9"},
                 {"/nonexistent/lengths.csv", "--zero: \"9\""}, 2);
}

}  // namespace
}  // namespace dcpbench::tests

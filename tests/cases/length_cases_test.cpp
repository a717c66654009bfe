// A corpus of real-world length files with the right behaviour for each (index.csv beside them).
// This is the reader's part: what is read, or what is said. The corpus is found by the environment
// variable DCPBENCH_SHARED, else beside the source tree; without it the tests are skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>

#include "datasets/dataset.hpp"
#include "datasets/text.hpp"
#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

using Lengths = std::vector<std::int64_t>;

std::filesystem::path shared_folder() {
  const char* variable = std::getenv("DCPBENCH_SHARED");
  return variable != nullptr ? variable : DCPBENCH_SHARED_DEFAULT;
}

class LengthCases : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() / "cases" / "index.csv")) {
      GTEST_SKIP() << "no case files in " << shared_folder() << " (set DCPBENCH_SHARED)";
    }
  }
};

std::string case_path(const std::string& file) { return shared_folder() / "cases" / file; }
std::string lengths_path(const std::string& file) { return shared_folder() / "lengths" / file; }

Lengths repeated(std::int64_t length, std::size_t count, Lengths rest = {}) {
  Lengths lengths(count, length);
  lengths.insert(lengths.end(), rest.begin(), rest.end());
  return lengths;
}

void expect_lengths(const std::string& path, const Lengths& expected) {
  EXPECT_EQ(tokens_of(read_lengths(path, {})), expected);
}

template <class... Parts>
void expect_refusal(const std::string& path, Parts... parts) {
  EXPECT_TRUE(
      says(refusal_of_file(path), std::filesystem::path(path).filename().string(), parts...));
}

using Check = std::function<void(const std::string& path)>;

Check reads(Lengths expected) {
  return [expected](const std::string& path) { expect_lengths(path, expected); };
}

// By case name of index.csv.
const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> kChecks = {
      {"C01",
       [](const std::string& path) {
         expect_refusal(path, "ts, ctx_tokens, out_tokens", "--column");
         EXPECT_EQ(tokens_of(read_lengths(path, column("ctx_tokens"))),
                   (Lengths{374, 1290, 88, 4096, 15}));
         EXPECT_EQ(tokens_of(read_lengths(path, column("ctx_tokens+out_tokens"))),
                   (Lengths{418, 1302, 389, 4105, 645}));
       }},
      {"C02", reads({512, 2048, 777, 131072})},
      {"C03",
       [](const std::string& path) {
         expect_lengths(path, {100, 200, 300, 400});
         const Dataset unix = read_text("lf.csv", "length\n100\n200\n300\n400\n");
         EXPECT_EQ(core::workload_sha256(draw(read_lengths(path, {}), {})),
                   core::workload_sha256(draw(unix, {})));
       }},
      {"C03b", reads({10, 20, 30, 40, 50})},
      {"C04",
       [](const std::string& path) {
         expect_lengths(path, {64, 128, 256, 512, 1024});
         EXPECT_EQ(read_lengths(path, {}).notes.at(0), "skipped 2 comment lines and 2 blank lines");
       }},
      {"C06",
       [](const std::string& path) {
         expect_refusal(path, "1 length that is not a whole number (line 4: \"1.5e-2\")",
                        "--skip-invalid");
         ReadOptions options;
         options.skip_invalid = true;
         EXPECT_EQ(tokens_of(read_lengths(path, options)), (Lengths{1000, 8192, 25000}));
       }},
      {"C07",
       [](const std::string& path) {
         expect_refusal(path, "2 numbers with thousands separators", "line 2: \"1,024\"",
                        "line 3: \"131,072\"");
       }},
      {"C09", reads({900, 1800, 2700})},
      {"C11",
       [](const std::string& path) {
         expect_refusal(path, "5 missing values", "line 3: empty", "--skip-invalid");
         ReadOptions options;
         options.skip_invalid = true;
         const Dataset dataset = read_lengths(path, options);
         EXPECT_EQ(tokens_of(dataset), (Lengths{100, 200, 300}));
         EXPECT_TRUE(says(dataset.notes.at(0), "left out 5 of 8 rows", "5 missing values"));
       }},
      {"C12",
       [](const std::string& path) {
         expect_refusal(path, "2 lengths larger than the supported maximum 1099511627776",
                        "line 4: \"9223372036854775807\"", "line 5: \"99999999999999999999\"");
       }},
      {"C13", [](const std::string& path) { expect_refusal(path, "holds no lengths (0 bytes)"); }},
      {"C14", reads({4096})},
      {"C15",
       [](const std::string& path) {
         expect_lengths(path, repeated(2048, 64));
         EXPECT_TRUE(read_lengths(path, {}).warnings.empty());
       }},
      {"C17",
       [](const std::string& path) {
         expect_refusal(path, "longueur_\\xE9chantillon", "byte 10", "--column");
         EXPECT_EQ(find_invalid_utf8(refusal_of_file(path)), std::string_view::npos);
         EXPECT_EQ(tokens_of(read_lengths(path, column("2"))), (Lengths{640, 1280}));
       }},
      {"C19", reads({120, 4096, 33000, 7})},
      {"C20",
       [](const std::string& path) {
         expect_lengths(path, {5, 3, 8});
         EXPECT_EQ(loss_of(read_lengths(path, {})), (Lengths{3, 1, 8}));
       }},
      {"C21b",
       [](const std::string& path) {
         expect_refusal(path, "line 2: num_tokens 9 but input_ids has 4");
       }},
      {"C23", reads({1000, 2048, 999, 2048, 141, 24})},
      {"C24",
       [](const std::string& path) { expect_refusal(path, "byte offset 6", "NaN is not JSON"); }},
      {"C26",
       [](const std::string& path) {
         const Dataset dataset = read_lengths(path, {});
         // 12, 30, 9 and 0.02, times 100.
         ASSERT_EQ(dataset.distribution.size(), 4u);
         EXPECT_EQ(dataset.distribution[0].weight, 1200u);
         EXPECT_EQ(dataset.distribution[3].weight, 2u);
         EXPECT_EQ(dataset.distribution[3].shape.tokens, 131072);
         const DrawOptions options{.sequences = 100, .seed = 9};
         const core::Workload workload = draw(dataset, options);
         EXPECT_EQ(core::workload_sha256(workload), core::workload_sha256(draw(dataset, options)));
         EXPECT_TRUE(says(describe_draw(dataset, options, workload).notes.at(0), "100 sequences",
                          "seed 9", "C26_histogram.csv"));
       }},
      {"C26b",
       [](const std::string& path) {
         expect_refusal(path, "line 5: bin 131072.. has no upper edge; give --max-length");
         ReadOptions options;
         options.max_length = 1'048'576;
         EXPECT_EQ(read_lengths(path, options).distribution.size(), 4u * 16u);
       }},
      {"C27", reads({512, 1024, 65536, 7})},
      {"C27c",
       [](const std::string& path) {
         expect_refusal(
             path, "object arrays hold Python pickles, which are not read; save lengths as int64");
       }},
      {"C27d", [](const std::string& path) { expect_refusal(path, "shape (2,3), expected 1-D"); }},
      {"C27f",
       [](const std::string& path) {
         expect_refusal(path, "header says 4 elements (32 bytes), 20 bytes found");
       }},
      {"C29", reads({100, 200})},
      {"C30",
       [](const std::string& path) {
         expect_lengths(path, {128, 256, 512, 1024, 2048, 4096, 8192});
         EXPECT_TRUE(says(read_lengths(path, {}).notes.at(0), "2 lines hold several numbers"));
       }},
      {"C32",
       [](const std::string& path) {
         expect_refusal(path, "line 3: 2 fields, expected 3", "line 4: 4 fields, expected 3");
       }},
      {"C34",
       [](const std::string& path) {
         expect_refusal(path, "4 numbers with a unit suffix", "line 1: \"8k\"", "1000", "1024");
       }},
      {"C36",
       [](const std::string& path) {
         const Dataset dataset = read_lengths(path, {});
         EXPECT_EQ(dataset.sequences.size(), 200'000u);
         EXPECT_EQ(dataset.sequences[0].shape.tokens, 349);
         EXPECT_TRUE(dataset.warnings.empty());
       }},
      {"C37",
       [](const std::string& path) {
         expect_refusal(path, "\"duration_s\" looks like seconds", "fps",
                        "tokens per latent frame");
         EXPECT_TRUE(says(refusal_of_file(path, column("duration_s")), "line 2: \"2.3\"", "fps"));
       }},
      {"C40",
       [](const std::string& path) {
         expect_lengths(path, repeated(256, 499, {131072}));
         EXPECT_TRUE(says(read_lengths(path, {}).warnings.at(0),
                          "1 of 500 sequences (row 499, 131072 tokens) is 51% of the tokens"));
       }},
      {"C42",
       [](const std::string& path) {
         const Dataset dataset = read_lengths(path, {});
         EXPECT_EQ(dataset.sequences.size(), 64u);
         EXPECT_TRUE(
             says(dataset.warnings.at(0),
                  "50% of the lengths equal the maximum 2048: the file looks truncated upstream"));
       }},
      {"C43",
       [](const std::string& path) {
         Lengths expected;
         for (int i = 0; i < 4; ++i) {
           for (std::int64_t k = 9; k <= 14; ++k) expected.push_back((INT64_C(1) << k) + 1);
         }
         expect_lengths(path, expected);
       }},
      {"C45", reads(repeated(700, 9))},
      {"C46",
       [](const std::string& path) {
         expect_lengths(path, {900, 1200, 700});
         EXPECT_TRUE(read_lengths(path, {}).warnings.empty());
       }},
      {"C48",
       [](const std::string& path) {
         expect_lengths(path, repeated(2048, 31, {2'000'000}));
         EXPECT_TRUE(says(read_lengths(path, {}).warnings.at(0),
                          "1 of 32 sequences (row 31, 2000000 tokens)"));
       }},
      {"C49",
       [](const std::string& path) {
         const Dataset dataset = read_lengths(path, {});
         EXPECT_EQ(tokens_of(dataset), (Lengths{64, 64, 128, 128, 256, 256, 512, 512, 1024, 1024,
                                                4096, 4096, 16384, 32768}));
         // The order can be kept for the run.
         const core::Workload workload = draw(dataset, {.file_order = true});
         EXPECT_EQ(workload.sequences.back().shape.tokens, 32768);
       }},
      {"C50",
       [](const std::string& path) {
         Lengths half = {8192};
         half.insert(half.end(), 8, 1024);
         Lengths expected = half;
         expected.insert(expected.end(), half.begin(), half.end());
         expect_lengths(path, expected);
       }},
      {"C52", reads(repeated(1024, 96, {65536}))},
      {"C53", reads({300, 310, 700, 720, 1500, 1510, 3000, 3010, 6000, 6010, 12000, 12010})},
      {"C55", reads({8191, 127, 57829, 3, 4093, 65521})},
      {"C56",
       [](const std::string& path) {
         EXPECT_EQ(read_lengths(path, {}).sequences.size(), 300u);
         ReadOptions options;
         options.limit = 100;
         const Dataset head = read_lengths(path, options);
         EXPECT_EQ(head.sequences.size(), 100u);
         EXPECT_TRUE(says(head.notes.at(0), "--limit took the first 100 of 300 rows"));
         EXPECT_TRUE(says(head.warnings.at(0), "mean length of 17", "all 300 rows 4257"));
         const Dataset dataset = read_lengths(path, {});
         const DrawOptions sample{.sequences = 100, .seed = 1};
         EXPECT_TRUE(says(describe_draw(dataset, sample, draw(dataset, sample)).notes.at(0),
                          "100 of 300 rows", "seed 1"));
       }},
      {"C59",
       [](const std::string& path) {
         expect_lengths(path, {10, 1000});
         EXPECT_EQ(loss_of(read_lengths(path, {})), (Lengths{10, 1000}));
       }},
      {"K81", reads({512, 2048})},
      {"K81b",
       [](const std::string& path) {
         expect_refusal(path, "truncated HDF5 (eof 4122, expected 6184)");
       }},
      {"K81d",
       [](const std::string& path) {
         expect_refusal(path, "not an HDF5 file (first bytes 6c 65 6e 67 74 68 0a 31)");
       }},
  };
  return kChecks;
}

// Case names and files of index.csv: its first two fields never hold a quote.
std::vector<std::pair<std::string, std::string>> indexed_cases() {
  std::ifstream index(case_path("index.csv"));
  std::vector<std::pair<std::string, std::string>> cases;
  std::string line;
  std::getline(index, line);
  while (std::getline(index, line)) {
    const std::size_t first = line.find(',');
    const std::size_t second = line.find(',', first + 1);
    cases.emplace_back(line.substr(0, first), line.substr(first + 1, second - first - 1));
  }
  return cases;
}

TEST_F(LengthCases, BehaveAsTheIndexSays) {
  std::size_t found = 0;
  for (const auto& [name, file] : indexed_cases()) {
    const auto check = checks().find(name);
    if (check == checks().end()) {
      EXPECT_NE(name[0], 'C') << "the length case " << name << " (" << file
                              << ") has no check here";
      continue;
    }
    SCOPED_TRACE(name + " " + file);
    check->second(case_path(file));
    ++found;
  }
  EXPECT_EQ(found, checks().size()) << "a check has no case in index.csv";
}

TEST_F(LengthCases, EveryPublicLengthFileReads) {
  struct Expected {
    const char* file;
    std::size_t count;
    std::int64_t tokens;
  };
  // Counts and sums of the columns.
  constexpr std::array<Expected, 5> kExpected = {
      {{"azure2023_code.csv", 8'819, 18'305'870},
       {"azure2023_conv.csv", 19'366, 26'450'535},
       {"mooncake_conversation.csv", 12'031, 148'915'871},
       {"openchat_v1_multipack_testdata.csv", 6'144, 0},
       {"wikipedia_25k.txt", 25'000, 25'535'239}}};
  for (const Expected& expected : kExpected) {
    const Lengths lengths = tokens_of(read_lengths(lengths_path(expected.file), {}));
    EXPECT_EQ(lengths.size(), expected.count) << expected.file;
    if (expected.tokens == 0) continue;
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), expected.tokens)
        << expected.file;
  }
  EXPECT_TRUE(
      says(read_lengths(lengths_path("openchat_v1_multipack_testdata.csv"), {}).warnings.at(0),
           "equal the maximum 2048"));
  EXPECT_EQ(
      tokens_of(read_lengths(lengths_path("azure2023_conv.csv"), column("context+generated"))),
      tokens_of(read_lengths(lengths_path("azure2023_conv.csv"), {})));
  EXPECT_EQ(
      read_lengths(lengths_path("servegen_m-small_input_tokens.hist.csv"), {}).distribution.size(),
      395u);
  EXPECT_EQ(
      read_lengths(lengths_path("servegen_m-large_input_tokens.hist.csv"), {}).distribution.size(),
      347u);
}

TEST_F(LengthCases, VideoBucketsReadInOneAndTwoDimensions) {
  const std::string path = lengths_path("video_bucket_tokens.csv");
  EXPECT_TRUE(
      says(refusal_of_file(path), "none of the columns is named length", "tokens_per_sample"));
  const Dataset bare = read_lengths(path, column("tokens_per_sample"));
  EXPECT_EQ(bare.sequences.size(), 25u);
  EXPECT_FALSE(bare.is_2d);
  const Dataset shapes = read_lengths(path, column("tokens_per_sample/latent_frames"));
  EXPECT_TRUE(shapes.is_2d);
  EXPECT_EQ(shapes.sequences.at(1).shape, (core::Shape{2160, 15, 144}));
  EXPECT_EQ(shapes.sequences.at(24).shape, (core::Shape{432'000, 120, 3600}));
  // The five images weigh 0 there.
  const Dataset weighted = read_lengths(path, column("tokens_per_sample/latent_frames@w_uniform"));
  EXPECT_EQ(weighted.distribution.size(), 20u);
}

}  // namespace
}  // namespace dcpbench::datasets

// Damaged input of every format either reads or is refused with core::Error: it never crashes,
// hangs or takes the memory (run under the sanitizers too).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/random.hpp"
#include "tests/datasets/binary_samples.hpp"
#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

std::string mutated(std::string content, core::Random& random) {
  const auto any = [&](std::size_t size) { return static_cast<std::size_t>(random.below(size)); };
  constexpr std::string_view kBytes =
      "\0\n\r\t\"',;:#[]{}()+-*/@.eE0123456789 NaN\xff\xfe\x80\xef\xbb\xbf<>iuO";
  const std::size_t changes = 1 + any(5);
  for (std::size_t i = 0; i < changes && !content.empty(); ++i) {
    const std::size_t at = any(content.size());
    switch (random.below(6)) {
      case 0:
        content[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        content[at] = static_cast<char>(content[at] ^ (1 << random.below(8)));
        break;
      case 2:
        content.insert(at, 1, kBytes[any(kBytes.size())]);
        break;
      case 3:
        content.erase(at, 1 + any(8));
        break;
      case 4:
        content.insert(at, content.substr(any(content.size()), any(16)));
        break;
      default:
        if (random.below(8) == 0) content.resize(at);
        content += kBytes[any(kBytes.size())];
    }
  }
  return content;
}

ReadOptions random_options(core::Random& random) {
  constexpr std::array<const char*, 10> kColumns = {
      "length", "2", "length+a", "a*length", "length/a", "9", "a@b", "", "length@a", "a"};
  ReadOptions options;
  options.max_bytes = 1 << 20;
  if (random.below(3) == 0) options.column = kColumns[random.below(kColumns.size())];
  options.skip_invalid = random.below(3) == 0;
  if (random.below(8) == 0) options.limit = static_cast<std::int64_t>(random.below(4));
  if (random.below(8) == 0) options.max_length = static_cast<std::int64_t>(random.next() >> 20);
  return options;
}

// Whether the file was read; then it must hold what a dataset promises.
bool reads(const std::string& path, const ReadOptions& options) {
  try {
    const Dataset dataset = read_lengths(path, options);
    EXPECT_NE(dataset.sequences.empty(), dataset.distribution.empty());
    for (const core::Sequence& sequence : dataset.sequences) {
      EXPECT_GE(sequence.shape.tokens, 1);
      EXPECT_LE(sequence.shape.tokens, core::kMaxTokens);
      EXPECT_GE(sequence.loss_tokens, 0);
      EXPECT_LE(sequence.loss_tokens, sequence.shape.tokens);
      EXPECT_EQ(sequence.shape.is_2d(), dataset.is_2d);
    }
    std::uint64_t sum = 0;
    for (const Rung& rung : dataset.distribution) {
      EXPECT_GE(rung.weight, 1u);
      sum += rung.weight;
      EXPECT_LE(sum, std::uint64_t{1} << 62);
    }
    return true;
  } catch (const core::Error& error) {
    EXPECT_FALSE(error.messages().empty());
    return false;
  }
}

void mutate(const std::string& name, const std::string& content, int rounds) {
  const TempDir directory;
  core::Random random(core::mix_seed(17, content.size()));
  int read = 0;
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const std::string path = directory.write(name, mutated(content, random));
    read += reads(path, random_options(random)) ? 1 : 0;
  }
  // Neither all nor none: the mutations reach past the first check.
  EXPECT_GT(read, 0) << name;
  EXPECT_LT(read, rounds) << name;
}

TEST(Mutation, OfText) {
  mutate("a.txt", "# lengths\n64\n128 256\n\n512\n", 1500);
  mutate("a.csv", "id,length,a\n1,100,3\n2,8.192e3,5\n\"3, x\",\"7\",7\n4,1e4,2\n", 1500);
  mutate("a.tsv", "id\tlength\ta\r\n1\t100\t3\r\n2\t8192\t5\r\n", 2000);
  mutate("h.csv", "length,weight\n64,12\n512,0.5\n4096,1e-3\n", 2000);
  mutate("b.csv", "lo,hi,count\n0,16,5\n16,64,2\n64,1024,1\n", 2000);
  mutate("v.csv", "frames,tokens_per_frame,loss_tokens\n1,144,100\n15,405,6000\n", 2000);
}

TEST(Mutation, OfJson) {
  mutate("a.json", "[1000, 2048, 999, 2.5e3, 141]", 1500);
  mutate("o.json", "[{\"length\": 5, \"a\": [1, {\"b\": null}]}, {\"length\": 6, \"a\": []}]",
         1500);
  mutate("a.jsonl", "{\"length\": 5, \"a\": 1}\n{\"length\": 6, \"a\": 2}\n", 1500);
  mutate("t.jsonl",
         "{\"num_tokens\": 3, \"input_ids\": [1, 2, 3], \"labels\": [-100, 2, 3]}\n"
         "{\"num_tokens\": 2, \"input_ids\": [4, 5], \"labels\": [-100, 5]}\n",
         1500);
}

TEST(Mutation, OfBinaries) {
  mutate("a.npy", npy("'<i8'", "(4,)", packed({512, 1024, 65536, 7}, 8)), 2000);
  mutate("b.npy", npy("'>u2'", "(3,)", packed({512, 1024, 7}, 2, true)), 2000);
  mutate("a.gz", gzip("id,length\n1,100\n2,200\n3,300\n4,400\n"), 2000);
}

TEST(Mutation, OfHdf5) {
  const TempDir directory;
  for (const bool latest : {false, true}) {
    const std::string path = directory.path("a.h5");
    {
      H5::FileAccPropList access;
      if (latest) access.setLibverBounds(H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
      H5::H5File file(path, H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, access);
      add_integers(file, "length", std::vector<std::int64_t>(300, 77), H5::PredType::STD_I32LE, 64);
      add_integers(file, "a", std::vector<std::int64_t>(300, 3));
    }
    std::ifstream file(path, std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    mutate("m.bin", content.str(), 150);
  }
}

}  // namespace
}  // namespace dcpbench::datasets

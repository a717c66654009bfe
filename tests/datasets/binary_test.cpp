#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/hdf5_check.hpp"
#include "datasets/input.hpp"
#include "tests/datasets/binary_samples.hpp"
#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

using Lengths = std::vector<std::int64_t>;
const Lengths kValues = {5, 100, 7};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

TEST(Npy, ReadsEveryIntegerType) {
  for (const std::size_t bytes : {1u, 2u, 4u, 8u}) {
    for (const char sign : {'i', 'u'}) {
      for (const char order : {'<', '>'}) {
        const std::string descr = std::string("'") + order + sign + std::to_string(bytes) + "'";
        EXPECT_EQ(
            tokens_of(read_text("a.npy", npy(descr, "(3,)", packed(kValues, bytes, order == '>')))),
            kValues)
            << descr;
      }
    }
  }
  // 200 is negative as int8.
  EXPECT_TRUE(says(refusal("a.npy", npy("'|i1'", "(1,)", packed({200}, 1))), "element 1: \"-56\""));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<u8'", "(1,)", packed({-1}, 8))),
                   "larger than the supported maximum", "18446744073709551615"));
}

TEST(Npy, RefusesOtherTypesAndShapes) {
  EXPECT_TRUE(says(refusal("a.npy", npy("'|O'", "(2,)", "\x80\x04.")),
                   "object arrays hold Python pickles, which are not read; save lengths as int64"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<f8'", "(1,)", packed({0}, 8))), "'<f8'", "int64"));
  EXPECT_TRUE(
      says(refusal("a.npy", npy("[('a', '<i8')]", "(1,)", packed({0}, 8))), "expected integers"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "(2, 3)", packed({1, 2, 3, 4, 5, 6}, 8))),
                   "shape (2,3), expected 1-D"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "(99999999999999999999999,)", packed({1}, 8))),
                   "shape (99999999999999999999999,) is beyond the limit of 1152921504606846976"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "()", packed({1}, 8))), "shape (), expected 1-D"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "(0,)", "")), "holds no lengths"));
  EXPECT_TRUE(
      says(refusal("a.npy", npy("'<i8'", "(3,)", packed(kValues, 8)), column("x")), "no columns"));
  EXPECT_TRUE(says(refusal("a.npy", "5\n6\n"), "not an NPY file (first bytes 35 0a 36 0a)"));
}

TEST(Npy, SeesThatItIsCutOrTooLong) {
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "(4,)", packed({1, 2}, 8) + "abcd")),
                   "header says 4 elements (32 bytes), 20 bytes found"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "(900000000000000000,)", packed({1, 2}, 8))),
                   "16 bytes found"));
  EXPECT_TRUE(says(refusal("a.npy", npy("'<i8'", "(1,)", packed({1, 2}, 8))),
                   "8 bytes follow the 1 elements"));
  EXPECT_TRUE(says(refusal("a.npy", "\x93NUMPY\x01"), "truncated NPY header"));
}

TEST(Gzip, IsReadWhateverIsInside) {
  EXPECT_EQ(tokens_of(read_text("a.csv", gzip("length\n5\n6\n"))), (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.gz", gzip("[5, 6]"))), (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.gz", gzip("{\"length\": 5}\n"))), (Lengths{5}));
  EXPECT_EQ(tokens_of(read_text("a.gz", gzip(npy("'<i8'", "(3,)", packed(kValues, 8))))), kValues);
  // Members one after the other, as `cat a.gz b.gz` makes them.
  EXPECT_EQ(tokens_of(read_text("a.gz", gzip("5\n") + gzip("6\n"))), (Lengths{5, 6}));
  EXPECT_TRUE(says(refusal("a.gz", gzip("")), "holds no lengths"));
  EXPECT_TRUE(says(refusal("a.gz", gzip(gzip("5\n"))), "gzip inside gzip"));
}

TEST(Gzip, SeesDamage) {
  std::string numbers;
  for (int i = 0; i < 5000; ++i) numbers += std::to_string(1 + i * 7919 % 4999) + "\n";
  const std::string good = gzip(numbers);
  EXPECT_EQ(read_text("a.gz", good).sequences.size(), 5000u);
  EXPECT_TRUE(says(refusal("a.gz", good.substr(0, good.size() / 2)), "gzip data ends early"));
  std::string bad = good;
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 0x55);  // the checksum
  EXPECT_TRUE(says(refusal("a.gz", bad), "damaged gzip data"));
}

TEST(Gzip, StopsADecompressionBomb) {
  ReadOptions options;
  options.max_bytes = 1 << 20;
  std::string lines;
  while (lines.size() < (std::size_t{8} << 20)) lines += "512\n";
  EXPECT_TRUE(
      says(refusal("a.gz", gzip(lines), options), "more than 1048576 bytes when decompressed"));
  EXPECT_TRUE(says(refusal("a.gz", gzip(std::string(kMaxItemBytes + 1, '1'))), "longer than"));
  EXPECT_TRUE(says(refusal("a.gz", gzip("[\"" + std::string(kMaxItemBytes + (1 << 20), '1'))),
                   "a value longer than"));
}

class Hdf5 : public testing::Test {
 protected:
  std::string path_of(const std::string& name) { return directory_.path(name); }
  TempDir directory_;
};

TEST_F(Hdf5, TakesTheOnlyIntegerDataset) {
  const std::string path = path_of("a.h5");
  {
    H5::H5File file(path, H5F_ACC_TRUNC);
    add_integers(file, "any name", kValues);
    const hsize_t size = 2;
    file.createDataSet("seconds", H5::PredType::IEEE_F64LE, H5::DataSpace(1, &size));
  }
  const Dataset dataset = read_lengths(path, {});
  EXPECT_EQ(tokens_of(dataset), kValues);
  EXPECT_EQ(dataset.summary, "3 lengths (HDF5, dataset any name)");
  EXPECT_TRUE(
      says(refusal_of_file(path, column("seconds")), "seconds (floating point)", "any name"));
  EXPECT_TRUE(says(refusal_of_file(path, column("any nam")), "did you mean \"any name\""));
}

TEST_F(Hdf5, ReadsTypesChunksAndGroups) {
  const std::string path = path_of("a.h5");
  Lengths many;
  for (std::int64_t i = 0; i < 200'000; ++i) many.push_back(1 + i % 30'000);
  {
    H5::H5File file(path, H5F_ACC_TRUNC);
    file.createGroup("train");
    add_integers(file, "train/lengths", many, H5::PredType::STD_U16BE, 4096);
    add_integers(file, "other", kValues, H5::PredType::STD_I32LE);
  }
  EXPECT_TRUE(says(refusal_of_file(path), "none of the datasets is named length", "other",
                   "train/lengths"));
  EXPECT_EQ(tokens_of(read_lengths(path, column("train/lengths"))), many);
  EXPECT_EQ(tokens_of(read_lengths(path, column("other"))), kValues);
  EXPECT_TRUE(says(refusal_of_file(path, column("other+train/lengths")), "3 and 200000 elements"));
}

TEST_F(Hdf5, FindsTwoDimensionsAndFaults) {
  const std::string path = path_of("a.h5");
  {
    H5::H5File file(path, H5F_ACC_TRUNC);
    add_integers(file, "frames", {1, 15});
    add_integers(file, "tokens_per_frame", {3600, 144});
  }
  const Dataset dataset = read_lengths(path, {});
  EXPECT_EQ(dataset.sequences.at(1).shape, (core::Shape{2160, 15, 144}));
  const std::string bad = path_of("b.h5");
  {
    H5::H5File file(bad, H5F_ACC_TRUNC);
    add_integers(file, "length", {5, 0, -3});
  }
  EXPECT_TRUE(says(refusal_of_file(bad), "element 2: \"0\"", "element 3: \"-3\""));
}

TEST_F(Hdf5, NamesWhatItHoldsWhenNothingFits) {
  const std::string path = path_of("a.h5");
  {
    H5::H5File file(path, H5F_ACC_TRUNC);
    const hsize_t dims[2] = {2, 3};
    file.createDataSet("matrix", H5::PredType::STD_I64LE, H5::DataSpace(2, dims));
  }
  EXPECT_TRUE(says(refusal_of_file(path), "no one-dimensional integer dataset", "matrix (2-D)"));
}

TEST_F(Hdf5, DoesNotFollowLinksToOtherFiles) {
  const std::string secret = path_of("secret.h5");
  {
    H5::H5File file(secret, H5F_ACC_TRUNC);
    add_integers(file, "length", {42});
  }
  const std::string path = path_of("a.h5");
  {
    H5::H5File file(path, H5F_ACC_TRUNC);
    H5Lcreate_external(secret.c_str(), "/length", file.getId(), "length", H5P_DEFAULT, H5P_DEFAULT);
  }
  EXPECT_TRUE(says(refusal_of_file(path), "no one-dimensional integer dataset"));
}

TEST_F(Hdf5, ChecksTheSuperblockOfEveryVersion) {
  for (const bool latest : {false, true}) {
    const std::string path = path_of(latest ? "new.h5" : "old.h5");
    {
      H5::FileAccPropList access;
      if (latest) access.setLibverBounds(H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
      H5::H5File file(path, H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, access);
      add_integers(file, "length", Lengths(1000, 7));
    }
    EXPECT_NO_THROW(core::check_hdf5(path));
    const std::string content = content_of(path);
    EXPECT_EQ(content[8], latest ? 3 : 0);
    const std::string cut = directory_.write("cut.h5", content.substr(0, 4000));
    EXPECT_TRUE(says(refusal_of_file(cut),
                     "truncated HDF5 (eof 4000, expected " + std::to_string(content.size()) + ")"));
    const std::string head = directory_.write("head.h5", content.substr(0, 20));
    EXPECT_TRUE(says(refusal_of_file(head), "truncated HDF5 (eof 20"));
    std::string future = content;
    future[8] = 9;
    EXPECT_TRUE(says(refusal_of_file(directory_.write("f.h5", future)),
                     "damaged HDF5 superblock (version 9"));
  }
}

TEST_F(Hdf5, MayStandBehindAUserBlock) {
  const std::string path = path_of("a.h5");
  {
    H5::FileCreatPropList creation;
    creation.setUserblock(1024);
    H5::H5File file(path, H5F_ACC_TRUNC, creation);
    add_integers(file, "length", kValues);
  }
  EXPECT_EQ(tokens_of(read_lengths(path, {})), kValues);
}

TEST_F(Hdf5, IsNotWhatOnlyHasTheName) {
  EXPECT_TRUE(says(refusal("a.h5", "length\n1\n2\n"),
                   "not an HDF5 file (first bytes 6c 65 6e 67 74 68 0a 31)"));
  EXPECT_TRUE(says(refusal("a.hdf5", ""), "not an HDF5 file (first bytes none)"));
}

}  // namespace
}  // namespace dcpbench::datasets

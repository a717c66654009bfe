#include <gtest/gtest.h>

#include "tests/datasets/files.hpp"

namespace dcpbench::datasets {
namespace {

using Lengths = std::vector<std::int64_t>;

TEST(Delimited, ReadsOneLengthPerLineWithEveryLineEnd) {
  EXPECT_EQ(tokens_of(read_text("a.txt", "10\n20\n30")), (Lengths{10, 20, 30}));
  EXPECT_EQ(tokens_of(read_text("a.txt", "10\r\n20\r\n30\r\n")), (Lengths{10, 20, 30}));
  EXPECT_EQ(tokens_of(read_text("a.txt", "10\r20\r30\r")), (Lengths{10, 20, 30}));
  EXPECT_EQ(tokens_of(read_text("a.txt", "10\n20\r30\r\n40\n\r50")), (Lengths{10, 20, 30, 40, 50}));
}

TEST(Delimited, SkipsBlankLinesAndCommentsAndSaysSo) {
  const Dataset dataset = read_text("a.txt", "\xef\xbb\xbf# by hand\n\n 64 \n\t128\n  # more\n256");
  EXPECT_EQ(tokens_of(dataset), (Lengths{64, 128, 256}));
  ASSERT_EQ(dataset.notes.size(), 1u);
  EXPECT_EQ(dataset.notes[0], "skipped 2 comment lines and 1 blank line");
  EXPECT_EQ(dataset.summary, "3 lengths (text)");
  EXPECT_EQ(dataset.name, "a.txt");
}

TEST(Delimited, CountsLinesAcrossEveryLineEnd) {
  EXPECT_TRUE(says(refusal("a.txt", "10\r\n20\r# x\n\n-1\n"), "line 5: \"-1\""));
}

TEST(Delimited, TakesTheOneColumnNamedLength) {
  EXPECT_EQ(tokens_of(read_text("a.csv", "id,Length\na,5\nb,6\n")), (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.csv", "id,seq len\n1,5\n2,6\n")), (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.csv", "id;num-tokens\n1;5\n2;6\n")), (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.tsv", "\tlength\n0\t5\n1\t6\n")), (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.txt", "doc  split length\na train 5\nb  val 6\n")),
            (Lengths{5, 6}));
  EXPECT_EQ(tokens_of(read_text("a.csv", "\"id\",\"length\"\n\"a\",\"5\"\n")), (Lengths{5}));
}

TEST(Delimited, NeverGuessesBetweenColumns) {
  EXPECT_TRUE(says(refusal("a.csv", "length,tokens\n1,2\n"), "2 of the columns could be meant",
                   "length, tokens", "--column"));
  EXPECT_TRUE(says(refusal("a.csv", "input_length,output_length\n1,2\n"), "could be meant",
                   "--column A+B"));
  EXPECT_TRUE(
      says(refusal("a.csv", "ctx\n12\n"), "none of the columns is named length", "columns: ctx"));
  EXPECT_TRUE(says(refusal("a.csv", "a,640\nb,1280\n"), "there is no header",
                   "1 (\"a\"), 2 (\"640\")", "--column NUMBER"));
  EXPECT_TRUE(says(refusal("a.csv", "length,length\n1,2\n"), "2 of the columns could be meant"));
  EXPECT_TRUE(says(refusal("a.csv", "a,a\n1,2\n", column("a")), "several columns are named \"a\""));
}

TEST(Delimited, ColumnOptionPicksAddsAndMultiplies) {
  constexpr std::string_view kText = "ctx,out,T,S,N\n10,1,3,4,12\n20,0,1,5,5\n";
  EXPECT_EQ(tokens_of(read_text("a.csv", kText, column("ctx"))), (Lengths{10, 20}));
  EXPECT_EQ(tokens_of(read_text("a.csv", kText, column("1"))), (Lengths{10, 20}));
  // A term of a sum may be 0, the sum may not.
  EXPECT_EQ(tokens_of(read_text("a.csv", kText, column("ctx + out"))), (Lengths{11, 20}));
  EXPECT_TRUE(
      says(refusal("a.csv", "a,b\n0,0\n", column("a+b")), "length of zero", "the sum is 0"));
  const Dataset product = read_text("a.csv", kText, column("T*S"));
  EXPECT_TRUE(product.is_2d);
  EXPECT_EQ(product.sequences[0].shape, (core::Shape{12, 3, 4}));
  const Dataset quotient = read_text("a.csv", kText, column("N/T"));
  EXPECT_EQ(quotient.sequences[0].shape, (core::Shape{12, 3, 4}));
  EXPECT_EQ(quotient.sequences[1].shape, (core::Shape{5, 1, 5}));
  EXPECT_TRUE(says(refusal("a.csv", kText, column("ctx/T")), "not a multiple", "line 2: 10 / 3"));
  EXPECT_EQ(tokens_of(read_text("a.csv", "a/b,c\n7,8\n", column("a/b"))), (Lengths{7}));
  EXPECT_TRUE(says(refusal("a.csv", kText, column("ctxx")), "\"ctxx\" (did you mean \"ctx\"?)"));
  EXPECT_TRUE(says(refusal("a.csv", kText, column("9")), "--column 9", "there are 5 columns"));
  EXPECT_TRUE(says(refusal("a.csv", kText, column("ctx+ctx")), "adds \"ctx\" twice"));
  EXPECT_NE(refusal("a.csv", kText, column("")), "");
  EXPECT_NE(refusal("a.csv", kText, column("+")), "");
  EXPECT_NE(refusal("a.csv", kText, column("*")), "");
}

TEST(Delimited, FindsTwoDimensionsByName) {
  const Dataset dataset = read_text("a.csv", "id,frames,tokens_per_frame\na,15,144\nb,1,3600\n");
  EXPECT_TRUE(dataset.is_2d);
  EXPECT_EQ(dataset.sequences[0].shape, (core::Shape{2160, 15, 144}));
  EXPECT_EQ(dataset.sequences[1].shape, (core::Shape{3600, 1, 3600}));
  EXPECT_TRUE(says(refusal("a.csv", "frames,tokens_per_frame,length\n2,3,6\n2,3,7\n"),
                   "line 3: length 7 but frames*tokens_per_frame has 6"));
  EXPECT_TRUE(
      says(refusal("a.csv", "frames,latent_frames,tokens_per_frame\n5,2,3\n"), "could be meant"));
  EXPECT_TRUE(says(refusal("a.csv", "frames,tokens_per_frame\n1000000,1099511627776\n"),
                   "larger than the supported maximum", "line 2"));
}

TEST(Delimited, ReadsLossTokens) {
  const Dataset dataset = read_text("a.csv", "length,loss_tokens\n10,4\n20,0\n");
  EXPECT_EQ(loss_of(dataset), (Lengths{4, 0}));
  EXPECT_TRUE(
      says(refusal("a.csv", "length,loss_tokens\n10,11\n"), "line 2: 11 loss tokens of 10 tokens"));
  EXPECT_TRUE(says(refusal("a.csv", "length,loss_tokens\n10,\n"), "missing value"));
}

TEST(Delimited, QuotesMayHoldDelimitersAndLines) {
  EXPECT_EQ(tokens_of(read_text("a.csv", "text,length\n\"a,b\",5\n\"c \"\"d\"\"\ne\",6\nf,7\n")),
            (Lengths{5, 6, 7}));
  EXPECT_TRUE(says(refusal("a.csv", "text,length\n\"a,5\nb,6\n"), "line 2", "never closed"));
  // The line of a record is its first.
  EXPECT_TRUE(says(refusal("a.csv", "text,length\n\"a\nb\",5\nc,x\n"), "line 4: \"x\""));
}

TEST(Delimited, RefusesNumbersThatCouldMeanSomethingElse) {
  EXPECT_TRUE(says(refusal("a.csv", "name,length\na,\"1,024\"\n"), "thousands separators",
                   "line 2: \"1,024\""));
  EXPECT_TRUE(says(refusal("a.csv", "length\n\"1,024\"\n"), "thousands"));
  EXPECT_TRUE(says(refusal("a.csv", "length\n1,024\n"), "thousands", "line 2: \"1,024\""));
  EXPECT_TRUE(says(refusal("a.txt", "1 024\n"), "thousands", "1 024"));
  EXPECT_TRUE(says(refusal("a.csv", "1,024\n2,048\n", column("2")), "thousands", "\"1,024\""));
  EXPECT_TRUE(says(refusal("a.csv", "1,024\n131,072\n"), "several columns"));
  EXPECT_TRUE(says(refusal("a.txt", "8k\n16k\n"), "2 numbers with a unit suffix", "line 1: \"8k\"",
                   "1024"));
  EXPECT_TRUE(says(refusal("a.csv", "duration_s\n12\n"), "\"duration_s\" looks like seconds",
                   "tokens_per_frame"));
  EXPECT_TRUE(says(refusal("a.csv", "length\n2.3s\n"), "duration", "fps"));
}

TEST(Delimited, TellsEveryKindOfFaultAtOnce) {
  const std::string text = "length\n5\nNA\n-1\n0\n2.5\nx\n\"\"\nnull\nnone\n";
  const std::string what = refusal("a.csv", text);
  // The empty quoted field is a value that is missing.
  EXPECT_TRUE(says(what, "4 missing values (line 3: \"NA\"; line 8: empty; line 9: \"null\"; ...)",
                   "1 negative length (line 4: \"-1\")", "1 length of zero (line 5: \"0\")",
                   "line 6: \"2.5\"", "line 7: \"x\"", "--skip-invalid"));
}

TEST(Delimited, SkipInvalidLeavesOutAndCounts) {
  ReadOptions options;
  options.skip_invalid = true;
  const Dataset dataset = read_text("a.csv", "length\n5\nNA\n-1\n0\n2.5\n7\n", options);
  EXPECT_EQ(tokens_of(dataset), (Lengths{5, 7}));
  EXPECT_EQ(dataset.sequences[1].row, 5u);  // its place in the file
  ASSERT_EQ(dataset.notes.size(), 1u);
  EXPECT_TRUE(
      says(dataset.notes[0], "--skip-invalid left out 4 of 6 rows", "1 missing value (line 3"));
  // Never what means that the file is read wrongly.
  EXPECT_TRUE(says(refusal("a.csv", "length\n5\n8k\n", options), "unit suffix"));
  EXPECT_TRUE(says(refusal("a.csv", "length\nNA\n", options), "every row was left out"));
}

TEST(Delimited, RaggedRowsNameTheLine) {
  EXPECT_TRUE(says(refusal("a.csv", "id,split,length\n1,train,700\n2,900\n"),
                   "line 3: 2 fields, expected 3"));
}

TEST(Delimited, SeveralNumbersPerLineAreAllLengths) {
  const Dataset dataset = read_text("a.txt", "1 2  3\n4\n5 6\n");
  EXPECT_EQ(tokens_of(dataset), (Lengths{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(dataset.notes.at(0), "2 lines hold several numbers; each is a length");
  // As a table when a column is asked for.
  EXPECT_EQ(tokens_of(read_text("a.txt", "1 20\n2 30\n", column("2"))), (Lengths{20, 30}));
}

TEST(Delimited, EmptyFilesSayWhatTheyHold) {
  EXPECT_TRUE(says(refusal("a.csv", ""), "holds no lengths (0 bytes)"));
  EXPECT_TRUE(says(refusal("a.csv", "length\n"), "holds no lengths (a header and no rows)"));
  EXPECT_TRUE(
      says(refusal("a.csv", "# x\n\n"), "holds no lengths (1 comment line and 1 blank line)"));
}

TEST(Delimited, LimitTakesTheHeadAndWarnsWhenItMisleads) {
  ReadOptions options;
  options.limit = 2;
  const Dataset dataset = read_text("a.txt", "10\n20\n300\n300\n", options);
  EXPECT_EQ(tokens_of(dataset), (Lengths{10, 20}));
  EXPECT_TRUE(says(dataset.notes.at(0), "--limit took the first 2 of 4 rows"));
  // (10 + 20) / 2 = 15; (10 + 20 + 600) / 4 = 157.5
  EXPECT_TRUE(says(dataset.warnings.at(0), "first 2 rows have a mean length of 15",
                   "all 4 rows 158", "--sequences 2"));
  EXPECT_TRUE(says(refusal("a.txt", "10\n20\n-3\n", options), "line 3"));
  options.limit = 0;
  EXPECT_TRUE(says(refusal("a.txt", "10\n", options), "--limit 0: at least 1"));
}

TEST(Delimited, WarnsOfTruncationAndOfGiants) {
  std::string capped;
  for (int i = 0; i < 10; ++i) capped += "2048\n" + std::to_string(100 + i) + "\n";
  EXPECT_TRUE(says(read_text("a.txt", capped).warnings.at(0),
                   "50% of the lengths equal the maximum 2048: the file looks truncated upstream"));
  std::string equal;
  for (int i = 0; i < 10; ++i) equal += "2048\n";
  EXPECT_TRUE(read_text("a.txt", equal).warnings.empty());
  EXPECT_TRUE(
      says(read_text("a.txt", "100\n100\n300\n100\n").warnings.empty() ? "none" : "some", "none"));
  EXPECT_TRUE(says(read_text("a.txt", "100\n100\n301\n100\n").warnings.at(0),
                   "1 of 4 sequences (row 2, 301 tokens) is 50% of the tokens"));
}

TEST(Delimited, LimitsColumnsAndBytes) {
  EXPECT_TRUE(says(refusal("a.csv", std::string(5000, ',')), "line 1 has more than 4096 fields"));
  ReadOptions options;
  options.max_bytes = 10;
  EXPECT_TRUE(says(refusal("a.txt", "100\n200\n300\n", options), "more than 10 bytes"));
}

TEST(Delimited, NamesWhatIsNoText) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(says(refusal("a.csv", "\xff\xfel\0e\0n\0"sv), "UTF-16", "iconv"));
  EXPECT_TRUE(says(refusal("a.csv", "5\0\n\0"sv), "UTF-16 without a byte order mark"));
  EXPECT_TRUE(says(refusal("a.csv", "12\n\0\0"sv), "binary data (byte offset 3 is 0x00)"));
  EXPECT_TRUE(says(refusal("a.parquet", "PAR1\x15\x04"), "Parquet", "CSV"));
  EXPECT_TRUE(says(refusal("a.npz", "PK\x03\x04zzz"), "zip"));
  EXPECT_TRUE(says(refusal("a.pkl", "\x80\x04\x95z"), "pickle"));
  EXPECT_TRUE(says(refusal("a.zst", "\x28\xb5\x2f\xfdz"), "zstd", "decompress"));
  EXPECT_TRUE(says(refusal("a.bz2", "BZh91AY"), "bzip2", "decompress"));
  EXPECT_TRUE(says(refusal("a.xz",
                           "\xfd"
                           "7zXZ\0\0"sv),
                   "xz", "decompress"));
}

TEST(Delimited, RefusesWhatMayNeverEnd) {
  const TempDir directory;
  EXPECT_TRUE(says(refusal_of_file("/dev/zero"), "pipe or device"));
  EXPECT_TRUE(says(refusal_of_file(directory.path("")), "is a directory"));
  EXPECT_TRUE(says(refusal_of_file("-"), "standard input"));
  try {
    static_cast<void>(read_lengths(directory.path("none.csv"), {}));
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::io);
    EXPECT_TRUE(says(error.what(), "cannot open", "none.csv", "No such file"));
  }
}

}  // namespace
}  // namespace dcpbench::datasets

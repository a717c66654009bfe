// Reads a user's lengths. The format is decided by content, never by name alone: CSV/TSV (header or
// not, BOM, CRLF, comments), one or several numbers per line, JSON array, JSONL (a count key or token
// arrays), NPY (integers), HDF5, or a histogram (length,weight | lo,hi,count); gzip of any of these.
// Nothing is guessed between columns and nothing is dropped in silence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/dataset.hpp"

namespace dcpbench::datasets {

struct ReadOptions {
  // Column (CSV/TSV name or 1-based number), JSONL key or HDF5 dataset; "a+b" sums two or more.
  // 2D data: columns frames (T) and tokens_per_frame (S) are found by these names; or
  // "FRAMES*TOKENS_PER_FRAME" names the two.
  std::optional<std::string> column;
  bool skip_invalid = false;  // leave out missing, negative, zero and fractional values; counted
  std::optional<std::int64_t> max_length;  // upper edge of an open top histogram bin
  std::optional<std::int64_t> limit;       // only the first rows; warns when they mislead
  // Limits for untrusted input.
  std::int64_t max_bytes = INT64_C(4) << 30;  // of the uncompressed content
};

// Throws Error(usage) with all mistakes found (count and first places per kind), each naming the
// file, the line or byte offset, the value and what to do; Error(io) when it can't be opened.
Dataset read_lengths(const std::string& path, const ReadOptions& options);

}  // namespace dcpbench::datasets

// Reads a user's lengths. The format is decided by content, never by name alone: CSV/TSV (header or
// not, BOM, CRLF, comments), one or several numbers per line, JSON array, JSONL (a count key or
// token arrays), NPY (integers), HDF5, or a histogram (length,weight | lo,hi,count); gzip of any of
// these. Nothing is guessed between columns and nothing is dropped in silence.
//
// Which column. One is taken by itself when exactly one is named length, lengths, tokens,
// num_tokens, n_tokens, token_count, seq_len, seqlen, seq_length, sequence_length, input_length or
// output_length (any case, '-' and ' ' as '_'); else the columns are listed and ReadOptions::column
// chooses. Token arrays of JSON: input_ids, token_ids or tokens. Two-dimensional: frames or
// latent_frames, with tokens_per_frame; a length beside them must be their product. Weights:
// weight, count, frequency or probability. Bins: lo|low|lower, hi|high|upper (hi not included) and
// a weight. Loss tokens: loss_tokens, or the labels beside a token array that are not -100.
//
// Values. 512, 512.0 and 5.12e2 are lengths. Refused with their lines: thousands separators, unit
// suffixes (8k), durations, missing, zero, negative and fractional values (those four may be left
// out with skip_invalid), lengths above core::kMaxTokens. Several numbers on a line of a text
// without header, tab, comma and semicolon are all lengths.
//
// Warnings (Dataset::warnings): over a fifth of the rows equal the maximum; one sequence is above
// half of all tokens; the head that `limit` takes is unlike the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "datasets/dataset.hpp"

namespace dcpbench::datasets {

struct ReadOptions {
  // Columns of a CSV or TSV (name or 1-based number), keys of JSON, datasets of HDF5:
  //   "a"      one column                     "T*S"    2D: frames, tokens per frame
  //   "a+b"    the sum of two or more         "N/T"    2D: tokens, frames (N a multiple of T)
  //   "...@w"  any of these, rows weighted by column w: a histogram
  std::optional<std::string> column;
  bool skip_invalid = false;  // leave out missing, negative, zero and fractional values; counted
  std::optional<std::int64_t> max_length;  // longest length of an open top histogram bin
  std::optional<std::int64_t> limit;       // only the first valid rows; the whole file is checked
  // Limits for untrusted input.
  std::int64_t max_bytes = INT64_C(4) << 30;  // of the uncompressed content
};

// Throws Error(usage) with all mistakes found (count and first places per kind), each naming the
// file, the line or byte offset, the value and what to do; Error(io) when it can't be opened. Only
// regular files are read: a pipe or device may never end. A file named .h5, .hdf5 or .npy must be
// one.
Dataset read_lengths(const std::string& path, const ReadOptions& options);

}  // namespace dcpbench::datasets

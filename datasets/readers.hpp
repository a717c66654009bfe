// The readers, one per kind of content; read_lengths chooses among them.
#pragma once

#include <string>

#include "datasets/dataset.hpp"
#include "datasets/input.hpp"
#include "datasets/length_file.hpp"

namespace dcpbench::datasets {

inline constexpr std::size_t kMaxColumns = 4096;

// CSV (comma, semicolon), TSV and plain numbers. The first line that is neither blank nor a comment
// decides: its delimiter is the first of tab, semicolon, comma that occurs outside quotes; it is a
// header when no field starts like a number and at least one is a name, or when one is a length
// name. Without delimiter and header every number on every line is a length. Fields may be quoted
// (RFC 4180).
Dataset read_delimited(Input& input, const ReadOptions& options);

// [512, 1024, ...] or an array of objects like those of JSONL.
Dataset read_json_array(Input& input, const ReadOptions& options);

// One object per line. A sequence's length is a number (length, num_tokens, ...) or the size of a
// token array (input_ids, ...); both must agree. Loss tokens: loss_tokens, or the labels that are
// not -100.
Dataset read_json_lines(Input& input, const ReadOptions& options);

// NPY 1.0 to 3.0, one dimension, signed or unsigned integers of either byte order.
Dataset read_npy(Input& input, const ReadOptions& options);

// One-dimensional integer datasets of an HDF5 file; the only one, or by name as in a table.
Dataset read_hdf5(const std::string& path, const ReadOptions& options);

}  // namespace dcpbench::datasets

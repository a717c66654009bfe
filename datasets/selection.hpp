// Which columns of a table of lengths mean what. Nothing is guessed: a column is taken by a name of
// the lists below when exactly one has such a name, or by --column.
//
// --column EXPRESSION[@WEIGHT], names or 1-based numbers:
//   a        one column of lengths
//   a+b+c    the sum of several
//   T*S      two-dimensional: T frames of S tokens each
//   N/T      two-dimensional: N tokens in T frames; N must be a multiple of T
//   ...@w    rows weighted by column w: a histogram
// A column whose whole name is the text comes first, so names may hold these characters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcpbench::datasets {

enum class ColumnKind { scalar, array, other };

// JSON members, CSV columns or HDF5 datasets.
struct ColumnTable {
  std::vector<std::string> names;    // without a header: empty strings, and samples
  std::vector<std::string> samples;  // the first value of each, for messages; may be empty
  std::vector<ColumnKind> kinds;     // empty: all scalar
  bool has_names = true;
  bool names_hold_slashes = false;  // HDF5 paths: no N/T
  std::string_view noun = "columns";

  [[nodiscard]] ColumnKind kind(std::size_t column) const {
    return kinds.empty() ? ColumnKind::scalar : kinds[column];
  }
};

struct Selection {
  enum class Kind {
    sum,       // tokens = the sum of the columns (usually one)
    product,   // frames * tokens per frame
    quotient,  // tokens / frames
    bins       // lo, hi (not included); has a weight
  };
  Kind kind = Kind::sum;
  std::vector<std::size_t> columns = {0};
  std::optional<std::size_t> weight;
  std::optional<std::size_t> loss;
  std::optional<std::size_t> check;  // must equal the tokens

  [[nodiscard]] bool is_2d() const { return kind == Kind::product || kind == Kind::quotient; }
};

// Throws Error(usage), naming the columns and --column, when there isn't exactly one reading.
Selection select_columns(const std::string& path, const ColumnTable& table,
                         const std::optional<std::string>& request);

// `column length`, `columns input + output`, `columns latent_frames * tokens_per_frame`.
std::string describe(const Selection& selection, const ColumnTable& table);
// The column's name, else its number.
std::string column_label(const ColumnTable& table, std::size_t column);
// length, tokens, num_tokens, ...: a column that holds lengths.
bool is_length_name(std::string_view name);
// input_ids, token_ids, tokens: a JSON array of one sequence's tokens.
bool is_token_array_name(std::string_view name);

}  // namespace dcpbench::datasets

// Turns the rows of any format into a Dataset: every reader hands over the text of its columns, and
// all rules about values stand here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset.hpp"
#include "datasets/faults.hpp"
#include "datasets/histogram.hpp"
#include "datasets/length_file.hpp"
#include "datasets/selection.hpp"

namespace dcpbench::datasets {

class RowBuilder {
 public:
  // `place_word`: "line" or "element".
  RowBuilder(std::string path, std::string_view place_word, const ReadOptions& options,
             ColumnTable table, Selection selection);

  // One row: the text of every column of the table (those not selected may be empty). `place`
  // counts from 1. Throws Error(usage) when there are more rows than kMaxSequences.
  void add(std::int64_t place, std::span<const std::string_view> fields);
  // A fault that the reader saw itself; the row is not added.
  void add_fault(Fault fault, std::int64_t place, std::string_view detail);
  [[nodiscard]] bool has_faults() const { return faults_.total() > 0; }

  [[nodiscard]] const ColumnTable& table() const { return table_; }
  [[nodiscard]] const Selection& selection() const { return selection_; }

  // The dataset of all rows. `format`: for the summary, e.g. "CSV". `notes`: what the reader
  // decided. Throws Error(usage) with all faults, or when no length is left.
  Dataset finish(std::string_view format, std::vector<std::string> notes);

 private:
  struct Totals {
    std::int64_t count = 0;
    double tokens = 0;
    [[nodiscard]] double mean() const { return tokens / static_cast<double>(count); }
  };

  std::optional<std::int64_t> number(std::int64_t place, std::string_view text, bool zero_allowed);
  std::optional<core::Shape> shape(std::int64_t place, std::span<const std::string_view> fields);
  void add_bin(std::int64_t place, std::span<const std::string_view> fields);
  std::optional<Decimal> weight(std::int64_t place, std::string_view text);
  void check_room(std::size_t rows) const;
  void finish_histogram(Dataset& dataset, std::string_view format);
  void finish_sequences(Dataset& dataset, std::string_view format);

  std::string path_;
  std::string place_word_;
  ReadOptions options_;
  ColumnTable table_;
  Selection selection_;
  Faults faults_;
  Faults skipped_;
  std::int64_t skipped_rows_ = 0;

  std::uint32_t rows_ = 0;
  Totals all_;  // of the valid rows, also those beyond --limit
  std::vector<core::Sequence> sequences_;
  std::vector<WeightedShape> weighted_;
  std::vector<Bin> bins_;
  bool open_bin_ = false;  // the last bin had no upper edge
};

}  // namespace dcpbench::datasets

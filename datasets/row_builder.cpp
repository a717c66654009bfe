#include "datasets/row_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "datasets/length_warnings.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

std::string quoted(std::string_view text) {
  return text.empty() ? "empty" : fmt::format("\"{}\"", printable(text));
}

}  // namespace

RowBuilder::RowBuilder(std::string path, std::string_view place_word, const ReadOptions& options,
                       ColumnTable table, Selection selection)
    : path_(std::move(path)),
      place_word_(place_word),
      options_(options),
      table_(std::move(table)),
      selection_(std::move(selection)),
      faults_(path_, place_word),
      skipped_(path_, place_word) {
  core::Mistakes mistakes;
  if (options_.limit && *options_.limit < 1) {
    mistakes.add(fmt::format("--limit {}: at least 1", *options_.limit));
  }
  if (options_.limit && selection_.weight) {
    mistakes.add(
        fmt::format("{} is a histogram: --limit would cut it; use --sequences N for the "
                    "number of lengths to draw",
                    path_));
  }
  if (options_.max_length && selection_.kind != Selection::Kind::bins) {
    mistakes.add(
        fmt::format("{}: --max-length is the upper edge of an open top bin, and there are no "
                    "bins (lo,hi,count); leave it out",
                    path_));
  }
  mistakes.throw_if_any();
}

void RowBuilder::add_fault(Fault fault, std::int64_t place, std::string_view detail) {
  if (options_.skip_invalid && is_skippable(fault)) {
    skipped_.add(fault, place, detail);
    ++skipped_rows_;
  } else {
    faults_.add(fault, place, detail);
  }
}

std::optional<std::int64_t> RowBuilder::number(std::int64_t place, std::string_view text,
                                               bool zero_allowed) {
  const LengthText length = parse_length(text);
  if (!length.fault || (zero_allowed && *length.fault == Fault::zero)) return length.value;
  add_fault(*length.fault, place, quoted(text));
  return std::nullopt;
}

std::optional<core::Shape> RowBuilder::shape(std::int64_t place,
                                             std::span<const std::string_view> fields) {
  const auto& columns = selection_.columns;
  if (selection_.kind == Selection::Kind::sum) {
    if (columns.size() == 1) {
      const auto tokens = number(place, fields[columns[0]], false);
      if (!tokens) return std::nullopt;
      return core::Shape{*tokens, 0, 0};
    }
    std::int64_t sum = 0;  // at most kMaxColumns * kMaxTokens
    for (const std::size_t column : columns) {
      const auto term = number(place, fields[column], true);
      if (!term) return std::nullopt;
      sum += *term;
    }
    if (sum == 0 || sum > core::kMaxTokens) {
      add_fault(sum == 0 ? Fault::zero : Fault::too_large, place,
                fmt::format("the sum is {}", sum));
      return std::nullopt;
    }
    return core::Shape{sum, 0, 0};
  }
  const auto first = number(place, fields[columns[0]], false);
  const auto second = first ? number(place, fields[columns[1]], false) : std::nullopt;
  if (!second) return std::nullopt;
  if (selection_.kind == Selection::Kind::quotient) {
    if (*first % *second != 0) {
      add_fault(Fault::indivisible, place, fmt::format("{} / {}", *first, *second));
      return std::nullopt;
    }
    return core::Shape{*first, *second, *first / *second};
  }
  if (*first > core::kMaxTokens / *second) {
    add_fault(Fault::too_large, place, fmt::format("{} * {}", *first, *second));
    return std::nullopt;
  }
  return core::Shape{*first * *second, *first, *second};
}

std::optional<Decimal> RowBuilder::weight(std::int64_t place, std::string_view text) {
  const std::optional<Decimal> decimal = parse_decimal(text);
  if (decimal && (!decimal->negative || decimal->mantissa == 0)) return decimal;
  add_fault(Fault::weight, place, quoted(text));
  return std::nullopt;
}

void RowBuilder::check_room(std::size_t rows) const {
  if (rows < static_cast<std::size_t>(core::kMaxSequences)) return;
  throw Error(
      ErrorKind::usage,
      fmt::format(
          "{}: more than {} rows, the most that is supported; {}", path_, core::kMaxSequences,
          selection_.weight ? "merge rows" : "take the first with --limit N, or sample the file"));
}

void RowBuilder::add_bin(std::int64_t place, std::span<const std::string_view> fields) {
  check_room((bins_.size() + 1) * static_cast<std::size_t>(kRungsPerBin) - 1);
  const std::string_view lo_text = fields[selection_.columns[0]];
  const std::string_view hi_text = fields[selection_.columns[1]];
  const LengthText lo = parse_length(lo_text);
  LengthText hi = parse_length(hi_text);
  const std::string name = fmt::format("bin {}..{}", printable(lo_text), printable(hi_text));
  if (lo.fault && *lo.fault != Fault::zero) {
    return add_fault(Fault::bin, place, name + " has no lower edge");
  }
  if (open_bin_) return add_fault(Fault::bin, place, name + " follows the open top bin");
  const std::string infinity = lower(hi_text);
  if ((hi.fault && *hi.fault == Fault::missing) || infinity == "inf" || infinity == "infinity") {
    open_bin_ = true;
    if (!options_.max_length) {
      return add_fault(Fault::bin, place,
                       fmt::format("bin {}.. has no upper edge; give --max-length N, the longest "
                                   "length in it",
                                   lo.value));
    }
    if (*options_.max_length < lo.value || *options_.max_length > core::kMaxTokens) {
      return add_fault(
          Fault::bin, place,
          fmt::format("bin {}.. with --max-length {}: the longest length is from {} to {}",
                      lo.value, *options_.max_length, std::max<std::int64_t>(lo.value, 1),
                      core::kMaxTokens));
    }
    hi = {*options_.max_length + 1, std::nullopt};
  }
  if (hi.fault) return add_fault(Fault::bin, place, name + " has no upper edge that is a length");
  if (lo.value >= hi.value) return add_fault(Fault::bin, place, name + " is empty");
  if (!bins_.empty() && bins_.back().hi != lo.value) {
    return add_fault(Fault::bin, place,
                     fmt::format("{} after a bin that ends at {}", name, bins_.back().hi));
  }
  const auto bin_weight = weight(place, fields[*selection_.weight]);
  if (!bin_weight) return;
  if (hi.value == 1 && bin_weight->mantissa > 0) {
    return add_fault(Fault::bin, place, name + " holds only the length 0");
  }
  bins_.push_back({lo.value, hi.value, *bin_weight});
}

void RowBuilder::add(std::int64_t place, std::span<const std::string_view> fields) {
  const std::uint32_t row = rows_++;
  if (selection_.kind == Selection::Kind::bins) return add_bin(place, fields);
  const auto row_shape = shape(place, fields);
  if (!row_shape) return;
  if (selection_.check) {
    const auto expected = number(place, fields[*selection_.check], true);
    if (!expected) return;
    if (*expected != row_shape->tokens) {
      std::string columns;
      for (const std::size_t column : selection_.columns) {
        append(columns, column_label(table_, column), "*");
      }
      return add_fault(Fault::disagrees, place,
                       fmt::format("{} {} but {} has {}", column_label(table_, *selection_.check),
                                   *expected, columns, row_shape->tokens));
    }
  }
  if (selection_.weight) {
    check_room(weighted_.size());
    if (const auto row_weight = weight(place, fields[*selection_.weight])) {
      weighted_.push_back({*row_shape, *row_weight});
    }
    return;
  }
  std::int64_t loss_tokens = row_shape->tokens;
  if (selection_.loss) {
    const auto loss = number(place, fields[*selection_.loss], true);
    if (!loss) return;
    if (*loss > row_shape->tokens) {
      return add_fault(Fault::loss, place,
                       fmt::format("{} loss tokens of {} tokens", *loss, row_shape->tokens));
    }
    loss_tokens = *loss;
  }
  ++all_.count;
  all_.tokens += static_cast<double>(row_shape->tokens);
  if (options_.limit && all_.count > *options_.limit) return;
  check_room(sequences_.size());
  sequences_.push_back({*row_shape, loss_tokens, row});
}

void RowBuilder::finish_histogram(Dataset& dataset, std::string_view format) {
  if (selection_.kind == Selection::Kind::bins) {
    if (options_.max_length && !open_bin_) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: --max-length closes an open top bin, and every bin "
                              "has its upper edge; leave it out",
                              path_));
    }
    weighted_ = spread(bins_);
    dataset.notes.push_back(
        fmt::format("each bin stands for {} equally likely lengths", kRungsPerBin));
    if (open_bin_) {
      dataset.notes.push_back(
          fmt::format("the open top bin ends at --max-length {}", *options_.max_length));
    }
  }
  if (selection_.loss) {
    dataset.warnings.push_back(
        fmt::format("{}: column {} is not used: in a histogram every token counts in the loss",
                    path_, column_label(table_, *selection_.loss)));
  }
  dataset.distribution = to_rungs(weighted_, dataset.notes);
  const std::int64_t repeated = bins_.empty() ? merge_repeats(dataset.distribution) : 0;
  if (repeated > 0) {
    dataset.notes.push_back(counted(repeated, "row repeats a length: the weights add up",
                                    "rows repeat a length: the weights add up"));
  }
  if (dataset.distribution.empty()) {
    throw Error(ErrorKind::usage,
                rows_ == 0 ? fmt::format("{} holds no lengths (a header and no rows)", path_)
                           : fmt::format("{}: all weights are 0", path_));
  }
  const auto rows =
      static_cast<std::int64_t>(bins_.empty() ? weighted_.size() : bins_.size()) - repeated;
  dataset.summary =
      fmt::format("histogram of {} ({}, {})",
                  bins_.empty() ? counted(rows, "length", "lengths") : counted(rows, "bin", "bins"),
                  format, describe(selection_, table_));
}

void RowBuilder::finish_sequences(Dataset& dataset, std::string_view format) {
  if (sequences_.empty()) {
    const std::string why = rows_ > 0          ? "every row was left out by --skip-invalid"
                            : table_.has_names ? "a header and no rows"
                                               : "no values";
    throw Error(ErrorKind::usage, fmt::format("{} holds no lengths ({})", path_, why));
  }
  dataset.sequences = std::move(sequences_);
  const auto count = static_cast<std::int64_t>(dataset.sequences.size());
  dataset.summary = fmt::format("{} ({}{}{})", counted(count, "length", "lengths"), format,
                                table_.has_names ? ", " : "",
                                table_.has_names ? describe(selection_, table_) : "");
  if (selection_.loss) {
    dataset.notes.push_back(
        fmt::format("loss tokens from {}", column_label(table_, *selection_.loss)));
  }
  if (options_.limit && all_.count > count) {
    dataset.notes.push_back(fmt::format("--limit took the first {} of {} rows", count, all_.count));
    double head = 0;
    for (const core::Sequence& sequence : dataset.sequences) {
      head += static_cast<double>(sequence.shape.tokens);
    }
    head /= static_cast<double>(count);
    // A quarter off is more than a sample of any use would be.
    if (head < 0.75 * all_.mean() || head > 1.25 * all_.mean()) {
      dataset.warnings.push_back(fmt::format(
          "{}: the first {} rows have a mean length of {:.0f} tokens, all {} rows {:.0f}: the "
          "head is not representative; --sequences {} without --limit draws a seeded sample",
          path_, count, head, all_.count, all_.mean(), count));
    }
  }
  const bool whole_file = all_.count == count;
  if (const auto warning = truncation_warning(dataset.sequences); warning && whole_file) {
    dataset.warnings.push_back(fmt::format("{}: {}", path_, *warning));
  }
  if (const auto warning = giant_warning(dataset.sequences)) {
    dataset.warnings.push_back(fmt::format("{}: {}", path_, *warning));
  }
}

Dataset RowBuilder::finish(std::string_view format, std::vector<std::string> notes) {
  faults_.throw_if_any();
  Dataset dataset;
  dataset.name = std::filesystem::path(path_).filename().string();
  dataset.source = "file " + path_;
  dataset.is_2d = selection_.is_2d();
  dataset.notes = std::move(notes);
  if (skipped_rows_ > 0) {
    std::string kinds;
    for (const std::string& summary : skipped_.summaries()) append(kinds, summary);
    dataset.notes.push_back(fmt::format("--skip-invalid left out {} of {}: {}", skipped_rows_,
                                        counted(rows_, "row", "rows"), kinds));
  }
  if (selection_.weight) {
    finish_histogram(dataset, format);
  } else {
    finish_sequences(dataset, format);
  }
  return dataset;
}

}  // namespace dcpbench::datasets

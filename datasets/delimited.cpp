#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "datasets/content.hpp"
#include "datasets/readers.hpp"
#include "datasets/row_builder.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

using Fields = std::vector<std::string_view>;

// Records of a delimited text: lines, joined while a quoted field is open, split into fields.
class Records {
 public:
  explicit Records(Input& input) : input_(input), lines_(input) {}

  // The first record decides the delimiter; false when there is none.
  bool next(Fields& fields);

  [[nodiscard]] std::int64_t line() const { return line_; }
  // '\t', ';', ',' or ' ' (none of them: runs of spaces).
  [[nodiscard]] char delimiter() const { return *delimiter_; }
  // Whether the text of the field was quoted in the record last given.
  [[nodiscard]] bool was_quoted(std::size_t field) const {
    return field < quoted_.size() && quoted_[field];
  }
  [[nodiscard]] std::int64_t blank_lines() const { return blank_; }
  [[nodiscard]] std::int64_t comment_lines() const { return comments_; }

 private:
  void split_plain(std::string_view text, Fields& fields) const;
  void split_quoted(std::string_view text, Fields& fields);
  void push(Fields& fields, std::string_view field) const;
  [[noreturn]] void open_quote() const;

  Input& input_;
  LineReader lines_;
  std::optional<char> delimiter_;
  std::int64_t line_ = 0;
  std::int64_t blank_ = 0;
  std::int64_t comments_ = 0;
  std::string joined_;                 // a record over several lines
  std::vector<std::string> unquoted_;  // fields with doubled quotes, undoubled
  std::vector<bool> quoted_;
};

// Outside of quotes; a semicolon before a comma, which then is a decimal comma or part of a text.
char find_delimiter(std::string_view line) {
  // An unnamed first column, not an indented number.
  if (line.starts_with('\t') && !looks_like_number(trim(line))) return '\t';
  line = trim(line);
  bool tab = false;
  bool semicolon = false;
  bool comma = false;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    tab = tab || c == '\t';
    semicolon = semicolon || c == ';';
    comma = comma || c == ',';
  }
  return tab ? '\t' : semicolon ? ';' : comma ? ',' : ' ';
}

void Records::push(Fields& fields, std::string_view field) const {
  if (fields.size() == kMaxColumns) {
    throw Error(ErrorKind::usage, fmt::format("{}: line {} has more than {} fields", input_.path(),
                                              line_, kMaxColumns));
  }
  fields.push_back(field);
}

void Records::open_quote() const {
  throw Error(ErrorKind::usage,
              fmt::format("{}: line {}: a quote is opened and never closed; close it, "
                          "or double quotes inside a quoted text",
                          input_.path(), line_));
}

bool Records::next(Fields& fields) {
  fields.clear();
  std::string_view line;
  for (;;) {
    if (!lines_.next(line)) return false;
    if (lines_.number() == 1 && line.starts_with(kUtf8ByteOrderMark)) {
      line.remove_prefix(kUtf8ByteOrderMark.size());
    }
    const std::string_view trimmed = trim(line);
    if (trimmed.empty()) {
      ++blank_;
    } else if (trimmed.front() == '#') {
      ++comments_;
    } else {
      break;
    }
  }
  line_ = lines_.number();
  if (!delimiter_) delimiter_ = find_delimiter(line);
  quoted_.clear();
  if (line.find('"') == line.npos) {
    split_plain(line, fields);
  } else {
    split_quoted(line, fields);
  }
  return true;
}

void Records::split_plain(std::string_view text, Fields& fields) const {
  if (*delimiter_ != ' ') {
    for (;;) {
      const std::size_t end = text.find(*delimiter_);
      push(fields, trim(text.substr(0, end)));
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }
  for (;;) {
    text = trim(text);
    if (text.empty()) return;
    const std::size_t end = text.find_first_of(" \t");
    push(fields, text.substr(0, end));
    text.remove_prefix(std::min(end, text.size()));
  }
}

void Records::split_quoted(std::string_view text, Fields& fields) {
  unquoted_.clear();
  // Views into unquoted_ must stay valid.
  unquoted_.reserve(kMaxColumns + 1);
  if (*delimiter_ == ' ') {
    // No delimiter, so no quoted delimiter either: quotes only wrap a value.
    split_plain(text, fields);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      std::string_view& field = fields[i];
      if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
        field = field.substr(1, field.size() - 2);
      }
    }
    return;
  }
  // Joining moves the text, so the record is completed before it is split.
  joined_ = text;
  bool open = false;
  std::size_t scanned = 0;
  bool field_start = true;
  for (;;) {
    for (; scanned < joined_.size(); ++scanned) {
      const char c = joined_[scanned];
      if (open) {
        // A doubled quote closes and opens again.
        if (c == '"') open = false;
      } else if (c == '"' && (field_start || joined_[scanned - 1] == '"')) {
        open = true;
      }
      field_start = !open && (c == *delimiter_ || (field_start && (c == ' ' || c == '\t')));
    }
    if (!open) break;
    std::string_view more;
    if (joined_.size() > kMaxItemBytes || !lines_.next(more)) open_quote();
    joined_ += '\n';
    joined_ += more;
  }
  std::string_view rest = joined_;
  for (;;) {
    std::size_t start = 0;
    while (start < rest.size() && rest[start] != *delimiter_ &&
           (rest[start] == ' ' || rest[start] == '\t')) {
      ++start;
    }
    std::size_t end = 0;
    if (start < rest.size() && rest[start] == '"') {
      std::string value;
      std::size_t at = start + 1;
      while (at < rest.size() && (rest[at] != '"' || rest.substr(at + 1).starts_with('"'))) {
        value += rest[at];
        at += rest[at] == '"' ? 2 : 1;
      }
      end = std::min(rest.find(*delimiter_, std::min(at + 1, rest.size())), rest.size());
      value += trim(rest.substr(std::min(at + 1, end), end - std::min(at + 1, end)));
      unquoted_.push_back(std::move(value));
      push(fields, trim(unquoted_.back()));
      quoted_.resize(fields.size());
      quoted_.back() = true;
    } else {
      end = std::min(rest.find(*delimiter_), rest.size());
      push(fields, trim(rest.substr(0, end)));
    }
    if (end == rest.size()) return;
    rest.remove_prefix(end + 1);
  }
}

bool is_header(const Fields& fields) {
  bool number = false;
  bool name = false;
  for (const std::string_view field : fields) {
    if (is_length_name(field)) return true;
    number = number || looks_like_number(field);
    name = name || (!looks_like_number(field) && !is_missing_value(field));
  }
  return name && !number;
}

// `024` behind an unquoted comma or space: most likely the end of 1,024.
bool is_torn_number(const Records& records, const Fields& fields, std::size_t field) {
  const std::string_view text = fields[field];
  return (records.delimiter() == ',' || records.delimiter() == ' ') && field > 0 &&
         text.size() == 3 && text[0] == '0' && looks_like_number(fields[field - 1]) &&
         !records.was_quoted(field);
}

std::string torn_text(const Records& records, const Fields& fields, std::size_t field) {
  return fmt::format("\"{}{}{}\"", printable(fields[field - 1]), records.delimiter(),
                     printable(fields[field]));
}

std::string_view format_name(char delimiter) {
  return delimiter == '\t' ? "TSV" : delimiter == ' ' ? "text" : "CSV";
}

std::vector<std::string> notes_of(const Records& records) {
  std::vector<std::string> notes;
  if (records.comment_lines() + records.blank_lines() > 0) {
    notes.push_back(fmt::format("skipped {} and {}",
                                counted(records.comment_lines(), "comment line", "comment lines"),
                                counted(records.blank_lines(), "blank line", "blank lines")));
  }
  return notes;
}

// Every number of every line is a length.
Dataset read_numbers(Input& input, const ReadOptions& options, Records& records, Fields& fields) {
  ColumnTable table;
  table.names = {""};
  table.has_names = false;
  RowBuilder rows(input.path(), "line", options, std::move(table), Selection{});
  std::int64_t lines_with_several = 0;
  do {
    lines_with_several += fields.size() > 1 ? 1 : 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (is_torn_number(records, fields, i)) {
        rows.add_fault(Fault::thousands, records.line(), torn_text(records, fields, i));
      } else {
        rows.add(records.line(), std::span(fields).subspan(i, 1));
      }
    }
  } while (records.next(fields));
  std::vector<std::string> notes = notes_of(records);
  if (lines_with_several > 0) {
    notes.push_back(fmt::format("{} several numbers; each is a length",
                                counted(lines_with_several, "line holds", "lines hold")));
  }
  return rows.finish(input.is_gzip() ? "gzip text" : "text", std::move(notes));
}

}  // namespace

Dataset read_delimited(Input& input, const ReadOptions& options) {
  Records records(input);
  Fields fields;
  if (!records.next(fields)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} holds no lengths ({} and {})", input.path(),
                            counted(records.comment_lines(), "comment line", "comment lines"),
                            counted(records.blank_lines(), "blank line", "blank lines")));
  }
  const bool header = is_header(fields);
  if (!header && records.delimiter() == ' ' && !options.column) {
    return read_numbers(input, options, records, fields);
  }

  ColumnTable table;
  table.has_names = header;
  table.samples.assign(fields.begin(), fields.end());
  table.names.resize(fields.size());
  if (header) table.names = table.samples;
  const Selection selection = select_columns(input.path(), table, options.column);
  RowBuilder rows(input.path(), "line", options, std::move(table), selection);

  const std::size_t columns = fields.size();
  bool more = !header || records.next(fields);
  for (; more; more = records.next(fields)) {
    if (fields.size() != columns) {
      rows.add_fault(
          Fault::ragged, records.line(),
          fmt::format("{}, expected {}",
                      counted(static_cast<std::int64_t>(fields.size()), "field", "fields"),
                      columns));
      continue;
    }
    bool torn = false;
    for (const std::size_t column : selection.columns) {
      if (torn || !is_torn_number(records, fields, column)) continue;
      rows.add_fault(Fault::thousands, records.line(), torn_text(records, fields, column));
      torn = true;
    }
    if (!torn) rows.add(records.line(), fields);
  }
  return rows.finish(
      (input.is_gzip() ? "gzip " : "") + std::string(format_name(records.delimiter())),
      notes_of(records));
}

}  // namespace dcpbench::datasets

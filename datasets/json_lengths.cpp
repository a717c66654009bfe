#include <fmt/format.h>

#include <memory>
#include <optional>
#include <streambuf>

#include "core/error.hpp"
#include "datasets/content.hpp"
#include "datasets/json_record.hpp"
#include "datasets/readers.hpp"
#include "datasets/row_builder.hpp"
#include "datasets/text.hpp"

namespace dcpbench::datasets {

using core::Error;
using core::ErrorKind;

namespace {

constexpr std::string_view kLabels = "labels";

ColumnTable table_of(const JsonRecord& first) {
  ColumnTable table;
  table.noun = "keys";
  if (!first.is_object) {
    table.names = {""};
    table.samples = {first.value.value};
    table.has_names = false;
    return table;
  }
  for (std::size_t i = 0; i < first.member_count; ++i) {
    const JsonMember& member = first.members[i];
    table.names.push_back(member.key);
    const bool other =
        member.kind == JsonMember::Kind::object || member.kind == JsonMember::Kind::boolean;
    table.kinds.push_back(member.kind == JsonMember::Kind::array ? ColumnKind::array
                          : other                                ? ColumnKind::other
                                                                 : ColumnKind::scalar);
  }
  return table;
}

// Records to rows; the first record decides the columns.
class JsonRows {
 public:
  JsonRows(const std::string& path, std::string_view place_word, const ReadOptions& options)
      : path_(path), place_word_(place_word), options_(options) {}

  void add(std::int64_t place, const JsonRecord& record);
  Dataset finish(std::string_view format, std::vector<std::string> notes);

 private:
  void start(const JsonRecord& first);
  bool add_field(std::int64_t place, const JsonRecord& record, std::size_t column);
  bool labels_agree(std::int64_t place, const JsonRecord& record);

  std::string path_;
  std::string place_word_;
  const ReadOptions& options_;
  std::optional<RowBuilder> rows_;
  std::vector<std::size_t> used_;      // columns of the table that a row needs
  std::optional<std::size_t> labels_;  // column of the labels beside a token array
  std::vector<std::string> texts_;     // by column
  std::vector<std::string_view> fields_;
};

void JsonRows::start(const JsonRecord& first) {
  ColumnTable table = table_of(first);
  Selection selection = select_columns(path_, table, options_.column);
  used_ = selection.columns;
  for (const auto column : {selection.weight, selection.loss, selection.check}) {
    if (column) used_.push_back(*column);
  }
  const bool array = selection.kind == Selection::Kind::sum && selection.columns.size() == 1 &&
                     table.kind(selection.columns[0]) == ColumnKind::array;
  for (std::size_t i = 0; array && i < table.names.size(); ++i) {
    if (table.names[i] != kLabels || table.kind(i) != ColumnKind::array) continue;
    labels_ = i;
    if (!selection.loss) {
      selection.loss = i;
      used_.push_back(i);
    }
  }
  texts_.resize(table.names.size());
  fields_.resize(table.names.size());
  rows_.emplace(path_, place_word_, options_, std::move(table), std::move(selection));
}

// The text of a member, as RowBuilder reads it.
bool JsonRows::add_field(std::int64_t place, const JsonRecord& record, std::size_t column) {
  const ColumnTable& table = rows_->table();
  const JsonMember* member = record.find(table.names[column]);
  std::string& text = texts_[column];
  text.clear();
  if (member != nullptr) {
    switch (member->kind) {
      case JsonMember::Kind::number:
        if (table.kind(column) == ColumnKind::array) {
          rows_->add_fault(Fault::not_a_number, place,
                           fmt::format("{} is the number {}, an array in the first row",
                                       printable(member->key), printable(member->value)));
          return false;
        }
        text = member->value;
        break;
      case JsonMember::Kind::null:
        text = "null";
        break;
      case JsonMember::Kind::text:
      case JsonMember::Kind::boolean:
        rows_->add_fault(
            Fault::not_a_number, place,
            fmt::format("{} is {} \"{}\"", printable(member->key),
                        member->kind == JsonMember::Kind::text ? "the text" : "the value",
                        printable(member->value)));
        return false;
      case JsonMember::Kind::array:
        if (table.kind(column) == ColumnKind::array && !member->nested) {
          text = fmt::format_int(member->size - (labels_ == column ? member->masked : 0)).str();
          break;
        }
        [[fallthrough]];
      case JsonMember::Kind::object:
        rows_->add_fault(Fault::not_a_number, place,
                         fmt::format("{} is {}", printable(member->key),
                                     member->nested ? "an array of arrays or objects"
                                     : member->kind == JsonMember::Kind::array ? "an array"
                                                                               : "an object"));
        return false;
    }
  }
  fields_[column] = text;
  return true;
}

// Labels stand for the same tokens as the array whose size is the length, and for loss_tokens.
bool JsonRows::labels_agree(std::int64_t place, const JsonRecord& record) {
  const Selection& selection = rows_->selection();
  const std::string& array_name = rows_->table().names[selection.columns[0]];
  const JsonMember* labels = record.find(kLabels);
  const JsonMember* tokens = record.find(array_name);
  if (labels == nullptr || tokens == nullptr || labels->kind != JsonMember::Kind::array)
    return true;
  if (labels->size != tokens->size) {
    rows_->add_fault(Fault::disagrees, place,
                     fmt::format("labels has {} but {} has {}", labels->size, printable(array_name),
                                 tokens->size));
    return false;
  }
  const std::int64_t unmasked = labels->size - labels->masked;
  if (*selection.loss == *labels_) return true;
  const LengthText loss = parse_length(fields_[*selection.loss]);
  if (!loss.fault && loss.value != unmasked) {
    rows_->add_fault(
        Fault::disagrees, place,
        fmt::format("loss_tokens {} but labels has {} that are not -100", loss.value, unmasked));
    return false;
  }
  return true;
}

void JsonRows::add(std::int64_t place, const JsonRecord& record) {
  if (!rows_) {
    if (!record.repeated_key.empty()) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} {}: the key \"{}\" stands twice", path_, place_word_, place,
                              printable(record.repeated_key)));
    }
    start(record);
  }
  if (record.is_object != rows_->table().has_names) {
    rows_->add_fault(Fault::not_a_number, place,
                     record.is_object ? "an object among numbers" : "no object, as the first is");
    return;
  }
  if (!record.is_object) {
    const JsonMember& value = record.value;
    if (value.kind != JsonMember::Kind::number && value.kind != JsonMember::Kind::null) {
      rows_->add_fault(Fault::not_a_number, place,
                       value.kind == JsonMember::Kind::array
                           ? "an array; for token ids write objects with the key input_ids"
                           : fmt::format("\"{}\"", printable(value.value)));
      return;
    }
    fields_[0] = value.kind == JsonMember::Kind::null ? "null" : std::string_view(value.value);
    rows_->add(place, fields_);
    return;
  }
  if (!record.repeated_key.empty()) {
    rows_->add_fault(Fault::disagrees, place,
                     fmt::format("the key \"{}\" stands twice", printable(record.repeated_key)));
    return;
  }
  for (const std::size_t column : used_) {
    if (!add_field(place, record, column)) return;
  }
  if (labels_ && !labels_agree(place, record)) return;
  rows_->add(place, fields_);
}

Dataset JsonRows::finish(std::string_view format, std::vector<std::string> notes) {
  if (!rows_) {
    throw Error(ErrorKind::usage, fmt::format("{} holds no lengths (an empty array)", path_));
  }
  return rows_->finish(format, std::move(notes));
}

// What is wrong at `text`, which starts where the parse failed.
std::string explain(std::string_view text, const std::string& error) {
  for (const std::string_view word : {"NaN", "Infinity"}) {
    if (text.starts_with(word)) {
      return fmt::format(
          "{} is not JSON (Python's json.dumps writes it); write null or leave the row out", word);
    }
  }
  return printable(error, 160);
}

// The content as a stream, for nlohmann.
class InputBuffer : public std::streambuf {
 public:
  explicit InputBuffer(Input& input) : input_(input) { show(input_.window()); }

  // Called at every JSON token: a token may not grow without end.
  void token_done() { token_start_ = position(); }
  // Content offset of the next byte.
  [[nodiscard]] std::int64_t position() const { return input_.offset() + (gptr() - eback()); }
  // Text from content offset `at`, as far as it is in memory.
  [[nodiscard]] std::string_view text_at(std::int64_t at) {
    if (at < input_.offset()) return {};
    const auto skip = static_cast<std::size_t>(at - input_.offset());
    return input_.peek(skip + 16).substr(std::min(skip, input_.window().size()));
  }

 protected:
  int_type underflow() override {
    input_.consume(static_cast<std::size_t>(egptr() - eback()));
    if (input_.offset() - token_start_ > static_cast<std::int64_t>(kMaxItemBytes)) {
      throw Error(ErrorKind::usage, fmt::format("{}: byte offset {}: a value longer than {} bytes",
                                                input_.path(), token_start_, kMaxItemBytes));
    }
    if (input_.window().empty() && !input_.extend()) return traits_type::eof();
    show(input_.window());
    return traits_type::to_int_type(*gptr());
  }

 private:
  void show(std::string_view window) {
    // A get area is never written through.
    char* begin = const_cast<char*>(window.data());
    setg(begin, begin, begin + window.size());
  }

  Input& input_;
  std::int64_t token_start_ = 0;
};

}  // namespace

Dataset read_json_array(Input& input, const ReadOptions& options) {
  if (input.window().starts_with(kUtf8ByteOrderMark)) input.consume(kUtf8ByteOrderMark.size());
  const std::int64_t start = input.offset();
  JsonRows rows(input.path(), "element", options);
  InputBuffer buffer(input);
  std::int64_t element = 0;
  JsonRecordHandler handler(
      1, [&](const JsonRecord& record) { rows.add(++element, record); },
      [&] { buffer.token_done(); });
  std::istream stream(&buffer);
  if (!nlohmann::json::sax_parse(stream, &handler)) {
    // Without a position the handler itself stopped, at what was read last.
    const std::int64_t offset =
        handler.error_position() == 0
            ? buffer.position()
            : start + static_cast<std::int64_t>(handler.error_position()) - 1;
    throw Error(ErrorKind::usage,
                fmt::format("{}: not a JSON array: byte offset {} (element {}): {}", input.path(),
                            offset, element + 1, explain(buffer.text_at(offset), handler.error())));
  }
  return rows.finish(input.is_gzip() ? "gzip JSON array" : "JSON array", {});
}

Dataset read_json_lines(Input& input, const ReadOptions& options) {
  LineReader lines(input);
  JsonRows rows(input.path(), "line", options);
  JsonRecordHandler handler(0, [&](const JsonRecord& record) { rows.add(lines.number(), record); });
  std::int64_t blank = 0;
  std::string_view line;
  while (lines.next(line)) {
    if (lines.number() == 1 && line.starts_with(kUtf8ByteOrderMark)) {
      line.remove_prefix(kUtf8ByteOrderMark.size());
    }
    if (trim(line).empty()) {
      ++blank;
      continue;
    }
    handler.reset();
    if (nlohmann::json::sax_parse(line, &handler)) continue;
    const std::size_t at =
        std::min(handler.error_position() > 0 ? handler.error_position() - 1 : 0, line.size());
    const std::size_t around = at > 20 ? at - 20 : 0;
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: line {} is not one JSON object: byte {} of the line, near \"{}\": {}{}",
                    input.path(), lines.number(), at + 1, printable(line.substr(around, 40)),
                    explain(line.substr(at), handler.error()),
                    lines.terminated() ? ""
                                       : "; it is the last line and has no line end: the file may "
                                         "be cut short"));
  }
  std::vector<std::string> notes;
  if (blank > 0) notes.push_back("skipped " + counted(blank, "blank line", "blank lines"));
  return rows.finish(input.is_gzip() ? "gzip JSONL" : "JSONL", std::move(notes));
}

}  // namespace dcpbench::datasets

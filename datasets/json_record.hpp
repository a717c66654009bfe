// One row of JSON data: a number, or an object of which only the top-level members are kept, and of
// arrays only the size. Built from SAX events, so a row of a million tokens needs no memory of its
// own.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dcpbench::datasets {

struct JsonMember {
  enum class Kind { number, null, text, boolean, array, object };
  std::string key;
  Kind kind = Kind::null;
  std::string value;        // number and text as written; else empty
  std::int64_t size = 0;    // array: its elements
  std::int64_t masked = 0;  // array: elements that are -100 (not in the loss)
  bool nested = false;      // array: holds arrays or objects
};

struct JsonRecord {
  // The row itself, when it isn't an object.
  JsonMember value;
  bool is_object = false;
  std::vector<JsonMember> members;
  std::size_t member_count = 0;  // the rest of `members` is kept for reuse
  std::string repeated_key;      // a key that stands twice

  [[nodiscard]] const JsonMember* find(std::string_view key) const;
};

// Deeper nesting, or more members, ends the parse with an error.
inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonMembers = 4096;

// Has the functions that nlohmann::json::sax_parse calls, and so needs none of its headers. Records
// stand at `record_depth`: 0 for a JSON text that is one record, 1 for an array of them. Calls
// on_event before anything else and on_record after each record.
class JsonRecordHandler {
 public:
  JsonRecordHandler(int record_depth, std::function<void(const JsonRecord&)> on_record,
                    std::function<void()> on_event = {})
      : record_depth_(record_depth),
        on_record_(std::move(on_record)),
        on_event_(std::move(on_event)) {}

  // Forgets a text that failed.
  void reset() { depth_ = 0; }
  // Of the parse error: bytes read before it, and what is wrong.
  [[nodiscard]] std::size_t error_position() const { return error_position_; }
  [[nodiscard]] const std::string& error() const { return error_; }

  bool null();
  bool boolean(bool value);
  bool number_integer(std::int64_t value);
  bool number_unsigned(std::uint64_t value);
  bool number_float(double value, const std::string& written);
  bool string(std::string& value);
  template <class Bytes>
  bool binary(Bytes& /*value*/) {
    return fail("binary data");  // not in JSON text
  }
  bool start_object(std::size_t elements);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t elements);
  bool end_array();
  bool parse_error(std::size_t position, const std::string& last_token,
                   const std::exception& error);

 private:
  bool scalar(JsonMember::Kind kind, std::string_view value);
  bool open(JsonMember::Kind kind);
  bool close();
  bool fail(std::string why);
  void begin_event() const {
    if (on_event_) on_event_();
  }

  int record_depth_;
  std::function<void(const JsonRecord&)> on_record_;
  std::function<void()> on_event_;
  int depth_ = 0;  // of open arrays and objects
  JsonRecord record_;
  std::size_t error_position_ = 0;
  std::string error_;
};

}  // namespace dcpbench::datasets

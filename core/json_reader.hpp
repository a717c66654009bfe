// Strict reading of a JsonDocument: every key is asked for by name, every value has a type and a
// range, and all mistakes are collected before anything is thrown. Functions that read return a
// harmless value in range after a mistake, so reading goes on; nothing read may be used before
// JsonMistakes::throw_if_any().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/json_document.hpp"
#include "core/unit_text.hpp"

namespace dcpbench::core {

// Mistakes as "<origin>:<line>: <key path>: <problem>", at most kMaxShown of them.
class JsonMistakes {
 public:
  static constexpr std::size_t kMaxShown = 50;

  // Duplicate keys of the document are the first mistakes.
  explicit JsonMistakes(const JsonDocument& document);
  void add(const JsonValue& where, std::string_view problem);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  // To skip checks between values of which one was already a mistake.
  [[nodiscard]] std::size_t count() const { return count_; }
  void throw_if_any() const;

 private:
  Mistakes mistakes_;
  std::size_t count_ = 0;
};

// Both ends allowed, except that an open lower end is not.
struct Range {
  double low = 0;
  double high = 0;
  bool above_low = false;
};

std::int64_t read_integer(const JsonValue& value, std::int64_t low, std::int64_t high,
                          JsonMistakes& mistakes);
double read_number(const JsonValue& value, Range range, JsonMistakes& mistakes);
bool read_boolean(const JsonValue& value, JsonMistakes& mistakes);
// Not empty, no control characters.
std::string read_text(const JsonValue& value, JsonMistakes& mistakes);
// Text with a unit; the range is in base units (unit_text.hpp).
double read_quantity(const JsonValue& value, Dimension dimension, Range range,
                     JsonMistakes& mistakes);
// Whether `value` is an array of at least `least` elements; a mistake if not.
bool is_array(const JsonValue& value, std::size_t least, JsonMistakes& mistakes);

inline constexpr std::size_t kMaxNameLength = 128;

// The members of one object. Ask for every key that may be there, then finish().
class ObjectReader {
 public:
  // A mistake if `value` is not an object; then nothing else about it is reported.
  ObjectReader(const JsonValue& value, JsonMistakes& mistakes);

  [[nodiscard]] bool is_object() const { return is_object_; }
  // Absent is a mistake.
  std::optional<JsonValue> required(std::string_view key);
  std::optional<JsonValue> optional(std::string_view key);
  // Present is a mistake, for the reason given.
  void refuse(std::string_view key, std::string_view reason);

  // Required members by type.
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  bool boolean(std::string_view key);
  std::string text(std::string_view key);
  // Text of at most kMaxNameLength characters that a terminal can show.
  std::string name(std::string_view key);
  // The index of the member's text in `names`.
  std::size_t one_of(std::string_view key, std::span<const std::string_view> names);

  // Reports every member that was never asked for.
  void finish();

 private:
  std::optional<JsonValue> find(std::string_view key);

  static constexpr std::size_t kMaxKeys = 32;
  JsonValue object_;
  JsonMistakes& mistakes_;
  bool is_object_;
  JsonValue::Iterator resume_;
  std::array<std::string_view, kMaxKeys> known_{};
  std::size_t known_count_ = 0;
  std::size_t found_count_ = 0;
};

}  // namespace dcpbench::core

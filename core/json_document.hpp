// A parsed JSON text that remembers where everything stood: line numbers, duplicate keys and the
// path of every value, so that a mistake can be named exactly. One flat array of 32-byte nodes; the
// text may be hostile (depth and number of values are limited). nlohmann/json does the lexing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dcpbench::core {

enum class JsonKind : std::uint8_t { null, boolean, integer, number, string, array, object };

// "a number", "an object", ... for messages.
std::string_view describe(JsonKind kind);

class JsonValue;

class JsonDocument {
 public:
  static constexpr std::size_t kMaxDepth = 16;
  static constexpr std::size_t kFreeValues = 1'000'000;

  // Throws Error(usage) when `text` is not one JSON value, is nested deeper than kMaxDepth or has
  // more than kFreeValues + bytes / 4 values (a plan of distinct ids never comes near); names
  // `origin`, the line and the byte offset.
  JsonDocument(std::string_view text, std::string_view origin);
  JsonDocument(const JsonDocument&) = delete;  // values point into it
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument() = default;

  [[nodiscard]] JsonValue root() const;
  [[nodiscard]] const std::string& origin() const { return origin_; }
  // Members whose key an earlier member of the same object has.
  [[nodiscard]] std::vector<JsonValue> duplicates() const;

 private:
  friend class JsonValue;
  friend class JsonBuilder;

  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct TextRange {
    std::uint32_t first;
    std::uint32_t count;
  };
  struct Node {
    JsonKind kind = JsonKind::null;
    std::uint32_t line = 0;
    std::uint32_t key = kNone;  // index into keys_; kNone in arrays and at the root
    std::uint32_t parent = kNone;
    std::uint32_t next = kNone;   // sibling
    std::uint32_t first = kNone;  // child
    union {
      std::int64_t integer = 0;  // also boolean; arrays and objects: number of children
      double number;
      TextRange text;  // range of texts_
    };
  };

  std::string origin_;
  std::vector<Node> nodes_;
  std::vector<std::string> keys_;
  std::string texts_;
  std::vector<std::uint32_t> duplicates_;
};

// A value of a document; cheap to copy, valid as long as the document.
class JsonValue {
 public:
  [[nodiscard]] JsonKind kind() const { return node().kind; }
  [[nodiscard]] bool is(JsonKind kind) const { return node().kind == kind; }
  [[nodiscard]] std::uint32_t line() const { return node().line; }

  // Each only for its kind; number() also takes integers.
  [[nodiscard]] bool boolean() const { return node().integer != 0; }
  [[nodiscard]] std::int64_t integer() const { return node().integer; }
  [[nodiscard]] double number() const {
    return is(JsonKind::integer) ? static_cast<double>(node().integer) : node().number;
  }
  [[nodiscard]] std::string_view text() const {
    return std::string_view(document_->texts_).substr(node().text.first, node().text.count);
  }
  // Children of an array or object, else 0.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string_view key() const;  // of a member; else empty

  // "device.memory", "steps[3].micro_batches[0]"; the root's is empty.
  [[nodiscard]] std::string path() const;
  // The value as short text: 12, "80", null, an array.
  [[nodiscard]] std::string shown() const;
  [[nodiscard]] const std::string& origin() const { return document_->origin(); }

  class Iterator {
   public:
    Iterator(const JsonDocument* document, std::uint32_t index)
        : document_(document), index_(index) {}
    JsonValue operator*() const { return {document_, index_}; }
    Iterator& operator++() {
      index_ = document_->nodes_[index_].next;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const JsonDocument* document_;
    std::uint32_t index_;
  };
  [[nodiscard]] Iterator begin() const { return {document_, node().first}; }
  [[nodiscard]] Iterator end() const { return {document_, JsonDocument::kNone}; }

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, std::uint32_t index)
      : document_(document), index_(index) {}
  [[nodiscard]] const JsonDocument::Node& node() const { return document_->nodes_[index_]; }

  const JsonDocument* document_;
  std::uint32_t index_;
};

}  // namespace dcpbench::core

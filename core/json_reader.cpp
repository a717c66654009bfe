#include "core/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/did_you_mean.hpp"
#include "core/text.hpp"

namespace dcpbench::core {

namespace {

std::string range_text(const Range& range) {
  return range.above_low ? fmt::format("above {} and at most {}", range.low, range.high)
                         : fmt::format("from {} to {}", range.low, range.high);
}

bool in_range(double value, const Range& range) {
  return (range.above_low ? value > range.low : value >= range.low) && value <= range.high;
}

void add_wrong_type(const JsonValue& value, std::string_view expected, JsonMistakes& mistakes) {
  if (value.is(JsonKind::null)) {
    mistakes.add(value, fmt::format("null is not a value; expected {}", expected));
  } else {
    mistakes.add(value, fmt::format("expected {}, found {}", expected, value.shown()));
  }
}

}  // namespace

JsonMistakes::JsonMistakes(const JsonDocument& document) {
  for (const JsonValue& member : document.duplicates()) {
    add(member, fmt::format("duplicate key \"{}\"; keep one of them", member.key()));
  }
}

void JsonMistakes::add(const JsonValue& where, std::string_view problem) {
  ++count_;
  if (count_ > kMaxShown) {
    if (count_ == kMaxShown + 1) {
      mistakes_.add(fmt::format("{}: and more; only the first {} mistakes are listed",
                                where.origin(), kMaxShown));
    }
    return;
  }
  const std::string path = where.path();
  mistakes_.add(fmt::format("{}:{}: {}{}{}", where.origin(), where.line(), path,
                            path.empty() ? "" : ": ", problem));
}

void JsonMistakes::throw_if_any() const { mistakes_.throw_if_any(ErrorKind::usage); }

std::int64_t read_integer(const JsonValue& value, std::int64_t low, std::int64_t high,
                          JsonMistakes& mistakes) {
  if (!value.is(JsonKind::integer)) {
    add_wrong_type(value, "a whole number", mistakes);
  } else if (value.integer() < low || value.integer() > high) {
    mistakes.add(value,
                 fmt::format("{} is out of range; allowed: {} to {}", value.integer(), low, high));
  } else {
    return value.integer();
  }
  return low;
}

double read_number(const JsonValue& value, Range range, JsonMistakes& mistakes) {
  if (!value.is(JsonKind::integer) && !value.is(JsonKind::number)) {
    add_wrong_type(value, "a number", mistakes);
  } else if (!in_range(value.number(), range)) {
    mistakes.add(value,
                 fmt::format("{} is out of range; allowed: {}", value.shown(), range_text(range)));
  } else {
    return value.number();
  }
  return range.high;
}

bool read_boolean(const JsonValue& value, JsonMistakes& mistakes) {
  if (value.is(JsonKind::boolean)) return value.boolean();
  add_wrong_type(value, "true or false", mistakes);
  return false;
}

std::string read_text(const JsonValue& value, JsonMistakes& mistakes) {
  if (!value.is(JsonKind::string)) {
    add_wrong_type(value, "text", mistakes);
    return {};
  }
  const std::string_view text = value.text();
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty()) mistakes.add(value, "the text is empty");
  if (std::any_of(text.begin(), text.end(), is_control)) {
    mistakes.add(value, "the text has control characters");
    return {};
  }
  return std::string(text);
}

double read_quantity(const JsonValue& value, Dimension dimension, Range range,
                     JsonMistakes& mistakes) {
  if (!value.is(JsonKind::string)) {
    const bool is_number = value.is(JsonKind::integer) || value.is(JsonKind::number);
    add_wrong_type(
        value,
        fmt::format(
            "text with a unit, such as {}{}", example_of(dimension),
            is_number ? fmt::format(" (accepted units: {})", accepted_units(dimension)) : ""),
        mistakes);
    return range.high;
  }
  const auto quantity = parse_quantity(value.text(), dimension);
  if (!quantity) {
    mistakes.add(value, quantity.error());
  } else if (!in_range(*quantity, range)) {
    mistakes.add(value, fmt::format("{} is out of range; allowed: {} {}", value.shown(),
                                    range_text(range), base_unit(dimension)));
  } else {
    return *quantity;
  }
  return range.high;
}

bool is_array(const JsonValue& value, std::size_t least, JsonMistakes& mistakes) {
  if (!value.is(JsonKind::array)) {
    add_wrong_type(value, "an array", mistakes);
    return false;
  }
  if (value.size() < least) {
    mistakes.add(value, fmt::format("has {} elements, needs at least {}", value.size(), least));
    return false;
  }
  return true;
}

ObjectReader::ObjectReader(const JsonValue& value, JsonMistakes& mistakes)
    : object_(value),
      mistakes_(mistakes),
      is_object_(value.is(JsonKind::object)),
      resume_(value.begin()) {
  if (!is_object_) add_wrong_type(value, "an object", mistakes);
}

std::optional<JsonValue> ObjectReader::find(std::string_view key) {
  if (known_count_ == kMaxKeys) throw std::logic_error("ObjectReader: too many keys");
  known_[known_count_++] = key;
  if (!is_object_) return std::nullopt;
  // Files are mostly written in the order in which they are read: start behind the last hit.
  for (auto member = resume_; member != object_.end(); ++member) {
    if ((*member).key() == key) {
      const JsonValue found = *member;
      resume_ = ++member;
      ++found_count_;
      return found;
    }
  }
  for (auto member = object_.begin(); member != resume_; ++member) {
    if ((*member).key() == key) {
      ++found_count_;
      return *member;
    }
  }
  return std::nullopt;
}

std::optional<JsonValue> ObjectReader::required(std::string_view key) {
  const auto found = find(key);
  if (!found && is_object_) {
    mistakes_.add(object_, fmt::format("missing key \"{}\"", key));
  }
  return found;
}

std::optional<JsonValue> ObjectReader::optional(std::string_view key) { return find(key); }

void ObjectReader::refuse(std::string_view key, std::string_view reason) {
  if (const auto found = find(key)) mistakes_.add(*found, fmt::format("not allowed: {}", reason));
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const auto value = required(key);
  return value ? read_integer(*value, low, high, mistakes_) : low;
}

bool ObjectReader::boolean(std::string_view key) {
  const auto value = required(key);
  return value && read_boolean(*value, mistakes_);
}

std::string ObjectReader::text(std::string_view key) {
  const auto value = required(key);
  return value ? read_text(*value, mistakes_) : std::string();
}

std::string ObjectReader::name(std::string_view key) {
  const auto value = required(key);
  if (!value) return {};
  std::string text = read_text(*value, mistakes_);
  const auto length = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  if (length > kMaxNameLength) {
    mistakes_.add(*value, fmt::format("a name of {} characters; at most {} are allowed", length,
                                      kMaxNameLength));
  } else if (printable(text, text.size() + 1) != text) {
    mistakes_.add(*value, "the name has control characters");
  }
  return text;
}

std::size_t ObjectReader::one_of(std::string_view key, std::span<const std::string_view> names) {
  const auto value = required(key);
  if (!value) return 0;
  if (value->is(JsonKind::string)) {
    const auto found = std::find(names.begin(), names.end(), value->text());
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  const std::vector<std::string> known(names.begin(), names.end());
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  if (value->is(JsonKind::string)) {
    mistakes_.add(*value, fmt::format("expected one of {}, found {}{}", list, value->shown(),
                                      did_you_mean(value->text(), known)));
  } else {
    add_wrong_type(*value, fmt::format("one of {}", list), mistakes_);
  }
  return 0;
}

void ObjectReader::finish() {
  if (!is_object_ || found_count_ == object_.size()) return;
  const std::vector<std::string> known(known_.begin(),
                                       known_.begin() + static_cast<std::ptrdiff_t>(known_count_));
  for (const JsonValue member : object_) {
    if (std::find(known.begin(), known.end(), member.key()) == known.end()) {
      mistakes_.add(member, fmt::format("unknown key{}", did_you_mean(member.key(), known)));
    }
  }
}

}  // namespace dcpbench::core

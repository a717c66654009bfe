#include "datasets/json_record.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dcpbench::datasets {

namespace {

// Hugging Face: a label that the loss ignores.
constexpr std::string_view kIgnoredLabel = "-100";

}  // namespace

const JsonMember* JsonRecord::find(std::string_view key) const {
  const auto end = members.begin() + static_cast<std::ptrdiff_t>(member_count);
  const auto place = std::find_if(members.begin(), end,
                                  [&](const JsonMember& member) { return member.key == key; });
  return place == end ? nullptr : &*place;
}

bool JsonRecordHandler::fail(std::string why) {
  error_ = std::move(why);
  return false;
}

bool JsonRecordHandler::scalar(JsonMember::Kind kind, std::string_view value) {
  begin_event();
  if (depth_ == record_depth_) {
    record_.is_object = false;
    record_.value.kind = kind;
    record_.value.value = value;
    on_record_(record_);
  } else if (depth_ == record_depth_ + 1 && record_.is_object) {
    JsonMember& member = record_.members[record_.member_count - 1];
    member.kind = kind;
    member.value = value;
  } else if (depth_ == record_depth_ + 2 && record_.is_object) {
    JsonMember& member = record_.members[record_.member_count - 1];
    ++member.size;
    if (kind == JsonMember::Kind::number && value == kIgnoredLabel) ++member.masked;
  }
  return true;
}

bool JsonRecordHandler::open(JsonMember::Kind kind) {
  begin_event();
  if (depth_ == record_depth_) {
    record_.is_object = kind == JsonMember::Kind::object;
    record_.value.kind = kind;
    record_.value.value.clear();
    record_.member_count = 0;
    record_.repeated_key.clear();
  } else if (depth_ == record_depth_ + 1 && record_.is_object) {
    record_.members[record_.member_count - 1].kind = kind;
  } else if (depth_ == record_depth_ + 2 && record_.is_object) {
    JsonMember& member = record_.members[record_.member_count - 1];
    ++member.size;
    member.nested = true;
  }
  if (++depth_ > kMaxJsonDepth) {
    return fail(fmt::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  return true;
}

bool JsonRecordHandler::close() {
  begin_event();
  --depth_;
  if (depth_ == record_depth_) on_record_(record_);
  return true;
}

bool JsonRecordHandler::key(std::string& name) {
  begin_event();
  if (depth_ != record_depth_ + 1) return true;
  if (record_.find(name) != nullptr) record_.repeated_key = name;
  if (record_.member_count == kMaxJsonMembers) {
    return fail(fmt::format("an object with more than {} members", kMaxJsonMembers));
  }
  if (record_.member_count == record_.members.size()) record_.members.emplace_back();
  JsonMember& member = record_.members[record_.member_count++];
  member.key = name;
  member.value.clear();
  member.size = 0;
  member.masked = 0;
  member.nested = false;
  return true;
}

bool JsonRecordHandler::null() { return scalar(JsonMember::Kind::null, ""); }
bool JsonRecordHandler::boolean(bool value) {
  return scalar(JsonMember::Kind::boolean, value ? "true" : "false");
}
bool JsonRecordHandler::number_integer(std::int64_t value) {
  return scalar(JsonMember::Kind::number, fmt::format_int(value).c_str());
}
bool JsonRecordHandler::number_unsigned(std::uint64_t value) {
  return scalar(JsonMember::Kind::number, fmt::format_int(value).c_str());
}
bool JsonRecordHandler::number_float(double /*value*/, const std::string& written) {
  return scalar(JsonMember::Kind::number, written);
}
bool JsonRecordHandler::string(std::string& value) { return scalar(JsonMember::Kind::text, value); }
bool JsonRecordHandler::start_object(std::size_t /*elements*/) {
  return open(JsonMember::Kind::object);
}
bool JsonRecordHandler::end_object() { return close(); }
bool JsonRecordHandler::start_array(std::size_t /*elements*/) {
  return open(JsonMember::Kind::array);
}
bool JsonRecordHandler::end_array() { return close(); }

bool JsonRecordHandler::parse_error(std::size_t position, const std::string& /*last_token*/,
                                    const std::exception& error) {
  error_position_ = position;
  // "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error ...": the place
  // is told by the reader, which knows it within the file.
  std::string_view what = error.what();
  // "[json.exception.out_of_range.406] number overflow parsing ..."
  if (what.find("out_of_range") != what.npos) {
    return fail("a number is out of range (beyond 1.8e308)");
  }
  const std::size_t place = what.find(": ");
  if (place != what.npos) what.remove_prefix(place + 2);
  return fail(std::string(what));
}

}  // namespace dcpbench::datasets

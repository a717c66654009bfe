// Small helpers for text that comes from a user's file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace dcpbench::datasets {

using core::printable;

// Without leading and trailing spaces and tabs.
std::string_view trim(std::string_view text);

// ASCII only; other bytes stay.
std::string lower(std::string_view text);

// Offset of the first byte that isn't valid UTF-8, else npos.
std::size_t find_invalid_utf8(std::string_view text);

// Adds `item` to a list in words.
void append(std::string& list, std::string_view item, std::string_view separator = ", ");

// `1 row`, `2 rows`.
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural);

}  // namespace dcpbench::datasets

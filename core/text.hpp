// Text that may come from a stranger's file or command line, made harmless to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dcpbench::core {

// Bytes of the UTF-8 character that starts at `at`; 0 if there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at);

// `text` on one line and as valid UTF-8: control characters and bytes that aren't UTF-8 become
// \xNN, and what is longer than `max_bytes` is cut with "...".
std::string printable(std::string_view text, std::size_t max_bytes = 60);

// The same for text of several lines, whole: line ends stay.
std::string printable_lines(std::string_view text);

}  // namespace dcpbench::core

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dcpbench::core {

// ` (did you mean "gpus_per_node"?)` for the closest of `known` (edit distance at most a third of
// the length, at least 1), else an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace dcpbench::core

// What makes lengths suspect as a workload.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/sequence.hpp"

namespace dcpbench::datasets {

// `50% of the lengths equal the maximum 2048: ...`: over a fifth of the sequences (and at least 5)
// are as long as the longest, while others are shorter.
std::optional<std::string> truncation_warning(std::span<const core::Sequence> sequences);

// `1 of 500 sequences (row 499, 131072 tokens) is 51% of the tokens`: one of several sequences has
// more than half of all tokens. Rows count from 0.
std::optional<std::string> giant_warning(std::span<const core::Sequence> sequences);

}  // namespace dcpbench::datasets

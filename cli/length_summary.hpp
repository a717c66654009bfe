// The text of `dcpbench dataset show`: quantiles and a histogram of the lengths of a workload.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/sequence.hpp"

namespace dcpbench::cli {

// Quantiles by nearest rank, so that every number is a length that occurs; the histogram has bins
// from one power of two to the next, with the share of the sequences and of the tokens in each.
std::string format_lengths(const core::Workload& workload);

// How often each shape occurs.
std::map<core::Shape, std::uint64_t> count_shapes(const std::vector<core::Sequence>& sequences);

}  // namespace dcpbench::cli

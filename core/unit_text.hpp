// Quantities as text with a unit: "450 GB/s", "400 Gb/s", "80 GiB", "5 us". kB, MB, GB, TB are
// powers of 1000, KiB ... TiB of 1024, a lower-case b is a bit. Case matters.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/units.hpp"

namespace dcpbench::core {

// The base unit of each is in its name; nanoseconds are for constants that are costs, which must be
// exact ("24576 ns" is 24576).
enum class Dimension { bytes, bytes_per_second, flops_per_second, seconds, nanoseconds, watts };

// The value in base units: finite, the number rounded once more at most (times or over an exact
// power). The error says what is wrong and lists the accepted units.
tl::expected<double, std::string> parse_quantity(std::string_view text, Dimension dimension);

std::string accepted_units(Dimension dimension);   // "B, kB, MB, ..."
std::string_view base_unit(Dimension dimension);   // "B/s"
std::string_view example_of(Dimension dimension);  // "\"450 GB/s\""

// "50 GB/s (400 Gb/s)": the two ways in which link speeds are given, which are mixed up too often.
std::string bandwidth_text(BytesPerSecond bandwidth);

}  // namespace dcpbench::core

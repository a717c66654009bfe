// Writing and reading reports.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.hpp"

namespace dcpbench::report {

// schema_version 1; NaN and infinity never appear (null). Keys: README, "The report".
std::string to_json(const Report& report);

// The parts that compare and later readers need (no timeline). Strict about schema_version and the
// keys it needs; throws Error(usage) naming `origin` and every wrong key. Safe on any input: at
// most 64 MiB, 16 levels, 1,000,000 values and 256 keys per object.
Report from_json(std::string_view text, std::string_view origin);

// Written to a temporary file in the same folder, fsynced and renamed. Throws Error(io) with the
// reason; on failure the old file is untouched and the temporary file removed. A symbolic link to a
// file is followed; a device or a pipe (/dev/stdout) is written directly.
void write_file_atomically(const std::string& path, std::string_view content);

// The same record as HDF5 (oldest compatible format), one group per result, attributes with units,
// plus the per-step and per-rank arrays. Atomic like the above.
void write_hdf5(const Report& report, const std::string& path);

// The terminal table: `#`-prefixed context lines, one line per result with fixed columns, footer.
std::string format_table(const Report& report);
std::string format_recommendations(const Report& report);

// Compares two or more reports: per (model, dataset, strategy) the ratio of each to the first, with
// the spread over steps, and where the difference sits. `differences` lists why they should not be
// compared (workload, accounting, gpus, dropped sequences); the caller refuses unless forced.
struct Comparison {
  std::vector<std::string> differences;
  std::string table;
  std::string json;
};
Comparison compare(const std::vector<Report>& reports, const std::vector<std::string>& names);

}  // namespace dcpbench::report

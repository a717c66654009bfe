// Messages on standard error, through spdlog: warnings by default, none with -q, more with -v.
#pragma once

#include <string>

#include "cli/arguments.hpp"

namespace dcpbench::cli {

void set_verbosity(const Arguments& arguments);
[[nodiscard]] bool is_quiet();

void warn(const std::string& message);
void note(const std::string& message);  // -v

}  // namespace dcpbench::cli

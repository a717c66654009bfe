#include "cli/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "core/text.hpp"

namespace dcpbench::cli {

void set_verbosity(const Arguments& arguments) {
  const bool quiet = arguments.flag("--quiet");
  const bool verbose = arguments.flag("--verbose");
  if (quiet && verbose) arguments.problems().add("-q contradicts -v");
  if (spdlog::get("dcpbench") == nullptr) {
    spdlog::set_default_logger(spdlog::stderr_color_mt("dcpbench"));
  }
  spdlog::set_pattern("%^%l%$: %v");
  spdlog::set_level(quiet     ? spdlog::level::err
                    : verbose ? spdlog::level::info
                              : spdlog::level::warn);
}

bool is_quiet() { return !spdlog::should_log(spdlog::level::warn); }

void warn(const std::string& message) { spdlog::warn("{}", core::printable_lines(message)); }
void note(const std::string& message) { spdlog::info("{}", core::printable_lines(message)); }

}  // namespace dcpbench::cli

// Input files of the shared cases, which are not part of the repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace dcpbench::report {

// The text of cases/<name> below $DCPBENCH_SHARED, else below the folder known at build time;
// nothing when absent.
inline std::optional<std::string> shared_case(const std::string& name) {
  const char* folder = std::getenv("DCPBENCH_SHARED");
  std::ifstream file(std::filesystem::path(folder == nullptr ? DCPBENCH_SHARED_DEFAULT : folder) /
                     "cases" / name);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace dcpbench::report

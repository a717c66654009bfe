// Runs the dcpbench program as a user would and keeps what it printed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dcpbench::tests {

struct Outcome {
  int exit_code = -1;  // 128 + signal if a signal ended it
  std::string out;     // standard output
  std::string err;     // standard error

  // Both with their names, for failure messages.
  [[nodiscard]] std::string all() const;
};

// The standard output goes to the file `stdout_path` instead if it is given.
Outcome dcpbench(const std::vector<std::string>& words, const std::string& stdout_path = {});

// The same with at most so many bytes of address space.
Outcome dcpbench_within(std::size_t bytes, const std::vector<std::string>& words);

// Starts the program, waits until `is_time` (or the program ends), sends it the signal and waits
// for the end.
Outcome signal_dcpbench(const std::vector<std::string>& words, int signal,
                        const std::function<bool()>& is_time);
// SIGINT as soon as the file `path` exists.
Outcome interrupt_dcpbench(const std::vector<std::string>& words, const std::string& path);

std::string read_file(const std::filesystem::path& path);
std::vector<std::string> lines_of(const std::string& text);

// An empty folder that is removed at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (root_ / name).string(); }
  // Writes `text` into the file `name` and returns its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path root_;
};

}  // namespace dcpbench::tests

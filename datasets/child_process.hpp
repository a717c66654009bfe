// Runs a parser that may crash or loop on a damaged file (a C library that isn't ours) in a child
// process, and receives what it found through a pipe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dcpbench::datasets {

class ChildProcess {
 public:
  // Sends one message to the parent.
  using Send = std::function<void(std::string_view)>;

  // Forks and runs `work` in the child, silent, without a core dump and with at most
  // kCpuSeconds of CPU time. A std::exception that leaves `work` becomes the parent's error. `what`
  // starts the error message, e.g. "FILE: damaged HDF5". Throws Error(io) when it can't fork.
  ChildProcess(std::string what, const std::function<void(const Send&)>& work);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next message, nothing after the last one. Throws Error(usage) `what (...)` when `work`
  // threw, or when the child crashed or ran out of time.
  std::optional<std::string> next();

  static constexpr unsigned kCpuSeconds = 60;

 private:
  [[nodiscard]] bool read_all(char* bytes, std::size_t count) const;
  [[nodiscard]] std::string end();

  std::string what_;
  pid_t child_ = -1;
  int pipe_ = -1;
};

}  // namespace dcpbench::datasets

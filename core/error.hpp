// The one exception type, thrown anywhere and caught once, in main. A request that is well formed
// but has no feasible plan is an ordinary answer and travels as tl::expected<T, Infeasible>.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dcpbench::core {

// The value is the program's exit code.
enum class ErrorKind {
  usage = 2,       // a wrong option, config, plan, report or length file
  infeasible = 3,  // no feasible plan
  device = 4,      // device or communication
  io = 5,          // a file that can't be opened, read or written
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string message);
  // All mistakes of one kind at once; what() joins them with newlines. Needs at least one.
  Error(ErrorKind kind, std::vector<std::string> messages);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

 private:
  ErrorKind kind_;
  std::vector<std::string> messages_;
};

// Collects mistakes, so that a user sees all of them at once.
class Mistakes {
 public:
  void add(std::string message) { messages_.push_back(std::move(message)); }
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
  // Throws Error(kind, all messages) if there are any.
  void throw_if_any(ErrorKind kind = ErrorKind::usage) const;

 private:
  std::vector<std::string> messages_;
};

// Why there is no plan: names the value, the limit and the smallest change that would work.
struct Infeasible {
  std::string reason;
};

}  // namespace dcpbench::core

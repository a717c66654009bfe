#include "core/error.hpp"

namespace dcpbench::core {

namespace {

std::string joined(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  return text;
}

}  // namespace

Error::Error(ErrorKind kind, std::string message)
    : std::runtime_error(message), kind_(kind), messages_{std::move(message)} {}

Error::Error(ErrorKind kind, std::vector<std::string> messages)
    : std::runtime_error(joined(messages)), kind_(kind), messages_(std::move(messages)) {}

void Mistakes::throw_if_any(ErrorKind kind) const {
  if (!messages_.empty()) throw Error(kind, messages_);
}

}  // namespace dcpbench::core

#include "cli/problems.hpp"

namespace dcpbench::cli {

void Problems::add(std::string message, core::ErrorKind kind) {
  if (messages_.empty() || kind == core::ErrorKind::usage) kind_ = kind;
  messages_.push_back(std::move(message));
}

void Problems::add(const core::Error& error) {
  for (const std::string& message : error.messages()) add(message, error.kind());
}

void Problems::throw_if_any() const {
  if (!messages_.empty()) throw core::Error(kind_, messages_);
}

}  // namespace dcpbench::cli

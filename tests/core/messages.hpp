// What a test expects of an Error.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace dcpbench::core {

// The messages of the Error that `call` throws; none if it throws nothing.
template <class Call>
std::vector<std::string> messages_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.messages();
  }
  return {};
}

// Whether one of `messages` contains `part`.
inline bool mentions(const std::vector<std::string>& messages, const std::string& part) {
  for (const std::string& message : messages) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

// Exactly `parts.size()` messages, each part in one of them.
inline void expect_messages(const std::vector<std::string>& messages,
                            std::initializer_list<const char*> parts) {
  std::string all;
  for (const std::string& message : messages) all += message + "\n";
  EXPECT_EQ(messages.size(), parts.size()) << all;
  for (const char* part : parts) EXPECT_TRUE(mentions(messages, part)) << part << " in:\n" << all;
}

}  // namespace dcpbench::core

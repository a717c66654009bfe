// What a test expects of an Error.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"

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

// `text` with a few bytes replaced, doubled or cut out.
inline std::string mutated(std::string text, Random& random) {
  static constexpr std::string_view kBytes = "{}[]\",:-0123456789.eE ntf\\\xff";
  for (std::uint64_t edits = 1 + random.below(3); edits > 0 && !text.empty(); --edits) {
    const auto at = static_cast<std::size_t>(random.below(text.size()));
    const auto count = static_cast<std::size_t>(1 + random.below(8));
    switch (random.below(3)) {
      case 0:
        text[at] = kBytes[static_cast<std::size_t>(random.below(kBytes.size()))];
        break;
      case 1:
        text.insert(at, text.substr(at, count));
        break;
      default:
        text.erase(at, count);
    }
  }
  return text;
}

}  // namespace dcpbench::core

#include "core/text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/configs.hpp"
#include "core/json_document.hpp"
#include "core/model.hpp"
#include "tests/core/messages.hpp"

namespace dcpbench::core {
namespace {

TEST(Printable, LinesStayOnlyWhereTheyAreWanted) {
  EXPECT_EQ(printable("a\nb\x1b[0m"), "a\\x0Ab\\x1B[0m");
  EXPECT_EQ(printable_lines("a\nb\x1b[0m\r\xc2\x9b\xff\n"), "a\nb\\x1B[0m\\x0D\\xC2\\x9B\\xFF\n");
}

TEST(Names, HaveAtMost128Characters) {
  const auto model_named = [](const std::string& name) {
    return nlohmann::json({{"name", name}}).dump();
  };
  // 128 characters of two bytes each are allowed; every other key is missing.
  std::string longest;
  for (int i = 0; i < 128; ++i) longest += "\xc3\xa9";
  const auto told = [&](const std::string& name) {
    return messages_of([&] { (void)model_from_json(model_named(name), "m.json"); });
  };
  EXPECT_FALSE(mentions(told(longest), "name:"));
  EXPECT_TRUE(mentions(told(longest + "x"), "name: a name of 129 characters; at most 128"));
  EXPECT_TRUE(mentions(told("a\xc2\x9b"), "name: the name has control characters"));
}

TEST(Numbers, OutOfRangeAreToldInOurWords) {
  const auto told = messages_of([] { (void)model_from_json(R"({"layers": 1e999})", "m.json"); });
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(mentions(told, "a number is out of range"));
  EXPECT_FALSE(mentions(told, "parsing"));
}

}  // namespace
}  // namespace dcpbench::core

// Help, version and the way from a word to a command.
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

const std::vector<std::vector<std::string>> kCommands = {{"simulate"},
                                                         {"plan"},
                                                         {"compare"},
                                                         {"info"},
                                                         {"dataset", "list"},
                                                         {"dataset", "show"},
                                                         {"dataset", "sample"},
                                                         {"dataset", "import"},
                                                         {"dataset"}};

TEST(Help, EveryCommandHasOneWithAnExample) {
  for (const auto& command : kCommands) {
    for (const char* flag : {"--help", "-h"}) {
      std::vector<std::string> words = command;
      words.emplace_back(flag);
      const Outcome outcome = dcpbench(words);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
      EXPECT_EQ(outcome.err, "");
      EXPECT_NE(outcome.out.find("Example: dcpbench " + command[0]), std::string::npos)
          << outcome.all();
      for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 100U) << line;
    }
  }
}

TEST(Help, TheProgramNamesItsCommandsAndExitCodes) {
  const Outcome outcome = dcpbench({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* word :
       {"simulate", "plan", "compare", "dataset", "info", "3 no feasible plan"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(Help, NothingToDoIsAUsageError) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, std::vector<std::string>{"dataset"}}) {
    const Outcome outcome = dcpbench(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("Usage: dcpbench"), std::string::npos) << outcome.all();
  }
}

TEST(Help, Version) {
  const Outcome outcome = dcpbench({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.rfind("dcpbench 0.", 0), 0U) << outcome.out;
}

TEST(Help, AnUnknownCommandIsNamedWithTheClosest) {
  const Outcome outcome = dcpbench({"simulat"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("unknown command \"simulat\" (did you mean \"simulate\"?)"),
            std::string::npos)
      << outcome.all();
  EXPECT_EQ(dcpbench({"dataset", "shwo"}).exit_code, 2);
}

}  // namespace
}  // namespace dcpbench::tests

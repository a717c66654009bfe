// dcpbench compare.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace dcpbench::tests {
namespace {

using nlohmann::json;

std::string make_report(const TemporaryFolder& folder, const std::string& name,
                        const std::vector<std::string>& more) {
  std::vector<std::string> words = {"simulate", "--dataset",      "web", "--strategy", "bucket,dcp",
                                    "--out",    folder.path(name)};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = dcpbench(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  return folder.path(name);
}

TEST(Compare, EqualWorkloadsGiveRatios) {
  const TemporaryFolder folder;
  const std::string a = make_report(folder, "a", {"--sequences", "200"});
  const std::string b =
      make_report(folder, "b", {"--sequences", "200", "--slow-rank", "0", "--slow-factor", "2"});
  // A folder stands for its report.json.
  const Outcome outcome = dcpbench({"compare", a, b + "/report.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NE(outcome.out.find("dcp"), std::string::npos) << outcome.all();
  const Outcome as_json = dcpbench({"compare", a, b, "--json", "-"});
  EXPECT_TRUE(json::accept(as_json.out)) << as_json.all();
}

TEST(Compare, DifferentWorkloadsAreRefusedUnlessForced) {
  const TemporaryFolder folder;
  const std::string a = make_report(folder, "a", {"--sequences", "200"});
  const std::string b = make_report(folder, "b", {"--sequences", "201"});
  const Outcome refused = dcpbench({"compare", a, b});
  EXPECT_EQ(refused.exit_code, 2) << refused.all();
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("workload"), std::string::npos) << refused.all();
  const Outcome forced = dcpbench({"compare", a, b, "--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.all();
  EXPECT_NE(forced.err.find("compared although"), std::string::npos) << forced.all();
}

TEST(Compare, WrongRequests) {
  const TemporaryFolder folder;
  EXPECT_EQ(dcpbench({"compare", folder.write("one.json", "{}")}).exit_code, 2);
  EXPECT_EQ(dcpbench({"compare", "/nonexistent/a.json", "/nonexistent/b.json"}).exit_code, 5);
  const std::string report = make_report(folder, "a", {"--sequences", "50"});
  const Outcome hdf5 = dcpbench({"compare", report, report + "/report.h5"});
  EXPECT_EQ(hdf5.exit_code, 2);
  EXPECT_NE(hdf5.err.find("is HDF5; compare reads the report.json"), std::string::npos)
      << hdf5.all();
}

}  // namespace
}  // namespace dcpbench::tests

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "report/write.hpp"
#include "tests/report/fixtures.hpp"

namespace dcpbench::report {
namespace {

namespace fs = std::filesystem;

class Hdf5 : public testing::Test {
 protected:
  Hdf5() {
    std::string name = (fs::temp_directory_path() / "dcpbench_hdf5_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Hdf5() override { fs::remove_all(folder_); }
  fs::path folder_;
};

Report report_with_arrays() {
  const HandRun run = hand_run();
  Report report = made_report();
  report.results.push_back(make_result(run.plan, run.workload, run.timeline, run.facts));
  report.results.back().dataset = "a/b \xc3\xa9.csv";
  return report;
}

// A Python that has the readers people use; nothing when there is none.
std::string python() {
  for (const char* name : {"python3", "/usr/bin/python3"}) {
    const std::string command =
        std::string(name) + " -c 'import h5py, pandas' > /dev/null 2> /dev/null";
    if (std::system(command.c_str()) == 0) return name;
  }
  return {};
}

TEST_F(Hdf5, H5pyAndPandasReadIt) {
  const std::string interpreter = python();
  if (interpreter.empty()) GTEST_SKIP() << "no Python with h5py and pandas";
  write_hdf5(report_with_arrays(), (folder_ / "r.h5").string());
  std::ofstream(folder_ / "check.py") << R"(
import json, sys
import h5py, pandas
with h5py.File(sys.argv[1], "r") as f:
    report = json.loads(f["report_json"][()])
    assert f.attrs["schema_version"] == 1 and f.attrs["tool_version"] == "0.1.0"
    assert f.attrs["complete"] == True and f.attrs["complete"].dtype == bool
    assert f.attrs["cluster.intra_node"] == "450 GB/s"
    assert f["warnings"].asstr()[0] == report["warnings"][0]
    assert list(f["part_names"].asstr())[3] == "idle"
    names = list(f["results"])
    assert names[0] == "000_transformer-1d-1.2b_text-long_bucket_0", names
    assert len(names) == len(report["results"]) == 3
    # Every scalar of the JSON stands as an attribute under the name that pandas gives it.
    flat = pandas.json_normalize(report["results"])
    table = pandas.DataFrame([dict(g.attrs) for g in f["results"].values()])
    for column in flat.columns:
        if column.startswith(("sp_degrees", "warnings")):
            continue
        for mine, theirs in zip(flat[column], table[column] if column in table else [None] * 3):
            assert (pandas.isna(mine) and pandas.isna(theirs)) or mine == theirs, column
    assert table["dataset"][2] == "a/b \u00e9.csv"
    g = f["results"][names[2]]
    assert list(g["step_seconds"]) == [0.1, 0.06]
    assert g["step_seconds"].attrs["unit"] == "seconds"
    assert g["step_parts_seconds"].shape == (2, 7) and g["step_parts_seconds"][0, 0] == 0.045
    assert g["rank_parts_seconds"].shape == (2, 7) and g["rank_parts_seconds"][1, 3] == 0.04
    assert g["cells_seconds"].shape == (2, 2, 7) and g["cells_seconds"][0, 1, 0] == 0.03
    assert abs(g["cells_seconds"][:].sum() - 2 * 0.16) < 1e-12
    assert list(g["step_peak_memory_bytes"]) == [10e9, 12e9]
    degrees = pandas.DataFrame(g["sp_degrees"][:])
    assert list(degrees["degree"]) == [1, 2] and list(degrees["micro_batches"]) == [2, 1]
    assert g["warnings"].asstr()[0] == "a plan's warning"
    assert "step_seconds" not in f["results"][names[0]]
    assert f["recommendations/000"].attrs["settings.min_accumulation"] == "1"
    assert f["infeasible/000"].attrs["reason"] == "needs 3 GiB more"
)";
  const std::string command =
      interpreter + " " + (folder_ / "check.py").string() + " " + (folder_ / "r.h5").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(Hdf5, OldestFormatAndNothingBesideIt) {
  const fs::path path = folder_ / "r.h5";
  write_hdf5(report_with_arrays(), path.string());
  std::ifstream file(path, std::ios::binary);
  std::string head(9, '\0');
  file.read(head.data(), 9);
  EXPECT_EQ(head, std::string("\x89HDF\r\n\x1a\n\0", 9));  // superblock version 0
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Hdf5, OversizedTextAndEmptyReportAreWritten) {
  Report report;
  write_hdf5(report, (folder_ / "empty.h5").string());
  report.command = std::string(200'000, 'x');
  report.warnings = std::vector<std::string>(1000, std::string(1000, 'w'));
  write_hdf5(report, (folder_ / "large.h5").string());
  EXPECT_GT(fs::file_size(folder_ / "large.h5"), 1'000'000u);
}

TEST_F(Hdf5, FailureIsAnInputOutputError) {
  try {
    write_hdf5(made_report(), (folder_ / "no" / "r.h5").string());
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos);
  }
}

}  // namespace
}  // namespace dcpbench::report

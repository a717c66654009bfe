// dcpbench compare: ratios between reports, with spread; refuses what can't be compared.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/log.hpp"
#include "cli/output.hpp"
#include "core/configs.hpp"
#include "core/hdf5_check.hpp"
#include "report/write.hpp"

namespace dcpbench::cli {

namespace {

constexpr std::size_t kMaxReportBytes = std::size_t{1} << 30;

void add_options(CLI::App& app) {
  add_positional(app, "reports", "Two or more reports: report.json, or the folder given to --out");
  add_option(app, "Output", "--json", "FILE|-",
             "Write the comparison as JSON; - for standard output, which then carries\n"
             "nothing else");
  add_flag(app, "Output", "--force",
           "Compare reports of different workloads or accounting too, and overwrite\n"
           "an existing file");
  add_verbosity_options(app);
}

report::Report read_report(const std::string& name) {
  std::error_code ignored;
  const std::string path =
      std::filesystem::is_directory(name, ignored) ? name + "/report.json" : name;
  core::check_regular_file(path);
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) {
    core::check_hdf5(path);  // a damaged file is worth more words
    throw core::Error(core::ErrorKind::usage,
                      fmt::format("{} is HDF5; compare reads the report.json beside it", path));
  }
  return report::from_json(core::read_text_file(path, kMaxReportBytes), path);
}

int run(const Arguments& arguments) {
  Problems& problems = arguments.problems();
  const std::vector<std::string>& names = arguments.positionals();
  const std::optional<std::string> json = arguments.text("--json");
  const bool force = arguments.flag("--force");
  if (names.size() < 2) {
    problems.add(fmt::format("compare needs two or more reports, {} given", names.size()));
  }
  if (json && json != "-") check_overwrite(*json, force, problems);
  std::vector<report::Report> reports;
  for (const std::string& name : names) {
    reports.push_back(problems.collect([&]() { return read_report(name); }));
  }
  problems.throw_if_any();

  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!reports[i].complete) warn(fmt::format("{} is of a job that did not finish", names[i]));
  }
  const report::Comparison comparison = report::compare(reports, names);
  for (const std::string& difference : comparison.differences) {
    if (force) {
      warn("compared although " + difference);
    } else {
      problems.add(fmt::format("not comparable: {}; --force compares all the same", difference));
    }
  }
  problems.throw_if_any();
  if (json != "-") print_text(comparison.table);
  if (json == "-") print_result(comparison.json);
  if (json && json != "-") report::write_file_atomically(*json, comparison.json);
  return 0;
}

}  // namespace

const Command kCompareCommand = {
    "compare", "Ratios between two or more reports, with spread",
    "Exit code 2: the reports are of different workloads or accounting, each difference is named.\n"
    "Example: dcpbench compare before/report.json after/report.json",
    add_options, run};

}  // namespace dcpbench::cli

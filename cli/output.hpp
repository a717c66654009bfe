// Where results go: standard output, --json and --out. Existing files are kept unless --force; all
// of it is checked before the first plan is made.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/arguments.hpp"
#include "cli/folder_lock.hpp"
#include "core/plan.hpp"
#include "report/result.hpp"

namespace dcpbench::cli {

// Writes to standard output; throws core::Error(io) when that fails (a full disk, a closed pipe).
void print_result(std::string_view text);
// The same for text that people read: names from files and options are made harmless to a terminal.
void print_text(std::string_view text);

struct OutputOptions {
  std::optional<std::string> out;   // a folder
  std::optional<std::string> json;  // a file, or "-" for standard output
  bool force = false;

  // With `--json -` standard output carries nothing else.
  [[nodiscard]] bool json_only() const { return json == "-"; }
};

void add_output_options(CLI::App& app, const std::string& out_description);
// -q and -v, which every command has.
void add_verbosity_options(CLI::App& app);
OutputOptions read_output_options(const Arguments& arguments);
// Adds a problem if `path` exists and may not be overwritten.
void check_overwrite(const std::string& path, bool force, Problems& problems);
// Makes the folder and proves that files can be made in it. Throws core::Error(io).
void prepare_folder(const std::string& folder);

// `name` with every character that a file system might mind replaced.
std::string plain_file_name(std::string_view name);
// Names of plan files inside a folder: "plans/<model>.<dataset>.<strategy>.seed<N>.json",
// made plain.
std::string plan_file_name(std::string_view model, std::string_view dataset,
                           std::string_view strategy, std::uint64_t seed);

// The report of a job in files, kept readable while the job goes on.
class ReportFiles {
 public:
  // Adds problems for files that would be overwritten.
  ReportFiles(OutputOptions options, Problems& problems);

  // Makes the folder and writes the empty report. Throws core::Error(io) here rather than after
  // hours of work; Error(usage) when another run writes into the folder.
  void open(const report::Report& report);
  // The partial report is written at most once a second.
  [[nodiscard]] bool is_checkpoint_due() const;
  void checkpoint(const report::Report& report);
  // The partial report now, for an interrupted job.
  void write_partial(const report::Report& report) const;
  // Where the partial report is; empty when none is written.
  [[nodiscard]] std::string partial_report() const;
  void write_plan(const std::string& name, const core::Plan& plan) const;
  // The complete report: report.json and report.h5 of --out, --json.
  void finish(const report::Report& report) const;

 private:
  [[nodiscard]] std::string in_folder(const std::string& name) const;

  OutputOptions options_;
  std::optional<FolderLock> lock_;  // of the folder of --out, while the job goes on
  std::chrono::steady_clock::time_point last_write_;
};

}  // namespace dcpbench::cli

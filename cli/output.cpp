#include "cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"
#include "report/write.hpp"

namespace dcpbench::cli {

namespace {

constexpr std::chrono::seconds kCheckpointInterval(1);
constexpr const char* kPlanFolder = "plans";

}  // namespace

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw core::Error(core::ErrorKind::io,
                      fmt::format("can't write to standard output: {}", std::strerror(errno)));
  }
}

void print_text(std::string_view text) { print_result(core::printable_lines(text)); }

void add_output_options(CLI::App& app, const std::string& out_description) {
  add_option(app, "Output", "--out", "PATH", out_description);
  add_option(app, "Output", "--json", "FILE|-",
             "Write the results as JSON; - for standard output, which then carries\n"
             "nothing else");
  add_flag(app, "Output", "--force", "Overwrite existing files");
}

void add_verbosity_options(CLI::App& app) {
  add_flag(app, "Output", "-q,--quiet", "No progress and no warnings on standard error");
  add_flag(app, "Output", "-v,--verbose", "Say on standard error what is being done");
}

OutputOptions read_output_options(const Arguments& arguments) {
  return {arguments.text("--out"), arguments.text("--json"), arguments.flag("--force")};
}

void check_overwrite(const std::string& path, bool force, Problems& problems) {
  // A link to nothing is kept too.
  std::error_code ignored;  // a path that can't be looked at can't be written either, found later
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    problems.add(fmt::format("{} exists; --force overwrites it", path));
  }
}

void prepare_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw core::Error(core::ErrorKind::io,
                      fmt::format("can't make the folder {}: {}", folder, error.message()));
  }
  // Permissions alone don't tell: a read-only file system or a full quota has them too.
  const std::string probe = folder + "/.dcpbench-probe";
  report::write_file_atomically(probe, "");
  std::filesystem::remove(probe, error);
}

std::string plain_file_name(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

std::string plan_file_name(std::string_view model, std::string_view dataset,
                           std::string_view strategy, std::uint64_t seed) {
  const std::string name = fmt::format("{}.{}.{}.seed{}", model, dataset, strategy, seed);
  return fmt::format("{}/{}.json", kPlanFolder, plain_file_name(name));
}

ReportFiles::ReportFiles(OutputOptions options, Problems& problems) : options_(std::move(options)) {
  if (options_.out) {
    for (const char* name : {"report.json", "report.h5", kPlanFolder}) {
      check_overwrite(in_folder(name), options_.force, problems);
    }
  }
  if (options_.json && !options_.json_only()) {
    check_overwrite(*options_.json, options_.force, problems);
  }
}

std::string ReportFiles::in_folder(const std::string& name) const {
  return *options_.out + "/" + name;
}

void ReportFiles::open(const report::Report& report) {
  if (options_.out) {
    prepare_folder(in_folder(kPlanFolder));
    lock_.emplace(*options_.out);
    remove_stale_files(*options_.out);
    remove_stale_files(in_folder(kPlanFolder));
  }
  write_partial(report);
  last_write_ = std::chrono::steady_clock::now();
}

bool ReportFiles::is_checkpoint_due() const {
  return std::chrono::steady_clock::now() - last_write_ >= kCheckpointInterval;
}

void ReportFiles::checkpoint(const report::Report& report) {
  write_partial(report);
  last_write_ = std::chrono::steady_clock::now();
}

void ReportFiles::write_partial(const report::Report& report) const {
  const bool to_file = options_.json && !options_.json_only();
  if (!options_.out && !to_file) return;
  const std::string json = report::to_json(report);
  if (options_.out) report::write_file_atomically(in_folder("report.json"), json);
  if (to_file) report::write_file_atomically(*options_.json, json);
}

std::string ReportFiles::partial_report() const {
  if (options_.out) return in_folder("report.json");
  return options_.json && !options_.json_only() ? *options_.json : std::string();
}

void ReportFiles::write_plan(const std::string& name, const core::Plan& plan) const {
  if (options_.out) report::write_file_atomically(in_folder(name), core::plan_to_json(plan));
}

void ReportFiles::finish(const report::Report& report) const {
  if (options_.out) report::write_hdf5(report, in_folder("report.h5"));
  write_partial(report);
  if (options_.json_only()) print_result(report::to_json(report));
}

}  // namespace dcpbench::cli

// dcpbench dataset list | show | sample | import: the shipped length distributions and a user's
// own.
#include "datasets/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.hpp"
#include "cli/length_summary.hpp"
#include "cli/log.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/text.hpp"
#include "datasets/length_file.hpp"
#include "report/write.hpp"

namespace dcpbench::cli {

namespace {

void print_notes(const std::vector<std::string>& notes, const std::vector<std::string>& warnings) {
  for (const std::string& text : notes) note(text);
  for (const std::string& text : warnings) warn(text);
}

int list(const Arguments& arguments) {
  arguments.problems().throw_if_any();
  std::string text;
  for (const std::string& name : datasets::preset_names()) {
    const datasets::Dataset dataset = datasets::preset(name);
    text += fmt::format("{:<15} {}  {}\n", name, dataset.is_2d ? "2D" : "1D", dataset.summary);
  }
  print_text(text);
  return 0;
}

void add_draw_command_options(CLI::App& app) {
  add_positional(app, "name", "A shipped dataset, instead of --lengths");
  add_draw_options(app);
  add_verbosity_options(app);
}

struct Drawn {
  datasets::Dataset dataset;
  core::Workload workload;
  std::uint64_t seed = 0;
};

Drawn draw(const Arguments& arguments) {
  Problems& problems = arguments.problems();
  const JobOptions options = read_job_options(arguments);
  const std::vector<std::string>& names = arguments.positionals();
  if (names.size() + (options.lengths ? 1 : 0) != 1) {
    problems.add("name one dataset, or a file by --lengths");
  }
  Drawn drawn;
  drawn.seed = options.seed;
  drawn.dataset = problems.collect([&]() {
    if (options.lengths) return datasets::read_lengths(*options.lengths, options.read);
    return names.empty() ? datasets::Dataset() : datasets::preset(names[0]);
  });
  problems.throw_if_any();
  const datasets::DrawOptions how = {options.sequences, options.seed,
                                     options.scale_lengths.value_or(1), options.file_order};
  drawn.workload = datasets::draw(drawn.dataset, how);
  const datasets::DrawRecord record = datasets::describe_draw(drawn.dataset, how, drawn.workload);
  print_notes(drawn.dataset.notes, drawn.dataset.warnings);
  print_notes(record.notes, record.warnings);
  if (const auto text = datasets::scale_warning(drawn.dataset, how)) warn(*text);
  return drawn;
}

int show(const Arguments& arguments) {
  const Drawn drawn = draw(arguments);
  const datasets::Dataset& dataset = drawn.dataset;
  std::string text = fmt::format("# {}: {}\n", core::printable(dataset.name, 256), dataset.summary);
  if (!dataset.source.empty())
    text += fmt::format("# source: {}\n", core::printable(dataset.source, 1000));
  text += dataset.distribution.empty()
              ? fmt::format("# {} of its {} sequences\n", drawn.workload.sequences.size(),
                            dataset.sequences.size())
              : fmt::format("# {} drawn from {} values, seed {}\n", drawn.workload.sequences.size(),
                            dataset.distribution.size(), drawn.seed);
  print_text(text + format_lengths(drawn.workload));
  return 0;
}

// One sequence per line; 2D with its two factors, under the names that the reader looks for.
std::string lines_of(const std::vector<core::Sequence>& sequences, bool is_2d) {
  std::string text = is_2d ? "frames,tokens_per_frame\n" : "length\n";
  for (const core::Sequence& sequence : sequences) {
    text += is_2d ? fmt::format("{},{}\n", sequence.shape.frames, sequence.shape.tokens_per_frame)
                  : fmt::format("{}\n", sequence.shape.tokens);
  }
  return text;
}

int sample(const Arguments& arguments) {
  const Drawn drawn = draw(arguments);
  print_text(lines_of(drawn.workload.sequences, drawn.dataset.is_2d));
  return 0;
}

void add_import_options(CLI::App& app) {
  add_positional(app, "file", "CSV, TSV, JSON, JSONL, NPY, HDF5 or a histogram, also gzipped");
  add_length_file_options(app);
  add_flag(app, "Output", "--histogram", "Write length,weight instead of one length per line");
  add_option(app, "Output", "--out", "FILE.csv", "Where to (default: standard output)");
  add_flag(app, "Output", "--force", "Overwrite an existing file");
  add_verbosity_options(app);
}

std::string histogram_of(const datasets::Dataset& dataset) {
  std::string text = "length,weight\n";
  if (!dataset.distribution.empty()) {
    for (const datasets::Rung& rung : dataset.distribution) {
      text += fmt::format("{},{}\n", rung.shape.tokens, rung.weight);
    }
    return text;
  }
  for (const auto& [shape, count] : count_shapes(dataset.sequences)) {
    text += fmt::format("{},{}\n", shape.tokens, count);
  }
  return text;
}

int import(const Arguments& arguments) {
  Problems& problems = arguments.problems();
  const std::vector<std::string>& files = arguments.positionals();
  const std::optional<std::string> out = arguments.text("--out");
  datasets::ReadOptions options;
  options.column = arguments.text("--column");
  options.skip_invalid = arguments.flag("--skip-invalid");
  options.max_length = arguments.integer("--max-length", 1, core::kMaxTokens);
  options.limit = arguments.integer("--limit", 1, core::kMaxSequences);
  if (files.size() != 1) problems.add(fmt::format("name one file, {} given", files.size()));
  if (out) check_overwrite(*out, arguments.flag("--force"), problems);
  datasets::Dataset dataset;
  if (files.size() == 1) {
    dataset = problems.collect([&]() { return datasets::read_lengths(files[0], options); });
  }
  const bool histogram = arguments.flag("--histogram") || !dataset.distribution.empty();
  if (histogram && dataset.is_2d) {
    problems.add("--histogram holds lengths only; 2D data would lose its frames; leave it out");
  }
  problems.throw_if_any();

  print_notes(dataset.notes, dataset.warnings);
  const bool loses_loss_tokens = std::any_of(
      dataset.sequences.begin(), dataset.sequences.end(),
      [](const core::Sequence& sequence) { return sequence.loss_tokens != sequence.shape.tokens; });
  if (loses_loss_tokens) warn("loss token counts are left out: the CSV holds lengths only");
  const std::string text =
      histogram ? histogram_of(dataset) : lines_of(dataset.sequences, dataset.is_2d);
  if (out) {
    report::write_file_atomically(*out, text);
  } else {
    print_text(text);
  }
  return 0;
}

const std::array<Command, 4> kDatasetCommands = {
    {{"list", "The shipped datasets", "Example: dcpbench dataset list", add_verbosity_options,
      list},
     {"show", "Quantiles and a histogram of the lengths",
      "Example: dcpbench dataset show web\n"
      "Example: dcpbench dataset show --lengths my_lengths.csv --column num_tokens",
      add_draw_command_options, show},
     {"sample", "Draw lengths, one per line, to standard output",
      "Example: dcpbench dataset sample chat --sequences 1000 --seed 7 > lengths.csv",
      add_draw_command_options, sample},
     {"import", "Read lengths in any format, write them as CSV",
      "Example: dcpbench dataset import tokens.jsonl --histogram --out lengths.csv",
      add_import_options, import}}};

}  // namespace

const Command kDatasetCommand = {
    "dataset",
    "Length distributions, shipped or your own: list, show, sample, import",
    "Example: dcpbench dataset show text-long",
    nullptr,
    nullptr,
    kDatasetCommands};

}  // namespace dcpbench::cli

// dcpbench plan: plans without executing; says what was chosen and, with --explain, why.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/explain.hpp"
#include "cli/fixed_settings.hpp"
#include "cli/interrupt.hpp"
#include "cli/job.hpp"
#include "cli/log.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/run_report.hpp"
#include "core/text.hpp"
#include "generated/build_info.hpp"
#include "report/write.hpp"

namespace dcpbench::cli {

namespace {

void add_options(CLI::App& app) {
  add_workload_options(app);
  add_machine_options(app);
  add_planning_options(app);
  add_flag(app, "Planning", "--explain",
           "Say why: the candidates of every length class, what was refused and why");
  add_output_options(app, "Folder for the plans, or FILE.json for a single one");
  add_verbosity_options(app);
}

bool is_file_name(const std::string& path) {
  constexpr std::string_view kExtension = ".json";
  return path.size() > kExtension.size() && path.ends_with(kExtension);
}

// By --oversize before planning and by --drop-last in the plan.
struct Left {
  std::int64_t sequences = 0;
  std::int64_t tokens = 0;
};
Left left_out(const Planned& planned) {
  const core::Workload& workload = planned.workload;
  Left left{workload.dropped_sequences, workload.dropped_tokens};
  for (const std::uint32_t id : planned.plan->dropped) {
    ++left.sequences;
    left.tokens += workload.sequences[id].shape.tokens;
  }
  return left;
}

std::string text_of(const Planned& planned) {
  std::string text =
      fmt::format("{} on {}, {}, seed {}\n", planned.costed.name(),
                  core::printable(planned.dataset.name, 256), planned.strategy, planned.seed);
  if (!planned.plan) return text + fmt::format("  infeasible: {}\n", planned.plan.error().reason);
  const core::Plan& plan = *planned.plan;
  std::string degrees;
  for (const auto& [degree, count] : core::count_sp_degrees(plan)) {
    degrees += fmt::format(" {}x SP {}", count, degree);
  }
  text += fmt::format("  {} steps, {} micro-batches:{}\n", plan.steps.size(),
                      plan.micro_batches.size(), degrees);
  const Left left = left_out(planned);
  text += fmt::format("  {} sequences, {} dropped ({} tokens), {} tokens truncated\n",
                      plan.sequence_ids.size(), left.sequences, left.tokens,
                      planned.workload.truncated_tokens);
  for (const auto& [name, value] : plan.settings) text += fmt::format("  {}: {}\n", name, value);
  for (const std::string& warning : plan.warnings) text += fmt::format("  warning: {}\n", warning);
  text += fmt::format("  digest {}, planned in {:.3f} s\n", core::plan_digest(plan),
                      planned.plan_seconds);
  if (planned.explanation != nullptr) text += format_explanation(*planned.explanation, plan);
  return text;
}

nlohmann::ordered_json json_of(const std::vector<planner::FixedSetting>& settings) {
  const auto found = find_best(settings);
  nlohmann::ordered_json json = {{"used_over_best", found->used_over_best}};
  for (const planner::FixedSetting& setting : settings) {
    nlohmann::ordered_json row = {{"sp_degree", setting.sp_degree},
                                  {"median_cut", nullptr},
                                  {"least_recompute_layers", setting.least_recompute},
                                  {"most_recompute_layers", setting.most_recompute},
                                  {"predicted_seconds", nullptr},
                                  {"is_used", setting.is_used},
                                  {"is_best", &setting == found->best}};
    if (setting.median_cut) row["median_cut"] = *setting.median_cut;
    if (setting.total.value() > 0) {
      row["predicted_seconds"] = core::to_seconds(setting.total).value();
    } else {
      row["infeasible"] = setting.reason;
    }
    json["settings"].push_back(std::move(row));
  }
  return json;
}

nlohmann::ordered_json json_of(const Planned& planned) {
  nlohmann::ordered_json json = {{"model", planned.costed.name()},
                                 {"dataset", planned.dataset.name},
                                 {"strategy", planned.strategy},
                                 {"seed", planned.seed}};
  if (!planned.plan) {
    json["infeasible"] = planned.plan.error().reason;
    return json;
  }
  const core::Plan& plan = *planned.plan;
  json["accounting"] = core::to_string(plan.accounting);
  json["workload_sha256"] = core::workload_sha256(planned.workload);
  json["plan_digest"] = core::plan_digest(plan);
  json["steps"] = plan.steps.size();
  json["micro_batches"] = plan.micro_batches.size();
  json["sequences"] = plan.sequence_ids.size();
  const Left left = left_out(planned);
  json["dropped_sequences"] = left.sequences;
  json["dropped_tokens"] = left.tokens;
  json["truncated_tokens"] = planned.workload.truncated_tokens;
  for (const auto& [degree, count] : core::count_sp_degrees(plan)) {
    json["sp_degrees"][std::to_string(degree)] = count;
  }
  json["settings"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : plan.settings) json["settings"][name] = value;
  json["warnings"] = plan.warnings;
  json["plan_seconds"] = planned.plan_seconds;
  if (planned.explanation != nullptr) {
    if (!planned.explanation->fixed_settings.empty()) {
      json["fixed_settings"] = json_of(planned.explanation->fixed_settings);
    }
    json["explanation"] = format_explanation(*planned.explanation, plan);
  }
  return json;
}

// Where plans go: a single file, a folder, or nowhere.
class PlanFiles {
 public:
  PlanFiles(const OutputOptions& output, const Job& job, Problems& problems) : output_(output) {
    if (!output_.out) return;
    single_ = is_file_name(*output_.out);
    if (single_ && job.size() != 1) {
      problems.add(fmt::format(
          "--out {} holds one plan, but there are {}; name a folder, or one --model, --dataset and "
          "--strategy",
          *output_.out, job.size()));
    }
    check_overwrite(single_ ? *output_.out : *output_.out + "/plans", output_.force, problems);
  }

  void open() {
    if (!output_.out || single_) return;
    prepare_folder(*output_.out + "/plans");
    lock_.emplace(*output_.out);
    remove_stale_files(*output_.out);
    remove_stale_files(*output_.out + "/plans");
  }

  void write(const Planned& planned) const {
    if (!output_.out || !planned.plan) return;
    const std::string path = single_
                                 ? *output_.out
                                 : *output_.out + "/" +
                                       plan_file_name(planned.costed.name(), planned.dataset.name,
                                                      planned.strategy, planned.seed);
    report::write_file_atomically(path, core::plan_to_json(*planned.plan));
  }

 private:
  const OutputOptions& output_;
  bool single_ = false;
  std::optional<FolderLock> lock_;
};

int run(const Arguments& arguments) {
  Problems& problems = arguments.problems();
  const OutputOptions output = read_output_options(arguments);
  const Job job = make_job(arguments);
  PlanFiles files(output, job, problems);
  if (output.json && !output.json_only()) check_overwrite(*output.json, output.force, problems);
  problems.throw_if_any();

  files.open();
  const std::vector<std::string> warnings = input_warnings(job);
  const std::vector<std::string> notes = input_notes(job);
  if (!output.json_only()) {
    for (const std::string& text : notes) print_text(fmt::format("# note: {}\n", text));
    for (const std::string& text : warnings) print_text(fmt::format("# warning: {}\n", text));
  }
  catch_interrupts();
  bool feasible = true;
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  Progress progress(job.size(), !is_quiet());
  for_each_plan(
      job, arguments.flag("--explain"), [&](const std::string& label) { progress.show(label); },
      [&](Planned&& planned) {
        progress.advance();
        progress.clear();
        feasible = feasible && planned.plan.has_value();
        files.write(planned);
        if (output.json) plans.push_back(json_of(planned));
        if (!output.json_only()) print_text(text_of(planned));
        return !interrupted();
      });
  if (interrupted()) die_of_interrupt(output.out.value_or(""));
  if (output.json) {
    const nlohmann::ordered_json json = {{"schema_version", report::Report::kSchemaVersion},
                                         {"command", arguments.command_line()},
                                         {"tool_version", kVersion},
                                         {"warnings", warnings},
                                         {"notes", notes},
                                         {"plans", plans}};
    // A name from a file may hold bytes that are not UTF-8.
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (output.json_only()) {
      print_result(text);
    } else {
      report::write_file_atomically(*output.json, text);
    }
  }
  return feasible ? 0 : static_cast<int>(core::ErrorKind::infeasible);
}

}  // namespace

const Command kPlanCommand = {
    "plan", "Only plan: what each strategy chooses and, with --explain, why",
    "Exit code 3: a requested strategy has no feasible plan for a workload.\n"
    "Example: dcpbench plan --dataset web --model llama-8b --strategy dcp --explain",
    add_options, run};

}  // namespace dcpbench::cli

// dcpbench simulate: plans, executes on the cost model, reports.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/job.hpp"
#include "cli/log.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/run_report.hpp"
#include "report/write.hpp"

namespace dcpbench::cli {

namespace {

void add_options(CLI::App& app) {
  add_workload_options(app);
  add_machine_options(app);
  add_planning_options(app);
  add_simulation_options(app);
  add_output_options(app, "Folder for report.json, report.h5 and the plans");
  add_verbosity_options(app);
}

int run(const Arguments& arguments) {
  Problems& problems = arguments.problems();
  const OutputOptions output = read_output_options(arguments);
  const Job job = make_job(arguments);
  ReportFiles files(output, problems);
  problems.throw_if_any();

  report::Report report = start_report(job, arguments.command_line());
  files.open(report);
  catch_interrupts();
  Executor executor(job.options, job.inputs.cluster, output.out.has_value());
  Progress progress(job.size(), !is_quiet());
  for_each_plan(
      job, false,
      [&](const std::string& label) {
        progress.show(label);
        note(label);
      },
      [&](Planned&& planned) {
        const std::string model = planned.costed.name();
        if (planned.plan) {
          report.results.push_back(executor.execute(planned));
          files.write_plan(
              plan_file_name(model, planned.dataset.name, planned.strategy, planned.seed),
              *planned.plan);
        } else {
          report.infeasible.push_back({model, planned.dataset.name, planned.strategy, planned.seed,
                                       planned.plan.error().reason});
        }
        progress.advance();
        if (files.is_checkpoint_due()) {
          conclude(report, job.inputs);
          files.checkpoint(report);
        }
        return !interrupted();
      });
  progress.clear();
  conclude(report, job.inputs);
  if (interrupted()) {
    files.write_partial(report);
    die_of_interrupt(files.partial_report());
  }
  report.complete = true;
  files.finish(report);
  if (!output.json_only()) {
    print_text(report::format_table(report));
    print_text(report::format_recommendations(report));
  }
  return report.infeasible.empty() ? 0 : static_cast<int>(core::ErrorKind::infeasible);
}

}  // namespace

const Command kSimulateCommand = {
    "simulate", "Plan and execute on the cost model: which strategy is how fast, and why",
    "Exit code 3: a requested strategy has no feasible plan for a workload; the table says why, "
    "and\n"
    "the other strategies are still reported.\n"
    "Example: dcpbench simulate --lengths my_lengths.csv --model llama-8b --cluster h100-4x8",
    add_options, run};

}  // namespace dcpbench::cli

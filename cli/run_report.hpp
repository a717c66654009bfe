// The report of a simulated job: its context, and one result per plan.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/job.hpp"
#include "report/result.hpp"

namespace dcpbench::cli {

// What is to be known about the inputs: of the cluster and of every dataset, decisions included.
std::vector<std::string> input_warnings(const Job& job);

// How the sequences of every dataset were chosen.
std::vector<std::string> input_notes(const Job& job);

// Everything but results: command, environment, cluster, warnings and decisions about the inputs.
report::Report start_report(const Job& job, const std::string& command_line);

// Executes plans on the cost model and keeps what several plans share.
class Executor {
 public:
  // `keep_timelines`: results keep the times of every step and rank, as far as HDF5 will store
  // them; without, a result is small whatever the numbers of steps and ranks.
  Executor(const JobOptions& options, const core::Cluster& cluster, bool keep_timelines)
      : options_(options), cluster_(cluster), keep_timelines_(keep_timelines) {}

  // `planned` has a plan.
  report::Result execute(const Planned& planned);

 private:
  std::optional<double> lower_bound_seconds(const Planned& planned);

  const JobOptions& options_;
  const core::Cluster& cluster_;
  bool keep_timelines_;
  // Under `equal` the bound is the same for every strategy of a workload.
  std::map<std::string, std::optional<double>> bounds_;
};

// Speedups and recommendations of what is there so far.
void conclude(report::Report& report, const Inputs& inputs);

}  // namespace dcpbench::cli

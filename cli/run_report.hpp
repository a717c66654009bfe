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

// Everything but results: command, environment, cluster, warnings and decisions about the inputs.
report::Report start_report(const Job& job, const std::string& command_line);

// Executes plans on the cost model and keeps what several plans share.
class Executor {
 public:
  // `keep_cells`: keep the time of every rank in every step, as far as HDF5 will store it.
  Executor(const JobOptions& options, const core::Cluster& cluster, bool keep_cells)
      : options_(options), cluster_(cluster), keep_cells_(keep_cells) {}

  // `planned` has a plan.
  report::Result execute(const Planned& planned);

 private:
  std::optional<double> lower_bound_seconds(const Planned& planned);

  const JobOptions& options_;
  const core::Cluster& cluster_;
  bool keep_cells_;
  // Under `equal` the bound is the same for every strategy of a workload.
  std::map<std::string, std::optional<double>> bounds_;
};

// Speedups and recommendations of what is there so far.
void conclude(report::Report& report, const Inputs& inputs);

}  // namespace dcpbench::cli

// Facts about this build, this machine and the cluster at hand, as key and value for reports and
// `dcpbench info`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/cluster.hpp"

namespace dcpbench::cli {

using Facts = std::vector<std::pair<std::string, std::string>>;

// Program version, compiler, build type and libraries.
Facts build_facts();
// Host, operating system, CPU model and count, memory.
Facts machine_facts();
// Name, source, GPUs, memory, peak and link rates.
Facts cluster_facts(const core::Cluster& cluster);

}  // namespace dcpbench::cli

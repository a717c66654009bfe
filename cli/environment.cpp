#include "cli/environment.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "generated/build_info.hpp"

namespace dcpbench::cli {

namespace {

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string rate(core::BytesPerSecond bandwidth) {
  return fmt::format("{:.6g} GB/s", bandwidth.value() / 1e9);
}

}  // namespace

Facts build_facts() {
  return {{"version", kVersion},
          {"compiler", kCompiler},
          {"build_type", kBuildType},
          {"libraries", kLibraries}};
}

Facts machine_facts() {
  utsname system{};
  uname(&system);
  const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(sysconf(_SC_PAGE_SIZE)) / core::kGiB.value();
  return {{"host", system.nodename},
          {"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"cpu", cpu_model()},
          {"cpus", fmt::format("{}", std::thread::hardware_concurrency())},
          {"memory", fmt::format("{:.1f} GiB", memory)}};
}

Facts cluster_facts(const core::Cluster& cluster) {
  Facts facts = {{"name", cluster.name},
                 {"source", cluster.source},
                 {"gpus", fmt::format("{}", cluster.gpus())},
                 {"nodes", fmt::format("{}", cluster.nodes)},
                 {"gpus_per_node", fmt::format("{}", cluster.gpus_per_node)}};
  if (cluster.is_model_free()) {
    facts.emplace_back("costs", cluster.table ? "measured profile" : "polynomial");
    return facts;
  }
  facts.insert(facts.end(),
               {{"device", cluster.device.name},
                {"memory", fmt::format("{:.6g} GiB", cluster.device.memory / core::kGiB)},
                {"peak", fmt::format("{:.6g} TFLOP/s", cluster.device.peak.value() / 1e12)},
                {"memory_bandwidth", rate(cluster.device.memory_bandwidth)},
                {"intra_node", rate(cluster.intra_node.bandwidth)},
                {"inter_node", rate(cluster.inter_node.bandwidth)}});
  return facts;
}

}  // namespace dcpbench::cli

#include "core/cluster.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace dcpbench::core {

Cluster with_gpus(Cluster cluster, std::int32_t gpus) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::usage, fmt::format("--gpus {}: {}", gpus, reason));
  };
  if (gpus < 1 || gpus > kMaxGpus) refuse(fmt::format("allowed: 1 to {}", kMaxGpus));
  const std::int32_t per_node = cluster.gpus_per_node;
  if (gpus <= per_node) {
    cluster.nodes = 1;
    cluster.gpus_per_node = gpus;
  } else if (gpus % per_node == 0) {
    cluster.nodes = gpus / per_node;
  } else if (cluster.is_model_free()) {
    // Nodes mean nothing here: a transfer costs by its degree.
    cluster.nodes = 1;
    cluster.gpus_per_node = gpus;
  } else {
    const std::int32_t below = gpus - gpus % per_node;
    refuse(
        fmt::format("nodes of cluster {} have {} GPUs, and only whole nodes are modelled; use {} "
                    "or {}",
                    cluster.name, per_node, below, below + per_node));
  }
  if (cluster.nodes > 1 && !cluster.is_model_free() &&
      cluster.inter_node.bandwidth <= BytesPerSecond(0)) {
    refuse(
        fmt::format("cluster {} has no inter_node link, so at most {}; or choose a cluster of "
                    "several nodes",
                    cluster.name, per_node));
  }
  return cluster;
}

}  // namespace dcpbench::core

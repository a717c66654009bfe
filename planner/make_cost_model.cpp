#include "planner/make_cost_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "planner/analytic_cost.hpp"
#include "planner/polynomial_cost.hpp"
#include "planner/table_cost.hpp"

namespace dcpbench::planner {

namespace {

using core::Mistakes;

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

void check_options(const CostOptions& options, Mistakes& mistakes) {
  if (options.zero < 0 || options.zero > 3) {
    mistakes.add(fmt::format("--zero {} is not a ZeRO stage; use 0, 1, 2 or 3", options.zero));
  }
  if (options.tp < 1) mistakes.add(fmt::format("--tp {} must be at least 1", options.tp));
  if (!is_positive(options.memory_fraction) || options.memory_fraction > 1) {
    mistakes.add(
        fmt::format("--memory-fraction {} must be above 0 and at most 1", options.memory_fraction));
  }
  if (options.rank_tokens < 0) {
    mistakes.add(
        fmt::format("--rank-tokens {} must be at least 0 (0: no cap)", options.rank_tokens));
  }
}

void check_model_free(const core::Cluster& cluster, const core::Model* model,
                      const CostOptions& options, Mistakes& mistakes) {
  if (model != nullptr) {
    mistakes.add(
        fmt::format("cluster \"{}\" has costs of its own and takes no model; leave out "
                    "--model {}",
                    cluster.name, model->name));
  }
  if (cluster.polynomial && cluster.table) {
    mistakes.add(
        fmt::format("cluster \"{}\" has both polynomial and table costs; keep one", cluster.name));
  }
  if (options.tp > 1) {
    mistakes.add(
        fmt::format("--tp {} needs a model; cluster \"{}\" has costs of its own, use --tp 1",
                    options.tp, cluster.name));
  }
  if (options.zero == 3 && !(cluster.polynomial && cluster.polynomial->lockstep)) {
    mistakes.add(
        fmt::format("--zero 3 needs a model; cluster \"{}\" has costs of its own, use "
                    "--zero 1",
                    cluster.name));
  }
  if (options.sp_method == core::SpMethod::dsp) {
    mistakes.add(fmt::format(
        "--sp-method dsp needs a 2D model; cluster \"{}\" has costs of its own", cluster.name));
  }
}

// What a cluster that costs a model needs beyond its file's syntax.
void check_cluster(const core::Cluster& cluster, Mistakes& mistakes) {
  const auto check_rate = [&](const char* key, double value) {
    if (!is_positive(value)) {
      mistakes.add(
          fmt::format("cluster \"{}\": {} is {}; it must be above 0", cluster.name, key, value));
    }
  };
  check_rate("device.peak", cluster.device.peak.value());
  check_rate("device.memory", cluster.device.memory.value());
  check_rate("device.memory_bandwidth", cluster.device.memory_bandwidth.value());
  check_rate("device.memory_efficiency", cluster.device.memory_efficiency);
  if (cluster.gpus_per_node > 1) {
    check_rate("intra_node.bandwidth", cluster.intra_node.bandwidth.value());
  }
  if (cluster.nodes > 1) check_rate("inter_node.bandwidth", cluster.inter_node.bandwidth.value());
  const double slowdown = cluster.overheads.overlap_slowdown;
  if (!std::isfinite(slowdown) || slowdown < 1) {
    mistakes.add(
        fmt::format("cluster \"{}\": overheads.overlap_slowdown is {}; it must be at least 1",
                    cluster.name, slowdown));
  }
}

void check_tensor_parallel(const core::Cluster& cluster, const core::Model& model, std::int32_t tp,
                           Mistakes& mistakes) {
  const auto check_divides = [&](const char* key, std::int32_t value) {
    if (value % tp != 0) {
      mistakes.add(fmt::format("--tp {} does not divide {} = {} of model \"{}\"", tp, key, value,
                               model.name));
    }
  };
  if (cluster.gpus_per_node % tp != 0) {
    mistakes.add(fmt::format("--tp {} does not divide the {} GPUs per node of cluster \"{}\"", tp,
                             cluster.gpus_per_node, cluster.name));
  }
  check_divides("heads", model.heads);
  check_divides("ffn", model.ffn);
  if (model.kv_heads % tp != 0 && tp % model.kv_heads != 0) {
    mistakes.add(
        fmt::format("--tp {}: neither does it divide the {} kv heads of model \"{}\" nor do "
                    "they divide it",
                    tp, model.kv_heads, model.name));
  }
}

void check_model(const core::Cluster& cluster, const core::Model& model, const CostOptions& options,
                 Mistakes& mistakes) {
  if (model.layers < 1 || model.hidden < 1 || model.heads < 1 || model.kv_heads < 1 ||
      model.ffn < 1) {
    mistakes.add(
        fmt::format("model \"{}\": layers, hidden, heads, kv_heads and ffn must be at least "
                    "1",
                    model.name));
    return;
  }
  if (model.heads % model.kv_heads != 0 || model.hidden % model.heads != 0) {
    mistakes.add(
        fmt::format("model \"{}\": heads {} must divide hidden {} and be a multiple of "
                    "kv_heads {}",
                    model.name, model.heads, model.hidden, model.kv_heads));
  }
  if (options.tp > 1) check_tensor_parallel(cluster, model, options.tp, mistakes);
  if (options.sp_method == core::SpMethod::dsp && !model.is_2d()) {
    mistakes.add(
        fmt::format("--sp-method dsp switches between frames and tokens per frame; model "
                    "\"{}\" is 1D, use ulysses",
                    model.name));
  }
}

}  // namespace

std::unique_ptr<CostModel> make_cost_model(const core::Cluster& cluster, const core::Model* model,
                                           const CostOptions& options) {
  Mistakes mistakes;
  check_options(options, mistakes);
  if (cluster.nodes < 1 || cluster.gpus_per_node < 1 ||
      static_cast<std::int64_t>(cluster.nodes) * cluster.gpus_per_node > INT32_MAX) {
    mistakes.add(
        fmt::format("cluster \"{}\": {} nodes of {} GPUs; both must be at least 1 and all "
                    "GPUs together at most {}",
                    cluster.name, cluster.nodes, cluster.gpus_per_node, INT32_MAX));
  }
  if (cluster.is_model_free()) {
    check_model_free(cluster, model, options, mistakes);
  } else {
    check_cluster(cluster, mistakes);
    if (model == nullptr) {
      mistakes.add(
          fmt::format("cluster \"{}\" needs a model; give one with --model", cluster.name));
    } else {
      check_model(cluster, *model, options, mistakes);
    }
  }
  mistakes.throw_if_any();

  if (cluster.polynomial) return std::make_unique<PolynomialCost>(cluster, options);
  if (cluster.table) return std::make_unique<TableCost>(cluster, options);
  return std::make_unique<AnalyticCost>(cluster, *model, options);
}

}  // namespace dcpbench::planner

#include "cli/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/output.hpp"
#include "core/configs.hpp"

namespace dcpbench::cli {

namespace {

constexpr const char* kDefaultModel1d = "transformer-1d-1.2b";
constexpr const char* kDefaultModel2d = "dit-2d-1.2b";
constexpr const char* kDefaultDatasets1d[] = {"text-short", "text-balanced", "text-long"};
constexpr const char* kDefaultDatasets2d[] = {"video-short", "video-balanced", "video-long"};

void refuse_repeats(const char* option, std::vector<std::string> names, Problems& problems) {
  std::sort(names.begin(), names.end());
  const auto repeated = std::adjacent_find(names.begin(), names.end());
  if (repeated != names.end()) problems.add(fmt::format("{} {} is given twice", option, *repeated));
}

std::optional<core::Cluster> load_cluster(const std::string& name, Problems& problems) {
  return problems.collect([&]() { return std::optional(core::load_cluster(name)); });
}

std::optional<core::Cluster> resize(const std::optional<core::Cluster>& cluster,
                                    std::optional<std::int32_t> gpus, Problems& problems) {
  if (!cluster || !gpus) return cluster;
  return problems.collect([&]() { return std::optional(core::with_gpus(*cluster, *gpus)); });
}

// Results are told apart by the models' names, and so are the files of plans.
std::vector<core::Model> load_models(const std::vector<std::string>& names, Problems& problems) {
  std::vector<core::Model> models;
  std::map<std::string, std::string> origins;
  for (const std::string& name : names) {
    auto model = problems.collect([&]() { return std::optional(core::load_model(name)); });
    if (!model) continue;
    const auto [first, is_new] = origins.try_emplace(plain_file_name(model->name), name);
    if (!is_new && first->second != name) {
      problems.add(fmt::format(
          "--model {} has the name of --model {}, \"{}\": their results could not be told apart; "
          "change \"name\" in one of the two files",
          name, first->second, model->name));
    }
    models.push_back(*std::move(model));
  }
  return models;
}

std::vector<datasets::Dataset> load_datasets(const JobOptions& options, Problems& problems) {
  std::vector<datasets::Dataset> loaded;
  const auto add = [&](auto make) {
    auto dataset = problems.collect([&]() { return std::optional(make()); });
    if (dataset) loaded.push_back(*std::move(dataset));
  };
  for (const std::string& name : options.datasets) add([&]() { return datasets::preset(name); });
  if (options.lengths) {
    add([&]() { return datasets::read_lengths(*options.lengths, options.read); });
  }
  return loaded;
}

// Fills what was not named with the defaults of the same kind, and says which model runs on which
// dataset.
std::vector<Cell> choose_cells(std::vector<std::optional<core::Model>>& models,
                               std::vector<datasets::Dataset>& loaded, bool model_free,
                               Problems& problems) {
  std::vector<Cell> cells;
  const auto add_default_datasets = [&](std::size_t model, bool is_2d) {
    for (const char* name : is_2d ? kDefaultDatasets2d : kDefaultDatasets1d) {
      const auto known = std::find_if(loaded.begin(), loaded.end(),
                                      [&](const auto& dataset) { return dataset.name == name; });
      cells.push_back({model, static_cast<std::size_t>(known - loaded.begin())});
      if (known == loaded.end()) loaded.push_back(datasets::preset(name));
    }
  };
  const auto add_default_model = [&](bool is_2d) {
    const std::string name = is_2d ? kDefaultModel2d : kDefaultModel1d;
    const auto known = std::find_if(models.begin(), models.end(),
                                    [&](const auto& model) { return model->name == name; });
    const auto index = static_cast<std::size_t>(known - models.begin());
    if (known == models.end()) models.emplace_back(core::load_model(name));
    return index;
  };

  if (model_free) {
    models = {std::nullopt};
    if (loaded.empty()) add_default_datasets(0, false);
  } else if (models.empty() && loaded.empty()) {
    for (const bool is_2d : {false, true}) add_default_datasets(add_default_model(is_2d), is_2d);
  } else if (models.empty()) {
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      cells.push_back({add_default_model(loaded[i].is_2d), i});
    }
  } else if (loaded.empty()) {
    for (std::size_t i = 0; i < models.size(); ++i) add_default_datasets(i, models[i]->is_2d());
  }
  if (!cells.empty()) return cells;

  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = 0; j < loaded.size(); ++j) {
      if (models[i] && models[i]->is_2d() && !loaded[j].is_2d) {
        problems.add(fmt::format(
            "model {} needs frames and tokens per frame, but {} has bare lengths; use a "
            "1D model (e.g. {}), a video-* dataset, or a file with the columns frames "
            "and tokens_per_frame",
            models[i]->name, loaded[j].name, kDefaultModel1d));
      }
      cells.push_back({i, j});
    }
  }
  return cells;
}

std::shared_ptr<const planner::CostModel> make_cost(const core::Cluster& cluster,
                                                    const std::optional<core::Model>& model,
                                                    const planner::CostOptions& options,
                                                    Problems& problems) {
  return problems.collect([&]() -> std::shared_ptr<const planner::CostModel> {
    return planner::make_cost_model(cluster, model ? &*model : nullptr, options);
  });
}

// Every reason at once: the cost model stops at its first.
void check_bucket_sp(const JobOptions& options, const CostedModel& costed, Problems& problems) {
  if (options.plan.bucket_sp.value_or(0) == 0) return;
  const std::int32_t degree = *options.plan.bucket_sp;
  const planner::CostModel& cost = *costed.belief;
  const std::optional<std::string> refused = cost.refuse_degree(degree);
  if (!refused) return;
  std::vector<std::string> reasons = {*refused};
  if (degree <= cost.ranks() && cost.ranks() % degree != 0) {
    reasons.push_back(fmt::format("{} ranks are not divisible by {}", cost.ranks(), degree));
  }
  const std::int32_t heads = costed.model ? costed.model->heads / cost.gpus_per_rank() : degree;
  if (cost.sp_method() == core::SpMethod::ulysses && heads % degree != 0 &&
      refused->find("head rule") == std::string::npos) {
    reasons.push_back(fmt::format("{} heads are not divisible by {}", heads, degree));
  }
  problems.add(fmt::format("--bucket-sp {} for model {}: {}; valid degrees: {}", degree,
                           costed.name(), fmt::join(reasons, "; "),
                           fmt::join(cost.allowed_degrees(), ", ")));
}

void check_recompute(const JobOptions& options, const std::vector<CostedModel>& models,
                     Problems& problems) {
  if (!options.recompute_layers) return;
  const std::int32_t layers = *options.recompute_layers;
  std::vector<std::string> faults;
  if (options.recompute == Recompute::none && layers > 0) {
    faults.push_back(fmt::format("--recompute none contradicts --recompute-layers {}", layers));
  }
  if (options.recompute == Recompute::full) {
    faults.push_back(fmt::format("--recompute full contradicts --recompute-layers {}", layers));
  }
  for (const CostedModel& costed : models) {
    if (!costed.truth || layers <= costed.truth->layers()) continue;
    faults.push_back(
        costed.truth->layers() == 0
            ? "this model-free cluster has no layers to recompute"
            : fmt::format("{} > {} layers of {}", layers, costed.truth->layers(), costed.name()));
  }
  if (faults.empty()) return;
  std::string message = fmt::format("{}", fmt::join(faults, "; "));
  if (message.rfind("--", 0) != 0) message = "--recompute-layers: " + message;
  problems.add(std::move(message));
}

}  // namespace

Inputs load_inputs(const JobOptions& options, Problems& problems) {
  Inputs inputs;
  refuse_repeats("--model", options.models, problems);
  refuse_repeats("--dataset", options.datasets, problems);
  const auto described = load_cluster(options.cluster, problems);
  const auto cluster = resize(described, options.gpus, problems);
  std::vector<core::Model> models = load_models(options.models, problems);
  inputs.datasets = load_datasets(options, problems);
  // Defaults stand in for what was not named, never for what was named wrongly.
  const bool complete =
      cluster && models.size() == options.models.size() &&
      inputs.datasets.size() == options.datasets.size() + (options.lengths.has_value() ? 1 : 0);
  std::optional<core::Cluster> plan_cluster;
  if (options.plan_cluster && cluster) {
    plan_cluster = resize(load_cluster(*options.plan_cluster, problems), cluster->gpus(), problems);
  }
  if (cluster && plan_cluster && cluster->is_model_free() != plan_cluster->is_model_free()) {
    problems.add(
        fmt::format("--plan-cluster {} {} a model, --cluster {} {}; choose two of one kind",
                    plan_cluster->name, plan_cluster->is_model_free() ? "has no use for" : "needs",
                    cluster->name, cluster->is_model_free() ? "has no use for one" : "needs one"));
    plan_cluster.reset();
  }
  if (cluster) {
    inputs.cluster = *cluster;
    inputs.described_cluster = *described;
  }
  if (cluster && cluster->is_model_free() && !options.models.empty()) {
    problems.add(fmt::format(
        "--model {} has no meaning on cluster {}, whose costs need no model; leave --model out",
        fmt::join(options.models, ", "), cluster->name));
    return inputs;
  }
  if (!complete) {
    check_recompute(options, {}, problems);
    return inputs;
  }

  std::vector<std::optional<core::Model>> chosen(models.begin(), models.end());
  inputs.cells = choose_cells(chosen, inputs.datasets, cluster->is_model_free(), problems);
  for (const std::optional<core::Model>& model : chosen) {
    CostedModel costed{model, make_cost(*cluster, model, options.cost, problems), nullptr};
    costed.belief =
        plan_cluster ? make_cost(*plan_cluster, model, options.cost, problems) : costed.truth;
    if (costed.truth && costed.belief) {
      check_bucket_sp(options, costed, problems);
      if (options.sim.slow_rank >= costed.truth->ranks()) {
        problems.add(fmt::format("--slow-rank {}: ranks are 0 to {}", options.sim.slow_rank,
                                 costed.truth->ranks() - 1));
      }
    }
    inputs.models.push_back(std::move(costed));
  }
  check_recompute(options, inputs.models, problems);
  return inputs;
}

}  // namespace dcpbench::cli

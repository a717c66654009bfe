#include "cli/size_advice.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "core/error.hpp"
#include "planner/oversize.hpp"

namespace dcpbench::cli {

namespace {

constexpr std::int32_t kMostGpus = 16'384;

class SizeSearch {
 public:
  SizeSearch(planner::CostOptions options, const Inputs& inputs, const CostedModel& costed,
             const core::Workload& workload)
      : options_(options), inputs_(inputs), costed_(costed), workload_(workload) {}

  // At least as many as now.
  [[nodiscard]] std::optional<std::int32_t> least_gpus() const {
    const std::int32_t now = inputs_.cluster.gpus();
    for (std::int32_t gpus = now; gpus <= kMostGpus; gpus *= 2) {
      if (fits(gpus)) return gpus == now ? now : refine(now, gpus);
    }
    return std::nullopt;
  }

 private:
  // `few` does not fit, `enough` does: single GPUs inside a node, else whole nodes.
  [[nodiscard]] std::int32_t refine(std::int32_t few, std::int32_t enough) const {
    const std::int32_t node = inputs_.described_cluster.gpus_per_node;
    const std::int32_t unit = enough <= node ? 1 : node;
    std::int32_t bad = few / unit;
    std::int32_t good = enough / unit;
    while (good - bad > 1) {
      const std::int32_t middle = bad + (good - bad) / 2;
      (fits(middle * unit) ? good : bad) = middle;
    }
    return good * unit;
  }

  [[nodiscard]] bool fits(std::int32_t gpus) const {
    try {
      const core::Cluster cluster = core::with_gpus(inputs_.described_cluster, gpus);
      const auto cost =
          planner::make_cost_model(cluster, costed_.model ? &*costed_.model : nullptr, options_);
      return planner::all_fit(workload_, *cost);
    } catch (const core::Error&) {
      return false;  // there is no such cluster, e.g. a single node without a link to a second
    }
  }

  planner::CostOptions options_;
  const Inputs& inputs_;
  const CostedModel& costed_;
  const core::Workload& workload_;
};

}  // namespace

std::string advise_size(const planner::CostOptions& options, const Inputs& inputs,
                        const CostedModel& costed, const core::Workload& workload) {
  if (const auto gpus = SizeSearch(options, inputs, costed, workload).least_gpus()) {
    return fmt::format("fits from {} GPUs (--gpus {})", *gpus, *gpus);
  }
  std::string text =
      fmt::format("fits on no number of GPUs up to {} with ZeRO-{}", kMostGpus, options.zero);
  if (options.zero == 3 || !costed.model) return text;
  planner::CostOptions sharded = options;
  sharded.zero = 3;
  const auto gpus = SizeSearch(sharded, inputs, costed, workload).least_gpus();
  if (!gpus) return text + " or 3";
  if (*gpus == inputs.cluster.gpus()) return text + ", here with --zero 3";
  return text + fmt::format(", with --zero 3 from {} GPUs (--zero 3 --gpus {})", *gpus, *gpus);
}

}  // namespace dcpbench::cli

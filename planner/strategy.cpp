#include "planner/strategy.hpp"

#include <algorithm>
#include <array>

#include "planner/bucket.hpp"
#include "planner/dcp.hpp"
#include "planner/dcp_inter.hpp"
#include "planner/dcp_intra.hpp"
#include "planner/packed.hpp"

namespace dcpbench::planner {

namespace {

constexpr std::array kStrategies = {
    Strategy{"bucket", "one SP degree, a batch size per length bucket, full recompute",
             plan_bucket},
    Strategy{"packed", "one SP degree, sequences packed to even tokens, least recompute",
             plan_packed},
    Strategy{"dcp-inter", "SP degree and accumulation per length, full recompute", plan_dcp_inter},
    Strategy{"dcp-intra", "recompute per length as memory forces, SP degree with it",
             plan_dcp_intra},
    Strategy{"dcp", "dcp-inter and dcp-intra together", plan_dcp},
};

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

const Strategy* find_strategy(std::string_view name) {
  const auto found = std::find_if(kStrategies.begin(), kStrategies.end(),
                                  [&](const Strategy& strategy) { return strategy.name == name; });
  return found == kStrategies.end() ? nullptr : &*found;
}

}  // namespace dcpbench::planner

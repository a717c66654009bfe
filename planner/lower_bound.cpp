#include "planner/lower_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "planner/batch_limits.hpp"

namespace dcpbench::planner {

namespace {

__extension__ using Wide = __int128;

struct SequenceBound {
  std::int64_t rank_time = 0;  // a(s): least rank time of any micro-batch because s is in it, ns
  std::int64_t fastest = 0;    // c(s): s alone at its fastest feasible setting, ns
};

class Bounds {
 public:
  explicit Bounds(const CostModel& cost) : cost_(cost), degrees_(cost.allowed_degrees()) {}

  // Nothing when the shape fits at no degree.
  const std::optional<SequenceBound>& of(const core::Shape& shape) {
    const auto known = known_.find(shape);
    if (known != known_.end()) return known->second;
    return known_[shape] = compute(shape);
  }

 private:
  // A block touches the fewest nodes that hold its degree, or one more. More may cost less, where
  // links between nodes are the faster ones.
  [[nodiscard]] std::array<Group, 2> possible_groups(std::int32_t degree) const {
    return {Group{degree, (degree - 1) / cost_.ranks_per_node() + 1}, cost_.worst_group(degree)};
  }

  [[nodiscard]] std::optional<SequenceBound> compute(const core::Shape& shape) const {
    std::optional<SequenceBound> bound;
    const ShapeGroup one{shape, 1};
    for (const std::int32_t degree : degrees_) {
      // Others in the micro-batch only add memory, so they never need less recomputation than s
      // alone.
      const auto layers = least_recompute(cost_, std::span(&one, 1), degree);
      if (!layers) continue;
      if (!bound) bound = SequenceBound{INT64_MAX, INT64_MAX};
      const auto [fewest, most] = possible_groups(degree);
      lower(*bound, one, fewest, *layers);
      if (most.nodes != fewest.nodes) lower(*bound, one, most, *layers);
    }
    return bound;
  }

  void lower(SequenceBound& bound, const ShapeGroup& one, Group group, std::int32_t layers) const {
    const Wide rank_time =
        Wide{cost_.marginal_floor(one.shape, group, layers).value()} * group.degree;
    const std::int64_t fastest =
        cost_.micro_batch(std::span(&one, 1), group, layers).total().value();
    bound.rank_time = static_cast<std::int64_t>(std::min(Wide{bound.rank_time}, rank_time));
    bound.fastest = std::min(bound.fastest, fastest);
  }

  const CostModel& cost_;
  std::vector<std::int32_t> degrees_;
  std::map<core::Shape, std::optional<SequenceBound>> known_;
};

}  // namespace

tl::expected<core::Nanoseconds, core::Infeasible> lower_bound(const core::Plan& plan,
                                                              const core::Workload& workload,
                                                              const CostModel& cost) {
  Bounds bounds(cost);
  const StepCost fixed = cost.step();
  const std::int64_t unavoidable =
      (fixed.gradient_sync_tail + fixed.optimizer + fixed.overhead).value();
  Wide total = 0;
  std::vector<core::Shape> shapes;
  for (const core::Step& step : plan.steps) {
    shapes.clear();
    for (const core::MicroBatch& batch : plan.micro_batches_of(step)) {
      for (const std::uint32_t id : plan.sequences_of(batch)) {
        shapes.push_back(workload.sequences[id].shape);
      }
    }
    std::sort(shapes.begin(), shapes.end());
    Wide area = 0;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < shapes.size();) {
      std::size_t end = i;
      while (end < shapes.size() && shapes[end] == shapes[i]) ++end;
      const auto& bound = bounds.of(shapes[i]);
      if (!bound) {
        return tl::unexpected(core::Infeasible{
            fmt::format("a sequence of {} tokens fits at no SP degree", shapes[i].tokens)});
      }
      area += Wide{bound->rank_time} * static_cast<std::int64_t>(end - i);
      longest = std::max(longest, bound->fastest);
      i = end;
    }
    const Wide share = (area + cost.ranks() - 1) / cost.ranks();
    total += std::max(share, Wide{longest}) + unavoidable;
  }
  return core::Nanoseconds(
      static_cast<std::int64_t>(std::min(total, Wide{core::kMaxCostNanoseconds})));
}

}  // namespace dcpbench::planner

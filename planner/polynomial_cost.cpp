#include "planner/polynomial_cost.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "planner/rank_load.hpp"
#include "planner/rounding.hpp"

namespace dcpbench::planner {

namespace {

void check(const core::PolynomialCost& cost) {
  core::Mistakes mistakes;
  const auto check_one = [&mistakes](const std::string& name, double value) {
    if (!std::isfinite(value) || value < 0) {
      mistakes.add(fmt::format("polynomial cost: {} is {}; it must be at least 0", name, value));
    }
  };
  check_one("quadratic", cost.quadratic);
  check_one("linear", cost.linear);
  check_one("fixed", cost.fixed);
  for (const auto& [degree, nanoseconds] : cost.transfer) {
    check_one(fmt::format("transfer of degree {}", degree), nanoseconds);
  }
  mistakes.throw_if_any();
}

}  // namespace

PolynomialCost::PolynomialCost(const core::Cluster& cluster, const CostOptions& options)
    : cost_(*cluster.polynomial),
      ranks_(cluster.gpus()),
      ranks_per_node_(cluster.gpus_per_node),
      zero_(options.zero),
      rank_tokens_(options.rank_tokens),
      uncertainty_(cluster.uncertainty) {
  check(cost_);
}

std::optional<std::string> PolynomialCost::refuse_degree(std::int32_t degree) const {
  if (degree < 1 || (degree & (degree - 1)) != 0) {
    return fmt::format("SP degree {} is not a power of two", degree);
  }
  if (degree > ranks_) {
    return fmt::format("SP degree {} is above the {} ranks of the cluster", degree, ranks_);
  }
  if (cost_.transfer.empty() || cost_.transfer.contains(degree)) return std::nullopt;
  std::string known;
  for (const auto& [allowed, nanoseconds] : cost_.transfer) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", allowed);
  }
  return fmt::format("the cluster gives no transfer cost for SP degree {} (given: {})", degree,
                     known);
}

std::int64_t PolynomialCost::executed_tokens(std::span<const ShapeGroup> shapes,
                                             std::int32_t) const {
  return executed_tokens_of(shapes, 1, Sharding::sequence);
}

double PolynomialCost::transfer(std::int32_t degree) const {
  const auto found = cost_.transfer.find(degree);
  return found == cost_.transfer.end() ? 0 : found->second;
}

MicroBatchCost PolynomialCost::micro_batch(std::span<const ShapeGroup> shapes, Group group,
                                           std::int32_t) const {
  double tokens = 0;
  double squares = 0;
  for (const ShapeGroup& shape_group : shapes) {
    const auto length = static_cast<double>(shape_group.shape.tokens);
    const auto count = static_cast<double>(shape_group.count);
    tokens += count * length;
    squares += count * (length * length);
  }
  const double compute =
      cost_.fixed + (cost_.quadratic * squares + cost_.linear * tokens) / group.degree;
  MicroBatchCost cost;
  cost.compute = rounded_nanoseconds(compute);
  cost.communication = rounded_nanoseconds(transfer(group.degree) * tokens);
  cost.backward = rounded_nanoseconds(compute * 2 / 3);
  return cost;
}

core::Nanoseconds PolynomialCost::marginal_floor(const core::Shape& shape, Group group,
                                                 std::int32_t) const {
  const auto length = static_cast<double>(shape.tokens);
  const double compute =
      (cost_.quadratic * (length * length) + cost_.linear * length) / group.degree;
  return rounded_down(compute + transfer(group.degree) * length);
}

}  // namespace dcpbench::planner

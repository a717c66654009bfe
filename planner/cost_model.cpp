#include "planner/cost_model.hpp"

#include <algorithm>

namespace dcpbench::planner {

std::int32_t CostModel::nodes_spanned(std::int32_t first_rank, std::int32_t degree) const {
  const std::int32_t per_node = ranks_per_node();
  return (first_rank + (degree - 1)) / per_node - first_rank / per_node + 1;
}

Group CostModel::worst_group(std::int32_t degree) const {
  const std::int32_t per_node = ranks_per_node();
  if (per_node % degree == 0) return {degree, 1};
  if (degree % per_node == 0) return {degree, degree / per_node};
  // A block's place in its first node repeats after at most `per_node` blocks.
  const std::int32_t blocks = std::min(std::max(ranks() / degree, 1), per_node);
  std::int32_t most = 1;
  for (std::int32_t block = 0; block < blocks; ++block) {
    most = std::max(most, nodes_spanned(block * degree, degree));
  }
  return {degree, most};
}

bool CostModel::fits(std::span<const ShapeGroup> shapes, std::int32_t degree,
                     std::int32_t recompute_layers) const {
  if (rank_tokens() > 0) {
    const std::int64_t tokens = executed_tokens(shapes, degree);
    // Rounds up without the sum that could overflow.
    const std::int64_t per_rank = tokens / degree + (tokens % degree == 0 ? 0 : 1);
    if (per_rank > rank_tokens()) return false;
  }
  return capacity() <= core::Bytes(0) ||
         peak_memory(shapes, degree, recompute_layers) <= capacity();
}

std::vector<std::int32_t> CostModel::allowed_degrees() const {
  std::vector<std::int32_t> degrees;
  for (std::int64_t degree = 1; degree <= ranks(); degree *= 2) {
    const auto candidate = static_cast<std::int32_t>(degree);
    if (!refuse_degree(candidate)) degrees.push_back(candidate);
  }
  return degrees;
}

}  // namespace dcpbench::planner

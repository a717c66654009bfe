// From a micro-batch of a plan to the shapes it executes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

// The shapes that `ids` (not empty) execute under `padding`, equal ones merged and in ascending
// order. `out` is cleared first; pass the same vector again to avoid allocations. longest: one
// group of all, padded to the longest (2D: to the most frames and the largest frame).
void executed_shapes(std::span<const std::uint32_t> ids, const core::Workload& workload,
                     core::Padding padding, std::vector<ShapeGroup>& out);

// The smallest shape that holds both.
core::Shape hull(const core::Shape& a, const core::Shape& b);

}  // namespace dcpbench::planner

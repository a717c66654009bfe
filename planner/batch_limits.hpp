// The searches that memory and token caps answer: how many, how little recomputation, how long.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

// The largest batch of `shape`, at most `limit` (>= 0), that fits; 0 when not even one does.
std::int64_t max_batch(const CostModel& cost, const core::Shape& shape, std::int32_t degree,
                       std::int32_t recompute_layers, std::int64_t limit);

// The fewest recomputed layers with which `shapes` fit, or nothing.
std::optional<std::int32_t> least_recompute(const CostModel& cost,
                                            std::span<const ShapeGroup> shapes,
                                            std::int32_t degree);

// Whether `shape` alone fits at any allowed degree with every layer recomputed.
bool fits_somewhere(const CostModel& cost, std::span<const std::int32_t> degrees,
                    const core::Shape& shape);

}  // namespace dcpbench::planner

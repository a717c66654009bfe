// The one SP degree that bucket and packed use for the whole run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "core/error.hpp"
#include "core/sequence.hpp"
#include "planner/bucketing.hpp"
#include "planner/strategy.hpp"

namespace dcpbench::planner {

struct FixedDegree {
  std::int32_t degree = 1;
  std::string why;      // "published for this model", "--bucket-sp", "smallest that fits ..."
  std::string warning;  // or empty
};

// --bucket-sp N; else the model's published degree (cut to what the ranks and heads allow, raised
// to what `shapes` need, with a warning); else (or --bucket-sp auto) the smallest degree at which
// each of them fits alone with `recompute_layers`. `shapes` ascending, not empty.
tl::expected<FixedDegree, core::Infeasible> choose_fixed_degree(const PlanRequest& request,
                                                                std::span<const core::Shape> shapes,
                                                                std::int32_t recompute_layers);

// When a smaller degree than `degree` fits every sequence: a sentence that names it and what it
// would save in rank time (each bucket at its largest batch), else nothing.
std::optional<std::string> smaller_degree_hint(const PlanRequest& request, const Buckets& buckets,
                                               std::int32_t degree, std::int32_t recompute_layers);

}  // namespace dcpbench::planner

// Which results of two reports belong together, and what makes them incomparable. Internal to
// report/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/result.hpp"

namespace dcpbench::report {

struct Pairing {
  std::vector<std::pair<const Result*, const Result*>> pairs;  // in the order of the first report
  std::vector<const Result*> only_first, only_other;
};

// Pairs by the narrowest key that fits: (model, dataset, strategy, seed); the same with the
// workload's hash in place of the data set's name (a file under another path); without the seed,
// where one candidate is left on each side. Two reports of a single result each are a pair in any
// case. What then differs is for differences_of to say.
Pairing pair_results(const Report& first, const Report& other);

// A field that must agree for a ratio to mean anything, with both values as text.
struct Difference {
  std::string field, first, other;
  auto operator<=>(const Difference&) const = default;
};
std::vector<Difference> differences_of(const Result& first, const Result& other);

}  // namespace dcpbench::report

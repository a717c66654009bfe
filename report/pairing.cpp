#include "report/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/text.hpp"

namespace dcpbench::report {

namespace {

using Key = std::vector<std::string>;
using KeyOf = Key (*)(const Result&);

constexpr std::array<KeyOf, 4> kKeys = {
    [](const Result& r) {
      return Key{r.model, r.dataset, r.strategy, std::to_string(r.seed)};
    },
    [](const Result& r) {
      return Key{r.model, r.workload_sha256, r.strategy, std::to_string(r.seed)};
    },
    [](const Result& r) {
      return Key{r.model, r.dataset, r.strategy};
    },
    [](const Result&) { return Key{}; },
};

// Indices into a report's results that still have no partner, by key.
std::map<Key, std::vector<std::size_t>> index(const std::vector<Result>& results,
                                              const std::vector<const Result*>& partners,
                                              KeyOf key_of) {
  std::map<Key, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (partners[i] == nullptr) places[key_of(results[i])].push_back(i);
  }
  return places;
}

}  // namespace

Pairing pair_results(const Report& first, const Report& other) {
  std::vector<const Result*> first_partners(first.results.size(), nullptr);
  std::vector<const Result*> other_partners(other.results.size(), nullptr);
  const bool are_single = first.results.size() == 1 && other.results.size() == 1;
  const std::size_t levels = are_single ? kKeys.size() : kKeys.size() - 1;
  for (std::size_t level = 0; level < levels; ++level) {
    const auto first_places = index(first.results, first_partners, kKeys[level]);
    const auto other_places = index(other.results, other_partners, kKeys[level]);
    for (const auto& [key, firsts] : first_places) {
      const auto found = other_places.find(key);
      if (found == other_places.end()) continue;
      const std::vector<std::size_t>& others = found->second;
      // Results with one and the same narrow key (repeats) pair in their order.
      if (level > 0 && (firsts.size() > 1 || others.size() > 1)) continue;
      for (std::size_t i = 0; i < std::min(firsts.size(), others.size()); ++i) {
        first_partners[firsts[i]] = &other.results[others[i]];
        other_partners[others[i]] = &first.results[firsts[i]];
      }
    }
  }
  Pairing pairing;
  for (std::size_t i = 0; i < first.results.size(); ++i) {
    if (first_partners[i] != nullptr) {
      pairing.pairs.emplace_back(&first.results[i], first_partners[i]);
    } else {
      pairing.only_first.push_back(&first.results[i]);
    }
  }
  for (std::size_t i = 0; i < other.results.size(); ++i) {
    if (other_partners[i] == nullptr) pairing.only_other.push_back(&other.results[i]);
  }
  return pairing;
}

std::vector<Difference> differences_of(const Result& first, const Result& other) {
  std::vector<Difference> differences;
  const auto compare = [&](const char* field, const auto& a, const auto& b) {
    if (a != b) {
      differences.push_back(
          {field, printable(fmt::format("{}", a), 80), printable(fmt::format("{}", b), 80)});
    }
  };
  compare("model", first.model, other.model);
  compare("workload_sha256", first.workload_sha256, other.workload_sha256);
  compare("accounting", first.accounting, other.accounting);
  compare("gpus", first.gpus, other.gpus);
  compare("ranks", first.ranks, other.ranks);
  compare("dropped_sequences", first.dropped_sequences, other.dropped_sequences);
  compare("dropped_tokens", first.dropped_tokens, other.dropped_tokens);
  compare("truncated_tokens", first.truncated_tokens, other.truncated_tokens);
  return differences;
}

}  // namespace dcpbench::report

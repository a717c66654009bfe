#include "datasets/faults.hpp"

#include <fmt/format.h>

#include "datasets/text.hpp"

namespace dcpbench::datasets {

namespace {

constexpr std::size_t kPlacesTold = 3;

struct Wording {
  std::string_view singular;
  std::string_view plural;
  std::string_view remedy;
};

// In the order of Fault.
constexpr std::array<Wording, kFaults> kWording = {{
    {"missing value", "missing values", "fill them in, or leave such rows out with --skip-invalid"},
    {"length of zero", "lengths of zero",
     "correct them, or leave such rows out with --skip-invalid"},
    {"negative length", "negative lengths",
     "correct them, or leave such rows out with --skip-invalid"},
    {"length that is not a whole number", "lengths that are not whole numbers",
     "lengths are tokens; if these are seconds, convert them first: latent frames from seconds x "
     "fps, times the tokens per latent frame, in columns frames and tokens_per_frame. "
     "--skip-invalid leaves such rows out"},
    {"length larger than the supported maximum 1099511627776",
     "lengths larger than the supported maximum 1099511627776",
     "check the column and its unit, or split such documents"},
    {"number with thousands separators", "numbers with thousands separators",
     "write them without, as in 131072"},
    {"number with a unit suffix", "numbers with a unit suffix",
     "k is 1000 to some and 1024 to others; write the numbers out"},
    {"duration", "durations",
     "lengths are tokens; convert first: latent frames from seconds x fps, times the tokens per "
     "latent frame, in columns frames and tokens_per_frame"},
    {"value that is not a number", "values that are not numbers",
     "lengths are whole numbers; choose another column with --column NAME, or correct the file"},
    {"row with another number of fields", "rows with another number of fields",
     "give every row the same fields; quote text that holds the delimiter"},
    {"row whose tokens are not a multiple of its frames",
     "rows whose tokens are not a multiple of their frames",
     "tokens / frames must be the whole number of tokens per frame"},
    {"row that contradicts itself", "rows that contradict themselves",
     "correct the file, or choose one with --column NAME"},
    {"row with impossible loss tokens", "rows with impossible loss tokens",
     "loss tokens are between 0 and the tokens of the sequence"},
    {"impossible weight", "impossible weights", "weights are numbers of at least 0"},
    {"bad bin", "bad bins",
     "bins are lo,hi,count with lo < hi, without gap or overlap, hi not included"},
}};

}  // namespace

bool is_skippable(Fault fault) {
  return fault == Fault::missing || fault == Fault::zero || fault == Fault::negative ||
         fault == Fault::fractional;
}

void Faults::add(Fault fault, std::int64_t place, std::string_view detail) {
  Kept& kept = kept_[static_cast<std::size_t>(fault)];
  ++total_;
  if (++kept.count <= static_cast<std::int64_t>(kPlacesTold)) {
    kept.first.push_back(fmt::format("{} {}: {}", place_word_, place, detail));
  }
}

std::string Faults::summary(std::size_t kind) const {
  const Kept& kept = kept_[kind];
  const Wording& wording = kWording[kind];
  std::string places;
  for (const std::string& place : kept.first) append(places, place, "; ");
  if (kept.count > static_cast<std::int64_t>(kPlacesTold)) places += "; ...";
  return fmt::format("{} {} ({})", kept.count, kept.count == 1 ? wording.singular : wording.plural,
                     places);
}

std::vector<std::string> Faults::summaries() const {
  std::vector<std::string> result;
  for (std::size_t kind = 0; kind < kFaults; ++kind) {
    if (kept_[kind].count > 0) result.push_back(summary(kind));
  }
  return result;
}

void Faults::throw_if_any() const {
  core::Mistakes mistakes;
  for (std::size_t kind = 0; kind < kFaults; ++kind) {
    if (kept_[kind].count == 0) continue;
    mistakes.add(fmt::format("{}: {}; {}", file_, summary(kind), kWording[kind].remedy));
  }
  mistakes.throw_if_any();
}

}  // namespace dcpbench::datasets

#include "planner/kernel_rates.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace dcpbench::planner {

namespace {

// Better: fits the head dimension, and with the least waste; else the one that is nearest to
// fitting.
bool is_better(const core::AttentionCurve& candidate, const core::AttentionCurve& best,
               std::int32_t head_dim) {
  const bool fits = candidate.head_dim >= head_dim;
  if (fits != (best.head_dim >= head_dim)) return fits;
  return fits ? candidate.head_dim < best.head_dim : candidate.head_dim > best.head_dim;
}

const core::AttentionCurve& find_curve(const core::Device& device, core::Mask mask,
                                       std::int32_t head_dim) {
  const core::AttentionCurve* best = nullptr;
  for (const core::AttentionCurve& curve : device.attention) {
    if (best == nullptr || (curve.mask == mask && best->mask != mask) ||
        (curve.mask == best->mask && is_better(curve, *best, head_dim))) {
      best = &curve;
    }
  }
  if (best == nullptr) {
    throw core::Error(core::ErrorKind::usage,
                      "device \"" + device.name + "\" has no attention curve; it needs one");
  }
  return *best;
}

}  // namespace

AttentionRates::AttentionRates(const core::Device& device, core::Mask mask, std::int32_t head_dim)
    : AttentionRates(find_curve(device, mask, head_dim), head_dim) {}

AttentionRates::AttentionRates(const core::AttentionCurve& curve, std::int32_t head_dim)
    : forward_(curve.forward, "device.attention.forward"),
      backward_(curve.backward, "device.attention.backward"),
      waste_(std::max(1.0, static_cast<double>(curve.head_dim) / head_dim)) {}

}  // namespace dcpbench::planner

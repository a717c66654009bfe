// Rates of a device's matrix multiplications and attention kernels for one model.
#pragma once

#include "core/cluster.hpp"
#include "planner/efficiency.hpp"

namespace dcpbench::planner {

// Attention of one head dimension and mask. A query costs its effective number of keys
// (AttentionTable) times the FLOPs per query and key, over the peak.
class AttentionRates {
 public:
  // The curve of `mask` with the least head dimension not below `head_dim`; kernels round up to the
  // dimensions they are built for, and `waste` counts what they compute too much. None is that
  // large: the largest. None of that mask: those of the other. Throws Error(usage) when there is
  // none.
  AttentionRates(const core::Device& device, core::Mask mask, std::int32_t head_dim);

  [[nodiscard]] Effective forward(double keys) const { return forward_.at(keys); }
  [[nodiscard]] Effective backward(double keys) const { return backward_.at(keys); }
  [[nodiscard]] double waste() const { return waste_; }

 private:
  AttentionRates(const core::AttentionCurve& curve, std::int32_t head_dim);

  AttentionTable forward_;
  AttentionTable backward_;
  double waste_;
};

// Backward attention computes five matrix products where the forward pass computes two (the
// convention of FlashAttention-2 and -3, Dao 2023, Shah et al. 2024).
inline constexpr double kAttentionBackward = 2.5;
// Every other matrix product has two in the backward pass.
inline constexpr double kGemmBackward = 2;

}  // namespace dcpbench::planner

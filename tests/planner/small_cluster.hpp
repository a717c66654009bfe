// A device with round numbers and small models, for costs that can be worked out by hand.
#pragma once

#include "core/cluster.hpp"
#include "core/model.hpp"
#include "core/sequence.hpp"
#include "planner/cost_model.hpp"

namespace dcpbench::planner {

// 1 GFLOP/s, 1 GB/s memory at half of it, GEMM at 0.5 of the peak, attention at 0.25 forward and
// 0.5 backward, links of 1 GB/s with 100 ns inside and 0.1 GB/s with 1000 ns between nodes.
inline core::Cluster small_cluster(std::int32_t nodes = 1, std::int32_t gpus_per_node = 8) {
  core::Cluster cluster;
  cluster.name = "small";
  cluster.nodes = nodes;
  cluster.gpus_per_node = gpus_per_node;
  core::Device& device = cluster.device;
  device.name = "small";
  device.memory = core::Bytes(1e6);
  device.peak = core::FlopsPerSecond(1e9);
  device.memory_bandwidth = core::BytesPerSecond(1e9);
  device.memory_efficiency = 0.5;
  device.gemm.points = {{1, 0.5}};
  for (const core::Mask mask : {core::Mask::full, core::Mask::causal}) {
    core::AttentionCurve curve;
    curve.head_dim = 2;
    curve.mask = mask;
    curve.forward.points = {{1, 0.25}};
    curve.backward.points = {{1, 0.5}};
    device.attention.push_back(curve);
  }
  cluster.intra_node.bandwidth = core::BytesPerSecond(1e9);
  cluster.intra_node.latency = core::Seconds(100e-9);
  cluster.inter_node.bandwidth = core::BytesPerSecond(1e8);
  cluster.inter_node.latency = core::Seconds(1000e-9);
  cluster.overheads.micro_batch = core::Seconds(1000e-9);
  cluster.overheads.step = core::Seconds(5000e-9);
  return cluster;
}

// A causal language model: h 8, a 4 of dimension 2, k 2, f 16 gated, V 10, 2 layers.
inline core::Model small_lm() {
  core::Model model;
  model.name = "small-lm";
  model.kind = core::ModelKind::transformer_1d;
  model.layers = 2;
  model.hidden = 8;
  model.heads = 4;
  model.kv_heads = 2;
  model.ffn = 16;
  model.gated_mlp = true;
  model.mask = core::Mask::causal;
  model.head = core::Head::lm;
  model.vocab = 10;
  return model;
}

// One pair of blocks: h 8, a 4 of dimension 2, f 32 plain, C 4; no text, not modulated.
inline core::Model small_video() {
  core::Model model;
  model.name = "small-video";
  model.kind = core::ModelKind::transformer_2d;
  model.layers = 1;
  model.hidden = 8;
  model.heads = 4;
  model.kv_heads = 4;
  model.ffn = 32;
  model.mask = core::Mask::full;
  model.head = core::Head::regression;
  model.output_channels = 4;
  return model;
}

inline ShapeGroup text(std::int64_t tokens, std::int64_t count = 1) {
  return {core::Shape{tokens, 0, 0}, count};
}
inline ShapeGroup video(std::int64_t frames, std::int64_t tokens_per_frame,
                        std::int64_t count = 1) {
  return {core::Shape{frames * tokens_per_frame, frames, tokens_per_frame}, count};
}

}  // namespace dcpbench::planner

// What a model asks of a device: floating-point operations, bytes through device memory and bytes
// kept for the backward pass. A layer is one transformer block (1D) or a pair of a spatial and a
// temporal block (2D, as STDiT3 of Open-Sora 1.2), each with self-attention, text attention, MLP.
//
// h hidden, a heads, k kv heads, f MLP width, V vocabulary, C output values per token, Lc text
// tokens, w width of the text embedding. A multiply-add is two operations. Forward, per block:
//   Q, K, V, O       4h^2 (1 + k/a) per token
//   MLP              4hf per token, gated 6hf
//   self-attention   4h per query and key, half when causal
//   text attention   Q and O 4h^2 per token, K and V 4h^2 per text token, 4h per query and key
// Once per micro-batch:
//   head             2hV or 2hC per token
//   text projection  w -> h -> h: 2h (w + h) per text token
//   modulation       h -> 6h per sequence, shared by all layers: 12h^2 (adaLN-single: PixArt-alpha,
//                    Chen et al. 2023, and STDiT3)
//
// Elementwise kernels: numbers (of 16 bits) read or written per token and block, forward, backward:
//   each of 2 norms                                              2h               3h
//   each of 2 residual additions, 3 with text                    3h               3h
//   rotary embedding of Q and K                                  2h (1 + k/a)     2h (1 + k/a)
//   activation                                                   2f, gated 3f     3f, gated 5f
//   modulated: each of 2 shift-and-scale and 2 gates             2h               3h
//   modulated: norms of Q and K, as in STDiT3                    2h (1 + k/a)     3h (1 + k/a)
//   once: embedding and final norm, each                         2h               3h
// Cross-entropy reads the logits in 16 bits and writes them in 32, and back for the gradient: 6V
// bytes forward, 6V backward. A regression loss: 6C and 6C.
//
// Gradients are accumulated in fp32: every micro-batch reads and writes 4 bytes per parameter,
// however few tokens it has. A fused weight-gradient product saves the kernel, not the bytes.
//
// Kept for the backward pass with flash attention and without dropout (Korthikanti et al. 2022,
// "Reducing Activation Recomputation in Large Transformer Models"), bytes per token and block:
//   attention   norm input and output, Q, attention output 8h; K and V 4h k/a; log-sum-exp 4a
//   MLP         norm input and output 4h; plain: in and out 4f; gated: gate, up, product 6f
//   text        residual, Q, attention output 6h; log-sum-exp 4a; K and V 4h per text token
//   modulated   the outputs that are gated 4h; Q and K before their norms 2h (1 + k/a)
// So a gated 1D layer keeps h (12 + 4k/a) + 6f + 4a. Logits, in 16 and 32 bits: 6V per token.
#pragma once

#include <cstdint>

#include "core/model.hpp"
#include "core/sequence.hpp"

namespace dcpbench::planner {

struct LayerWork {
  double gemm_flops_per_token = 0;
  double attention_flops_per_pair = 0;  // per query and key, of one self-attention, mask counted
  double text_attention_flops_per_pair = 0;  // of all cross-attentions of the layer
  double text_gemm_flops_per_text_token = 0;

  double forward_bytes_per_token = 0;
  double backward_bytes_per_token = 0;
  double gradient_bytes = 0;  // 8 per parameter and micro-batch

  double saved_bytes_per_token = 0;  // without K and V
  double saved_kv_bytes_per_token = 0;
  double saved_text_bytes_per_text_token = 0;

  // Kernels of an eager PyTorch layer: 15 in a 1D block (norm, QKV, rotary, attention, O, addition,
  // norm, MLP, addition), 30 in each block of a 2D pair; the backward pass launches twice as many.
  std::int32_t forward_kernels = 0;
  std::int32_t backward_kernels = 0;
};

struct ModelWork {
  LayerWork layer;
  std::int32_t blocks = 1;  // self-attentions per layer
  double text_tokens = 0;   // Lc; 0: no cross-attention

  double head_flops_per_token = 0;
  double text_gemm_flops_per_text_token = 0;
  double modulation_flops_per_sequence = 0;
  double forward_bytes_per_token = 0;
  double backward_bytes_per_token = 0;
  double gradient_bytes = 0;          // of what is in no layer
  double logits_bytes_per_token = 0;  // kept for the backward pass
};

// `kv_heads`: those that are computed, at least the model's own (tensor parallelism above kv heads
// computes one per rank).
ModelWork model_work(const core::Model& model, std::int32_t kv_heads);

// Model FLOPs of one forward pass over a sequence, without padding.
double forward_flops(const core::Model& model, const core::Shape& shape);

}  // namespace dcpbench::planner

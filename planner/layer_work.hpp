// What a model asks of a device: floating-point operations, bytes through device memory and bytes
// kept for the backward pass, per token, per sequence or per layer. A layer is one transformer
// block (1D) or a pair of a spatial and a temporal block (2D, as STDiT3 of Open-Sora 1.2).
//
// A multiply-add is two operations. h hidden, a heads, k kv heads, f MLP width, V vocabulary, C
// output values per token, Lc text tokens, w text embedding width. Per block and token, forward:
//   Q, K, V, O     2h (2h + 2h k/a)                MLP      4hf plain, 6hf gated
//   attention      4h per key, half when causal    text     4h^2 (Q, O) + 4h per text token; K and
//   V
//                                                           4h^2 per text token, not per token
// Once: head 2hV or 2hC per token; text projection w -> h -> h, 2h (w + h) per text token;
// modulation h -> 6h per sequence, shared by all layers (adaLN-single, PixArt-alpha, Chen et al.
// 2023), 12h^2.
//
// Elementwise kernels, tensors of a token read or written (16 bits each), forward / backward:
//   2 norms              2h / 3h each     residual additions, 2 (3 with text)   3h / 3h each
//   rotary on Q and K    2h (1 + k/a)     activation   gated 3f / 5f, plain 2f / 3f
//   modulation: 2 shift-and-scale, 2 gates    2h / 3h each
// Once: embedding and final norm 2h / 3h each. Cross-entropy reads the 16-bit logits and writes
// them in 32 bits, and back for the gradient: 6V bytes / 6V bytes; a regression loss 6C / 6C.
//
// Kept for the backward pass with flash attention (Korthikanti et al. 2022, "Reducing Activation
// Recomputation in Large Transformer Models", without dropout and softmax), bytes per block and
// token:
//   attention   norm input, norm output, Q, attention output: 8h;  K, V: 4h k/a;  log-sum-exp: 4a
//   MLP         norm input, norm output: 4h;  gated: gate, up, product: 6f;  plain: in, out: 4f
//   text        residual, Q, attention output: 6h;  log-sum-exp: 4a;  K, V: 4h per text token
//   modulation  the outputs that are gated: 4h
// 1D gated: h (12 + 4k/a) + 6f + 4a. Logits in 16 and 32 bits: 6V per token.
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
  double logits_bytes_per_token = 0;  // kept for the backward pass
};

// `kv_heads`: those that are computed, at least the model's own (tensor parallelism above kv heads
// computes one per rank).
ModelWork model_work(const core::Model& model, std::int32_t kv_heads);

// Model FLOPs of one forward pass over a sequence, without padding.
double forward_flops(const core::Model& model, const core::Shape& shape);

}  // namespace dcpbench::planner

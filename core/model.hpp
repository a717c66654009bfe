// A transformer, as far as cost depends on it. Read from JSON with exact keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/cluster.hpp"

namespace dcpbench::core {

inline constexpr std::int32_t kMaxLayers = 10'000;

enum class ModelKind { transformer_1d, transformer_2d };
enum class Head { lm, regression };

struct Model {
  std::string name;
  std::string source;
  ModelKind kind = ModelKind::transformer_1d;
  std::int32_t layers = 0;  // 2D: spatial + temporal pairs
  std::int32_t hidden = 0;
  std::int32_t heads = 0;
  std::int32_t kv_heads = 0;
  std::int32_t ffn = 0;
  bool gated_mlp = false;
  Mask mask = Mask::causal;
  Head head = Head::lm;
  std::int32_t vocab = 0;                   // lm
  bool tied_embeddings = false;             // lm
  std::int32_t output_channels = 0;         // regression: values per token
  std::int32_t cross_attention_tokens = 0;  // 0: no cross-attention
  std::int32_t cross_attention_width = 0;   // width of the text embedding before projection
  bool modulated = false;                   // adaLN modulation
  std::optional<std::int32_t> published_sp_degree;
  double default_scale_lengths = 1;

  [[nodiscard]] std::int32_t head_dim() const { return hidden / heads; }
  [[nodiscard]] bool is_2d() const { return kind == ModelKind::transformer_2d; }
};

// Strict like cluster_from_json; also heads % kv_heads and hidden % heads. 2D models attend in full
// and have a regression head.
Model model_from_json(std::string_view text, std::string_view origin);

// Parameters that are trained, by formula (README, "Cost model"). Two conventions:
//   modulated == false (Llama): no biases, RMSNorm weights before every sub-layer and at the end.
//   modulated == true (PixArt, STDiT3): biases everywhere, norms without weights, a 6 x hidden
//     modulation table per block on top of one shared 6 x hidden projection of the timestep,
//     RMSNorm of queries and keys.
// regression: a patch embedding of output_channels values per token and a projection back to them;
// cross-attention: an MLP cross_attention_width -> hidden -> hidden for the text. Position
// embeddings are not trained.
double parameter_count(const Model& model);
// Of one layer (2D: one pair of blocks, each with self-attention, cross-attention and MLP).
double layer_parameter_count(const Model& model);

}  // namespace dcpbench::core

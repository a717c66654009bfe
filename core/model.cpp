#include "core/model.hpp"

namespace dcpbench::core {

namespace {

// Width of the sinusoidal timestep embedding (DiT, PixArt, STDiT3).
constexpr double kTimestepWidth = 256;

// Self-attention, cross-attention if there is one, MLP and norms.
double block_parameters(const Model& model) {
  const double h = model.hidden;
  const double f = model.ffn;
  const double kv = static_cast<double>(model.kv_heads) * model.head_dim();
  const double mlp_matrices = model.gated_mlp ? 3 : 2;
  const bool cross = model.cross_attention_tokens > 0;

  double parameters = 2 * h * h + 2 * h * kv + mlp_matrices * h * f + (cross ? 4 * h * h : 0);
  if (model.modulated) {
    const double biases = 2 * h + 2 * kv + (mlp_matrices - 1) * f + h + (cross ? 4 * h : 0);
    const double modulation_table = 6 * h;
    const double query_key_norms = 2.0 * model.head_dim();
    parameters += biases + modulation_table + query_key_norms;
  } else {
    parameters += (cross ? 3 : 2) * h;
  }
  return parameters;
}

}  // namespace

double layer_parameter_count(const Model& model) {
  return (model.is_2d() ? 2 : 1) * block_parameters(model);
}

double parameter_count(const Model& model) {
  const double h = model.hidden;
  double parameters = model.layers * layer_parameter_count(model);
  if (model.head == Head::lm) {
    parameters += (model.tied_embeddings ? 1 : 2) * h * model.vocab;
  } else {
    const double values = model.output_channels;
    parameters += values * h + h + h * values + values;
  }
  if (model.cross_attention_tokens > 0) {
    parameters += model.cross_attention_width * h + h + h * h + h;
  }
  if (model.modulated) {
    parameters += kTimestepWidth * h + h + h * h + h;  // timestep embedding
    parameters += 6 * h * h + 6 * h;                   // shared modulation
    parameters += 2 * h;                               // modulation of the last norm
  } else {
    parameters += h;
  }
  return parameters;
}

}  // namespace dcpbench::core

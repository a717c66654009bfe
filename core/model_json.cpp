#include <fmt/format.h>

#include <array>

#include "core/json_reader.hpp"
#include "core/model.hpp"

namespace dcpbench::core {

namespace {

constexpr std::array<std::string_view, 2> kKindNames = {"transformer_1d", "transformer_2d"};
constexpr std::array<std::string_view, 2> kMaskNames = {"full", "causal"};
constexpr std::array<std::string_view, 2> kHeadNames = {"lm", "regression"};

constexpr std::int32_t kMaxWidth = 1 << 20;
constexpr std::int32_t kMaxVocab = 1 << 27;

std::int32_t read_int32(ObjectReader& object, std::string_view key, std::int32_t low,
                        std::int32_t high) {
  return static_cast<std::int32_t>(object.integer(key, low, high));
}

// `what` % `of` must be 0: names the nearest values that would do.
void check_multiple(const JsonValue& where, std::string_view what, std::int32_t value,
                    std::string_view of, std::int32_t divisor, JsonMistakes& mistakes) {
  if (value % divisor == 0) return;
  const std::int32_t below = value - value % divisor;
  std::int32_t smaller = divisor;
  while (value % smaller != 0) --smaller;
  mistakes.add(where, fmt::format("{} {} is not a multiple of {} {}; use {} {}{}, or {} {}", what,
                                  value, of, divisor, what, below + divisor,
                                  below > 0 ? fmt::format(" or {}", below) : "", of, smaller));
}

void read_head(ObjectReader& object, Model& model) {
  model.head = object.one_of("head", kHeadNames) == 0 ? Head::lm : Head::regression;
  if (model.head == Head::lm) {
    model.vocab = read_int32(object, "vocab", 1, kMaxVocab);
    model.tied_embeddings = object.boolean("tied_embeddings");
    object.refuse("output_channels", "the head is lm; output_channels belongs to regression");
  } else {
    model.output_channels = read_int32(object, "output_channels", 1, kMaxWidth);
    object.refuse("vocab", "the head is regression; vocab belongs to lm");
    object.refuse("tied_embeddings", "the head is regression; tied_embeddings belongs to lm");
  }
}

void read_cross_attention(ObjectReader& object, Model& model, JsonMistakes& mistakes) {
  const auto tokens = object.optional("cross_attention_tokens");
  const auto width = object.optional("cross_attention_width");
  if (tokens.has_value() != width.has_value()) {
    mistakes.add(tokens ? *tokens : *width,
                 "cross_attention_tokens and cross_attention_width come together");
  }
  if (tokens) {
    model.cross_attention_tokens =
        static_cast<std::int32_t>(read_integer(*tokens, 1, kMaxWidth, mistakes));
  }
  if (width) {
    model.cross_attention_width =
        static_cast<std::int32_t>(read_integer(*width, 1, kMaxWidth, mistakes));
  }
}

}  // namespace

Model model_from_json(std::string_view text, std::string_view origin) {
  const JsonDocument document(text, origin);
  JsonMistakes mistakes(document);
  const JsonValue root = document.root();
  ObjectReader object(root, mistakes);

  Model model;
  model.name = object.name("name");
  if (const auto source = object.optional("source")) model.source = read_text(*source, mistakes);
  model.kind = object.one_of("kind", kKindNames) == 0 ? ModelKind::transformer_1d
                                                      : ModelKind::transformer_2d;
  model.layers = read_int32(object, "layers", 1, kMaxLayers);
  const std::size_t mistakes_before = mistakes.count();
  model.hidden = read_int32(object, "hidden", 1, kMaxWidth);
  model.heads = read_int32(object, "heads", 1, kMaxWidth);
  model.kv_heads = read_int32(object, "kv_heads", 1, kMaxWidth);
  if (mistakes.count() == mistakes_before) {
    check_multiple(root, "hidden", model.hidden, "heads", model.heads, mistakes);
    check_multiple(root, "heads", model.heads, "kv_heads", model.kv_heads, mistakes);
  }
  model.ffn = read_int32(object, "ffn", 1, kMaxWidth);
  model.gated_mlp = object.boolean("gated_mlp");
  model.mask = object.one_of("mask", kMaskNames) == 0 ? Mask::full : Mask::causal;
  read_head(object, model);
  read_cross_attention(object, model, mistakes);
  if (const auto modulated = object.optional("modulated")) {
    model.modulated = read_boolean(*modulated, mistakes);
  }
  if (const auto degree = object.optional("published_sp_degree")) {
    model.published_sp_degree =
        static_cast<std::int32_t>(read_integer(*degree, 1, kMaxGpus, mistakes));
    if ((*model.published_sp_degree & (*model.published_sp_degree - 1)) != 0) {
      mistakes.add(*degree, fmt::format("{} is not a power of two", *model.published_sp_degree));
    }
  }
  if (const auto scale = object.optional("default_scale_lengths")) {
    model.default_scale_lengths = read_number(*scale, {0, 1e6, true}, mistakes);
  }
  object.finish();

  if (model.is_2d() && model.mask == Mask::causal) {
    mistakes.add(root, "a transformer_2d attends in full: mask must be \"full\"");
  }
  if (model.is_2d() && model.head == Head::lm) {
    mistakes.add(root, "a transformer_2d predicts values: head must be \"regression\"");
  }
  mistakes.throw_if_any();
  return model;
}

}  // namespace dcpbench::core

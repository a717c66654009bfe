// What one rank of an SP group executes of a micro-batch, padding of sequence parallelism included.
//
//   sequence   Ulysses, 1D (DeepSpeed-Ulysses, Jacobs et al. 2023): each sequence is padded to a
//              multiple of the degree; a rank holds its share of the tokens.
//   frames     Ulysses, 2D: the same; spatial and temporal attention are both sharded by heads.
//   dynamic    DSP, 2D (Dynamic Sequence Parallelism, Zhao et al. 2024, and its release in
//              VideoSys): frames and tokens per frame are each padded to a multiple of the degree.
//              Images (one frame) are sharded along the batch: largest first, every rank takes one
//              of `degree` images, and a round that isn't full costs the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "planner/cost_model.hpp"

namespace dcpbench::planner {

enum class Sharding { sequence, frames, dynamic };

constexpr Sharding sharding(bool is_2d, core::SpMethod method) {
  if (!is_2d) return Sharding::sequence;
  return method == core::SpMethod::dsp ? Sharding::dynamic : Sharding::frames;
}

// One shape group's part of a rank. Tokens of 2^22 sequences of 2^40 tokens leave 64 bits when
// padded, so sums are double.
struct LocalShape {
  double tokens = 0;        // of one rank, all sequences of the group
  double queries = 0;       // of its attention; Ulysses' padding of a video belongs to no frame
  std::int64_t length = 0;  // keys per query: the sequence (1D), the frame (2D)
  std::int64_t frames = 0;  // keys per query in temporal attention; 0: it is skipped
};

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + (multiple - 1)) / multiple * multiple;
}

// A 1D shape given to a 2D model is an image; a 2D shape given to a 1D model is its tokens.
inline std::int64_t frames_of(const core::Shape& shape) {
  return std::max<std::int64_t>(shape.frames, 1);
}
inline std::int64_t frame_tokens_of(const core::Shape& shape) {
  return shape.is_2d() ? shape.tokens_per_frame : shape.tokens;
}

// Calls visit(LocalShape) for every group that puts work on a rank, largest first.
template <class Visit>
void for_each_local(std::span<const ShapeGroup> shapes, std::int64_t degree, Sharding sharding,
                    Visit&& visit) {
  std::int64_t images = 0;
  for (auto group = shapes.rbegin(); group != shapes.rend(); ++group) {
    const core::Shape& shape = group->shape;
    const auto count = static_cast<double>(group->count);
    if (sharding == Sharding::sequence) {
      const std::int64_t length = round_up(shape.tokens, degree);
      const double tokens = count * static_cast<double>(length / degree);
      visit(LocalShape{tokens, tokens, length, 0});
      continue;
    }
    const std::int64_t frames = frames_of(shape);
    const std::int64_t frame = frame_tokens_of(shape);
    if (sharding == Sharding::frames) {
      const std::int64_t padded = round_up(shape.tokens, degree);
      visit(LocalShape{count * static_cast<double>(padded / degree),
                       count * (static_cast<double>(shape.tokens) / static_cast<double>(degree)),
                       frame, frames > 1 ? frames : 0});
    } else if (frames > 1) {
      const std::int64_t padded_frames = round_up(frames, degree);
      const std::int64_t padded_frame = round_up(frame, degree);
      const double tokens =
          count * (static_cast<double>(padded_frames / degree) * static_cast<double>(padded_frame));
      visit(LocalShape{tokens, tokens, padded_frame, padded_frames});
    } else {
      const std::int64_t slots_before = round_up(images, degree) / degree;
      images += group->count;
      const std::int64_t slots = round_up(images, degree) / degree - slots_before;
      if (slots > 0) {
        const double tokens = static_cast<double>(slots) * static_cast<double>(frame);
        visit(LocalShape{tokens, tokens, frame, 0});
      }
    }
  }
}

// The least a rank can execute because `shape` is in the micro-batch, whatever else is in it.
LocalShape least_local(const core::Shape& shape, std::int64_t degree, Sharding sharding);

// Tokens and sequences of a rank.
struct RankTokens {
  double tokens = 0;
  double sequences = 0;  // of the whole micro-batch: text and modulation are on every rank
};
RankTokens rank_tokens_of(std::span<const ShapeGroup> shapes, std::int64_t degree,
                          Sharding sharding);

// All ranks together; cut to 2^62.
std::int64_t executed_tokens_of(std::span<const ShapeGroup> shapes, std::int64_t degree,
                                Sharding sharding);

}  // namespace dcpbench::planner

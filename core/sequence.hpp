// Sequences and workloads: what is to be trained on, and which sequences each optimizer step takes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace dcpbench::core {

// Lengths above this are an input error: sums of up to 2^22 of them still fit 64 bits, and a cost
// that squares them is computed in double.
inline constexpr std::int64_t kMaxTokens = INT64_C(1) << 40;
inline constexpr std::int64_t kMaxSequences = INT64_C(1) << 22;

// What the cost of a sequence depends on. 1D: frames = 0. 2D: tokens = frames * tokens_per_frame;
// an image has one frame.
struct Shape {
  std::int64_t tokens = 0;
  std::int64_t frames = 0;            // T, latent frames
  std::int64_t tokens_per_frame = 0;  // S
  auto operator<=>(const Shape&) const = default;
  [[nodiscard]] bool is_2d() const { return frames > 0; }
};

struct Sequence {
  Shape shape;
  std::int64_t loss_tokens = 0;  // 0 <= loss_tokens <= tokens
  std::uint32_t row = 0;         // 0-based place in its file or draw, before any shuffle
};

// A run of consecutive sequences of the workload.
struct SequenceRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// The sequences of a run in drawn order; a sequence's id is its index in `sequences`. `steps`
// partitions them into optimizer steps (accounting `equal`); under `native` it is one range of all.
struct Workload {
  std::string dataset;
  std::vector<Sequence> sequences;
  std::vector<SequenceRange> steps;
  // What --oversize took away before planning; already absent from `sequences`.
  std::int64_t dropped_sequences = 0;
  std::int64_t dropped_tokens = 0;
  std::int64_t truncated_tokens = 0;

  [[nodiscard]] std::int64_t total_tokens() const;
};

// Splits `workload` into steps: sequences in order until the next would exceed `step_tokens`, at
// least one per step. `step_tokens` > 0.
void split_steps_by_tokens(Workload& workload, std::int64_t step_tokens);
// Steps of `step_sequences` sequences each (the last may be shorter). `step_sequences` > 0.
void split_steps_by_count(Workload& workload, std::int64_t step_sequences);
// One range of all sequences.
void single_step(Workload& workload);

// SHA-256 (hex) of the values that decide a run: every sequence's shape and loss tokens in order,
// and the step boundaries. Two files with the same lengths have the same hash.
std::string workload_sha256(const Workload& workload);

}  // namespace dcpbench::core

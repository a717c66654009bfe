// A cluster: devices, links, overheads, power. Read from JSON with exact keys and units in the
// values; every constant may name its source, and in the shipped files every one does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace dcpbench::core {

// Achieved share of a nominal rate by size. Between points the *time* is linear in the size
// (latency and bandwidth per segment), which is exact arithmetic and keeps time monotone.
struct EfficiencyCurve {
  struct Point {
    double size = 0;        // bytes, rows or tokens
    double efficiency = 0;  // achieved rate / nominal rate; may exceed 1 (NVLS all-reduce)
  };
  std::vector<Point> points;  // ascending sizes, at least one
};

enum class Collective { all_to_all, all_reduce, all_gather, reduce_scatter };
enum class Mask { full, causal };

// One tier of links, per GPU and direction.
struct LinkTier {
  BytesPerSecond bandwidth{0};
  Seconds latency{0};
  // Bus bandwidth (nccl-tests convention) over `bandwidth`, by total buffer bytes; one curve per
  // number of ranks measured. The curve with the nearest number of ranks not above (else the
  // smallest) is used.
  std::map<Collective, std::map<std::int32_t, EfficiencyCurve>> efficiency;
};

// Attention kernel rate over peak, by sequence length; "time" in the rule above is that of a whole
// sequence, so length^2 / efficiency never falls (below a kernel tile it is flat). FLOPs: forward 2
// matmuls, backward 5, causal counted as half.
struct AttentionCurve {
  std::int32_t head_dim = 0;
  Mask mask = Mask::full;
  EfficiencyCurve forward;
  EfficiencyCurve backward;
};

struct Device {
  std::string name;
  Bytes memory{0};
  FlopsPerSecond peak{0};  // dense bf16
  BytesPerSecond memory_bandwidth{0};
  double memory_efficiency = 1;  // achieved share of memory_bandwidth
  Seconds kernel_launch{0};      // floor per kernel when the GPU waits for the host
  EfficiencyCurve gemm;          // over peak, by rows
  std::vector<AttentionCurve> attention;
};

struct Overheads {
  Seconds step{0};              // fixed per optimizer step: host work, data, logging
  Seconds micro_batch{0};       // fixed per micro-batch
  Bytes context{0};             // device context and libraries
  Bytes communicator{0};        // per communicator
  Bytes workspace{0};           // GEMM workspace
  double fragmentation = 0;     // share of activations lost in the allocator
  double overlap_slowdown = 1;  // of compute while a reduction overlaps it
};

struct Power {
  Watts idle{0};
  Watts busy{0};
};

// Polynomial cost of a sequence of L tokens in a group of degree d, nanoseconds:
//   (quadratic L^2 + linear L) / d + transfer[d] L, plus `fixed` per micro-batch.
struct PolynomialCost {
  double quadratic = 0;
  double linear = 0;
  double fixed = 0;
  std::map<std::int32_t, double> transfer;  // allowed degrees; empty: every power of two, free
  bool lockstep = false;
};

// A measured profile: the time of one micro-batch of `batch` sequences of `length` tokens at an SP
// degree, forward and backward.
struct ProfilePoint {
  std::int64_t length = 0;
  std::int64_t batch = 1;
  std::int32_t sp_degree = 1;
  Seconds time{0};             // with every layer recomputed
  Seconds recompute{0};        // the part of `time` that recomputation of all layers takes
  Bytes memory{0};             // peak, every layer recomputed; 0 = not measured
  Bytes saved_activations{0};  // extra when no layer is recomputed
};
struct TableCost {
  std::int32_t layers = 0;
  std::vector<ProfilePoint> points;
  Seconds gradient_sync{0};
  Seconds optimizer{0};
  Seconds overhead{0};
};

// Largest cluster that is read or asked for.
inline constexpr std::int32_t kMaxGpus = 65'536;

struct Cluster {
  std::string name;
  std::string source;
  std::int32_t nodes = 1;
  std::int32_t gpus_per_node = 1;
  Device device;
  LinkTier intra_node;
  LinkTier inter_node;  // bandwidth 0: a single node without a way out
  Overheads overheads;
  std::optional<Power> power;
  double uncertainty = 0;  // relative, of a predicted ratio
  // At most one of the two: a model-free cluster.
  std::optional<PolynomialCost> polynomial;
  std::optional<TableCost> table;
  std::vector<std::string> warnings;  // e.g. an inter-node link faster than the intra-node one

  [[nodiscard]] std::int32_t gpus() const { return nodes * gpus_per_node; }
  [[nodiscard]] bool is_model_free() const { return polynomial.has_value() || table.has_value(); }
};

// Strict: throws Error(usage) listing every unknown (with "did you mean"), duplicate or missing
// key, missing or unknown unit and value out of range, each with `origin` and the key's path.
Cluster cluster_from_json(std::string_view text, std::string_view origin);

// The same cluster with `gpus` GPUs: whole nodes, or a single smaller node. Throws Error(usage)
// when gpus is above one node and not a multiple of it, or out of range.
Cluster with_gpus(Cluster cluster, std::int32_t gpus);

}  // namespace dcpbench::core

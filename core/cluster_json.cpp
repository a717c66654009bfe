#include "core/cluster_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace dcpbench::core {

namespace {

constexpr Range kSize{0, 1e18, true};
constexpr Range kShare{0, 1, true};
constexpr Range kBandwidth{0, 1e15, true};
constexpr Range kDuration{0, 3600};

constexpr std::array<std::string_view, 4> kCollectiveNames = {"all_to_all", "all_reduce",
                                                              "all_gather", "reduce_scatter"};
constexpr std::array<std::string_view, 2> kMaskNames = {"full", "causal"};

// Nothing if it is an object without a value.
std::optional<JsonValue> without_source(const JsonValue& value, JsonMistakes& mistakes) {
  if (!value.is(JsonKind::object)) return value;
  ObjectReader object(value, mistakes);
  const auto constant = object.required("value");
  if (const auto source = object.optional("source")) read_text(*source, mistakes);
  object.finish();
  return constant;
}

struct CurveKind {
  // What the sizes of a curve are, and how work grows with them: time ~ size^power / efficiency.
  std::optional<Dimension> size_dimension;
  int power = 1;
  double highest_efficiency = 1;
};
constexpr CurveKind kBufferCurve{Dimension::bytes, 1, 100};  // NVLS, many rails: above 1
constexpr CurveKind kRowCurve{std::nullopt, 1, 1};
constexpr CurveKind kLengthCurve{std::nullopt, 2, 1};

// Of a buffer, of a matrix with so many rows, of a whole sequence's attention.
double relative_time(const EfficiencyCurve::Point& point, const CurveKind& kind) {
  return (kind.power == 2 ? point.size * point.size : point.size) / point.efficiency;
}

EfficiencyCurve read_curve(const JsonValue& value, const CurveKind& kind, JsonMistakes& mistakes) {
  EfficiencyCurve curve;
  ObjectReader object(value, mistakes);
  const auto points = object.required("points");
  if (const auto source = object.optional("source")) read_text(*source, mistakes);
  object.finish();
  if (!points || !is_array(*points, 1, mistakes)) return curve;
  for (const JsonValue pair : *points) {
    if (!pair.is(JsonKind::array) || pair.size() != 2) {
      mistakes.add(pair, "expected a pair [size, efficiency]");
      continue;
    }
    const std::size_t mistakes_before = mistakes.count();
    auto element = pair.begin();
    EfficiencyCurve::Point point;
    point.size = kind.size_dimension
                     ? read_quantity(*element, *kind.size_dimension, kSize, mistakes)
                     : read_number(*element, kSize, mistakes);
    ++element;
    point.efficiency = read_number(*element, {0, kind.highest_efficiency, true}, mistakes);
    if (mistakes.count() > mistakes_before) continue;
    if (!curve.points.empty()) {
      const auto& before = curve.points.back();
      if (point.size <= before.size) {
        mistakes.add(pair,
                     fmt::format("sizes must ascend: {} comes after {}", point.size, before.size));
      } else if (relative_time(point, kind) < relative_time(before, kind)) {
        mistakes.add(pair, fmt::format("the larger size would take less time than the one before; "
                                       "the efficiency may be at most {:.6g} here",
                                       point.efficiency * relative_time(point, kind) /
                                           relative_time(before, kind)));
      }
    }
    curve.points.push_back(point);
  }
  return curve;
}

EfficiencyCurve read_curve(ObjectReader& object, std::string_view key, const CurveKind& kind,
                           JsonMistakes& mistakes) {
  const auto value = object.required(key);
  return value ? read_curve(*value, kind, mistakes) : EfficiencyCurve{};
}

// {"2": curve, "8": curve}
std::map<std::int32_t, EfficiencyCurve> read_curves_by_ranks(const JsonValue& value,
                                                             JsonMistakes& mistakes) {
  std::map<std::int32_t, EfficiencyCurve> curves;
  if (!ObjectReader(value, mistakes).is_object()) return curves;
  if (value.size() == 0) mistakes.add(value, "needs a curve for at least one number of ranks");
  for (const JsonValue member : value) {
    const std::string_view key = member.key();
    std::int32_t ranks = 0;
    const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), ranks);
    if (failure != std::errc() || end != key.data() + key.size() || ranks < 2 || ranks > kMaxGpus ||
        key.front() == '0') {
      mistakes.add(member, fmt::format("the key must be a number of ranks from 2 to {}", kMaxGpus));
      continue;
    }
    curves[ranks] = read_curve(member, kBufferCurve, mistakes);
  }
  return curves;
}

LinkTier read_tier(const JsonValue& value, JsonMistakes& mistakes) {
  LinkTier tier;
  ObjectReader object(value, mistakes);
  tier.bandwidth = BytesPerSecond(
      read_constant(object, "bandwidth", Dimension::bytes_per_second, kBandwidth, mistakes));
  tier.latency = Seconds(read_constant(object, "latency", Dimension::seconds, kDuration, mistakes));
  if (const auto efficiency = object.required("efficiency")) {
    ObjectReader collectives(*efficiency, mistakes);
    for (std::size_t i = 0; i < kCollectiveNames.size(); ++i) {
      if (const auto curves = collectives.required(kCollectiveNames[i])) {
        tier.efficiency[static_cast<Collective>(i)] = read_curves_by_ranks(*curves, mistakes);
      }
    }
    collectives.finish();
  }
  object.finish();
  return tier;
}

AttentionCurve read_attention(const JsonValue& value, JsonMistakes& mistakes) {
  AttentionCurve curve;
  ObjectReader object(value, mistakes);
  curve.head_dim = static_cast<std::int32_t>(object.integer("head_dim", 1, 4096));
  curve.mask = object.one_of("mask", kMaskNames) == 0 ? Mask::full : Mask::causal;
  curve.forward = read_curve(object, "forward", kLengthCurve, mistakes);
  curve.backward = read_curve(object, "backward", kLengthCurve, mistakes);
  object.finish();
  return curve;
}

Device read_device(const JsonValue& value, JsonMistakes& mistakes) {
  Device device;
  ObjectReader object(value, mistakes);
  device.name = object.name("name");
  device.memory =
      Bytes(read_constant(object, "memory", Dimension::bytes, {0, 1e15, true}, mistakes));
  device.peak = FlopsPerSecond(
      read_constant(object, "peak", Dimension::flops_per_second, {0, 1e18, true}, mistakes));
  device.memory_bandwidth = BytesPerSecond(
      read_constant(object, "memory_bandwidth", Dimension::bytes_per_second, kBandwidth, mistakes));
  device.memory_efficiency = read_ratio(object, "memory_efficiency", kShare, mistakes);
  device.kernel_launch =
      Seconds(read_constant(object, "kernel_launch", Dimension::seconds, {0, 1}, mistakes));
  device.gemm = read_curve(object, "gemm", kRowCurve, mistakes);
  const auto attention = object.required("attention");
  if (attention && is_array(*attention, 1, mistakes)) {
    for (const JsonValue entry : *attention) {
      const AttentionCurve curve = read_attention(entry, mistakes);
      const auto same = [&](const AttentionCurve& other) {
        return other.head_dim == curve.head_dim && other.mask == curve.mask;
      };
      if (std::any_of(device.attention.begin(), device.attention.end(), same)) {
        mistakes.add(entry,
                     fmt::format("a second curve for head_dim {} and mask {}", curve.head_dim,
                                 curve.mask == Mask::full ? "full" : "causal"));
      }
      device.attention.push_back(curve);
    }
  }
  object.finish();
  return device;
}

Overheads read_overheads(const JsonValue& value, Bytes memory, JsonMistakes& mistakes) {
  Overheads overheads;
  const Range share_of_memory{0, memory.value()};
  ObjectReader object(value, mistakes);
  overheads.step = Seconds(read_constant(object, "step", Dimension::seconds, kDuration, mistakes));
  overheads.micro_batch =
      Seconds(read_constant(object, "micro_batch", Dimension::seconds, kDuration, mistakes));
  overheads.context =
      Bytes(read_constant(object, "context", Dimension::bytes, share_of_memory, mistakes));
  overheads.communicator =
      Bytes(read_constant(object, "communicator", Dimension::bytes, share_of_memory, mistakes));
  overheads.workspace =
      Bytes(read_constant(object, "workspace", Dimension::bytes, share_of_memory, mistakes));
  overheads.fragmentation = read_ratio(object, "fragmentation", {0, 0.9}, mistakes);
  overheads.overlap_slowdown = read_ratio(object, "overlap_slowdown", {1, 10}, mistakes);
  object.finish();
  return overheads;
}

Power read_power(const JsonValue& value, JsonMistakes& mistakes) {
  Power power;
  const std::size_t mistakes_before = mistakes.count();
  ObjectReader object(value, mistakes);
  power.idle = Watts(read_constant(object, "idle", Dimension::watts, {0, 1e5}, mistakes));
  power.busy = Watts(read_constant(object, "busy", Dimension::watts, {0, 1e5, true}, mistakes));
  if (mistakes.count() == mistakes_before && power.idle > power.busy)
    mistakes.add(value, "idle is above busy");
  object.finish();
  return power;
}

// Bits taken for bytes are the commonest mistake in a cluster file.
void warn_about_links(const Cluster& cluster, std::string_view origin,
                      std::vector<std::string>& warnings) {
  constexpr BytesPerSecond kFastestNicPerGpu{200e9};
  const BytesPerSecond inter = cluster.inter_node.bandwidth;
  if (cluster.gpus_per_node > 1 && inter > cluster.intra_node.bandwidth) {
    warnings.push_back(fmt::format(
        "{}: inter_node.bandwidth {} is above intra_node.bandwidth {}; is one of them in bits "
        "(\"400 Gb/s\" is 50 GB/s) or per node instead of per GPU?",
        origin, bandwidth_text(inter), bandwidth_text(cluster.intra_node.bandwidth)));
  }
  if (inter > kFastestNicPerGpu) {
    warnings.push_back(fmt::format(
        "{}: inter_node.bandwidth {} is above {} per GPU; did you mean \"{:.6g} Gb/s\"?", origin,
        bandwidth_text(inter), bandwidth_text(kFastestNicPerGpu), inter.value() / 1e9));
  }
}

constexpr std::string_view kModelFreeReason =
    "a cluster with a polynomial or table cost has no device rates, links or overheads";

void read_model_free(ObjectReader& object, const std::optional<JsonValue>& polynomial,
                     const std::optional<JsonValue>& table, Cluster& cluster,
                     JsonMistakes& mistakes) {
  if (polynomial) cluster.polynomial = polynomial_from_json(*polynomial, mistakes);
  if (table) cluster.table = table_from_json(*table, mistakes, cluster.warnings);
  if (polynomial && table) {
    mistakes.add(*table, "a cluster has a polynomial or a table cost, not both; remove one");
  }
  for (const auto key : {"device", "intra_node", "inter_node", "overheads", "power"}) {
    object.refuse(key, kModelFreeReason);
  }
  if (const auto value = object.optional("uncertainty")) {
    if (const auto constant = without_source(*value, mistakes)) {
      cluster.uncertainty = read_number(*constant, {0, 1}, mistakes);
    }
  }
}

void read_analytic(ObjectReader& object, Cluster& cluster, std::string_view origin,
                   JsonMistakes& mistakes) {
  if (const auto device = object.required("device"))
    cluster.device = read_device(*device, mistakes);
  // A link that the cluster doesn't have may be left out.
  const auto tier = [&](std::string_view key, bool needed) {
    const auto value = needed ? object.required(key) : object.optional(key);
    return value ? read_tier(*value, mistakes) : LinkTier{};
  };
  cluster.intra_node = tier("intra_node", cluster.gpus_per_node > 1);
  cluster.inter_node = tier("inter_node", cluster.nodes > 1);
  if (const auto overheads = object.required("overheads")) {
    cluster.overheads = read_overheads(*overheads, cluster.device.memory, mistakes);
  }
  if (const auto power = object.optional("power")) cluster.power = read_power(*power, mistakes);
  cluster.uncertainty = read_ratio(object, "uncertainty", {0, 1}, mistakes);
  if (mistakes.empty()) warn_about_links(cluster, origin, cluster.warnings);
}

}  // namespace

double read_constant(const JsonValue& value, Dimension dimension, Range range,
                     JsonMistakes& mistakes) {
  const auto constant = without_source(value, mistakes);
  return constant ? read_quantity(*constant, dimension, range, mistakes) : range.high;
}

double read_constant(ObjectReader& object, std::string_view key, Dimension dimension, Range range,
                     JsonMistakes& mistakes) {
  const auto value = object.required(key);
  return value ? read_constant(*value, dimension, range, mistakes) : range.high;
}

double read_ratio(ObjectReader& object, std::string_view key, Range range, JsonMistakes& mistakes) {
  const auto value = object.required(key);
  if (!value) return range.high;
  const auto constant = without_source(*value, mistakes);
  return constant ? read_number(*constant, range, mistakes) : range.high;
}

Cluster cluster_from_json(std::string_view text, std::string_view origin) {
  const JsonDocument document(text, origin);
  JsonMistakes mistakes(document);
  ObjectReader object(document.root(), mistakes);

  Cluster cluster;
  cluster.name = object.name("name");
  if (const auto source = object.optional("source")) cluster.source = read_text(*source, mistakes);
  cluster.nodes = static_cast<std::int32_t>(object.integer("nodes", 1, kMaxGpus));
  cluster.gpus_per_node = static_cast<std::int32_t>(object.integer("gpus_per_node", 1, kMaxGpus));
  const std::int64_t gpus = std::int64_t{cluster.nodes} * cluster.gpus_per_node;
  if (gpus > kMaxGpus) {
    mistakes.add(document.root(),
                 fmt::format("{} nodes of {} GPUs are {} GPUs; at most {}", cluster.nodes,
                             cluster.gpus_per_node, gpus, kMaxGpus));
  }
  const auto polynomial = object.optional("polynomial");
  const auto table = object.optional("table");
  if (polynomial || table) {
    read_model_free(object, polynomial, table, cluster, mistakes);
  } else {
    read_analytic(object, cluster, origin, mistakes);
  }
  object.finish();
  mistakes.throw_if_any();
  return cluster;
}

}  // namespace dcpbench::core

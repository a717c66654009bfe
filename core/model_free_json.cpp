// The model-free cost kinds of a cluster file: "polynomial" and "table".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "core/cluster_json.hpp"
#include "core/model.hpp"
#include "core/sequence.hpp"

namespace dcpbench::core {

namespace {

constexpr Range kNanoseconds{0, 1e15};
constexpr Range kDuration{0, 1e6};
constexpr Range kMemory{0, 1e15};

bool is_power_of_two(std::int32_t value) { return value > 0 && (value & (value - 1)) == 0; }

double optional_constant(ObjectReader& object, std::string_view key, Dimension dimension,
                         Range range, JsonMistakes& mistakes) {
  const auto value = object.optional(key);
  return value ? read_constant(*value, dimension, range, mistakes) : 0;
}

// Nothing if it had a mistake.
std::optional<ProfilePoint> read_point(const JsonValue& value, std::int32_t layers,
                                       JsonMistakes& mistakes) {
  ProfilePoint point;
  const std::size_t mistakes_before = mistakes.count();
  ObjectReader object(value, mistakes);
  point.length = object.integer("length", 1, kMaxTokens);
  point.batch = object.integer("batch", 1, kMaxSequences);
  point.sp_degree = static_cast<std::int32_t>(object.integer("sp_degree", 1, kMaxGpus));
  if (!is_power_of_two(point.sp_degree)) {
    mistakes.add(value, fmt::format("sp_degree {} is not a power of two", point.sp_degree));
  }
  point.time = Seconds(
      read_constant(object, "time", Dimension::seconds, {0, kDuration.high, true}, mistakes));
  point.recompute =
      Seconds(optional_constant(object, "recompute", Dimension::seconds, kDuration, mistakes));
  point.memory = Bytes(optional_constant(object, "memory", Dimension::bytes, kMemory, mistakes));
  point.saved_activations =
      Bytes(optional_constant(object, "saved_activations", Dimension::bytes, kMemory, mistakes));
  object.finish();
  if (mistakes.count() > mistakes_before) return std::nullopt;
  if (point.recompute >= point.time && point.recompute > Seconds(0)) {
    mistakes.add(value, "recompute is a part of time and must be below it");
  }
  if (layers == 0 && (point.recompute > Seconds(0) || point.saved_activations > Bytes(0))) {
    mistakes.add(value, "recompute and saved_activations need layers above 0");
  }
  return point;
}

auto series_of(const ProfilePoint& point) { return std::tuple(point.sp_degree, point.batch); }

}  // namespace

PolynomialCost polynomial_from_json(const JsonValue& value, JsonMistakes& mistakes) {
  PolynomialCost cost;
  ObjectReader object(value, mistakes);
  cost.quadratic =
      read_constant(object, "quadratic", Dimension::nanoseconds, kNanoseconds, mistakes);
  cost.linear = read_constant(object, "linear", Dimension::nanoseconds, kNanoseconds, mistakes);
  cost.fixed = read_constant(object, "fixed", Dimension::nanoseconds, kNanoseconds, mistakes);
  cost.lockstep = object.boolean("lockstep");
  if (const auto source = object.optional("source")) read_text(*source, mistakes);
  if (const auto transfer = object.optional("transfer")) {
    if (ObjectReader(*transfer, mistakes).is_object() && transfer->size() == 0) {
      mistakes.add(*transfer, "needs at least one SP degree; leave it out for free transfer");
    }
    for (const JsonValue member : *transfer) {
      const std::string_view key = member.key();
      std::int32_t degree = 0;
      const auto [end, failure] = std::from_chars(key.data(), key.data() + key.size(), degree);
      if (failure != std::errc() || end != key.data() + key.size() || !is_power_of_two(degree) ||
          degree > kMaxGpus || key.front() == '0') {
        mistakes.add(
            member, fmt::format("the key must be an SP degree: a power of two up to {}", kMaxGpus));
        continue;
      }
      cost.transfer[degree] = read_constant(member, Dimension::nanoseconds, kNanoseconds, mistakes);
    }
  }
  if (cost.quadratic == 0 && cost.linear == 0) {
    mistakes.add(value, "quadratic and linear are both 0: every sequence would be free");
  }
  object.finish();
  return cost;
}

TableCost table_from_json(const JsonValue& value, JsonMistakes& mistakes,
                          std::vector<std::string>& warnings) {
  TableCost cost;
  ObjectReader object(value, mistakes);
  cost.layers = static_cast<std::int32_t>(object.integer("layers", 0, kMaxLayers));
  cost.gradient_sync =
      Seconds(read_constant(object, "gradient_sync", Dimension::seconds, kDuration, mistakes));
  cost.optimizer =
      Seconds(read_constant(object, "optimizer", Dimension::seconds, kDuration, mistakes));
  cost.overhead =
      Seconds(read_constant(object, "overhead", Dimension::seconds, kDuration, mistakes));
  if (const auto source = object.optional("source")) read_text(*source, mistakes);
  const auto points = object.required("points");
  object.finish();
  if (!points || !is_array(*points, 1, mistakes)) return cost;

  struct Placed {
    ProfilePoint point;
    JsonValue where;
  };
  std::vector<Placed> placed;
  placed.reserve(points->size());
  for (const JsonValue entry : *points) {
    if (const auto point = read_point(entry, cost.layers, mistakes)) {
      cost.points.push_back(*point);
      placed.push_back({*point, entry});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tuple(series_of(a.point), a.point.length) <
           std::tuple(series_of(b.point), b.point.length);
  });
  for (std::size_t i = 1; i < placed.size(); ++i) {
    const ProfilePoint& before = placed[i - 1].point;
    const ProfilePoint& point = placed[i].point;
    if (series_of(before) != series_of(point)) continue;
    if (before.length == point.length) {
      mistakes.add(placed[i].where,
                   fmt::format("a second point for length {}, batch {}, sp_degree {}", point.length,
                               point.batch, point.sp_degree));
    } else if (point.time < before.time) {
      warnings.push_back(fmt::format(
          "{}:{}: length {} takes {:.6g} s, less than length {} ({:.6g} s) at batch {} and "
          "sp_degree {}; measure again",
          value.origin(), placed[i].where.line(), point.length, point.time.value(), before.length,
          before.time.value(), point.batch, point.sp_degree));
    }
  }
  return cost;
}

}  // namespace dcpbench::core

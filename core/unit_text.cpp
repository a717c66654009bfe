#include "core/unit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "core/did_you_mean.hpp"

namespace dcpbench::core {

namespace {

// value in base units = number * multiplier / divisor. Two exact factors instead of one rounded
// one: 5 us = 5 / 1e6 s is the double nearest to 5e-6.
struct Unit {
  std::string_view name;
  double multiplier;
  double divisor;
};

constexpr double kKi = 1024.0;

constexpr Unit kByteUnits[] = {
    {"B", 1, 1},
    {"kB", 1e3, 1},
    {"MB", 1e6, 1},
    {"GB", 1e9, 1},
    {"TB", 1e12, 1},
    {"KiB", kKi, 1},
    {"MiB", kKi* kKi, 1},
    {"GiB", kKi* kKi* kKi, 1},
    {"TiB", kKi* kKi* kKi* kKi, 1},
};
constexpr Unit kBandwidthUnits[] = {
    {"B/s", 1, 1},     {"kB/s", 1e3, 1},  {"MB/s", 1e6, 1},       {"GB/s", 1e9, 1},
    {"TB/s", 1e12, 1}, {"KiB/s", kKi, 1}, {"MiB/s", kKi* kKi, 1}, {"GiB/s", kKi* kKi* kKi, 1},
    {"b/s", 1, 8},     {"kb/s", 1e3, 8},  {"Mb/s", 1e6, 8},       {"Gb/s", 1e9, 8},
    {"Tb/s", 1e12, 8},
};
constexpr Unit kFlopUnits[] = {
    {"FLOP/s", 1, 1},     {"MFLOP/s", 1e6, 1},  {"GFLOP/s", 1e9, 1},
    {"TFLOP/s", 1e12, 1}, {"PFLOP/s", 1e15, 1},
};
constexpr Unit kSecondUnits[] = {{"s", 1, 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"ns", 1, 1e9}};
constexpr Unit kNanosecondUnits[] = {{"s", 1e9, 1}, {"ms", 1e6, 1}, {"us", 1e3, 1}, {"ns", 1, 1}};
constexpr Unit kWattUnits[] = {{"W", 1, 1}, {"kW", 1e3, 1}};

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return kByteUnits;
    case Dimension::bytes_per_second:
      return kBandwidthUnits;
    case Dimension::flops_per_second:
      return kFlopUnits;
    case Dimension::seconds:
      return kSecondUnits;
    case Dimension::nanoseconds:
      return kNanosecondUnits;
    case Dimension::watts:
      return kWattUnits;
  }
  return {};
}

std::string unit_hint(std::string_view unit, Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& known : units_of(dimension)) names.emplace_back(known.name);
  return did_you_mean(unit, names);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "..." : "");
}

}  // namespace

tl::expected<double, std::string> parse_quantity(std::string_view text, Dimension dimension) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !std::isfinite(number)) {
    return tl::unexpected(
        fmt::format("\"{}\" does not start with a finite number; expected e.g. {}", shortened(text),
                    example_of(dimension)));
  }
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  if (unit.empty()) {
    return tl::unexpected(fmt::format("\"{}\" has no unit; accepted: {}; e.g. {}", shortened(text),
                                      accepted_units(dimension), example_of(dimension)));
  }
  for (const Unit& known : units_of(dimension)) {
    if (unit != known.name) continue;
    const double value = number * known.multiplier / known.divisor;
    if (!std::isfinite(value)) break;
    return value;
  }
  return tl::unexpected(fmt::format("\"{}\" has the unknown unit \"{}\"{}; accepted: {}",
                                    shortened(text), shortened(unit), unit_hint(unit, dimension),
                                    accepted_units(dimension)));
}

std::string accepted_units(Dimension dimension) {
  std::string list;
  for (const Unit& unit : units_of(dimension)) {
    if (!list.empty()) list += ", ";
    list += unit.name;
  }
  return list;
}

std::string_view base_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "B";
    case Dimension::bytes_per_second:
      return "B/s";
    case Dimension::flops_per_second:
      return "FLOP/s";
    case Dimension::seconds:
      return "s";
    case Dimension::nanoseconds:
      return "ns";
    case Dimension::watts:
      return "W";
  }
  return "";
}

std::string_view example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::bytes:
      return "\"80 GB\" or \"80 GiB\"";
    case Dimension::bytes_per_second:
      return "\"50 GB/s\" or \"400 Gb/s\" (bits)";
    case Dimension::flops_per_second:
      return "\"989.5 TFLOP/s\"";
    case Dimension::seconds:
    case Dimension::nanoseconds:
      return "\"5 us\"";
    case Dimension::watts:
      return "\"700 W\"";
  }
  return "";
}

std::string bandwidth_text(BytesPerSecond bandwidth) {
  return fmt::format("{:.6g} GB/s ({:.6g} Gb/s)", bandwidth.value() / 1e9,
                     bandwidth.value() * 8 / 1e9);
}

}  // namespace dcpbench::core

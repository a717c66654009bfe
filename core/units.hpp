// Strong unit types. A quantity only mixes with its own kind; the few products and quotients that
// make physical sense are spelled out below. GB = 1e9 bytes, GiB = 2^30 bytes, always.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace dcpbench::core {

template <class Tag, class Rep = double>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, Rep factor) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator*(Rep factor, Quantity a) {
    return Quantity(a.value_ * factor);
  }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) {
    return Quantity(a.value_ / divisor);
  }
  // The ratio of two quantities of one kind is a plain number.
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.value_) / static_cast<double>(b.value_);
  }

 private:
  Rep value_ = Rep{};
};

using Seconds = Quantity<struct SecondsTag>;
using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;  // floating-point operations; a multiply-add is two
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;
using Watts = Quantity<struct WattsTag>;
using Joules = Quantity<struct JoulesTag>;

// Predicted costs are rounded once to integer nanoseconds and only then compared or summed, so that
// a decision never depends on the order of additions, the compiler or the CPU.
using Nanoseconds = Quantity<struct NanosecondsTag, std::int64_t>;

constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds(bytes.value() / rate.value());
}
constexpr Seconds operator/(Flops flops, FlopsPerSecond rate) {
  return Seconds(flops.value() / rate.value());
}
constexpr BytesPerSecond operator/(Bytes bytes, Seconds time) {
  return BytesPerSecond(bytes.value() / time.value());
}
constexpr Joules operator*(Watts power, Seconds time) {
  return Joules(power.value() * time.value());
}

constexpr Seconds to_seconds(Nanoseconds time) {
  return Seconds(static_cast<double>(time.value()) * 1e-9);
}

// The largest cost that is kept: about 146 years. Larger predictions are cut to it, which leaves
// room for a sum of two; no plan that a person would run comes near.
inline constexpr std::int64_t kMaxCostNanoseconds = INT64_C(1) << 62;

// The sum, cut to kMaxCostNanoseconds; both in [0, kMaxCostNanoseconds].
constexpr Nanoseconds bounded_sum(Nanoseconds a, Nanoseconds b) {
  const std::int64_t room = kMaxCostNanoseconds - a.value();
  return b.value() > room ? Nanoseconds(kMaxCostNanoseconds) : a + b;
}

// Rounds half away from zero, cut to [0, kMaxCostNanoseconds].
inline Nanoseconds round_to_nanoseconds(Seconds time) {
  const double nanoseconds = time.value() * 1e9;
  if (!(nanoseconds > 0)) return Nanoseconds(0);
  if (nanoseconds >= static_cast<double>(kMaxCostNanoseconds)) {
    return Nanoseconds(kMaxCostNanoseconds);
  }
  return Nanoseconds(std::llround(nanoseconds));
}

inline constexpr Bytes kKiB{1024.0};
inline constexpr Bytes kMiB{1024.0 * 1024.0};
inline constexpr Bytes kGiB{1024.0 * 1024.0 * 1024.0};
inline constexpr Bytes kGB{1e9};

}  // namespace dcpbench::core

#include "tools/axle/quantities.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "axle/core/strings.h"

namespace axle::tool {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kTimes[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit kByteRates[] = {
    {"B/s", 1},          {"KB/s", 1e3},       {"MB/s", 1e6},        {"GB/s", 1e9},
    {"TB/s", 1e12},      {"KiB/s", 1024},     {"MiB/s", 1048576},   {"GiB/s", 1073741824},
    {"Mbit/s", 1e6 / 8}, {"Gbit/s", 1e9 / 8}, {"Tbit/s", 1e12 / 8},
};
constexpr Unit kFlopRates[] = {
    {"Mflop/s", 1e6}, {"Gflop/s", 1e9}, {"Tflop/s", 1e12}, {"Pflop/s", 1e15}};

// A number with one of the units right behind it.
std::optional<double> Parse(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  const auto unit = std::ranges::find(units, text, &Unit::name);
  // Infinities and NaN are no quantities either.
  if (unit == units.end() || !(value >= 0) || value > 1e15) return std::nullopt;
  return value * unit->factor;
}

StatusOr<double> ParseQuantity(std::string_view what, std::string_view text,
                               std::span<const Unit> units, bool may_be_zero,
                               std::string_view kind) {
  const std::optional<double> value = Parse(text, units);
  if (value && (*value > 0 || may_be_zero)) return *value;
  return InvalidArgument(StrCat(what, ": \"", PrintableText(text), "\" is not ", kind));
}

// Three digits, and no more zeros behind the point than needed.
std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return value < 1000 ? text : std::to_string(std::llround(value));
}

// In the largest unit of which there is at least one; `units` go up.
std::string Text(double value, std::span<const Unit> units) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= units[unit + 1].factor * 0.9995) ++unit;
  return StrCat(Digits(value / units[unit].factor), " ", units[unit].name);
}

}  // namespace

StatusOr<double> ParseTime(std::string_view what, std::string_view text) {
  return ParseQuantity(what, text, kTimes, true, "a time like 500ns, 5us, 1.5ms or 2s");
}

StatusOr<double> ParseByteRate(std::string_view what, std::string_view text) {
  return ParseQuantity(what, text, kByteRates, false,
                       "a rate like 800MB/s, 10GB/s, 2GiB/s or 100Gbit/s");
}

StatusOr<double> ParseFlopRate(std::string_view what, std::string_view text) {
  return ParseQuantity(what, text, kFlopRates, false,
                       "a rate like 500Mflop/s, 20Gflop/s or 1.5Tflop/s");
}

std::string TimeText(double seconds) {
  return seconds == 0 ? "0 s" : Text(seconds, kTimes);
}

std::string ByteRateText(double bytes_per_second) {
  return Text(bytes_per_second, std::span(kByteRates).first(5));
}

std::string PercentText(double part, double whole) {
  return StrCat(whole > 0 ? std::llround(100 * part / whole) : 0, " %");
}

}  // namespace axle::tool

// Times and rates as people write them: 5us, 10GB/s, 100Gbit/s, 20Gflop/s.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle::tool {

// Seconds, bytes per second, operations per second; more than 0, a time also 0. `what` begins the
// message of the error: "--latency".
StatusOr<double> ParseTime(std::string_view what, std::string_view text);
StatusOr<double> ParseByteRate(std::string_view what, std::string_view text);
StatusOr<double> ParseFlopRate(std::string_view what, std::string_view text);

// With three digits: "1.5 ms", "10 GB/s".
std::string TimeText(double seconds);
std::string ByteRateText(double bytes_per_second);
// "12 %".
std::string PercentText(double part, double whole);

}  // namespace axle::tool

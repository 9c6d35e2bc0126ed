#include "tools/axle/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace axle::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kWidth = 30;

bool on_screen = false;

// "1,234,567".
std::string WithCommas(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<size_t>(i), 1, ',');
  }
  return text;
}

// In the place of the bar.
void DrawSteps(std::int64_t steps, double seconds) {
  char text[100];
  const int size = std::snprintf(text, sizeof text, "\r\x1b[Kstep %s  %.1f s",
                                 WithCommas(steps).c_str(), seconds);
  on_screen = write(STDERR_FILENO, text, static_cast<size_t>(size)) > 0;
}

void Draw(double done, double seconds, bool color) {
  const int filled = done < 0 ? 0 : static_cast<int>(std::min(done, 1.0) * kWidth);
  std::string bar(filled, '#');
  bar.resize(kWidth, '.');
  char text[160];
  const char* on = color ? "\x1b[36m" : "";
  const char* off = color ? "\x1b[0m" : "";
  const int size = done < 0 ? std::snprintf(text, sizeof text, "\r\x1b[K%s[%s]%s  %.1f s", on,
                                            bar.c_str(), off, seconds)
                            : std::snprintf(text, sizeof text, "\r\x1b[K%s[%s]%s %3d %%  %.1f s",
                                            on, bar.c_str(), off,
                                            static_cast<int>(std::min(done, 1.0) * 100), seconds);
  on_screen = write(STDERR_FILENO, text, static_cast<size_t>(size)) > 0;
}

}  // namespace

void AttachProgressBar(Limits& limits, ColorMode mode) {
  if (isatty(STDERR_FILENO) == 0) return;
  const char* no_color = std::getenv("NO_COLOR");
  const bool color = mode == ColorMode::kAlways ||
                     (mode == ColorMode::kAuto && (no_color == nullptr || *no_color == '\0'));
  limits.set_progress([&limits, color, begin = Clock::now(), next = Clock::now() + kPatience,
                       last_done = -2.0, last_steps = std::int64_t{0}](double done) mutable {
    const auto now = Clock::now();
    if (now < next) return;
    next = now + kInterval;
    const double seconds = std::chrono::duration<double>(now - begin).count();
    // The tool sets no limit on steps, so that what is left of it says how many there were.
    const std::int64_t steps = std::numeric_limits<std::int64_t>::max() - limits.steps_left();
    if (done == last_done && steps > last_steps) {
      DrawSteps(steps, seconds);
    } else {
      Draw(done, seconds, color);
    }
    last_done = done;
    last_steps = steps;
  });
}

void RemoveProgressBar() {
  constexpr std::string_view kClear = "\r\x1b[K";
  if (on_screen) on_screen = write(STDERR_FILENO, kClear.data(), kClear.size()) < 0;
}

}  // namespace axle::tool

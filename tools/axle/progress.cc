#include "tools/axle/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace axle::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kWidth = 30;

bool on_screen = false;

void Draw(double done, double seconds, bool color) {
  const int filled = done < 0 ? 0 : static_cast<int>(std::min(done, 1.0) * kWidth);
  std::string bar(filled, '#');
  bar.resize(kWidth, '.');
  char text[160];
  const char* on = color ? "\x1b[36m" : "";
  const char* off = color ? "\x1b[0m" : "";
  const int size =
      done < 0
          ? std::snprintf(text, sizeof text, "\r%s[%s]%s  %.1f s", on, bar.c_str(), off, seconds)
          : std::snprintf(text, sizeof text, "\r%s[%s]%s %3d %%  %.1f s", on, bar.c_str(), off,
                          static_cast<int>(std::min(done, 1.0) * 100), seconds);
  on_screen = write(STDERR_FILENO, text, static_cast<size_t>(size)) > 0;
}

}  // namespace

void AttachProgressBar(Limits& limits, ColorMode mode) {
  if (isatty(STDERR_FILENO) == 0) return;
  const char* no_color = std::getenv("NO_COLOR");
  const bool color = mode == ColorMode::kAlways ||
                     (mode == ColorMode::kAuto && (no_color == nullptr || *no_color == '\0'));
  limits.set_progress(
      [color, begin = Clock::now(), next = Clock::now() + kPatience](double done) mutable {
        const auto now = Clock::now();
        if (now < next) return;
        next = now + kInterval;
        Draw(done, std::chrono::duration<double>(now - begin).count(), color);
      });
}

void RemoveProgressBar() {
  constexpr std::string_view kClear = "\r\x1b[K";
  if (on_screen) on_screen = write(STDERR_FILENO, kClear.data(), kClear.size()) < 0;
}

}  // namespace axle::tool

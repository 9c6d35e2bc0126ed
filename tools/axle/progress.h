// A progress bar on stderr: for work of more than half a second, and only on a terminal. While the
// part that is done stands still and loops go on, a line says how many steps they have made.
#pragma once
#include "axle/core/limits.h"
#include "tools/axle/options.h"

namespace axle::tool {

// `limits` reports to the bar from now on. There is one bar; without a terminal there is none.
void AttachProgressBar(Limits& limits, ColorMode color);
// Takes the bar off the screen, if it is there, before other text is written.
void RemoveProgressBar();

}  // namespace axle::tool

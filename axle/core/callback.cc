#include "axle/core/callback.h"

#include "axle/core/strings.h"

namespace axle {

Status CallbackThrew(std::string_view name, std::string_view what) {
  return Status(StatusCode::kInternal,
                StrCat("the ", name, " callback threw an exception: ", what));
}

}  // namespace axle

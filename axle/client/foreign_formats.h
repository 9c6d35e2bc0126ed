// Recognises inputs that Axle does not read but that users may take for a program, and says what to
// do instead.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

// Returns OK, or INVALID_ARGUMENT with a message that says what the bytes are: arrays (.npz, .npy,
// safetensors), models of other programs (ONNX, TensorFlow, PyTorch), pickles, or the name of a
// file in the place of its content. It looks at the first bytes alone and never refuses what could
// be HLO text or a proto. The message begins with `label`.
Status CheckNotForeign(std::string_view bytes, std::string_view label);

}  // namespace axle

// Inputs that are no program Axle reads, but that people hand in for one: what they are, and what
// to do instead.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

// UNIMPLEMENTED of StableHLO, in either form: how to get HLO instead.
Status StableHloIsNotRead(std::string_view label);

// OK, or INVALID_ARGUMENT that says what the bytes are: arrays (.npz, .npy, safetensors), models of
// other programs (ONNX, TensorFlow, PyTorch), pickles, or the name of a file where its content
// belongs. Looks at the first bytes alone; never refuses what could be HLO text or a proto. `label`
// opens the message.
Status CheckNotForeign(std::string_view bytes, std::string_view label);

}  // namespace axle

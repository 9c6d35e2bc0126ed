// What the tests of axle/lib share.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/builder/built.h"

namespace axle {

// What `build` makes of parameters with these values, or the builder's error without its place.
inline std::string Result(const std::function<XlaOp(XlaBuilder&, std::vector<XlaOp>)>& build,
                          std::vector<std::string_view> arguments = {}) {
  XlaBuilder b("test");
  std::vector<XlaOp> parameters;
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters.push_back(Parameter(&b, static_cast<i64>(i), Value(arguments[i]).shape(), "p"));
  }
  const XlaOp root = build(b, parameters);
  if (!b.first_error().ok()) {
    const std::string message = b.first_error().message();
    return message.substr(0, message.rfind(" at "));
  }
  const auto computation = b.Build(root);
  if (!computation.ok()) return computation.status().message();
  std::vector<Literal> values;
  for (std::string_view argument : arguments) values.push_back(Value(argument));
  const auto result = Evaluate(computation->module(), values);
  return result.ok() ? result->ToStringWithShape() : result.status().message();
}

}  // namespace axle

// JSON for --json and for batches: one object per line, with the name and version of its schema.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace axle::tool {

using Json = nlohmann::ordered_json;

// {"schema": "axle.run/1"}: the number goes up when a field changes its meaning or goes away.
inline Json NewReport(std::string_view verb, int version = 1) {
  return {{"schema", std::string("axle.") + std::string(verb) + "/" + std::to_string(version)}};
}
// Bytes that are not UTF-8 are replaced.
inline std::string ToLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace axle::tool

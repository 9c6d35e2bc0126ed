#include "axle/gen/on_devices.h"

#include <memory>
#include <utility>

#include "axle/eval/evaluate.h"
#include "axle/gen/inputs.h"

namespace axle {
namespace {

// The results of a run on buffers as one value of this shape.
StatusOr<Literal> FromBuffers(const Shape& shape, const std::vector<BufferPtr>& buffers) {
  std::vector<Literal> elements;
  for (const BufferPtr& buffer : buffers) {
    AXLE_ASSIGN(Literal element, buffer->ToLiteral());
    elements.push_back(std::move(element));
  }
  if (!shape.is_tuple()) return std::move(elements[0]);
  return Literal::Tuple(std::move(elements));
}

}  // namespace

i64 NumDevicesOf(const Module& module) {
  return module.config().replica_count * module.config().num_partitions;
}

std::vector<Literal> DrawArgumentsOfAll(const Module& module, std::uint64_t seed) {
  constexpr std::uint64_t kBetweenDevices = 1'000'003;  // more seeds than anybody asks for
  std::vector<Literal> arguments;
  for (i64 d = 0; d < NumDevicesOf(module); ++d) {
    for (Literal& argument :
         DrawArguments(*module.entry(), seed + kBetweenDevices * static_cast<std::uint64_t>(d))) {
      arguments.push_back(std::move(argument));
    }
  }
  return arguments;
}

StatusOr<Literal> RunOnAll(Client& client, const Executable& executable,
                           std::span<const Literal> arguments, Limits* limits, bool donates) {
  const size_t num_devices = executable.devices().size();
  if (num_devices == 1 && !donates) return executable.Execute(arguments, {.limits = limits});
  const size_t each = arguments.size() / num_devices;
  std::vector<std::vector<BufferPtr>> buffers(num_devices);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto d = static_cast<i64>(i / each);
    AXLE_ASSIGN(BufferPtr buffer, client.BufferFromLiteral(arguments[i], d));
    buffers[static_cast<size_t>(d)].push_back(std::move(buffer));
  }
  AXLE_ASSIGN(const auto results, executable.ExecuteReplicated(buffers, {.limits = limits}));
  std::vector<Literal> values;
  for (const std::vector<BufferPtr>& result : results) {
    AXLE_ASSIGN(values.emplace_back(), FromBuffers(executable.program_shape().result, result));
  }
  return num_devices == 1 ? std::move(values[0]) : Literal::Tuple(std::move(values));
}

StatusOr<Literal> EvaluateOnAll(Client* client, const Module& module,
                                std::span<const Literal> arguments, Limits* limits) {
  if (NumDevicesOf(module) == 1) return Evaluate(module, arguments, {.limits = limits});
  // The executable does not outlive the call.
  const std::shared_ptr<const Module> borrowed(std::shared_ptr<const void>(), &module);
  AXLE_ASSIGN(const auto executable,
              client->Compile(borrowed, {.engine = EngineKind::kInterpret, .allow_elided = true}));
  return RunOnAll(*client, *executable, arguments, limits, /*donates=*/false);
}

}  // namespace axle

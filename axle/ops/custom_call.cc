// custom-call: a function that the program only names. Built-in functions are in
// custom_call_builtins.cc; the others are registered with the device of the run.
//
// A registered target of the device takes precedence over a built-in one of the same name. The
// evaluator collects everything that the call may look at (CustomCallInvocation), and checks the
// shape of what comes back, because a target is code of somebody else. Attributes that have no
// meaning for Axle are kept for the target.
#include <algorithm>

#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/ops/aliasing.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kCustomCallDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr CalleeSpec kCallees[] = {
    {.text = "called_computations", .variadic = true, .optional = true}};
// A single computation may also be written as to_apply=.
constexpr CalleeSpec kOneCallee[] = {{.text = "to_apply"}};
constexpr AttrSpec kAttrs[] = {
    Attr<&CustomCallAttrs::window>("window", {.field = 15}, Presence::kOptional),
    Attr<&CustomCallAttrs::dim_labels>("dim_labels", {.field = 16}, Presence::kOptional),
    Attr<&CustomCallAttrs::feature_group_count>("feature_group_count", {.field = 50},
                                                Presence::kOptional),
    Attr<&CustomCallAttrs::batch_group_count>("batch_group_count", {.field = 58},
                                              Presence::kOptional),
    Attr<&CustomCallAttrs::operand_precision>("operand_precision", {.field = 51, .subfield = 1},
                                              Presence::kOptional),
    Attr<&CustomCallAttrs::padding_type>("padding_type", {.field = 75}, Presence::kOptional),
    Attr<&CustomCallAttrs::custom_call_target>("custom_call_target", {.field = 28}),
    Attr<&CustomCallAttrs::operand_layout_constraints>("operand_layout_constraints", {.field = 57},
                                                       Presence::kOptional),
    Attr<&CustomCallAttrs::custom_call_has_side_effect>("custom_call_has_side_effect",
                                                        {.field = 65}, Presence::kOptional),
    Attr<&CustomCallAttrs::literal>("literal", {.field = 8}, Presence::kOptional),
    Attr<&CustomCallAttrs::output_to_operand_aliasing>("output_to_operand_aliasing", {.field = 74},
                                                       Presence::kOptional),
    Attr<&CustomCallAttrs::schedule>("schedule", {.field = 76}, Presence::kOptional),
    Attr<&CustomCallAttrs::api_version>("api_version", {.field = 77}, Presence::kOptional),
};

// The constraints state the layouts in which the target wants its operands; types and sizes repeat
// those of the operands.
Status CheckLayoutConstraints(const Instruction& inst) {
  const auto& constraints = inst.attrs<CustomCallAttrs>().operand_layout_constraints;
  if (!constraints) return {};
  if (static_cast<i64>(constraints->size()) != inst.num_operands()) {
    return OpError(inst, StrCat("operand_layout_constraints has ", constraints->size(),
                                " shapes but there are ", inst.num_operands(), " operands"));
  }
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (Compatible((*constraints)[i], inst.operand(i)->shape())) continue;
    return OpError(inst,
                   StrCat("operand_layout_constraints ", i, " is ", (*constraints)[i].ToString(),
                          " but operand ", i, " is ", inst.operand(i)->shape().ToString()));
  }
  return {};
}

// The declared shape is the result; only names, counts and aliases can be checked here.
StatusOr<Shape> InferCustomCall(const Instruction& inst) {
  const std::string& target = inst.attrs<CustomCallAttrs>().custom_call_target;
  if (target.starts_with('$')) {
    return OpError(inst, StrCat("target \"", target, "\" begins with '$', which is reserved"));
  }
  const auto& attrs = inst.attrs<CustomCallAttrs>();
  const auto check_count = [&](std::string_view name, i64 count) -> Status {
    if (count >= 1) return {};
    return OpError(inst, StrCat(name, " is ", count, ", must be >= 1"));
  };
  AXLE_TRY(check_count("feature_group_count", attrs.feature_group_count));
  AXLE_TRY(check_count("batch_group_count", attrs.batch_group_count));
  AXLE_TRY(CheckLayoutConstraints(inst));
  const bool pins = target == "Pin" || target == "Unpin";  // an array to a buffer, and back
  AXLE_TRY(CheckAliasing(inst, inst.shape(), attrs.output_to_operand_aliasing,
                         pins ? Buffers::kAreAsTheirContents : Buffers::kDiffer));
  return inst.shape();
}

bool CustomCallHasSideEffect(const Instruction& inst) {
  return inst.attrs<CustomCallAttrs>().custom_call_has_side_effect;
}

// Lists registered and built-in targets to suggest a similar name.
Status UnknownTarget(const Instruction& inst, const DeviceContext& device) {
  const std::string& target = inst.attrs<CustomCallAttrs>().custom_call_target;
  if (IsPythonCallback(target)) {
    return OpError(inst,
                   StrCat("\"", target,
                          "\" calls a function of Python (jax.pure_callback, io_callback, "
                          "debug.callback or debug.print), which is only in the process that made "
                          "the program: leave the call out, or run the program in JAX "
                          "(JAX_PLATFORMS=axle)"),
                   StatusCode::kUnimplemented);
  }
  const std::vector<std::string> registered = device.CustomCallTargets();
  const std::vector<std::string_view> builtin = BuiltinCustomCallTargets();
  std::vector<std::string_view> known(registered.begin(), registered.end());
  known.insert(known.end(), builtin.begin(), builtin.end());
  return OpError(inst,
                 StrCat("no target \"", target, "\" is registered for platform Host",
                        DidYouMean(target, known)),
                 StatusCode::kNotFound);
}

// Built-ins that compute would take padding for elements.
// Targets that only annotate pass padding on.
Status CheckPadding(const BuiltinCustomCall& builtin, std::span<const Literal> operands) {
  const auto padded = std::ranges::find_if(operands, &Literal::is_padded);
  if (builtin.passes_padding || padded == operands.end()) return {};
  return Unimplemented(StrCat("operand ", padded - operands.begin(), " is ",
                              padded->ShapeToString(), ", which is not full"));
}

StatusOr<Literal> CallBuiltin(const BuiltinCustomCall& builtin,
                              const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(CheckPadding(builtin, invocation.operands));
  return builtin.call(invocation, context);
}

// The caller's device may keep what it makes.
// Buffers that the device makes are its own, so that they are not placed into the memory that the
// engine has ready for results.
StatusOr<Literal> CallOfTheDevice(DeviceContext& device, const CustomCallInvocation& invocation) {
  const StoragePlaces none({});
  return device.CustomCall(invocation);
}

// An error of a target, with its name and the operands.
// The error keeps its code, so that callers can tell a missing feature from a wrong argument. That
// of a function of Python is its exception with a traceback, which says all that there is to say.
Status TargetError(const Instruction& inst, const Status& status) {
  const std::string& target = inst.attrs<CustomCallAttrs>().custom_call_target;
  if (IsPythonCallback(target)) return status;
  return OpError(inst, StrCat("\"", target, "\": ", status.message()), status.code());
}

// Limits are handed on, because a target may run long.
StatusOr<Literal> EvalCustomCall(const Instruction& inst, std::span<Literal> operands,
                                 const EvalContext& context) {
  AXLE_TRY(context.Step());
  const auto& attrs = inst.attrs<CustomCallAttrs>();
  const InstructionExtras* extras = inst.extras();
  std::vector<Shape> operand_shapes;
  // The target sees its operands in the layouts that it asked for.
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    operand_shapes.push_back(attrs.operand_layout_constraints
                                 ? (*attrs.operand_layout_constraints)[i]
                                 : inst.operand(i)->shape());
  }
  const Literal literal = attrs.literal ? attrs.literal->ToRowMajor() : Literal();
  CustomCallInvocation invocation;
  invocation.target = attrs.custom_call_target;
  invocation.api_version = attrs.api_version;
  if (extras != nullptr) {
    invocation.backend_config = extras->backend_config;
    invocation.frontend_attributes = extras->frontend_attributes;
  }
  invocation.operands = operands;
  invocation.operand_shapes = operand_shapes;
  invocation.result_shape = &inst.shape();
  invocation.literal = attrs.literal ? &literal : nullptr;
  invocation.callees = context.callees;
  invocation.limits = context.limits;
  invocation.instruction = &inst;
  DeviceContext& device = context.Device();
  const bool is_registered = device.HasCustomCall(invocation.target);
  const BuiltinCustomCall* builtin = FindBuiltinCustomCall(invocation.target);
  if (!is_registered && builtin == nullptr) return UnknownTarget(inst, device);
  if (is_registered && !inst.shape().is_static()) {
    // Buffers have no place for run-time sizes.
    return TargetError(inst, Unimplemented("cannot give a result with dynamic dimensions"));
  }
  StatusOr<Literal> result = is_registered ? CallOfTheDevice(device, invocation)
                                           : CallBuiltin(*builtin, invocation, context);
  if (!result.ok()) return TargetError(inst, result.status());
  if (!Compatible(result->shape(), inst.shape())) {
    return TargetError(inst, InvalidArgument(StrCat("gives ", result->shape().ToString(), ", not ",
                                                    inst.shape().ToString())));
  }
  return result;
}

}  // namespace

std::map<std::string_view, const Instruction*> CalledTargets(const Module& module) {
  std::map<std::string_view, const Instruction*> calls;
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (inst->opcode() != Opcode::kCustomCall) continue;
      calls.try_emplace(inst->attrs<CustomCallAttrs>().custom_call_target, inst);
    }
  }
  return calls;
}

// Run when a program is compiled for a device, so that a missing target is found before the run.
Status CheckCustomCallTargets(const Module& module, const DeviceContext& device) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (inst->opcode() != Opcode::kCustomCall) continue;
      const std::string& target = inst->attrs<CustomCallAttrs>().custom_call_target;
      if (device.HasCustomCall(target) || FindBuiltinCustomCall(target) != nullptr) continue;
      return UnknownTarget(*inst, device);
    }
  }
  return {};
}

const OpDef kCustomCallDef = {
    .opcode = Opcode::kCustomCall,
    .text = "custom-call",
    .summary = "The result of a function that custom_call_target names.",
    .semantics =
        "The declared shape is the result's. Names that begin with '$' are reserved. The function "
        "is one that is registered with the device of the run, or else a built-in one; a name that "
        "is neither is NOT_FOUND when the program is compiled for a device, or else when the call "
        "runs. A registered function gets the arrays of the "
        "operands, tuples taken apart, as dense buffers in the layouts of "
        "operand_layout_constraints, or of the operands if there are none, and writes buffers in "
        "the layout of the result; elements of less than a byte are packed, the first in the low "
        "bits. Of an array with dynamic dimensions it gets the bounds, padding included; built-in "
        "functions that compute take none that is not full, and registered ones give no result "
        "with "
        "dynamic dimensions. api_version says how it is called and "
        "has to be the one that it is registered for; backend_config is handed over as it is. The "
        "layout constraints have one shape per operand, of its type and sizes. "
        "output_to_operand_aliasing names parts of the result and of operands that are there and "
        "have one shape, each part of the result once; results and operands are buffers of their "
        "own all the same. A call with custom_call_has_side_effect is never left out, done twice "
        "or moved over another such op. called_computations, literal, schedule, padding_type and "
        "the attributes of convolutions mean what the function takes them for.",
    .source = "XLA CustomCall; StableHLO custom_call",
    .operands = kOperands,
    .attrs = Schema<CustomCallAttrs>(kAttrs),
    .callees = kCallees,
    .alternative_callees = kOneCallee,
    // The attribute is read and never written.
    .uses_alternative = [](const Instruction&) { return false; },
    .declared_shape = true,
    .traits = kMixedPrecision | kSideEffect | kHandsOn | kStandsApart,
    .has_side_effect = CustomCallHasSideEffect,
    .lowering = Lowering::kControlFlow,
    .accuracy = "that of the function",
    .infer = InferCustomCall,
    .eval = EvalCustomCall,
};

}  // namespace axle

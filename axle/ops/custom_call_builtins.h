// The custom-call targets that are part of Axle: what JAX and XLA emit for work that has no op of
// its own. An explicit table (custom_call_builtins.cc); targets that a device registers go before
// it.
//
// A built-in gets row-major literals and gives back a row-major value of *invocation.result_shape.
// Its errors say only what is wrong, "needs 1 operand"; the row puts target and operands around it.
//
//   StatusOr<Literal> CallTrace(const CustomCallInvocation& invocation, const EvalContext& context)
//   {
//     AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
//     AXLE_ASSIGN(const auto attributes, invocation.Attributes());
//     AXLE_ASSIGN(const i64 uplo, attributes.Integer("uplo", 'L'));
//     const Literal& operand = invocation.operands[0];
//     ...
//   }
//
// A family of built-ins is a file with an array of rows and a function that gives it; the function
// is listed in custom_call_builtins.cc.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/custom_call.h"
#include "axle/emit/callee.h"
#include "axle/ir/module.h"

namespace axle {

struct BuiltinCustomCall {
  std::string_view target;
  StatusOr<Literal> (*call)(const CustomCallInvocation& invocation, const EvalContext& context);
  // Takes operands with run-time sizes below their bounds, which are UNIMPLEMENTED for others.
  bool passes_padding = false;
  // Gives its one operand: it says something about it alone.
  bool gives_operand = false;
};

// Null if there is none of this name.
const BuiltinCustomCall* FindBuiltinCustomCall(std::string_view target);
// The names of all of them, sorted.
std::vector<std::string_view> BuiltinCustomCallTargets();

// The name of a function that JAX makes of a function of Python (pure_callback, io_callback,
// debug.print): it is there in the process alone that made the program.
bool IsPythonCallback(std::string_view target);

// The names of the functions that `module` calls, each with one of its calls.
std::map<std::string_view, const Instruction*> CalledTargets(const Module& module);
// NOT_FOUND if `module` calls a function that is neither one of them nor registered with `device`;
// UNIMPLEMENTED if that is a function of Python.
Status CheckCustomCallTargets(const Module& module, const DeviceContext& device);

// The families.
std::span<const BuiltinCustomCall> CheckCustomCalls();         // custom_call_check.cc
std::span<const BuiltinCustomCall> DynamicCustomCalls();       // custom_call_dynamic.cc
std::span<const BuiltinCustomCall> EigenCustomCalls();         // custom_call_eigen.cc
std::span<const BuiltinCustomCall> LapackCustomCalls();        // custom_call_lapack.cc
std::span<const BuiltinCustomCall> LapackScalarCustomCalls();  // custom_call_lapack_scalars.cc
std::span<const BuiltinCustomCall> PlacementCustomCalls();     // custom_call_placement.cc
std::span<const BuiltinCustomCall> TopkCustomCalls();          // custom_call_topk.cc
std::span<const BuiltinCustomCall> TridiagonalCustomCalls();   // custom_call_tridiagonal.cc

// INVALID_ARGUMENT unless there are as many operands, all of them arrays.
Status ExpectCustomCallOperands(const CustomCallInvocation& invocation, i64 count);

}  // namespace axle

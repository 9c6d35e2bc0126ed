// Tuples, transfers between host and devices, and calls of what is not in the module.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Attribute;
using mlir::AttributeKind;
using mlir::Type;
using mlir::TypeKind;

Status VerifyTuple(const Subject& op) {
  if (op.result().inputs == op.operands()) return {};
  return op.Error("the result is ", op.result().ToString(), ", the elements are (",
                  TypesText(op.operands()), ")");
}

Status VerifyGetTupleElement(const Subject& op) {
  const Types& elements = op.operand().inputs;
  const i64 index = op.Int("index");
  if (index >= static_cast<i64>(elements.size())) {
    return op.Error("index ", index, " is not one of ", op.operand().ToString());
  }
  return op.CheckResult(*elements[static_cast<size_t>(index)]);
}

namespace {

// Tensors, and a token at the end.
Status CheckReceived(const Subject& op) {
  const Types results = op.results();
  bool fits = !results.empty() && results.back()->kind == TypeKind::kToken;
  for (size_t i = 0; fits && i + 1 < results.size(); ++i) fits = IsShaped(*results[i]);
  if (fits) return {};
  return op.Error("the results are (", TypesText(results), "), not tensors and a token");
}

// The channel types of StableHLO: between devices 1, to the host 2, from the host 3.
Status CheckChannelType(const Subject& op, i64 of_host) {
  const i64 expected = op.Bool("is_host_transfer") ? of_host : 1;
  if (op.Int("channel_type") == expected) return {};
  return op.Error("channel type ", op.Int("channel_type"), " is not that of this transfer, ",
                  expected);
}

}  // namespace

Status VerifyInfeed(const Subject& op) {
  AXLE_TRY(CheckReceived(op));
  const Attribute* layouts = op.Find("layout");
  if (layouts == nullptr || layouts->kind != AttributeKind::kArray) return {};
  // VHLO writes an empty list for layouts that are left out.
  const size_t count = layouts->elements.size();
  if (count == 0) return {};
  if (count != op.num_results() - 1) {
    return op.Error("\"layout\" has ", count, " entries for ", op.num_results() - 1, " tensors");
  }
  for (const Attribute* layout : layouts->elements) {
    if (layout->kind == AttributeKind::kArray && mlir::Ints(*layout)) continue;
    return op.Error("\"layout\" has ", layout->ToString(), ", which is not a list of integers");
  }
  return {};
}

Status VerifyRecv(const Subject& op) {
  AXLE_TRY(CheckChannelType(op, 3));
  return CheckReceived(op);
}

Status VerifySend(const Subject& op) {
  return CheckChannelType(op, 2);
}

namespace {

// One layout for each type: the dimensions of a tensor from minor to major.
Status CheckLayouts(const Subject& op, const Attribute* layouts, const Types& types,
                    std::string_view what) {
  const size_t count = layouts == nullptr ? 0 : layouts->elements.size();
  if (count != types.size()) {
    return op.Error("has ", count, " layouts for ", types.size(), " ", what);
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const std::optional<Dims> layout = mlir::Ints(*layouts->elements[i]);
    if (!layout || types[i]->kind == TypeKind::kUnranked) continue;
    const size_t rank = IsShaped(*types[i]) ? types[i]->dims.size() : 0;
    std::vector<bool> seen(rank);
    bool fits = types[i]->kind != TypeKind::kTuple && layout->size() == rank;
    for (size_t d = 0; fits && d < rank; ++d) {
      const i64 dim = (*layout)[d];
      fits = dim >= 0 && dim < static_cast<i64>(rank) && !seen[static_cast<size_t>(dim)];
      if (fits) seen[static_cast<size_t>(dim)] = true;
    }
    if (fits) continue;
    return op.Error("layout ", DimsText(*layout), " does not fit ", types[i]->ToString());
  }
  return {};
}

// The element of a tuple at the end of a path; null if there is none.
const Type* ElementAt(const Type* type, std::span<const i64> path) {
  for (const i64 index : path) {
    if (type->kind != TypeKind::kTuple || index < 0 ||
        index >= static_cast<i64>(type->inputs.size())) {
      return nullptr;
    }
    type = type->inputs[static_cast<size_t>(index)];
  }
  return type;
}

struct AliasPaths {
  std::set<Dims> outputs;
  std::set<std::pair<i64, Dims>> operands;
};

// Of an output, several results count as a tuple.
const Type* OutputAt(const Subject& op, const Dims& path) {
  if (op.num_results() == 1) return ElementAt(&op.result(), path);
  if (path.empty() || path[0] < 0 || path[0] >= static_cast<i64>(op.num_results())) return nullptr;
  return ElementAt(&op.result(static_cast<size_t>(path[0])), std::span(path).subspan(1));
}

Status CheckAlias(const Subject& op, const Attribute& alias, AliasPaths& buffers) {
  const auto ints = [&](std::string_view name) {
    const Attribute* field = alias.Field(name);
    return field == nullptr ? Dims{} : mlir::Ints(*field).value_or(Dims{});
  };
  const Attribute* index_field = alias.Field("operand_index");
  const i64 index = index_field == nullptr ? 0 : mlir::Int(*index_field).value_or(0);
  const Dims operand_path = ints("operand_tuple_indices");
  const Dims output_path = ints("output_tuple_indices");
  if (index < 0 || index >= static_cast<i64>(op.num_operands())) {
    return op.Error("output_operand_aliases has operand ", index, " of ", op.num_operands());
  }
  const Type* operand = ElementAt(&op.operand(static_cast<size_t>(index)), operand_path);
  const Type* output = OutputAt(op, output_path);
  if (operand == nullptr || output == nullptr) {
    return op.Error("output_operand_aliases has a path ",
                    DimsText(operand == nullptr ? operand_path : output_path),
                    " that ends nowhere");
  }
  if (operand != output) {
    return op.Error("output_operand_aliases has an operand ", operand->ToString(),
                    " and an output ", output->ToString());
  }
  if (operand->kind != TypeKind::kBuffer) return {};
  if (!buffers.outputs.insert(output_path).second ||
      !buffers.operands.insert({index, operand_path}).second) {
    return op.Error("output_operand_aliases has a buffer twice");
  }
  return {};
}

// Types that are buffers or have one inside. Types share their elements, so that each is looked at
// once, however many ways lead to it; elements come before what has them.
std::unordered_set<const Type*> TypesWithBuffers(const Types& types) {
  struct Visit {
    const Type* type;
    size_t next = 0;
  };
  std::unordered_set<const Type*> seen, with_buffers;
  std::vector<Visit> stack;
  const auto enter = [&](const Type* type) {
    if (seen.insert(type).second) stack.push_back({type});
  };
  for (const Type* type : types) {
    enter(type);
    while (!stack.empty()) {
      Visit& visit = stack.back();
      if (visit.next < visit.type->inputs.size()) {
        enter(visit.type->inputs[visit.next++]);
        continue;
      }
      const bool has = visit.type->kind == TypeKind::kBuffer ||
                       std::ranges::any_of(visit.type->inputs, [&](const Type* element) {
                         return with_buffers.contains(element);
                       });
      if (has) with_buffers.insert(visit.type);
      stack.pop_back();
    }
  }
  return with_buffers;
}

// Every buffer that comes out is one that goes in. Results may be tuples of tuples.
Status CheckBuffersAreAliases(const Subject& op, const std::set<Dims>& outputs) {
  const std::unordered_set<const Type*> with_buffers = TypesWithBuffers(op.results());
  if (with_buffers.empty()) return {};
  std::vector<std::pair<const Type*, Dims>> open;
  for (size_t i = 0; i < op.num_results(); ++i) {
    open.emplace_back(&op.result(i), op.num_results() == 1 ? Dims{} : Dims{static_cast<i64>(i)});
  }
  while (!open.empty()) {
    const auto [type, path] = open.back();
    open.pop_back();
    if (!with_buffers.contains(type)) continue;
    if (type->kind == TypeKind::kBuffer && !outputs.contains(path)) {
      return op.Error("output_operand_aliases has no operand for the buffer ", DimsText(path));
    }
    if (type->kind != TypeKind::kTuple) continue;
    for (size_t i = 0; i < type->inputs.size(); ++i) {
      Dims inner = path;
      inner.push_back(static_cast<i64>(i));
      open.emplace_back(type->inputs[i], std::move(inner));
    }
  }
  return {};
}

// Calls that make a buffer or move a tensor into one and out of it.
Status CheckBufferCall(const Subject& op, std::string_view target) {
  const bool makes = target == "CreateBuffer";
  const size_t num_operands = makes ? 0 : 1;
  if (op.num_operands() != num_operands || op.num_results() != 1) {
    return op.Error(target, " takes ", num_operands, " operands and gives 1 result, not ",
                    op.num_operands(), " and ", op.num_results());
  }
  const bool gives_buffer = target != "Unpin";
  const auto is = [](const Type& type, bool buffer) {
    return IsShaped(type) && (type.kind == TypeKind::kBuffer) == buffer;
  };
  const bool fits =
      is(op.result(), gives_buffer) &&
      (makes || (is(op.operand(), !gives_buffer) && CompatibleShapes(op.operand(), op.result()) &&
                 SameElements(op.operand(), op.result())));
  if (fits) return {};
  return op.Error(target, " of (", TypesText(op.operands()), ") gives ", op.result().ToString());
}

Status CheckBackendConfig(const Subject& op) {
  const Attribute* config = op.Find("backend_config");
  if (config == nullptr) return {};
  const Attribute* version = op.Find("api_version");
  const bool is_typed =
      version != nullptr &&
      (version->text == "TYPED_FFI" || (version->text.empty() && mlir::Int(*version) == i64{4}));
  const bool is_empty_text = config->kind == AttributeKind::kString && config->text.empty();
  const bool fits = is_typed ? config->kind == AttributeKind::kDictionary || is_empty_text
                             : config->kind == AttributeKind::kString;
  if (fits) return {};
  return op.Error("backend_config is ", config->KindText(), ", not a ",
                  is_typed ? "dictionary" : "string", ", which this api_version has");
}

}  // namespace

Status VerifyCustomCall(const Subject& op) {
  const Attribute* operand_layouts = op.Find("operand_layouts");
  const Attribute* result_layouts = op.Find("result_layouts");
  // VHLO writes empty lists for layouts that are left out.
  const bool has_layouts = (operand_layouts != nullptr && !operand_layouts->elements.empty()) ||
                           (result_layouts != nullptr && !result_layouts->elements.empty());
  if (has_layouts) {
    const bool is_tuple = op.num_results() == 1 && op.result().kind == TypeKind::kTuple;
    AXLE_TRY(CheckLayouts(op, operand_layouts, op.operands(), "operands"));
    AXLE_TRY(
        CheckLayouts(op, result_layouts, is_tuple ? op.result().inputs : op.results(), "results"));
  }
  AliasPaths buffers;
  if (const Attribute* aliases = op.Find("output_operand_aliases"); aliases != nullptr) {
    for (const Attribute* alias : aliases->elements) AXLE_TRY(CheckAlias(op, *alias, buffers));
  }
  AXLE_TRY(CheckBackendConfig(op));
  const std::string_view target = op.Text("call_target_name");
  if (target == "CreateBuffer" || target == "Pin" || target == "Unpin") {
    return CheckBufferCall(op, target);
  }
  return CheckBuffersAreAliases(op, buffers.outputs);
}

}  // namespace axle::stablehlo

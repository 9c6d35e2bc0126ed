// Choices that follow from the types, and the size of register tiles. A register tile is some rows
// by 1 to 4 vectors; ChooseVectors evaluates a cost model for each width and takes the cheapest.
// The model counts, per step of k: multiplications at two vectors a cycle, at least four cycles per
// tile (latency of the accumulators), loads of panels that do not fit the first-level cache, and 40
// cycles per tile for its begin and end. The efficiencies of narrow tiles were measured.

#include "axle/kernels/planning.h"

#include <algorithm>
#include <bit>

namespace axle {
namespace {

constexpr i64 kFirstLevelBytes = 32 << 10;  // of packed columns

LoadKind LoadKindOf(ElementType type, ElementType factor, ElementType sum, DotFamily family) {
  if (family == DotFamily::kF32 || family == DotFamily::kTile) {
    if (type != factor) return LoadKind::kConvert;
    if (type == F32) return LoadKind::kSame;
    if (type == BF16) return LoadKind::kBF16;
    return type == F16 ? LoadKind::kF16 : LoadKind::kConvert;
  }
  const bool is_whole = IsIntegral(type) && IsIntegral(sum);
  switch (family) {
    case DotFamily::kPred:
      return type == PRED ? LoadKind::kU8 : LoadKind::kConvert;
    case DotFamily::kI16:
      // Products modulo 2^16 need the low bits only.
      if (is_whole && Info(type).bytes == 1) {
        return IsSigned(type) ? LoadKind::kS8 : LoadKind::kU8;
      }
      return is_whole && Info(type).bytes == 2 ? LoadKind::kSame : LoadKind::kConvert;
    case DotFamily::kI32:
    case DotFamily::kPairs:
      if (!is_whole || Info(type).bytes > 4) return LoadKind::kConvert;
      if (Info(type).bytes == 1) return IsSigned(type) ? LoadKind::kS8 : LoadKind::kU8;
      if (Info(type).bytes == 4) return LoadKind::kSame;
      if (family == DotFamily::kPairs) return LoadKind::kSame;
      return IsSigned(type) ? LoadKind::kS16 : LoadKind::kU16;
    default:
      return type == sum ? LoadKind::kSame : LoadKind::kConvert;
  }
}

// Whether factors of this type fit s16, for instructions that add pairs of products.
bool IsShort(ElementType type) {
  return IsIntegral(type) && (Info(type).bytes == 1 || type == S16);
}

StoreKind StoreKindOf(const ProductTypes& types) {
  if (types.sum == types.result && !IsSubByte(types.sum) && Info(types.sum).bytes > 1) {
    return StoreKind::kSame;
  }
  if (types.sum == F32 && types.result == BF16) return StoreKind::kBF16;
  if (types.sum == F32 && types.result == F16) return StoreKind::kF16;
  return StoreKind::kConvert;
}

// Cycles of one step of k over all results, by the model above.
double CyclesPerStep(const FamilyEntry& entry, int vectors, i64 rows, i64 columns, i64 depth) {
  constexpr double kEfficiency[] = {0.78, 0.94, 1, 1};
  constexpr double kBeginAndEnd = 40, kLoadLine = 2;
  const double begin_and_end = kBeginAndEnd / static_cast<double>(std::max<i64>(1, depth));
  const i64 whole = (columns + entry.lanes - 1) / entry.lanes;
  const auto panel = [&](i64 across) {
    const i64 most = entry.max_rows[across - 1];
    const i64 tiles = (rows + most - 1) / most, height = (rows + tiles - 1) / tiles;
    const i64 row_bytes = across * entry.lanes * entry.parts * entry.packed_bytes;
    const double load =
        depth * row_bytes > kFirstLevelBytes ? kLoadLine * static_cast<double>(row_bytes) / 64 : 0;
    const auto tile = [&](i64 high) {
      const double multiply = static_cast<double>(high * across) / 2 / kEfficiency[across - 1];
      return std::max({multiply, 4.0, load}) + begin_and_end;
    };
    return static_cast<double>(tiles - 1) * tile(height) + tile(rows - (tiles - 1) * height);
  };
  const i64 rest = whole % vectors, full = whole / vectors;
  return static_cast<double>(full) * panel(vectors) + (rest > 0 ? panel(rest) : 0);
}

}  // namespace

const FamilyEntry* FindFamily(DotFamily family, InstructionSet instruction_set) {
#if defined(__x86_64__)
  const auto i = static_cast<int>(family);
  return instruction_set == InstructionSet::kX86V4 ? isa_v4::kFamilies + i : isa_v3::kFamilies + i;
#else
  return nullptr;
#endif
}

const ConvolutionEntry* FindConvolution(DotFamily family, InstructionSet instruction_set) {
#if defined(__x86_64__)
  const auto i = static_cast<int>(family);
  return instruction_set == InstructionSet::kX86V4 ? isa_v4::kConvolutions + i
                                                   : isa_v3::kConvolutions + i;
#else
  return nullptr;
#endif
}

DotFamily FamilyOf(const ProductTypes& types) {
  if (types.order == DotOrder::kTile) return DotFamily::kTile;
  switch (types.sum) {
    case F32:
      return DotFamily::kF32;
    case F64:
      return DotFamily::kF64;
    case C64:
      return DotFamily::kC64;
    case C128:
      return DotFamily::kC128;
    case PRED:
      return DotFamily::kPred;
    default:
      break;
  }
  if (Info(types.sum).bytes <= 2) return DotFamily::kI16;
  if (Info(types.sum).bytes == 8) return DotFamily::kI64;
  return IsShort(types.lhs) && IsShort(types.rhs) ? DotFamily::kPairs : DotFamily::kI32;
}

void SetTypes(const ProductTypes& types, bool is_flipped, ProductPlan& plan) {
  plan.family = FamilyOf(types);
  const auto operand = [&](bool is_rhs) {
    const ElementType type = is_rhs ? types.rhs : types.lhs;
    const ElementType factor = is_rhs ? types.rhs_factor : types.lhs_factor;
    return OperandPlan{is_rhs ? 1 : 0, type, factor, Info(type).bytes,
                       LoadKindOf(type, factor, types.sum, plan.family)};
  };
  plan.row_operand = operand(is_flipped);
  plan.column_operand = operand(!is_flipped);
  plan.sum = types.sum;
  plan.result = types.result;
  plan.result_bytes = Info(types.result).bytes;
  plan.store = StoreKindOf(types);
  plan.is_flipped = is_flipped;
}

int ChooseVectors(const FamilyEntry& entry, i64 rows, i64 columns, i64 depth, i64 block_depth) {
  double best = 0;
  int chosen = 1;
  for (int vectors = 1; vectors <= 4; ++vectors) {
    if (entry.max_rows[vectors - 1] == 0) continue;
    const double cycles = CyclesPerStep(entry, vectors, std::max<i64>(1, rows),
                                        std::max<i64>(1, columns), std::min(depth, block_depth));
    if (vectors > 1 && cycles >= best) continue;
    best = cycles;
    chosen = vectors;
  }
  return chosen;
}

const PartRule& PartRuleOf(const ProductTypes& types) {
  if (types.order == DotOrder::kTile) return kTileParts;
  return IsFloating(types.sum) || IsComplex(types.sum) ? kChainParts : kAnyParts;
}

int WaitingGroups(i64 num_parts, i64 group_parts) {
  const i64 groups = (num_parts + group_parts - 1) / group_parts;
  return groups <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(groups - 1));
}

i64 ScratchLayout::Add(i64 bytes) {
  const i64 begin = end_;
  end_ += RoundUpTo(bytes, 64);
  return begin;
}

}  // namespace axle

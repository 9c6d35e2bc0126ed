#include "axle/ops/work.h"

#include <algorithm>

#include "axle/ops/control_form.h"
#include "axle/ops/op_def.h"

namespace axle {

bool MovesNothing(const Instruction& inst) {
  const Lowering lowering = GetOpDef(inst).lowering;
  return lowering == Lowering::kData || lowering == Lowering::kControlFlow;
}

double Flops(const Instruction& inst) {
  const auto elements = [](const Shape& shape) {
    return shape.is_array() ? static_cast<double>(shape.num_elements()) : 0.0;
  };
  // For products: the attributes that name the summed dimensions are those of the lowering class.
  const auto has_attrs = [&](const AttrSchema& schema) {
    return inst.attr_block().schema.defaults == schema.defaults;
  };
  switch (GetOpDef(inst).lowering) {
    case Lowering::kElementwise:
      return elements(inst.shape());
    case Lowering::kReduce:
    case Lowering::kScatter:
      return inst.num_operands() == 0 ? 0 : elements(inst.operand(0)->shape());
    case Lowering::kDot: {
      if (!has_attrs(Schema<DotAttrs>({}))) return 0;
      double products = elements(inst.shape());
      for (i64 d : inst.attrs<DotAttrs>().lhs_contracting_dims) {
        products *= static_cast<double>(inst.operand(0)->shape().dim(d));
      }
      return 2 * products;
    }
    case Lowering::kConvolution: {
      if (!has_attrs(Schema<ConvolutionAttrs>({}))) return 0;
      const auto& labels = inst.attrs<ConvolutionAttrs>().dim_labels;
      const Shape& rhs = inst.operand(1)->shape();
      const i64 features = rhs.dim(ConvolutionDimensionNumbers::Find(labels.rhs, 'o'));
      return features == 0 ? 0 : 2 * elements(inst.shape()) * elements(rhs) / features;
    }
    default:
      return 0;
  }
}

bool CountsAllWork(const Instruction& inst) {
  switch (GetOpDef(inst).lowering) {
    case Lowering::kElementwise:
    case Lowering::kIndexMap:
    case Lowering::kIota:
    case Lowering::kData:
      return true;
    case Lowering::kReduce:
    case Lowering::kScatter: {
      // A combiner of its two parameters and one or two operations runs once per element.
      constexpr size_t kSmall = 4;
      const auto is_small = [](const HloComputation* computation) {
        const auto instructions = computation->instructions();
        return instructions.size() <= kSmall &&
               std::ranges::all_of(instructions, [](const Instruction* called) {
                 const Lowering lowering = GetOpDef(*called).lowering;
                 return lowering == Lowering::kElementwise || lowering == Lowering::kData;
               });
      };
      return std::ranges::all_of(inst.callees(), is_small);
    }
    case Lowering::kDot:
    case Lowering::kConvolution:
      return Flops(inst) > 0 || inst.shape().num_elements() == 0;
    case Lowering::kControlFlow: {
      const ControlForm form = ControlFormOf(inst);
      return form == ControlForm::kCall || form == ControlForm::kConditional;
    }
    default:
      return false;
  }
}

double FlopsOfAll(std::span<const Instruction* const> instructions) {
  double sum = 0;
  for (const Instruction* inst : instructions) {
    if (!CountsAllWork(*inst)) return -1;
    sum += Flops(*inst);
  }
  return sum;
}

}  // namespace axle

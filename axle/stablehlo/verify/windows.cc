// Operations with windows: convolutions, reduce_window, select_and_scatter.
#include <algorithm>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

Status CheckWindow(const Subject& op, const WindowRule& window) {
  const size_t rank = window.sizes.size();
  for (const auto& [name, size] : {std::pair("window_strides", window.strides.size()),
                                   std::pair("base dilations", window.base_dilations.size()),
                                   std::pair("window dilations", window.window_dilations.size()),
                                   std::pair("padding", window.padding.size()),
                                   std::pair("window_reversal", window.num_reversals)}) {
    if (size == 0 || size == rank) continue;
    return op.Error("the window has ", rank, " dimensions and ", size, " entries of ", name);
  }
  for (const auto& [name, list] :
       {std::pair("size", &window.sizes), std::pair("stride", &window.strides),
        std::pair("base dilation", &window.base_dilations),
        std::pair("window dilation", &window.window_dilations)}) {
    for (size_t d = 0; d < list->size(); ++d) {
      if (IsOpenSize((*list)[d]) || (*list)[d] > 0) continue;
      return op.Error("dimension ", d, " of the window has the ", name, " ", (*list)[d]);
    }
  }
  return {};
}

StatusOr<std::vector<std::pair<i64, i64>>> PaddingPairs(const Subject& op) {
  std::vector<std::pair<i64, i64>> pairs;
  const mlir::Attribute* padding = op.Find("padding");
  if (padding == nullptr || padding->type == nullptr || !padding->type->is_tensor()) return pairs;
  if (padding->type->dims.size() != 2 || padding->type->dims[1] != 2) {
    return op.Error("\"padding\" is ", padding->type->ToString(), ", not n x 2");
  }
  const Dims numbers = op.Ints("padding");
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) pairs.emplace_back(numbers[i], numbers[i + 1]);
  return pairs;
}

namespace {

// (size - 1) * dilation + 1; open where it is, or where it does not fit.
i64 Dilated(i64 size, i64 dilation) {
  if (IsOpenSize(size) || size == 0) return size;
  const std::optional<i64> product = CheckedMul(size - 1, dilation);
  return product ? CheckedAdd(*product, 1).value_or(mlir::kDynamic) : mlir::kDynamic;
}

i64 EntryOr(const Dims& list, size_t d) {
  return list.empty() ? 1 : list[d];
}

}  // namespace

Dims WindowOutput(const WindowRule& window, const Dims& base) {
  Dims output(base.size(), mlir::kDynamic);
  for (size_t d = 0; d < base.size(); ++d) {
    const i64 dilated = Dilated(base[d], EntryOr(window.base_dilations, d));
    const i64 extent = Dilated(window.sizes[d], EntryOr(window.window_dilations, d));
    if (IsOpenSize(dilated) || IsOpenSize(extent)) continue;
    std::optional<i64> padded = dilated;
    if (!window.padding.empty()) {
      padded = CheckedAdd(dilated, window.padding[d].first);
      if (padded) padded = CheckedAdd(*padded, window.padding[d].second);
    }
    if (!padded) continue;
    const bool fits = *padded > 0 && extent <= *padded;
    output[d] = fits ? (*padded - extent) / EntryOr(window.strides, d) + 1 : 0;
  }
  return output;
}

namespace {

// The dimension numbers of a convolution. All lists are without batch and features.
struct ConvNumbers {
  std::string_view what;
  i64 first = 0, second = 0;  // batch and feature, input and output feature
  Dims spatial;
};

Status CheckNumbers(const Subject& op, const ConvNumbers& numbers, i64 rank) {
  Dims all = numbers.spatial;
  all.push_back(numbers.first);
  all.push_back(numbers.second);
  if (static_cast<i64>(all.size()) != rank) {
    return op.Error("the ", numbers.what, " has ", numbers.spatial.size(),
                    " spatial dimensions, the operands have rank ", rank);
  }
  AXLE_TRY(CheckDimsInRange(op, numbers.what, all, rank));
  return CheckDistinct(op, numbers.what, all);
}

struct Convolution {
  ConvNumbers input, kernel, output;
  i64 feature_groups = 0, batch_groups = 0;
};

Status CheckDivides(const Subject& op, std::string_view what, i64 size, i64 groups,
                    std::string_view group_name) {
  if (IsOpenSize(size) || size % groups == 0) return {};
  return op.Error(what, " of size ", size, " do not divide into ", group_name, " ", groups);
}

Status CheckGroups(const Subject& op, const Convolution& conv) {
  const auto size = [](const Type& tensor, i64 dim) {
    return tensor.dims[static_cast<size_t>(dim)];
  };
  if (conv.feature_groups > 1 && conv.batch_groups > 1) {
    return op.Error("feature_group_count ", conv.feature_groups, " and batch_group_count ",
                    conv.batch_groups, " are both above 1");
  }
  const i64 batch = size(op.operand(0), conv.input.first);
  const i64 features = size(op.operand(0), conv.input.second);
  const i64 kernel_features = size(op.operand(1), conv.kernel.first);
  const i64 outputs = size(op.operand(1), conv.kernel.second);
  AXLE_TRY(CheckDivides(op, "batches", batch, conv.batch_groups, "batch_group_count"));
  AXLE_TRY(CheckDivides(op, "features", features, conv.feature_groups, "feature_group_count"));
  AXLE_TRY(CheckDivides(op, "output features", outputs, conv.batch_groups, "batch_group_count"));
  AXLE_TRY(
      CheckDivides(op, "output features", outputs, conv.feature_groups, "feature_group_count"));
  if (IsOpenSize(features) || CompatibleSizes(features / conv.feature_groups, kernel_features)) {
    return {};
  }
  return op.Error("the kernel has ", kernel_features, " input features, ", features, " in ",
                  conv.feature_groups, " groups of the input are others");
}

StatusOr<Convolution> CheckedConvolution(const Subject& op) {
  const Type& lhs = op.operand(0);
  const Type& rhs = op.operand(1);
  if (lhs.dims.size() < 2 || lhs.dims.size() != rhs.dims.size()) {
    return op.Error("the operands are ", lhs.ToString(), " and ", rhs.ToString(),
                    ", not of one rank of 2 or more");
  }
  if (QuantizationOf(lhs) == nullptr && QuantizationOf(rhs) == nullptr &&
      !CompatibleElements(lhs, rhs)) {
    return op.Error("the elements of ", lhs.ToString(), " and ", rhs.ToString(), " differ");
  }
  Convolution conv;
  conv.input = {"input", op.Int("input_batch_dimension"), op.Int("input_feature_dimension"),
                op.Ints("input_spatial_dimensions")};
  conv.kernel = {"kernel", op.Int("kernel_input_feature_dimension"),
                 op.Int("kernel_output_feature_dimension"), op.Ints("kernel_spatial_dimensions")};
  conv.output = {"output", op.Int("output_batch_dimension"), op.Int("output_feature_dimension"),
                 op.Ints("output_spatial_dimensions")};
  for (const ConvNumbers* numbers : {&conv.input, &conv.kernel, &conv.output}) {
    AXLE_TRY(CheckNumbers(op, *numbers, RankOf(lhs)));
  }
  conv.feature_groups = op.Int("feature_group_count");
  conv.batch_groups = op.Int("batch_group_count");
  AXLE_TRY(CheckGroups(op, conv));
  const mlir::Attribute* precisions = op.Find("precision_config");
  if (precisions != nullptr && precisions->elements.size() > 2) {
    return op.Error("\"precision_config\" has ", precisions->elements.size(),
                    " entries for two operands");
  }
  return conv;
}

// `padding`: nothing if it is not known; then spatial sizes stay open.
Status CheckConvolution(const Subject& op,
                        std::optional<std::vector<std::pair<i64, i64>>> padding) {
  AXLE_ASSIGN(const Convolution conv, CheckedConvolution(op));
  const Type& lhs = op.operand(0);
  const Type& rhs = op.operand(1);
  WindowRule window;
  Dims base;
  for (const i64 dim : conv.kernel.spatial) {
    window.sizes.push_back(rhs.dims[static_cast<size_t>(dim)]);
  }
  for (const i64 dim : conv.input.spatial) {
    base.push_back(padding ? lhs.dims[static_cast<size_t>(dim)] : mlir::kDynamic);
  }
  window.strides = op.Ints("window_strides");
  window.base_dilations = op.Ints("lhs_dilation");
  window.window_dilations = op.Ints("rhs_dilation");
  window.num_reversals = op.Ints("window_reversal").size();
  if (padding) window.padding = std::move(*padding);
  AXLE_TRY(CheckWindow(op, window));
  const Dims spatial = WindowOutput(window, base);
  Dims dims(lhs.dims.size());
  for (size_t i = 0; i < spatial.size(); ++i) {
    dims[static_cast<size_t>(conv.output.spatial[i])] = spatial[i];
  }
  const i64 batch = lhs.dims[static_cast<size_t>(conv.input.first)];
  dims[static_cast<size_t>(conv.output.first)] =
      IsOpenSize(batch) ? batch : batch / conv.batch_groups;
  dims[static_cast<size_t>(conv.output.second)] = rhs.dims[static_cast<size_t>(conv.kernel.second)];
  AXLE_TRY(op.CheckResultDims(dims));
  const mlir::Quantization* kernel = QuantizationOf(rhs);
  const mlir::Quantization* result = QuantizationOf(op.result());
  if (IsPerAxis(kernel) && kernel->axis != conv.kernel.second) {
    return op.Error("rhs is quantized along dimension ", kernel->axis,
                    ", not along its output features");
  }
  if (IsPerAxis(result) && result->axis != conv.output.second) {
    return op.Error("the result is quantized along dimension ", result->axis,
                    ", not along its features");
  }
  return CheckProductScales(op);
}

}  // namespace

Status VerifyConvolution(const Subject& op) {
  AXLE_ASSIGN(std::vector<std::pair<i64, i64>> padding, PaddingPairs(op));
  return CheckConvolution(op, std::move(padding));
}

Status VerifyDynamicConv(const Subject& op) {
  const Type& type = op.operand(2);
  if (type.dims[0] != RankOf(op.operand()) - 2 || type.dims[1] != 2) {
    return op.Error("padding is ", type.ToString(), " for ", op.operand().ToString());
  }
  const std::optional<Dims> numbers = op.ConstantInts(2);
  if (!numbers) return CheckConvolution(op, std::nullopt);
  std::vector<std::pair<i64, i64>> padding;
  for (size_t i = 0; i + 1 < numbers->size(); i += 2) {
    padding.emplace_back((*numbers)[i], (*numbers)[i + 1]);
  }
  return CheckConvolution(op, std::move(padding));
}

Status VerifyReduceWindow(const Subject& op) {
  const Types inputs = op.GroupTypes(0);
  if (inputs.empty()) return op.Error("there is no input");
  WindowRule window;
  window.sizes = op.Ints("window_dimensions");
  for (const Type* input : inputs) {
    if (!CompatibleShapes(*input, *inputs.front())) {
      return op.Error("the shapes of inputs differ: ", TypesText(inputs));
    }
    if (input->dims.size() == window.sizes.size()) continue;
    return op.Error("\"window_dimensions\" has ", window.sizes.size(), " entries for ",
                    input->ToString());
  }
  window.strides = op.Ints("window_strides");
  window.base_dilations = op.Ints("base_dilations");
  window.window_dilations = op.Ints("window_dilations");
  AXLE_ASSIGN(window.padding, PaddingPairs(op));
  AXLE_TRY(CheckWindow(op, window));
  AXLE_TRY(VerifyReducer(op, 0, inputs, op.GroupTypes(1), window.sizes));
  const Types returned = op.Returned(0);
  std::vector<Type> implied;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Dims bounds(inputs[i]->dims.size(), mlir::kDynamic);
    if (!inputs[i]->bounds.empty()) bounds = WindowOutput(window, inputs[i]->bounds);
    implied.push_back(
        TensorOf(*returned[i]->of, WindowOutput(window, inputs[i]->dims), std::move(bounds)));
  }
  return op.CheckResults(implied);
}

Status VerifySelectAndScatter(const Subject& op) {
  const Type& operand = op.operand(0);
  const Type& source = op.operand(1);
  const Type& init = op.operand(2);
  const Types arguments = op.Arguments(0);
  const Type scalar = op.ScalarOf(*operand.of);
  const bool takes_two =
      arguments.size() == 2 && std::ranges::all_of(arguments, [&](const Type* argument) {
        return IsShaped(*argument) && CompatibleShapes(*argument, scalar) &&
               SameElements(*argument, scalar, true);
      });
  if (!takes_two) {
    return op.Error("region select takes (", TypesText(arguments), "), not two of ",
                    scalar.ToString());
  }
  const Types selected = op.Returned(0);
  if (selected.size() != 1 || !IsTensor(*selected[0], op.ScalarOf(op.Element(PRED)))) {
    return op.Error("region select returns (", TypesText(selected), "), not tensor<i1>");
  }
  const Type source_scalar = op.ScalarOf(*source.of);
  AXLE_TRY(VerifyReducer(op, 1, {&source_scalar}, {&init}, {}));
  WindowRule window;
  window.sizes = op.Ints("window_dimensions");
  if (window.sizes.size() != operand.dims.size()) {
    return op.Error("\"window_dimensions\" has ", window.sizes.size(), " entries for ",
                    operand.ToString());
  }
  window.strides = op.Ints("window_strides");
  AXLE_ASSIGN(window.padding, PaddingPairs(op));
  AXLE_TRY(CheckWindow(op, window));
  const Type expected = TensorOf(*operand.of, WindowOutput(window, operand.dims));
  if (!CompatibleShapes(source, expected) || !SameElements(source, expected, true)) {
    return op.Error("source is ", source.ToString(), ", the windows give ", expected.ToString());
  }
  return op.CheckResult(TensorOf(*op.Returned(1)[0]->of, operand.dims, operand.bounds));
}

}  // namespace axle::stablehlo

// Einsum, in four steps on lists of labels: diagonals of the operands, sums over labels that nobody
// else has, one DotGeneral (or none), then transposition and diagonals of the result.
#include <algorithm>
#include <map>

#include "axle/lib/arithmetic.h"
#include "axle/lib/compose.h"
#include "axle/lib/constants.h"
#include "axle/lib/matrix.h"

namespace axle {
namespace {

struct Labeled {
  XlaOp op;
  Dims labels;
};

bool Has(const Dims& labels, i64 label) {
  return std::ranges::find(labels, label) != labels.end();
}
i64 IndexOf(const Dims& labels, i64 label) {
  return std::ranges::find(labels, label) - labels.begin();
}
std::string LabelText(i64 label) {
  return label > 0 && label < 128 ? StrCat("\"", static_cast<char>(label), "\"")
                                  : StrCat("dimension ", label, " of \"...\"");
}
Status Bad(const std::string& what) {
  return InvalidArgument(StrCat("einsum: ", what));
}

// Labels of one term, letters and at most one "...", whose dimensions the rank tells.
StatusOr<Dims> ParseTerm(std::string_view term, i64 rank) {
  Dims labels;
  bool has_ellipsis = false;
  const i64 letters = std::ranges::count_if(term, IsAlpha);
  for (size_t i = 0; i < term.size(); ++i) {
    if (IsAlpha(term[i])) {
      labels.push_back(term[i]);
    } else if (term.substr(i, 3) == "..." && !has_ellipsis) {
      has_ellipsis = true;
      i += 2;
      for (i64 d = rank - letters; d > 0; --d) labels.push_back(-d);
    } else {
      return Bad(StrCat("\"", term, "\" is not a list of letters with at most one \"...\""));
    }
  }
  if (letters > rank || static_cast<i64>(labels.size()) != rank) {
    return Bad(StrCat("\"", term, "\" does not fit an operand of rank ", rank));
  }
  return labels;
}

// The labels of the result that no "->" names: those of "...", then letters that occur once.
Dims ImpliedOutput(const std::vector<Dims>& inputs) {
  std::map<i64, int> counts;
  for (const Dims& input : inputs) {
    for (i64 label : input) ++counts[label];
  }
  Dims output;
  for (const auto& [label, count] : counts) {
    if (label < 0 || count == 1) output.push_back(label);
  }
  return output;
}

struct Config {
  std::vector<Dims> inputs;
  Dims output;
};

StatusOr<Config> ParseConfig(std::string_view text, const Dims& ranks) {
  std::string config;
  std::ranges::copy_if(text, std::back_inserter(config), [](char c) { return c != ' '; });
  const size_t arrow = config.find("->");
  Config parsed;
  std::string_view rest = std::string_view(config).substr(0, arrow);
  for (size_t i = 0; i < ranks.size(); ++i) {
    const size_t comma = rest.find(',');
    const bool is_last = i + 1 == ranks.size();
    if ((comma == rest.npos) != is_last) {
      return Bad(StrCat("\"", text, "\" must name ", ranks.size(), " operands"));
    }
    AXLE_ASSIGN(Dims labels, ParseTerm(rest.substr(0, comma), ranks[i]));
    parsed.inputs.push_back(std::move(labels));
    if (!is_last) rest.remove_prefix(comma + 1);
  }
  parsed.output = ImpliedOutput(parsed.inputs);
  if (arrow == config.npos) return parsed;
  const std::string_view output = std::string_view(config).substr(arrow + 2);
  // "..." of the result has as many dimensions as the longest one.
  const i64 ellipsis = std::ranges::count_if(parsed.output, [](i64 label) { return label < 0; });
  const i64 letters = std::ranges::count_if(output, IsAlpha);
  const bool names_ellipsis = output.find("...") != output.npos;
  AXLE_ASSIGN(parsed.output, ParseTerm(output, letters + (names_ellipsis ? ellipsis : 0)));
  return parsed;
}

// Takes the diagonal of labels that occur twice; they stand last afterwards.
StatusOr<Labeled> TakeDiagonals(Labeled x, const Location& location) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    const auto again = std::find(x.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                 x.labels.end(), x.labels[i]);
    if (again == x.labels.end()) continue;
    const auto j = static_cast<size_t>(again - x.labels.begin());
    const Shape& shape = ShapeOfOp(x.op);
    const i64 label = x.labels[i];
    if (shape.dims()[i] != shape.dims()[j]) {
      return Bad(StrCat(LabelText(label), " has sizes ", shape.dims()[i], " and ", shape.dims()[j],
                        "; operand ", shape.ToString()));
    }
    Dims permutation, labels;
    for (size_t d = 0; d < x.labels.size(); ++d) {
      if (d == i || d == j) continue;
      permutation.push_back(static_cast<i64>(d));
      labels.push_back(x.labels[d]);
    }
    permutation.push_back(static_cast<i64>(i));
    permutation.push_back(static_cast<i64>(j));
    labels.push_back(label);
    return TakeDiagonals(
        {GetMatrixDiagonal(Transpose(x.op, permutation, location), 0, location), labels}, location);
  }
  return x;
}

// Sums over the labels for which !keep(label).
template <typename Keep>
Labeled SumOut(Labeled x, Keep keep, XlaBuilder& b, const Location& location) {
  Dims summed, kept;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (keep(x.labels[d])) {
      kept.push_back(x.labels[d]);
    } else {
      summed.push_back(static_cast<i64>(d));
    }
  }
  if (summed.empty()) return x;
  const PrimitiveType type = ShapeOfOp(x.op).type();
  return {Reduce(x.op, Zero(&b, type, location),
                 CreateScalarIdentityWithZeroComputation(type, &b, location), summed, location),
          kept};
}

// x with its dimensions in the order of `output`, each label of which it has once. A label that is
// there again becomes a diagonal.
XlaOp InOrder(Labeled x, const Dims& output, const Location& location) {
  Dims once;
  for (i64 label : output) {
    if (!Has(once, label)) once.push_back(label);
  }
  Dims permutation;
  for (i64 label : once) permutation.push_back(IndexOf(x.labels, label));
  XlaOp result =
      std::ranges::is_sorted(permutation) ? x.op : Transpose(x.op, permutation, location);
  if (once.size() == output.size()) return result;
  Dims sizes, dims(once.size());
  for (i64 label : output) {
    sizes.push_back(ShapeOfOp(result).dim(IndexOf(once, label)));
  }
  for (size_t i = 0; i < once.size(); ++i) dims[i] = IndexOf(output, once[i]);
  result = BroadcastInDim(result, sizes, dims, location);
  for (size_t d = 0; d < output.size(); ++d) {
    const i64 first = IndexOf(output, output[d]);
    if (first == static_cast<i64>(d)) continue;
    const Shape positions(S64, sizes);
    XlaBuilder* b = x.op.builder_or_null();
    const XlaOp on_diagonal = Eq(Iota(b, positions, first, location),
                                 Iota(b, positions, static_cast<i64>(d), location), {}, location);
    result = Select(on_diagonal, result, ZerosLike(result, location), location);
  }
  return result;
}

// Drops dimensions of "..." that have size 1 where the other operand has another size.
Labeled DropBroadcast(Labeled x, const Labeled& other, const Location& location) {
  Dims sizes, labels;
  const Shape& shape = ShapeOfOp(x.op);
  for (size_t d = 0; d < x.labels.size(); ++d) {
    const i64 label = x.labels[d];
    if (label < 0 && shape.dims()[d] == 1 && Has(other.labels, label) &&
        ShapeOfOp(other.op).dim(IndexOf(other.labels, label)) != 1) {
      continue;
    }
    sizes.push_back(shape.dims()[d]);
    labels.push_back(label);
  }
  if (labels.size() == x.labels.size()) return x;
  return {Reshape(x.op, sizes, location), labels};
}

Status CheckLabels(XlaOp op, ArraySlice<i64> labels) {
  const Shape& shape = ShapeOfOp(op);
  if (shape.is_array() && shape.dims().size() == labels.size()) return {};
  return Bad(StrCat("an operand has ", labels.size(), " labels; operand ", shape.ToString()));
}

}  // namespace

StatusOr<std::array<std::vector<i64>, 3>> ParseEinsumString(std::string_view einsum_config,
                                                            i64 x_rank, i64 y_rank) {
  AXLE_ASSIGN(const Config config, ParseConfig(einsum_config, {x_rank, y_rank}));
  return std::array<std::vector<i64>, 3>{config.inputs[0], config.inputs[1], config.output};
}

XlaOp Einsum(XlaOp x, XlaOp y, std::string_view einsum_config, Precision precision,
             std::optional<PrimitiveType> preferred_element_type, Location location) {
  return Compose("einsum", {x, y}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const auto labels,
                ParseEinsumString(einsum_config, ShapeOfOp(x).rank(), ShapeOfOp(y).rank()));
    return Einsum(x, labels[0], y, labels[1], labels[2], precision, preferred_element_type,
                  location);
  });
}

XlaOp Einsum(XlaOp x_op, ArraySlice<i64> x_config, XlaOp y_op, ArraySlice<i64> y_config,
             ArraySlice<i64> output_config, Precision precision,
             std::optional<PrimitiveType> preferred_element_type, Location location) {
  return Compose("einsum", {x_op, y_op}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckLabels(x_op, x_config));
    AXLE_TRY(CheckLabels(y_op, y_config));
    const Dims output(output_config.begin(), output_config.end());
    AXLE_ASSIGN(Labeled x, TakeDiagonals({x_op, {x_config.begin(), x_config.end()}}, location));
    AXLE_ASSIGN(Labeled y, TakeDiagonals({y_op, {y_config.begin(), y_config.end()}}, location));
    for (i64 label : output) {
      if (!Has(x.labels, label) && !Has(y.labels, label)) {
        return Bad(StrCat(LabelText(label), " of the result is in no operand"));
      }
    }
    const Labeled x_before = x;
    x = DropBroadcast(x, y, location);
    y = DropBroadcast(y, x_before, location);
    const auto keeps = [&output](const Labeled& other) {
      return [&output, other = other.labels](i64 label) {
        return Has(output, label) || Has(other, label);
      };
    };
    x = SumOut(x, keeps(y), b, location);
    y = SumOut(y, keeps(x), b, location);
    if (!b.first_error().ok()) return XlaOp(&b, nullptr);

    DotDimensionNumbers numbers;
    Dims result;
    for (size_t d = 0; d < x.labels.size(); ++d) {
      const i64 label = x.labels[d];
      if (!Has(y.labels, label)) continue;
      const i64 other = IndexOf(y.labels, label);
      if (ShapeOfOp(x.op).dims()[d] != ShapeOfOp(y.op).dim(other)) {
        return Bad(StrCat(LabelText(label), " has sizes ", ShapeOfOp(x.op).dims()[d], " and ",
                          ShapeOfOp(y.op).dim(other), "; x ", ShapesOf({x_op}), ", y ",
                          ShapesOf({y_op})));
      }
      const bool is_batch = Has(output, label);
      (is_batch ? numbers.lhs_batch_dimensions : numbers.lhs_contracting_dimensions)
          .push_back(static_cast<i64>(d));
      (is_batch ? numbers.rhs_batch_dimensions : numbers.rhs_contracting_dimensions)
          .push_back(other);
      if (is_batch) result.push_back(label);
    }
    for (i64 label : x.labels) {
      if (!Has(y.labels, label)) result.push_back(label);
    }
    for (i64 label : y.labels) {
      if (!Has(x.labels, label)) result.push_back(label);
    }
    const PrecisionConfig hints = {.operand_precision = {precision, precision}};
    const XlaOp dot =
        DotGeneral(x.op, y.op, numbers, precision == Precision::kDefault ? nullptr : &hints,
                   preferred_element_type, location);
    if (!dot.valid()) return dot;
    return InOrder({dot, result}, output, location);
  });
}

XlaOp Einsum(XlaOp x_op, std::string_view einsum_config, Location location) {
  return Compose("einsum", {x_op}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Config config, ParseConfig(einsum_config, {ShapeOfOp(x_op).rank()}));
    AXLE_ASSIGN(Labeled x, TakeDiagonals({x_op, config.inputs[0]}, location));
    for (i64 label : config.output) {
      if (!Has(x.labels, label)) {
        return Bad(StrCat(LabelText(label), " of the result is in no operand"));
      }
    }
    x = SumOut(
        x, [&](i64 label) { return Has(config.output, label); }, b, location);
    if (!x.op.valid()) return x.op;
    return InOrder(x, config.output, location);
  });
}

}  // namespace axle

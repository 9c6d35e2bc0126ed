// Random programs with dynamic dimensions: the valid part of what they give is what the program of
// the run-time sizes gives on the valid parts of the arguments, whatever the padding holds.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

struct Dim {
  i64 bound = 1;
  i64 size = 1;  // at run time
  bool dynamic = false;
};

struct Value {
  std::string name;
  std::vector<Dim> dims;
};

// Writes the same program twice: with bounds, and with the run-time sizes as static ones.
class Programs {
 public:
  explicit Programs(unsigned seed) : random_(seed) {}

  void Make() {
    values_.push_back(Parameter());
    const i64 steps = 1 + Below(6);
    for (i64 i = 0; i < steps; ++i) values_.push_back(Step(values_[Below(values_.size())]));
    if (values_.back().dims.empty() || Below(4) != 0) return;
    values_.push_back(Step(values_.back()));
  }

  std::string Text(bool dynamic) const {
    return StrCat("HloModule m\n", R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
largest { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
difference { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] subtract(b, a) }
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
twice { a = f32[] parameter(0)  ROOT r = f32[] add(a, a) }
ENTRY main {
  v = f32[] constant(-3)
  low = f32[] constant(-8)
  high = f32[] constant(8)
)",
                  dynamic ? dynamic_ : static_, "}\n");
  }

  // The argument, full of something that would be noticed, and its valid part.
  std::pair<Literal, Literal> Argument() {
    const std::vector<Dim>& dims = values_[0].dims;
    Shape shape(F32);
    for (const Dim& dim : dims) shape.AppendDim(dim.bound, dim.dynamic);
    Literal literal(shape);
    Dims index(dims.size());
    for (i64 i = 0; i < literal.num_elements(); ++i) {
      i64 rest = i;
      bool valid = true;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d].bound) {
        valid = valid && rest % dims[d].bound < dims[d].size;
      }
      constexpr float kGarbage[] = {NAN, INFINITY, -1e30f, 12345.5f};
      literal.mutable_data<float>()[i] =
          valid ? static_cast<float>(Below(17)) - 8 : kGarbage[Below(4)];
    }
    for (size_t d = 0; d < dims.size(); ++d) literal.SetSize(static_cast<i64>(d), dims[d].size);
    return {literal, literal.ValidPart()};
  }

 private:
  i64 Below(i64 n) { return static_cast<i64>(random_() % static_cast<std::uint64_t>(n)); }

  static std::string ShapeText(const std::vector<Dim>& dims, bool dynamic) {
    return StrCat("f32[",
                  Join(dims, ",",
                       [&](const Dim& dim) {
                         if (!dynamic) return StrCat(dim.size);
                         return StrCat(dim.dynamic ? "<=" : "", dim.bound);
                       }),
                  "]");
  }

  // Adds an instruction; the attributes may differ between the two programs.
  Value Add(std::vector<Dim> dims, std::string_view call, std::string_view dynamic_attrs,
            std::string_view static_attrs) {
    Value value = {StrCat("x", count_++), std::move(dims)};
    StrAppend(dynamic_, "  ", value.name, " = ", ShapeText(value.dims, true), " ", call,
              dynamic_attrs, "\n");
    StrAppend(static_, "  ", value.name, " = ", ShapeText(value.dims, false), " ", call,
              static_attrs, "\n");
    return value;
  }
  Value Add(std::vector<Dim> dims, std::string_view call, std::string_view attrs = "") {
    return Add(std::move(dims), call, attrs, attrs);
  }

  Value Parameter() {
    std::vector<Dim> dims;
    const i64 rank = 1 + Below(3);
    for (i64 d = 0; d < rank; ++d) {
      Dim dim = {.bound = 2 + Below(4), .dynamic = Below(3) != 0};
      dim.size = dim.dynamic ? Below(dim.bound + 1) : dim.bound;
      dims.push_back(dim);
    }
    return Add(dims, "parameter(0)");
  }

  // Window sizes and the like, the same text for every dimension but `d`.
  static std::string PerDim(const std::vector<Dim>& dims, i64 d, std::string_view there,
                            std::string_view elsewhere, std::string_view separator) {
    std::string text;
    for (i64 i = 0; i < static_cast<i64>(dims.size()); ++i) {
      StrAppend(text, i == 0 ? "" : separator, i == d ? there : elsewhere);
    }
    return text;
  }

  static i64 Elements(const std::vector<Dim>& dims) {
    i64 elements = 1;
    for (const Dim& dim : dims) elements *= dim.bound;
    return elements;
  }

  // Values stay small integers, whose sums are exact in every order.
  Value Step(const Value& x) {
    const Value value = AnyStep(x);
    return Add(value.dims, StrCat("clamp(low, ", value.name, ", high)"));
  }

  Value AnyStep(const Value& x) {
    const auto rank = static_cast<i64>(x.dims.size());
    if (rank == 0 || Elements(x.dims) > 2000) return Add(x.dims, StrCat("negate(", x.name, ")"));
    const i64 d = Below(rank);
    std::vector<Dim> dims = x.dims;
    const std::string& name = x.name;
    switch (Below(14)) {
      case 0:
        return Add(dims, StrCat("multiply(", name, ", ", name, ")"));
      case 1:
        return Add(dims, StrCat("map(", name, "), to_apply=twice"));
      case 2:
        return Add(dims, StrCat("reverse(", name, "), dimensions={", d, "}"));
      case 3: {
        std::rotate(dims.begin(), dims.begin() + 1, dims.end());
        std::string order;
        for (i64 i = 0; i < rank; ++i) StrAppend(order, i == 0 ? "" : ",", (i + 1) % rank);
        return Add(dims, StrCat("transpose(", name, "), dimensions={", order, "}"));
      }
      case 4:
        return Add(dims, StrCat("sort(", name, "), to_apply=less, dimensions={", d, "}"));
      case 5:
        dims[d].bound *= 2;
        dims[d].size *= 2;
        return Add(dims, StrCat("concatenate(", name, ", ", name, "), dimensions={", d, "}"));
      case 6: {
        const i64 low = Below(4) - 1, high = Below(3), interior = Below(2);
        for (i64* n : {&dims[d].bound, &dims[d].size}) {
          *n += low + high + std::max<i64>(*n - 1, 0) * interior;
        }
        if (dims[d].bound < 0 || dims[d].size < 0) return Add(x.dims, StrCat("negate(", name, ")"));
        return Add(dims, StrCat("pad(", name, ", v), padding="),
                   PerDim(dims, d, StrCat(low, "_", high, "_", interior), "0_0", "x"));
      }
      case 7: {  // the range ends where the elements do
        const i64 start = Below(2), stride = 1 + Below(2);
        const auto range = [&](i64 size) { return std::pair(std::min(start, size), size); };
        std::string attrs[2];
        for (bool dynamic : {true, false}) {
          for (i64 i = 0; i < rank; ++i) {
            const i64 size = dynamic ? x.dims[i].bound : x.dims[i].size;
            const auto [from, to] = i == d ? range(size) : std::pair<i64, i64>(0, size);
            StrAppend(attrs[dynamic], i == 0 ? "" : ",", "[", from, ":", to, ":",
                      i == d ? stride : 1, "]");
          }
        }
        const auto count = [&](i64 size) {
          return (size - std::min(start, size) + stride - 1) / stride;
        };
        dims[d].bound = count(x.dims[d].bound);
        dims[d].size = count(x.dims[d].size);
        for (const Dim& dim : dims) {  // one element makes a dimension static
          if (dim.bound == 1 && dim.dynamic) return Add(x.dims, StrCat("negate(", name, ")"));
        }
        return Add(dims, StrCat("slice(", name, "), slice="), StrCat("{", attrs[1], "}"),
                   StrCat("{", attrs[0], "}"));
      }
      case 8:
      case 9: {
        constexpr std::string_view kReducers[] = {"sum", "largest", "difference"};
        dims.erase(dims.begin() + d);
        return Add(dims, StrCat("reduce(", name, ", v), dimensions={", d,
                                "}, to_apply=", kReducers[Below(3)]));
      }
      case 10: {
        const i64 stride = 1 + Below(2);
        for (i64* n : {&dims[d].bound, &dims[d].size}) {
          // One in front, so that no window is a scan whose direction depends on the bound.
          const i64 padded = *n + 1;
          *n = padded < 2 ? 0 : (padded - 2) / stride + 1;
        }
        return Add(dims, StrCat("reduce-window(", name,
                                ", v), window={size=", PerDim(dims, d, "2", "1", "x"),
                                " stride=", PerDim(dims, d, StrCat(stride), "1", "x"), " pad=",
                                PerDim(dims, d, "1_0", "0_0", "x"), "}, to_apply=difference"));
      }
      case 11: {
        dims.insert(dims.begin(), Dim{2, 2, false});
        std::string kept;
        for (i64 i = 0; i < rank; ++i) StrAppend(kept, i == 0 ? "" : ",", i + 1);
        return Add(dims, StrCat("broadcast(", name, "), dimensions={", kept, "}"));
      }
      case 12: {  // everything into one dimension
        Dim all;
        for (const Dim& dim : x.dims) {
          all.bound *= dim.bound;
          all.size *= dim.size;
          all.dynamic = all.dynamic || dim.dynamic;
          if (dim.dynamic && dim.bound <= 1) return Add(x.dims, StrCat("negate(", name, ")"));
        }
        return Add({all}, StrCat("reshape(", name, ")"));
      }
      default: {
        const Dim contracted = dims[d];
        dims.erase(dims.begin() + d);
        std::vector<Dim> result = dims;
        result.insert(result.end(), dims.begin(), dims.end());
        if (Elements(result) * contracted.bound > 20000) {
          return Add(x.dims, StrCat("negate(", name, ")"));
        }
        return Add(result, StrCat("dot(", name, ", ", name, "), lhs_contracting_dims={", d,
                                  "}, rhs_contracting_dims={", d, "}"));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<Value> values_;
  std::string dynamic_, static_;
  i64 count_ = 0;
};

// Zeros of either sign are alike here: a dot counts padding as zeros, a sum does not.
Literal WithPositiveZeros(Literal literal) {
  if (literal.shape().type() != F32) return literal;
  for (float& x : literal.mutable_data<float>()) x += 0.0f;
  return literal;
}

TEST(DynamicPrograms, GiveWhatStaticProgramsOfTheirSizesGive) {
  int padded = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Programs programs(seed);
    programs.Make();
    const auto [argument, valid] = programs.Argument();
    const std::string text = programs.Text(true);
    SCOPED_TRACE(StrCat("seed ", seed, "\n", text, argument.ToStringWithShape()));
    const auto dynamic_module = Parse(text), static_module = Parse(programs.Text(false));
    ASSERT_TRUE(dynamic_module.ok()) << dynamic_module.status().message();
    ASSERT_TRUE(static_module.ok()) << static_module.status().message();
    const auto actual = Evaluate(**dynamic_module, {&argument, 1});
    const auto expected = Evaluate(**static_module, {&valid, 1});
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    const Literal a = WithPositiveZeros(actual->ValidPart());
    const Literal b = WithPositiveZeros(*expected);
    ASSERT_TRUE(SameValue(a, b)) << "gives    " << a.ToStringWithShape() << "\nexpected "
                                 << b.ToStringWithShape();
    padded += actual->is_padded() ? 1 : 0;
  }
  EXPECT_GT(padded, 300);  // the programs are about something
}

}  // namespace
}  // namespace axle

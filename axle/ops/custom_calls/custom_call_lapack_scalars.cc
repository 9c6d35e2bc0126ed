// The custom calls for linear algebra of jaxlib before its typed ones: lapack_{s,d,c,z}<routine>
// and blas_{s,d,c,z}trsm. They mean what lapack_{s,d,c,z}<routine>_ffi does and are called through
// it. What differs is the form:
//
//   operands  flags, sizes and letters come first, as scalars, where the typed ones have attributes
//   results   there are arrays for LAPACK to work in among them, which say nothing afterwards:
//             they are zeros here, of whatever shapes the instruction declares
//
// A row says what each operand is and where each result comes from. Sizes must be those of the
// arrays; what only tells the size of memory (lwork, lda) is not looked at.
//
// The older calls are a table: Forms() has one row per routine, which lists the meaning of each
// operand and the source of each result. CallWithScalars reads the scalars by the row, writes them
// as attributes of the typed call, calls that, and sorts its results into place.
#include <algorithm>

#include "axle/core/convert.h"
#include "axle/ops/custom_calls/lapack_call.h"

namespace axle {
namespace {

enum class Operand : std::uint8_t {
  kArray,    // passed on
  kIgnored,  // sizes of memory
  // Sizes, which are checked.
  kBatch,
  kRows,
  kColumns,
  // Attributes of the typed call.
  kLeft,         // side: 1 is 'L'
  kLower,        // uplo: 1 is 'L'
  kForm,         // trans_x: 0, 1, 2 are 'N', 'T', 'C'
  kUnit,         // diag: 1 is 'U'
  kFull,         // mode, together with the next one: 'A' or 'S'
  kVectors,      // or 'N' if 0
  kLeftVectors,  // letters
  kRightVectors,
  kSchurVectors,
  kSort,
  kLow,  // numbers
  kHigh,
  kAlpha,  // what the last array is multiplied by
};
using enum Operand;

constexpr int kZeros = -1;

// `results`: for each result the number of that of the typed call, or kZeros; further ones are
// zeros.
struct ScalarForm {
  std::string_view routine;
  bool is_complex;  // the form for c64 and c128; the other one is for f32 and f64
  std::vector<Operand> operands;
  std::vector<int> results;
  std::string_view more_attributes = {};
};

// Built once. Rows for real and complex types differ where LAPACK's argument lists differ.
const std::vector<ScalarForm>& Forms() {
  static const auto* const kForms = [] {
    auto* forms = new std::vector<ScalarForm>;
    const std::vector<Operand> geqrf = {kBatch, kRows, kColumns, kIgnored, kArray};
    const std::vector<Operand> geqp3 = {kBatch, kRows, kColumns, kIgnored, kArray, kArray};
    const std::vector<Operand> orgqr = {kBatch,   kRows,  kColumns, kIgnored,
                                        kIgnored, kArray, kArray};
    const std::vector<Operand> syevd = {kLower, kBatch, kRows, kArray};
    const std::vector<Operand> sytrd = {kRows, kLower, kIgnored, kBatch, kIgnored, kArray};
    constexpr std::string_view kWithVectors = "mode = 86 : ui8";
    for (const bool is_complex : {false, true}) {
      forms->push_back({"potrf", is_complex, {kLower, kBatch, kRows, kArray}, {0, 1}});
      forms->push_back(
          {"trsm",
           is_complex,
           {kLeft, kLower, kForm, kUnit, kRows, kColumns, kBatch, kAlpha, kArray, kArray},
           {0}});
      forms->push_back({"getrf", is_complex, {kBatch, kRows, kColumns, kArray}, {0, 1, 2}});
      forms->push_back({"geqrf", is_complex, geqrf, {0, 1}});
      forms->push_back({"geqp3", is_complex, geqp3, {0, 1, 2}});
      forms->push_back({is_complex ? "ungqr" : "orgqr", is_complex, orgqr, {0}});
      forms->push_back({"gesdd",
                        is_complex,
                        {kFull, kVectors, kBatch, kRows, kColumns, kIgnored, kArray},
                        {0, 1, 2, 3, 4}});
      forms->push_back(
          {is_complex ? "heevd" : "syevd", is_complex, syevd, {0, 1, 2}, kWithVectors});
      forms->push_back({is_complex ? "hetrd" : "sytrd", is_complex, sytrd, {0, 1, 2, 3, 4}});
      forms->push_back({"gehrd",
                        is_complex,
                        {kRows, kLow, kHigh, kIgnored, kBatch, kIgnored, kArray},
                        {0, 1, 2}});
    }
    const std::vector<Operand> geev = {kBatch, kRows, kLeftVectors, kRightVectors, kArray};
    const std::vector<Operand> gees = {kBatch, kRows, kSchurVectors, kSort, kArray};
    forms->push_back({"geev", false, geev, {kZeros, kZeros, kZeros, 0, 1, 2, 3, 4}});
    forms->push_back({"geev", true, geev, {kZeros, kZeros, 0, 1, 2, 3}});
    forms->push_back({"gees", false, gees, {0, 2, 3, 1, 4, 5}});
    forms->push_back({"gees", true, gees, {0, kZeros, 2, 1, 3, 4}});
    return forms;
  }();
  return *kForms;
}

// "lapack_spotrf" and "blas_strsm" without what stands before the routine's letter.
std::string_view WithLetter(std::string_view target) {
  return target.substr(target.find('_') + 1);
}

// The second letter of the name is the type.
const ScalarForm& FormOf(std::string_view target) {
  const std::string_view name = WithLetter(target);
  const bool is_complex = name[0] == 'c' || name[0] == 'z';
  return *std::ranges::find_if(Forms(), [&](const ScalarForm& form) {
    return form.routine == name.substr(1) && form.is_complex == is_complex;
  });
}

// Scalars may have any integer type.
StatusOr<i64> IntegerOperand(const CustomCallInvocation& invocation, i64 index) {
  const Literal& operand = invocation.operands[index];
  const Shape& shape = operand.shape();
  if (shape.rank() != 0 || !IsIntegral(shape.type())) {
    return InvalidArgument(
        StrCat("operand ", index, " must be an integer scalar, not ", shape.ToString()));
  }
  i64 value = 0;
  ConvertElements(shape.type(), operand.bytes(), S64, &value, 1);
  return value;
}

// Reads the scalars into attributes, and checks those that are sizes of `array`.
class Scalars {
 public:
  explicit Scalars(const Shape& array) : array_(array) {}

  // One operand of the old form: it is checked against the array, becomes an attribute, or is
  // ignored.
  Status Read(Operand operand, i64 index, i64 value) {
    const i64 rank = array_.rank();
    switch (operand) {
      case kBatch:
        return CheckSize(index, value, Batch());
      case kRows:
        return CheckSize(index, value, array_.dim(rank - 2));
      case kColumns:
        return CheckSize(index, value, array_.dim(rank - 1));
      case kLeft:
        return Add("side", value != 0 ? 'L' : 'R');
      case kLower:
        return Add("uplo", value != 0 ? 'L' : 'U');
      case kForm:
        if (value < 0 || value > 2) {
          return InvalidArgument(StrCat("operand ", index, " is ", value, ", must be 0, 1 or 2"));
        }
        return Add("trans_x", "NTC"[value]);
      case kUnit:
        return Add("diag", value != 0 ? 'U' : 'N');
      case kFull:
        is_full_ = value != 0;
        return {};
      case kVectors:
        return Add("mode", value == 0 ? 'N' : is_full_ ? 'A' : 'S');
      case kLeftVectors:
        return Add("compute_left", value);
      case kRightVectors:
        return Add("compute_right", value);
      case kSchurVectors:
        return Add("mode", value);
      case kSort:
        return Add("sort", value);
      case kLow:
        return Add("low", value);
      case kHigh:
        return Add("high", value);
      case kArray:
      case kIgnored:
      case kAlpha:
        break;
    }
    return {};
  }

  // The attributes as the text of a dictionary, as backend_config would have them.
  std::string Text(std::string_view more) const {
    return StrCat("{", attributes_, attributes_.empty() || more.empty() ? "" : ", ", more, "}");
  }

 private:
  Status Add(std::string_view name, i64 value) {
    StrAppend(attributes_, attributes_.empty() ? "" : ", ", name, " = ", value, " : i64");
    return {};
  }
  std::optional<i64> Batch() const {
    std::optional<i64> product = 1;
    for (i64 d = 0; product && d < array_.rank() - 2; ++d) {
      product = CheckedMul(*product, array_.dim(d));
    }
    return product;
  }
  Status CheckSize(i64 index, i64 value, std::optional<i64> size) const {
    if (size && value == *size) return {};
    return InvalidArgument(StrCat("operand ", index, " is ", value, " but the array ",
                                  array_.ToString(), " has ", size.value_or(0)));
  }

  const Shape& array_;
  bool is_full_ = false;
  std::string attributes_;
};

// b becomes alpha b, as BLAS has it: zeros for 0, whatever b is.
template <typename T>
Status ScaleBy(const CustomCallInvocation& invocation, i64 index, Literal& b) {
  const Literal& alpha = invocation.operands[index];
  if (!Compatible(alpha.shape(), Shape(kTypeOf<T>, {})) || b.shape().type() != kTypeOf<T>) {
    return InvalidArgument(StrCat("operand ", index, " must be ", Name(kTypeOf<T>), "[], not ",
                                  alpha.shape().ToString()));
  }
  const T factor = *Data<T>(alpha);
  if (factor == T(1)) return {};
  T* data = Data<T>(b);
  for (i64 i = 0; i < b.num_elements(); ++i) {
    data[i] = factor == T() ? T() : Multiply(factor, data[i]);
  }
  return {};
}

// The letter of the target decides about the type.
Status Scale(const CustomCallInvocation& invocation, i64 index, Literal& b) {
  switch (WithLetter(invocation.target)[0]) {
    case 's':
      return ScaleBy<float>(invocation, index, b);
    case 'd':
      return ScaleBy<double>(invocation, index, b);
    case 'c':
      return ScaleBy<std::complex<float>>(invocation, index, b);
    default:
      return ScaleBy<std::complex<double>>(invocation, index, b);
  }
}

// The shape of the typed call's result, taken from the declared results of the old form.
StatusOr<Shape> TypedResult(const ScalarForm& form, const Shape& declared) {
  if (form.routine == "trsm") return declared;
  const auto num_results = static_cast<i64>(form.results.size());
  if (!declared.is_tuple() || declared.num_tuple_elements() < num_results) {
    return InvalidArgument(
        StrCat("gives ", num_results, " results or more, not ", declared.ToString()));
  }
  const int last = *std::ranges::max_element(form.results);
  std::vector<Shape> shapes;
  for (int i = 0; i <= last; ++i) {
    const auto place = std::ranges::find(form.results, i) - form.results.begin();
    shapes.push_back(declared.element(place).WithoutLayout());
  }
  return last == 0 ? shapes[0] : Shape::Tuple(shapes);
}

// The results of the typed call in their places, zeros in the others.
StatusOr<Literal> InPlaces(const ScalarForm& form, const Shape& declared, Literal value) {
  if (!declared.is_tuple()) return value;
  std::vector<Literal> results;
  for (i64 i = 0; i < declared.num_tuple_elements(); ++i) {
    const bool is_listed = i < static_cast<i64>(form.results.size());
    const int from = is_listed ? form.results[i] : kZeros;
    if (from == kZeros) {
      const Shape shape = declared.element(i).WithoutLayout();
      if (!shape.is_array()) return InvalidArgument("gives arrays");
      AXLE_ASSIGN(Literal zeros, Literal::Create(shape));
      results.push_back(std::move(zeros));
    } else if (value.shape().is_tuple()) {
      results.push_back(std::move(value.mutable_elements()[from]));
    } else {
      results.push_back(value);
    }
  }
  return Literal::Tuple(std::move(results));
}

// Two passes over the operands: scalars first, since attributes must be known, arrays after them.
StatusOr<Literal> CallWithScalars(const CustomCallInvocation& invocation,
                                  const EvalContext& context) {
  const ScalarForm& form = FormOf(invocation.target);
  const auto num_operands = static_cast<i64>(form.operands.size());
  AXLE_TRY(ExpectCustomCallOperands(invocation, num_operands));
  // Sizes are those of the matrices: of trsm those of b, which is the last array.
  const auto first = std::ranges::find(form.operands, kArray) - form.operands.begin();
  const i64 sized = form.routine == "trsm" ? num_operands - 1 : first;
  const Shape& array = invocation.operands[sized].shape();
  if (array.rank() < 2) {
    return InvalidArgument(StrCat("operand ", sized, " must be a matrix, not ", array.ToString()));
  }
  Scalars scalars(array);
  i64 alpha = -1;
  std::vector<Literal> arrays;
  for (i64 i = 0; i < num_operands; ++i) {
    const Operand operand = form.operands[i];
    if (operand == kAlpha) alpha = i;
    if (operand == kArray || operand == kAlpha) continue;
    AXLE_ASSIGN(const i64 value, IntegerOperand(invocation, i));
    AXLE_TRY(scalars.Read(operand, i, value));
  }
  for (i64 i = 0; i < num_operands; ++i) {
    if (form.operands[i] == kArray) arrays.push_back(std::move(invocation.operands[i]));
  }
  if (alpha >= 0) AXLE_TRY(Scale(invocation, alpha, arrays.back()));
  const std::string attributes = scalars.Text(form.more_attributes);
  const Shape& declared = *invocation.result_shape;
  AXLE_ASSIGN(const Shape typed_result, TypedResult(form, declared));
  const std::string target = StrCat("lapack_", WithLetter(invocation.target), "_ffi");
  const BuiltinCustomCall* typed = FindBuiltinCustomCall(target);
  AXLE_INVARIANT(typed != nullptr, "each of the calls with scalars has a typed one");
  CustomCallInvocation call = invocation;
  call.target = target;
  call.backend_config = attributes;
  call.operands = arrays;
  call.operand_shapes = {};
  call.result_shape = &typed_result;
  AXLE_ASSIGN(Literal value, typed->call(call, context));
  return InPlaces(form, declared, std::move(value));
}

// The rows, with names that live as long as the program.
const std::vector<BuiltinCustomCall>& Rows() {
  struct Table {
    std::vector<std::string> names;
    std::vector<BuiltinCustomCall> rows;
  };
  static const auto* const kTable = [] {
    auto* table = new Table;
    for (const ScalarForm& form : Forms()) {
      for (const char letter : form.is_complex ? std::string_view("cz") : std::string_view("sd")) {
        const std::string_view library = form.routine == "trsm" ? "blas_" : "lapack_";
        table->names.push_back(StrCat(library, std::string(1, letter), form.routine));
      }
    }
    for (const std::string& name : table->names) table->rows.push_back({name, CallWithScalars});
    return table;
  }();
  return kTable->rows;
}

}  // namespace

std::span<const BuiltinCustomCall> LapackScalarCustomCalls() {
  return Rows();
}

}  // namespace axle

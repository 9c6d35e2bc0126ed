// The attribute kinds: how a value of each C++ type is spelled, encoded, compared and hashed.
// A new kind is one AttrTraits specialisation here; a new op that reuses kinds needs none.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <type_traits>

#include "axle/core/strings.h"
#include "axle/ir/attributes.h"
#include "axle/ops/attributes/attributes.h"

namespace axle {

// For a type T: the text after "name=" (`result` is the shape of the instruction), and the field of
// HloInstructionProto: attr_wire.cc. Read is called for every occurrence of the field.
//   optional: static void Clear(T&), what a missing field means, else the struct's default;
//             static constexpr int kOtherFields[], if other fields say the same in other forms.
template <typename T>
struct AttrTraits;

// For kinds that hash what they print.
template <typename T>
struct HashText {
  static size_t Hash(const T& value) {
    return std::hash<std::string>()(AttrTraits<T>::Print(value));
  }
};

template <>
struct AttrTraits<i64> {
  static constexpr std::string_view kName = "integer";
  static Status Parse(Scanner& scanner, const Shape& result, i64& value);
  static std::string Print(i64 value) { return std::to_string(value); }
  static size_t Hash(i64 value) { return static_cast<size_t>(value); }
  static void Write(i64 value, int field, WireWriter& out) { out.Int(field, value); }
  static Status Read(const WireReader& in, i64& value);
};

template <>
struct AttrTraits<bool> {
  static constexpr std::string_view kName = "true or false";
  static Status Parse(Scanner& scanner, const Shape& result, bool& value);
  static std::string Print(bool value) { return value ? "true" : "false"; }
  static size_t Hash(bool value) { return value; }
  static void Write(bool value, int field, WireWriter& out) { out.Bool(field, value); }
  static Status Read(const WireReader& in, bool& value);
  static void Clear(bool& value) { value = false; }
};

template <>
struct AttrTraits<float> : HashText<float> {  // 0.001
  static constexpr std::string_view kName = "number";
  static Status Parse(Scanner& scanner, const Shape& result, float& value);
  static std::string Print(float value);
  static void Write(float value, int field, WireWriter& out) { out.Float(field, value); }
  static Status Read(const WireReader& in, float& value);
};

template <>
struct AttrTraits<Dims> {  // {0,2}
  static constexpr std::string_view kName = "list of integers";
  static Status Parse(Scanner& scanner, const Shape& result, Dims& value);
  static std::string Print(const Dims& value);
  static size_t Hash(const Dims& value);
  static void Write(const Dims& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, Dims& value);
};

template <>
struct AttrTraits<PaddingConfig> : HashText<PaddingConfig> {  // 1_2x0_0, or 1_2_0x0_0_3
  static constexpr std::string_view kName = "padding";
  static Status Parse(Scanner& scanner, const Shape& result, PaddingConfig& value);
  static std::string Print(const PaddingConfig& value);
  static void Write(const PaddingConfig& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, PaddingConfig& value);
};

template <>
struct AttrTraits<SliceConfig> : HashText<SliceConfig> {  // {[0:4], [1:9]}, or {[0:4:1], [1:9:2]}
  static constexpr std::string_view kName = "slice";
  static Status Parse(Scanner& scanner, const Shape& result, SliceConfig& value);
  static std::string Print(const SliceConfig& value);
  static void Write(const SliceConfig& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, SliceConfig& value);
};

template <>
struct AttrTraits<Window> : HashText<Window> {  // {size=3x3 stride=2x2 pad=0_1x0_1}
  static constexpr std::string_view kName = "window";
  static Status Parse(Scanner& scanner, const Shape& result, Window& value);
  static std::string Print(const Window& value);
  static void Write(const Window& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, Window& value);
};

template <>
struct AttrTraits<ConvolutionDimensionNumbers> : HashText<ConvolutionDimensionNumbers> {
  static constexpr std::string_view kName = "dimension labels";  // b01f_01io->b01f
  static Status Parse(Scanner& scanner, const Shape& result, ConvolutionDimensionNumbers& value);
  static std::string Print(const ConvolutionDimensionNumbers& value);
  static void Write(const ConvolutionDimensionNumbers& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, ConvolutionDimensionNumbers& value);
};

template <>
struct AttrTraits<SparsityConfig> : HashText<SparsityConfig> {  // sparsity.cc
  static constexpr std::string_view kName = "sparsity of operands";
  static Status Parse(Scanner& scanner, const Shape& result, SparsityConfig& value);
  static std::string Print(const SparsityConfig& value);
  static void Write(const SparsityConfig& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, SparsityConfig& value);
};

template <>
struct AttrTraits<SparsityDescriptors> : HashText<SparsityDescriptors> {  // L.1@2:4_R.0@2:4
  static constexpr std::string_view kName = "sparsity of operands";
  static Status Parse(Scanner& scanner, const Shape& result, SparsityDescriptors& value);
  static std::string Print(const SparsityDescriptors& value);
  static void Write(const SparsityDescriptors& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, SparsityDescriptors& value);
};

template <>
struct AttrTraits<OperandPrecision> : HashText<OperandPrecision> {  // {high,default}
  static constexpr std::string_view kName = "list of precisions";
  static Status Parse(Scanner& scanner, const Shape& result, OperandPrecision& value);
  static std::string Print(const OperandPrecision& value);
  static void Write(const OperandPrecision& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, OperandPrecision& value);
};

template <>
struct AttrTraits<OperandAliasing> : HashText<OperandAliasing> {  // {{0}: (1, {})}
  static constexpr std::string_view kName = "operand aliasing";
  static Status Parse(Scanner& scanner, const Shape& result, OperandAliasing& value);
  static std::string Print(const OperandAliasing& value);
  static void Write(const OperandAliasing& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, OperandAliasing& value);
};

template <>
struct AttrTraits<ReplicaGroups> : HashText<ReplicaGroups> {  // {{0,1},{2,3}}: device_lists.cc
  static constexpr std::string_view kName = "replica groups";
  static Status Parse(Scanner& scanner, const Shape& result, ReplicaGroups& value);
  static std::string Print(const ReplicaGroups& value);
  static void Write(const ReplicaGroups& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, ReplicaGroups& value);
  static constexpr int kOtherFields[] = {49, 92, 93};
};

template <>
struct AttrTraits<SourceTargetPairs> : HashText<SourceTargetPairs> {  // {{0,1},{1,0}}
  static constexpr std::string_view kName = "list of pairs of devices";
  static Status Parse(Scanner& scanner, const Shape& result, SourceTargetPairs& value);
  static std::string Print(const SourceTargetPairs& value);
  static void Write(const SourceTargetPairs& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, SourceTargetPairs& value);
};

template <>
struct AttrTraits<DimsList> : HashText<DimsList> {  // {{2,8},{1,8}}
  static constexpr std::string_view kName = "list of lists of integers";
  static Status Parse(Scanner& scanner, const Shape& result, DimsList& value);
  static std::string Print(const DimsList& value);
  // The proto has one list; each of its parts has an entry for each dimension of the result, or of
  // the second element of a tuple.
  static void Write(const DimsList& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, const Shape& result, DimsList& value);
};

template <>
struct AttrTraits<std::string> {  // "text"
  static constexpr std::string_view kName = "string";
  static Status Parse(Scanner& scanner, const Shape& result, std::string& value);
  static std::string Print(const std::string& value);
  static size_t Hash(const std::string& value) { return std::hash<std::string>()(value); }
  static void Write(const std::string& value, int field, WireWriter& out) {
    out.Text(field, value);
  }
  static Status Read(const WireReader& in, std::string& value);
};

template <>
struct AttrTraits<Literal> {  // { 1, 2 }
  static constexpr std::string_view kName = "literal";
  static Status Parse(Scanner& scanner, const Shape& result, Literal& value);
  static std::string Print(const Literal& value) { return value.ToString(); }
  static size_t Hash(const Literal& value) { return value.Hash(); }
  // In the layout of `result`, as XLA wants it.
  static void Write(const Literal& value, const Shape& result, int field, WireWriter& out);
  static Status Read(const WireReader& in, const Shape& result, Literal& value);
};

template <>
struct AttrTraits<std::optional<i64>> {
  static constexpr std::string_view kName = "integer";
  static Status Parse(Scanner& scanner, const Shape& result, std::optional<i64>& value) {
    return AttrTraits<i64>::Parse(scanner, result, value.emplace());
  }
  static std::string Print(const std::optional<i64>& value) {
    return value ? std::to_string(*value) : std::string();
  }
  static size_t Hash(const std::optional<i64>& value) {
    return value ? static_cast<size_t>(*value) * 2 + 1 : 0;
  }
  static void Write(const std::optional<i64>& value, int field, WireWriter& out) {
    if (value) out.ExplicitInt(field, *value);
  }
  static Status Read(const WireReader& in, std::optional<i64>& value) {
    return AttrTraits<i64>::Read(in, value.emplace());
  }
};

template <>
struct AttrTraits<std::optional<Shape>> {  // (f32[2]{0}, s32[])
  static constexpr std::string_view kName = "shape";
  static Status Parse(Scanner& scanner, const Shape& result, std::optional<Shape>& value);
  static std::string Print(const std::optional<Shape>& value);
  static size_t Hash(const std::optional<Shape>& value) { return value ? value->Hash() : 0; }
  static void Write(const std::optional<Shape>& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, std::optional<Shape>& value);
};

template <>
struct AttrTraits<std::optional<std::vector<Shape>>> {  // {f32[2]{0}, s32[]}
  static constexpr std::string_view kName = "list of shapes";
  static Status Parse(Scanner& scanner, const Shape& result,
                      std::optional<std::vector<Shape>>& value);
  static std::string Print(const std::optional<std::vector<Shape>>& value);
  static size_t Hash(const std::optional<std::vector<Shape>>& value) {
    return value ? std::hash<std::string>()(Print(value)) : 0;
  }
  // Field 56 says that there is a list, which may be empty.
  static constexpr int kOtherFields[] = {56};
  static void Write(const std::optional<std::vector<Shape>>& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, std::optional<std::vector<Shape>>& value);
};

template <>
struct AttrTraits<std::optional<Literal>> {  // s32[2]{0} {1, 2}
  static constexpr std::string_view kName = "shape and literal";
  static Status Parse(Scanner& scanner, const Shape& result, std::optional<Literal>& value);
  static std::string Print(const std::optional<Literal>& value);
  static size_t Hash(const std::optional<Literal>& value) { return value ? value->Hash() : 0; }
  static void Write(const std::optional<Literal>& value, int field, WireWriter& out);
  static Status Read(const WireReader& in, std::optional<Literal>& value);
};

template <>
struct AttrTraits<DomainSharding> : HashText<DomainSharding> {
  // {kind="sharding", entry={maximal device=0}, exit={replicated}}; the shardings as written
  static constexpr std::string_view kName = "domain";
  static Status Parse(Scanner& scanner, const Shape& result, DomainSharding& value);
  static std::string Print(const DomainSharding& value);
  // axle/proto/sharding.cc, which knows the form of shardings in the proto, writes and reads them.
  static void Write(const DomainSharding&, int, WireWriter&) {}
  static Status Read(const WireReader&, DomainSharding&) { return {}; }
};

// Enumerations: the texts in the order of the enumerators. A new one is a specialisation of
// EnumTexts; the first enumerator of those that are optional is not spelled by XLA. In the proto an
// enumerator is its position, or its member of kNumbers, or, with kTextInProto, its text.
template <typename E>
struct EnumTexts;

template <>
struct EnumTexts<ComparisonDirection> {
  static constexpr std::string_view kName = "comparison direction";
  static constexpr bool kIgnoreCase = false;
  static constexpr bool kTextInProto = true;
  static constexpr std::string_view kTexts[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
};
template <>
struct EnumTexts<ComparisonType> {
  static constexpr std::string_view kName = "comparison type";
  static constexpr bool kIgnoreCase = false;
  static constexpr bool kTextInProto = true;
  static constexpr std::string_view kTexts[] = {"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
};
template <>
struct EnumTexts<FusionKind> {
  static constexpr std::string_view kName = "fusion kind";
  static constexpr bool kIgnoreCase = false;
  static constexpr bool kTextInProto = true;
  static constexpr std::string_view kTexts[] = {"kLoop", "kInput", "kOutput", "kCustom"};
};
template <>
struct EnumTexts<Precision> {
  static constexpr std::string_view kName = "precision";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"default", "high", "highest"};
};
template <>
struct EnumTexts<DotAlgorithm> {
  static constexpr std::string_view kName = "dot algorithm";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"unset",
                                                "dot_any_f8_any_f8_f32",
                                                "dot_any_f8_any_f8_f32_fast_accum",
                                                "dot_f16_f16_f16",
                                                "dot_f16_f16_f32",
                                                "dot_bf16_bf16_bf16",
                                                "dot_bf16_bf16_f32",
                                                "dot_bf16_bf16_f32_x3",
                                                "dot_bf16_bf16_f32_x6",
                                                "dot_tf32_tf32_f32",
                                                "dot_tf32_tf32_f32_x3",
                                                "dot_f32_f32_f32",
                                                "dot_f64_f64_f64",
                                                "dot_bf16_bf16_f32_x9"};
};
template <>
struct EnumTexts<TriState> {
  static constexpr std::string_view kName = "true or false";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"", "true", "false"};
};
template <>
struct EnumTexts<ConvolutionKind> {
  static constexpr std::string_view kName = "convolution kind";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"unset", "fprop", "wgrad", "dgrad"};
  static constexpr i64 kNumbers[] = {0, 1, 3, 2};
};
template <>
struct EnumTexts<FftType> {
  static constexpr std::string_view kName = "transform type";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
};
template <>
struct EnumTexts<TransposeOption> {
  static constexpr std::string_view kName = "transpose option";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                                "ADJOINT"};
};
template <>
struct EnumTexts<RandomDistribution> {
  static constexpr std::string_view kName = "random distribution";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"rng_invalid", "rng_uniform", "rng_normal"};
};
template <>
struct EnumTexts<RandomAlgorithm> {
  static constexpr std::string_view kName = "random algorithm";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"rng_default", "rng_three_fry", "rng_philox"};
};

template <>
struct EnumTexts<CollectiveMode> {
  static constexpr std::string_view kName = "collective mode";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"", "cross_replica", "cross_partition",
                                                "cross_replica_and_partition", "flattened_id"};
};

template <>
struct EnumTexts<PaddingType> {
  static constexpr std::string_view kName = "padding type";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
};
template <>
struct EnumTexts<CustomCallSchedule> {
  static constexpr std::string_view kName = "custom-call schedule";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST",
                                                "SCHEDULE_EARLIEST"};
};
template <>
struct EnumTexts<CustomCallApi> {  // the unspecified one is not accepted
  static constexpr std::string_view kName = "custom-call api version";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {
      "", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  static constexpr i64 kNumbers[] = {-1, 1, 2, 3, 4};  // a missing field is the original one
};

// Reads one of `texts` and returns its position; the error lists them.
StatusOr<size_t> ParseEnum(Scanner& scanner, std::string_view what,
                           std::span<const std::string_view> texts, bool ignore_case);

// Position of `number` in `numbers`, or without numbers itself; an error if there is no such
// enumerator.
StatusOr<size_t> ReadEnum(const WireReader& in, std::string_view what, size_t count,
                          std::span<const i64> numbers);
// Position of the text in the field.
StatusOr<size_t> ReadEnumText(const WireReader& in, std::string_view what,
                              std::span<const std::string_view> texts);

template <typename E>
requires std::is_enum_v<E>
struct AttrTraits<E> {
  static constexpr std::string_view kName = EnumTexts<E>::kName;
  static Status Parse(Scanner& scanner, const Shape&, E& value) {
    AXLE_ASSIGN(const size_t i,
                ParseEnum(scanner, kName, EnumTexts<E>::kTexts, EnumTexts<E>::kIgnoreCase));
    value = static_cast<E>(i);
    return {};
  }
  static std::string Print(E value) {
    return std::string(EnumTexts<E>::kTexts[static_cast<size_t>(value)]);
  }
  static size_t Hash(E value) { return static_cast<size_t>(value); }

  static constexpr bool kTextInProto = requires { EnumTexts<E>::kTextInProto; };
  static constexpr std::span<const i64> Numbers() {
    if constexpr (requires { EnumTexts<E>::kNumbers; }) return EnumTexts<E>::kNumbers;
    return {};
  }
  static void Write(E value, int field, WireWriter& out) {
    const auto i = static_cast<size_t>(value);
    if constexpr (kTextInProto) {
      out.Text(field, EnumTexts<E>::kTexts[i]);
    } else {
      out.Int(field, Numbers().empty() ? static_cast<i64>(i) : Numbers()[i]);
    }
  }
  static Status Read(const WireReader& in, E& value) {
    if constexpr (kTextInProto) {
      AXLE_ASSIGN(const size_t i, ReadEnumText(in, kName, EnumTexts<E>::kTexts));
      value = static_cast<E>(i);
    } else {
      AXLE_ASSIGN(const size_t i, ReadEnum(in, kName, std::size(EnumTexts<E>::kTexts), Numbers()));
      value = static_cast<E>(i);
    }
    return {};
  }
  static void Clear(E& value) {
    if constexpr (!kTextInProto) {
      const auto numbers = Numbers();
      for (size_t i = 0; i < std::max<size_t>(numbers.size(), 1); ++i) {
        if (numbers.empty() || numbers[i] == 0) value = static_cast<E>(i);
      }
    }
  }
};

template <typename T>
inline constexpr AttrKind kAttrKind = {
    .name = AttrTraits<T>::kName,
    .parse =
        [](Scanner& scanner, const Shape& result, void* value) {
          return AttrTraits<T>::Parse(scanner, result, *static_cast<T*>(value));
        },
    .print = [](const void* value) { return AttrTraits<T>::Print(*static_cast<const T*>(value)); },
    .equal = [](const void* a,
                const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); },
    .hash = [](const void* value) { return AttrTraits<T>::Hash(*static_cast<const T*>(value)); },
    .write =
        [](const void* value, const Shape& result, int field, WireWriter& out) {
          const T& typed = *static_cast<const T*>(value);
          if constexpr (requires { AttrTraits<T>::Write(typed, result, field, out); }) {
            AttrTraits<T>::Write(typed, result, field, out);
          } else {
            AttrTraits<T>::Write(typed, field, out);
          }
        },
    .read =
        [](const WireReader& in, const Shape& result, void* value) {
          T& typed = *static_cast<T*>(value);
          if constexpr (requires { AttrTraits<T>::Read(in, result, typed); }) {
            return AttrTraits<T>::Read(in, result, typed);
          } else {
            return AttrTraits<T>::Read(in, typed);
          }
        },
    .clear =
        [](void* value) {
          if constexpr (requires { AttrTraits<T>::Clear(*static_cast<T*>(value)); }) {
            AttrTraits<T>::Clear(*static_cast<T*>(value));
          }
        },
    .other_fields =
        [] {
          if constexpr (requires { AttrTraits<T>::kOtherFields; }) {
            return std::span<const int>(AttrTraits<T>::kOtherFields);
          } else {
            return std::span<const int>();
          }
        }(),
};

// An integer that is a list of one element in the proto; a negative one is no element.
inline constexpr AttrKind kListedIntegerKind = [] {
  AttrKind kind = kAttrKind<i64>;
  kind.write = [](const void* value, const Shape&, int field, WireWriter& out) {
    const i64 number = *static_cast<const i64*>(value);
    if (number >= 0) out.Ints(field, {&number, 1});
  };
  kind.read = [](const WireReader& in, const Shape&, void* value) -> Status {
    Dims list;
    AXLE_TRY(in.Ints(list));
    if (list.size() > 1) return in.Error(StrCat("lists ", list.size(), " numbers, not one"));
    if (!list.empty()) *static_cast<i64*>(value) = list[0];
    return {};
  };
  return kind;
}();

template <auto kMember>
struct MemberOf;
template <typename Class, typename T, T Class::*kMember>
struct MemberOf<kMember> {
  using Type = T;
  static void* Field(void* attrs) { return &(static_cast<Class*>(attrs)->*kMember); }
};

// A TriState that is a bool in the proto, where `false` is written too.
inline constexpr AttrKind kStatedBoolKind = [] {
  AttrKind kind = kAttrKind<TriState>;
  kind.write = [](const void* value, const Shape&, int field, WireWriter& out) {
    const TriState stated = *static_cast<const TriState*>(value);
    if (stated != TriState::kUnspecified) out.ExplicitInt(field, stated == TriState::kTrue);
  };
  kind.read = [](const WireReader& in, const Shape&, void* value) -> Status {
    AXLE_ASSIGN(const bool stated, in.Bool());
    *static_cast<TriState*>(value) = stated ? TriState::kTrue : TriState::kFalse;
    return {};
  };
  return kind;
}();

// The spec of one field of an attribute struct; its kind follows from the field's type.
template <auto kMember>
constexpr AttrSpec Attr(std::string_view text, ProtoPath proto,
                        Presence presence = Presence::kRequired) {
  using Member = MemberOf<kMember>;
  return {text, &kAttrKind<typename Member::Type>, proto, presence, &Member::Field};
}
// The same for an integer that the proto has as a list of one.
template <auto kMember>
constexpr AttrSpec ListedAttr(std::string_view text, ProtoPath proto,
                              Presence presence = Presence::kRequired) {
  static_assert(std::is_same_v<typename MemberOf<kMember>::Type, i64>);
  return {text, &kListedIntegerKind, proto, presence, &MemberOf<kMember>::Field};
}

template <auto kMember>
constexpr AttrSpec StatedBoolAttr(std::string_view text, ProtoPath proto) {
  static_assert(std::is_same_v<typename MemberOf<kMember>::Type, TriState>);
  return {text, &kStatedBoolKind, proto, Presence::kOptional, &MemberOf<kMember>::Field};
}

}  // namespace axle

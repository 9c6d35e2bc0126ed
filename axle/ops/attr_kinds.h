// The attribute kinds: how a value of each C++ type is spelled, compared and hashed.
// A new kind is one AttrTraits specialisation here; a new op that reuses kinds needs none.
#pragma once
#include <span>
#include <string>
#include <type_traits>

#include "axle/ir/attributes.h"
#include "axle/ops/attributes.h"

namespace axle {

// For a type T: the text after "name=" (`result` is the shape of the instruction).
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
};

template <>
struct AttrTraits<bool> {
  static constexpr std::string_view kName = "true or false";
  static Status Parse(Scanner& scanner, const Shape& result, bool& value);
  static std::string Print(bool value) { return value ? "true" : "false"; }
  static size_t Hash(bool value) { return value; }
};

template <>
struct AttrTraits<Dims> {  // {0,2}
  static constexpr std::string_view kName = "list of integers";
  static Status Parse(Scanner& scanner, const Shape& result, Dims& value);
  static std::string Print(const Dims& value);
  static size_t Hash(const Dims& value);
};

template <>
struct AttrTraits<PaddingConfig> : HashText<PaddingConfig> {  // 1_2x0_0, or 1_2_0x0_0_3
  static constexpr std::string_view kName = "padding";
  static Status Parse(Scanner& scanner, const Shape& result, PaddingConfig& value);
  static std::string Print(const PaddingConfig& value);
};

template <>
struct AttrTraits<SliceConfig> : HashText<SliceConfig> {  // {[0:4], [1:9]}, or {[0:4:1], [1:9:2]}
  static constexpr std::string_view kName = "slice";
  static Status Parse(Scanner& scanner, const Shape& result, SliceConfig& value);
  static std::string Print(const SliceConfig& value);
};

template <>
struct AttrTraits<Window> : HashText<Window> {  // {size=3x3 stride=2x2 pad=0_1x0_1}
  static constexpr std::string_view kName = "window";
  static Status Parse(Scanner& scanner, const Shape& result, Window& value);
  static std::string Print(const Window& value);
};

template <>
struct AttrTraits<ConvolutionDimensionNumbers> : HashText<ConvolutionDimensionNumbers> {
  static constexpr std::string_view kName = "dimension labels";  // b01f_01io->b01f
  static Status Parse(Scanner& scanner, const Shape& result, ConvolutionDimensionNumbers& value);
  static std::string Print(const ConvolutionDimensionNumbers& value);
};

template <>
struct AttrTraits<OperandPrecision> : HashText<OperandPrecision> {  // {high,default}
  static constexpr std::string_view kName = "list of precisions";
  static Status Parse(Scanner& scanner, const Shape& result, OperandPrecision& value);
  static std::string Print(const OperandPrecision& value);
};

template <>
struct AttrTraits<OperandAliasing> : HashText<OperandAliasing> {  // {{0}: (1, {})}
  static constexpr std::string_view kName = "operand aliasing";
  static Status Parse(Scanner& scanner, const Shape& result, OperandAliasing& value);
  static std::string Print(const OperandAliasing& value);
};

template <>
struct AttrTraits<ReplicaGroups> : HashText<ReplicaGroups> {  // {{0,1},{2,3}}: device_lists.cc
  static constexpr std::string_view kName = "replica groups";
  static Status Parse(Scanner& scanner, const Shape& result, ReplicaGroups& value);
  static std::string Print(const ReplicaGroups& value);
};

template <>
struct AttrTraits<Literal> {  // { 1, 2 }
  static constexpr std::string_view kName = "literal";
  static Status Parse(Scanner& scanner, const Shape& result, Literal& value);
  static std::string Print(const Literal& value) { return value.ToString(); }
  static size_t Hash(const Literal& value) { return value.Hash(); }
};

// Enumerations: the texts in the order of the enumerators. A new one is a specialisation of
// EnumTexts; the first enumerator of those that are optional is not spelled by XLA.
template <typename E>
struct EnumTexts;

template <>
struct EnumTexts<ComparisonDirection> {
  static constexpr std::string_view kName = "comparison direction";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
};
template <>
struct EnumTexts<ComparisonType> {
  static constexpr std::string_view kName = "comparison type";
  static constexpr bool kIgnoreCase = false;
  static constexpr std::string_view kTexts[] = {"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
};
template <>
struct EnumTexts<FusionKind> {
  static constexpr std::string_view kName = "fusion kind";
  static constexpr bool kIgnoreCase = false;
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
struct EnumTexts<ConvolutionKind> {
  static constexpr std::string_view kName = "convolution kind";
  static constexpr bool kIgnoreCase = true;
  static constexpr std::string_view kTexts[] = {"unset", "fprop", "wgrad", "dgrad"};
};

// Reads one of `texts` and returns its position; the error lists them.
StatusOr<size_t> ParseEnum(Scanner& scanner, std::string_view what,
                           std::span<const std::string_view> texts, bool ignore_case);

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
};

template <auto kMember>
struct MemberOf;
template <typename Class, typename T, T Class::*kMember>
struct MemberOf<kMember> {
  using Type = T;
  static void* Field(void* attrs) { return &(static_cast<Class*>(attrs)->*kMember); }
};

// The spec of one field of an attribute struct; its kind follows from the field's type.
template <auto kMember>
constexpr AttrSpec Attr(std::string_view text, ProtoPath proto,
                        Presence presence = Presence::kRequired) {
  using Member = MemberOf<kMember>;
  return {text, &kAttrKind<typename Member::Type>, proto, presence, &Member::Field};
}

}  // namespace axle

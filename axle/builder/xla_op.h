// What every function of the builder takes and gives: XlaOp, a handle of one value; XlaComputation,
// what Build makes; and Location, where a call was written. Values; any thread may hold copies.
#pragma once
#include <concepts>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "axle/core/array_slice.h"
#include "axle/core/check.h"
#include "axle/core/element_type.h"
#include "axle/core/program_shape.h"
#include "axle/core/status.h"

namespace axle {

class Instruction;  // ir/instruction.h
class Module;       // ir/module.h

// The spelling of XLA's oldest documents.
using int64 = std::int64_t;

// Where a call was written. A default argument of every function; braces do not make one.
class Location {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a default argument converts
  Location(const std::source_location& location)
      : file_name_(location.file_name()), line_(location.line()) {}
  // For code that builds on behalf of other code. "" and 0: unknown. The text outlives the call.
  // Not a constructor: {0, 1} would be one of its calls.
  static Location Of(const char* file_name, std::uint_least32_t line) {
    Location location = std::source_location();
    location.file_name_ = file_name;
    location.line_ = line;
    return location;
  }
  // The caller's file and line; lines count from 1.
  const char* file_name() const { return file_name_; }
  std::uint_least32_t line() const { return line_; }

 private:
  const char* file_name_;
  std::uint_least32_t line_;
};

class XlaBuilder;

// The state that handles share with their builder. It outlives the builder as long as there are
// handles.
struct BuilderLife {
  XlaBuilder* builder;  // null after its destructor
  std::uint64_t num_builds = 0;
};

// A handle of one value, valid until its builder builds or goes. What was valid before is told
// apart then, and is an error wherever it is used.
class XlaOp {
 public:
  XlaOp() = default;  // the empty handle: of no builder, an error wherever it is used
  // The handle of an op of the builder; a null `inst` makes an invalid handle, a null builder the
  // empty one.
  XlaOp(XlaBuilder* builder, Instruction* inst);
  // The builder. The empty handle has none, nor has any after the builder's destructor: that ends
  // the program (AXLE_CHECK); IsUninitialized() asks first.
  XlaBuilder* builder() const {
    AXLE_CHECK(!IsUninitialized(), is_of_destroyed_builder()
                                       ? "XlaOp::builder(): the builder of the handle is gone"
                                       : "XlaOp::builder(): an empty handle has no builder");
    return life_->builder;
  }
  XlaBuilder* builder_or_null() const { return life_ == nullptr ? nullptr : life_->builder; }
  // Null after an error, after a Build, and after the builder's destructor.
  Instruction* instruction() const { return valid() ? inst_ : nullptr; }
  // Whether it stands for a value: false where instruction() is null.
  bool valid() const { return inst_ != nullptr && is_current(); }
  // Whether it was valid, and its builder has built since.
  bool is_of_earlier_build() const {
    return inst_ != nullptr && builder_or_null() != nullptr && !is_current();
  }
  // Whether it had a builder that is gone; whether it has none, so that nobody records its errors.
  bool is_of_destroyed_builder() const { return life_ != nullptr && life_->builder == nullptr; }
  bool IsUninitialized() const { return builder_or_null() == nullptr; }
  // Compares handles, not values; Eq() compares values.
  bool operator==(const XlaOp&) const = default;

 private:
  bool is_current() const { return life_->builder != nullptr && life_->num_builds == build_; }

  std::shared_ptr<const BuilderLife> life_;
  Instruction* inst_ = nullptr;
  std::uint64_t build_ = 0;  // the number of Builds before it
};

// A finished computation: immutable, shared by copies. The entry of module().
class XlaComputation {
 public:
  XlaComputation() = default;  // no computation: an error wherever it is called
  // The entry of a module that is finished and verified.
  explicit XlaComputation(std::shared_ptr<const Module> module) : module_(std::move(module)) {}
  // Whether there is a computation.
  bool valid() const { return module_ != nullptr; }
  bool IsNull() const { return module_ == nullptr; }
  // The name; "" if there is no computation.
  const std::string& name() const;
  // The module. Without a computation the program ends (AXLE_CHECK). The module lives as long as
  // any copy of the computation, or of shared_module().
  const Module& module() const {
    AXLE_CHECK(valid(), "XlaComputation::module(): there is no computation");
    return *module_;
  }
  std::shared_ptr<const Module> shared_module() const { return module_; }
  // The shapes of parameters and result. INVALID_ARGUMENT if there is no computation.
  StatusOr<ProgramShape> GetProgramShape() const;
  // Itself: every document with the max-reduce-window program passes `*max`.
  const XlaComputation& operator*() const { return *this; }

 private:
  std::shared_ptr<const Module> module_;
};

// Computations as a function takes them: in braces or as a list, themselves or pointers to them.
// For parameters only, as ArraySlice is.
class ComputationList {
 public:
  ComputationList() = default;
  // NOLINTBEGIN(google-explicit-constructor): an argument converts
  ComputationList(std::initializer_list<const XlaComputation*> list);
  ComputationList(std::initializer_list<XlaComputation> list);
  template <typename List>
  requires std::convertible_to<const List&, std::span<const XlaComputation* const>> ||
      std::convertible_to<const List&, std::span<XlaComputation* const>> ||
      std::convertible_to<const List&, std::span<const XlaComputation>>
      ComputationList(const List& list) {
    for (const auto& computation : list) {
      if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(computation)>>) {
        pointers_.push_back(computation);
      } else {
        pointers_.push_back(&computation);
      }
    }
  }
  // NOLINTEND(google-explicit-constructor)
  // The computations live as long as what the list was made of.
  ArraySlice<const XlaComputation*> pointers() const { return pointers_; }

 private:
  std::vector<const XlaComputation*> pointers_;
};

}  // namespace axle

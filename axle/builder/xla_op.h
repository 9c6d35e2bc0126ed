// The types that every function of the builder takes and returns: XlaOp, a handle of one value;
// XlaComputation, the result of Build; and Location, where a call was written. They are values; any
// thread may hold copies.
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

// The spelling in XLA's oldest documents.
using int64 = std::int64_t;

// Where a call was written. It is a default argument of every function; braces do not convert to
// it.
class Location {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a default argument converts
  Location(const std::source_location& location)
      : file_name_(location.file_name()), line_(location.line()) {}
  // Makes a location, for code that builds on behalf of other code. "" and 0 mean that it is
  // unknown. The text must outlive the call. This is not a constructor, since {0, 1} would be a
  // call of it.
  static Location Of(const char* file_name, std::uint_least32_t line) {
    Location location = std::source_location();
    location.file_name_ = file_name;
    location.line_ = line;
    return location;
  }
  // Return the caller's file and line; lines count from 1.
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

// A handle of one value, valid until its builder builds or is destroyed. A handle that was valid
// before is recognised afterwards, and its use is an error.
class XlaOp {
 public:
  XlaOp() = default;  // the empty handle: it has no builder, and its use is an error
  // Makes the handle of an op of the builder; a null `inst` makes an invalid handle, a null builder
  // the empty one.
  XlaOp(XlaBuilder* builder, Instruction* inst);
  // Returns the builder. The empty handle has none, nor does any handle after the builder's
  // destructor: the call then ends the program (AXLE_CHECK). IsUninitialized() tests for that.
  XlaBuilder* builder() const {
    AXLE_CHECK(!IsUninitialized(), is_of_destroyed_builder()
                                       ? "XlaOp::builder(): the builder of the handle is gone"
                                       : "XlaOp::builder(): an empty handle has no builder");
    return life_->builder;
  }
  XlaBuilder* builder_or_null() const { return life_ == nullptr ? nullptr : life_->builder; }
  // Returns null after an error, after a Build, and after the builder's destructor.
  Instruction* instruction() const { return valid() ? inst_ : nullptr; }
  // Returns whether it stands for a value: false where instruction() is null.
  bool valid() const { return inst_ != nullptr && is_current(); }
  // Returns whether it was valid, and its builder has built since.
  bool is_of_earlier_build() const {
    return inst_ != nullptr && builder_or_null() != nullptr && !is_current();
  }
  // Return whether its builder has been destroyed; and whether it has no builder, so that its
  // errors are not recorded.
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

// A finished computation: the entry of module(). It is immutable and shared by its copies.
class XlaComputation {
 public:
  XlaComputation() = default;  // no computation: calling it is an error
  // Wraps the entry of a module that is finished and verified.
  explicit XlaComputation(std::shared_ptr<const Module> module) : module_(std::move(module)) {}
  // Returns whether there is a computation.
  bool valid() const { return module_ != nullptr; }
  bool IsNull() const { return module_ == nullptr; }
  // Returns the name; "" if there is no computation.
  const std::string& name() const;
  // Returns the module. Without a computation the program ends (AXLE_CHECK). The module lives as
  // long as any copy of the computation, or of shared_module().
  const Module& module() const {
    AXLE_CHECK(valid(), "XlaComputation::module(): there is no computation");
    return *module_;
  }
  std::shared_ptr<const Module> shared_module() const { return module_; }
  // Returns the shapes of parameters and result. INVALID_ARGUMENT if there is no computation.
  StatusOr<ProgramShape> GetProgramShape() const;
  // Returns itself: every document with the max-reduce-window program passes `*max`.
  const XlaComputation& operator*() const { return *this; }

 private:
  std::shared_ptr<const Module> module_;
};

// Computations as a function accepts them: in braces or as a list, by value or as pointers. It is a
// type for parameters only, as ArraySlice is.
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
  // The computations live as long as the list that this one was made from.
  ArraySlice<const XlaComputation*> pointers() const { return pointers_; }

 private:
  std::vector<const XlaComputation*> pointers_;
};

}  // namespace axle

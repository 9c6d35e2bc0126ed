#include "axle/text/print.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"
#include "axle/ops/async.h"
#include "axle/ops/op_def.h"
#include "axle/text/common_attributes.h"
#include "axle/text/module_header.h"
#include "axle/text/sharding.h"

namespace axle {
namespace {

// A comment after every fifth operand, as XLA has it.
constexpr i64 kIndexCommentInterval = 5;
// Arrays of more elements than these are elided when large constants are.
constexpr i64 kMaxSmallConstant = 10;
// Of bodies that are written in place: how many inside of each other, which Parse can read, and how
// long a text may be that still gets another one. Bodies that are called often are written often.
constexpr int kMaxBodyDepth = 32;
constexpr size_t kMaxBytesBeforeBody = size_t{1} << 20;

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  void AppendModule(const Module& module) {
    StrAppend(out_, "HloModule ", module.name(), ModuleHeaderText(module), "\n");
    if (IsLong() && options_.metadata) out_ += StackFramesText(module.config().stack_frames);
    out_ += '\n';
    FindFolded(module);
    if (options_.bodies_in_place) CountCalls(module);
    for (const auto& computation : module.computations()) AppendWithCallees(*computation);
    if (!module.config().ends_with_empty_line) out_.pop_back();
  }

  // Computations that are written as part of the one instruction that calls them: op-start.
  void FindFolded(const Module& module) {
    chains_.Note(module);
    tsl::robin_set<const HloComputation*> called;
    for (const auto& computation : module.computations()) {
      for (const Instruction* inst : computation->instructions()) {
        for (const HloComputation* callee : inst->callees()) {
          const bool folds = chains_.WrappedOp(*inst) != nullptr && callee != module.entry();
          (folds ? folded_ : called).insert(callee);
        }
      }
    }
    for (const HloComputation* computation : called) folded_.erase(computation);
  }

  void CountCalls(const Module& module) {
    is_module_ = true;
    for (const auto& computation : module.computations()) {
      for (const Instruction* inst : computation->instructions()) {
        for (const HloComputation* callee : inst->callees()) ++num_calls_[callee];
      }
    }
    num_calls_[module.entry()] = 2;  // never in place
  }

  // Callees go before their callers, as Parse wants it; in a module that was parsed they already
  // do.
  void AppendWithCallees(const HloComputation& last) {
    const auto is_done = [&](const HloComputation* c) { return done_.contains(c); };
    for (const HloComputation* computation : CalleesFirst(last, is_done)) {
      FinishComputation(*computation);
      done_.insert(computation);
    }
  }

  // After those that it calls.
  void FinishComputation(const HloComputation& computation) {
    if (folded_.contains(&computation)) return;
    const auto calls = num_calls_.find(&computation);
    if (calls != num_calls_.end() && calls->second == 1 && HasPlaceForBody(computation)) return;
    AppendComputation(computation);
  }

  // Notes how deep the bodies are that it would be written with.
  bool HasPlaceForBody(const HloComputation& computation) {
    if (!computation.execution_thread().empty()) return false;  // a body cannot say it
    int depth = 1;
    const auto look_at = [&](const Instruction& inst) {
      for (const HloComputation* callee : inst.callees()) {
        const auto body = body_depths_.find(callee);
        if (body != body_depths_.end()) depth = std::max(depth, body->second + 1);
      }
    };
    for (const Instruction* inst : computation.instructions()) {
      look_at(*inst);
      // A folded computation is one op, whose callees are written here.
      if (const Instruction* wrapped = chains_.WrappedOp(*inst); wrapped != nullptr) {
        look_at(*wrapped);
      }
    }
    if (depth > kMaxBodyDepth) return false;
    body_depths_[&computation] = depth;
    return true;
  }

  void AppendInstruction(const Instruction& inst) {
    const OpDef& def = GetOpDef(inst);
    AppendNameOf(inst);
    out_ += " = ";
    AppendOnce(shapes_, &inst.shape(), [&] { return inst.shape().ToStringWithLayout(); });
    out_ += ' ';
    const Instruction* wrapped = chains_.WrappedOp(inst);
    out_ += wrapped == nullptr ? def.text : GetOpDef(*wrapped).text;
    if (wrapped != nullptr) out_ += AsyncSuffix(inst);
    out_ += '(';
    if (def.parens == ParenSyntax::kAttribute) {
      AppendParenAttribute(inst, def);
    } else {
      for (i64 i = 0; i < inst.num_operands(); ++i) {
        if (i > 0) out_ += ", ";
        if (IsLong() && i > 0 && i % kIndexCommentInterval == 0) {
          StrAppend(out_, "/*index=", i, "*/");
        }
        if (options_.operand_shapes) {
          const Shape& shape = inst.operand(i)->shape();
          AppendOnce(shapes_, &shape, [&] { return shape.ToStringWithLayout(); });
          out_ += ' ';
        }
        AppendNameOf(*inst.operand(i));
      }
    }
    out_ += ')';
    const bool is_start = wrapped != nullptr && IsAsyncStart(def);
    if (is_start) {  // written as op-start: the thread, then what op says, then the rest
      out_ += AttributesText(inst, def, false, 0, 1);
    } else {
      AppendOnce(attributes_, &inst.attr_block(), [&] { return AttributesText(inst, def, false); });
    }
    if (wrapped == nullptr) {
      if (!chains_.IsImplied(inst)) AppendCallees(inst);
      if (!inst.callees().empty()) out_ += AttributesText(inst, def, true);
    } else if (is_start) {
      out_ += AttributesText(*wrapped, GetOpDef(*wrapped), false);
      AppendCallees(*wrapped);
      if (!wrapped->callees().empty()) out_ += AttributesText(*wrapped, GetOpDef(*wrapped), true);
      out_ += AttributesText(inst, def, false, 1);
    }
    AppendExtras(inst);
  }

  std::string Take() {
    if (options_.indent <= 0) return std::move(out_);
    const std::string spaces(2 * static_cast<size_t>(options_.indent), ' ');
    std::string indented;
    for (size_t begin = 0; begin < out_.size();) {
      const size_t end = std::min(out_.find('\n', begin), out_.size() - 1) + 1;
      const std::string_view line = std::string_view(out_).substr(begin, end - begin);
      if (line != "\n") indented += spaces;
      indented += line;
      begin = end;
    }
    return indented;
  }

 private:
  bool IsLong() const { return options_.style == PrintOptions::Style::kLong; }

  // Shapes, attributes and metadata are shared by many instructions. Each is written out once;
  // after that its text is copied from where it stands.
  struct Written {
    size_t offset;
    size_t size;
  };
  template <typename T>
  using WrittenMap = tsl::robin_map<const T*, Written>;

  template <typename T, typename Text>
  void AppendOnce(WrittenMap<T>& written, const T* key, const Text& text) {
    const auto [it, inserted] = written.try_emplace(key);
    if (inserted) {
      const std::string value = text();
      it.value() = {out_.size(), value.size()};
      out_ += value;
    } else {
      out_.append(out_, it->second.offset, it->second.size);
    }
  }

  std::string_view WithoutId(std::string_view name) const {
    return options_.ids ? name : name.substr(0, name.find('.'));
  }

  void AppendNameOf(const Instruction& inst, bool percent = true) {
    if (percent && IsLong()) out_ += '%';
    if (options_.canonical_names) {
      StrAppend(out_, "tmp_", inst.index());
    } else {
      out_ += WithoutId(inst.name());
    }
  }

  void AppendName(std::string_view name) {
    if (IsLong()) out_ += '%';
    out_ += name;
  }

  void AppendComputation(const HloComputation& computation) {
    if (&computation == computation.module()->entry()) out_ += "ENTRY ";
    AppendName(WithoutId(computation.name()));
    if (IsLong()) {
      out_ += " (";
      for (bool first = true; const Instruction* parameter : computation.parameters()) {
        if (!first) out_ += ", ";
        first = false;
        AppendNameOf(*parameter, /*percent=*/false);
        StrAppend(out_, ": ", parameter->shape().ToString());
      }
      StrAppend(out_, ") -> ", computation.root()->shape().ToString());
    }
    out_ += ' ';
    AppendBraces(computation);
    if (!computation.execution_thread().empty()) {
      StrAppend(out_, ", execution_thread=\"", CEscape(computation.execution_thread()), "\"");
    }
    out_ += "\n\n";
  }

  // { instructions }, the closing brace under what is `depth_` deep.
  void AppendBraces(const HloComputation& computation) {
    const std::string indent(2 * depth_, ' ');
    out_ += "{\n";
    for (const Instruction* inst : computation.instructions()) {
      StrAppend(out_, indent, inst == computation.root() ? "  ROOT " : "  ");
      AppendInstruction(*inst);
      out_ += '\n';
    }
    StrAppend(out_, indent, "}");
  }

  bool IsInPlace(const HloComputation& callee) const {
    if (is_module_) return body_depths_.contains(&callee);
    return options_.bodies_in_place && depth_ < kMaxBodyDepth &&
           out_.size() < kMaxBytesBeforeBody && callee.execution_thread().empty();
  }

  // Its name or, on lines of its own, its body; true if that.
  bool AppendCallee(const HloComputation& callee) {
    if (!IsInPlace(callee)) return AppendName(WithoutId(callee.name())), false;
    ++depth_;
    StrAppend(out_, "\n", std::string(2 * depth_, ' '));
    AppendBraces(callee);
    --depth_;
    return true;
  }

  void AppendParenAttribute(const Instruction& inst, const OpDef& def) {
    const AttrSpec& spec = def.attrs.specs[0];
    if (IsElided(inst) || (spec.kind == &kAttrKind<Literal> && IsLeftOut(inst.shape()))) {
      out_ += "{...}";
      return;
    }
    out_ += spec.kind->print(spec.Field(inst.attr_block().values.get()));
  }

  bool IsLeftOut(const Shape& literal) const {
    return !options_.large_constants &&
           !(literal.is_array() && literal.num_elements() <= kMaxSmallConstant);
  }

  // Those in front of the called computations, or those behind them; of the specs [begin, end).
  static std::string AttributesText(const Instruction& inst, const OpDef& def, bool last,
                                    size_t begin = 0, size_t end = SIZE_MAX) {
    std::string out;
    const std::span<const AttrSpec> specs = def.attrs.specs;
    begin = std::max<size_t>(begin, def.parens == ParenSyntax::kAttribute ? 1 : 0);
    for (size_t i = begin; i < std::min(end, specs.size()); ++i) {
      const AttrSpec& spec = specs[i];
      if ((spec.presence == Presence::kLast) != last) continue;
      const void* value = spec.Field(inst.attr_block().values.get());
      if ((spec.presence == Presence::kOptional || last) &&
          spec.kind->equal(value, spec.Field(def.attrs.defaults))) {
        continue;
      }
      StrAppend(out, ", ", spec.text, "=", spec.kind->print(value));
    }
    return out;
  }

  void AppendCallees(const Instruction& inst) {
    if (inst.callees().empty()) return;
    const std::span<const CalleeSpec> specs = CalleeSpecsOf(inst);
    if (!specs.empty() && specs[0].variadic) {
      StrAppend(out_, ", ", specs[0].text, "={");
      bool in_place = false;
      for (size_t i = 0; i < inst.callees().size(); ++i) {
        if (i > 0) out_ += IsInPlace(*inst.callees()[i]) ? "," : ", ";
        in_place = AppendCallee(*inst.callees()[i]);
      }
      out_ += in_place ? "\n}" : "}";
      return;
    }
    for (size_t i = 0; i < specs.size(); ++i) {
      StrAppend(out_, ", ", specs[i].text, "=");
      AppendCallee(*inst.callees()[i]);
    }
  }

  void AppendExtras(const Instruction& inst) {
    const InstructionExtras* extras = inst.extras();
    const auto append = [&](std::string_view name, std::string_view text) {
      if (!text.empty()) StrAppend(out_, ", ", name, "=", text);
    };
    if (extras != nullptr) {
      append("parameter_replication", extras->parameter_replication);
      append("sharding", IsLong() ? extras->sharding : ShardingWithoutMetadata(extras->sharding));
      if (!extras->frontend_attributes.empty()) {
        append("frontend_attributes", FrontendAttributesText(extras->frontend_attributes));
      }
      if (IsLong() && !extras->control_predecessors.empty()) {
        out_ += ", control-predecessors={";
        for (bool first = true; const Instruction* inst : extras->control_predecessors) {
          if (!first) out_ += ", ";
          first = false;
          AppendNameOf(*inst);
        }
        out_ += '}';
      }
      append("statistics", extras->statistics);
      append("result_accuracy", extras->result_accuracy);
      append("origin", extras->origin);
    }
    if (IsLong() && options_.metadata) {
      AppendOnce(metadata_, &inst.metadata(), [&] {
        const std::string text = MetadataText(inst.metadata());
        return text.empty() ? text : ", metadata=" + text;
      });
    }
    if (extras != nullptr && extras->has_backend_config && options_.backend_config) {
      append("backend_config", TextOrJson(extras->backend_config));
    }
  }

  const PrintOptions& options_;
  std::string out_;
  tsl::robin_set<const HloComputation*> done_;
  tsl::robin_set<const HloComputation*> folded_;
  AsyncChains chains_;
  // With bodies_in_place, of a module: how often each is called, and those that have their place.
  bool is_module_ = false;
  tsl::robin_map<const HloComputation*, i64> num_calls_;
  tsl::robin_map<const HloComputation*, int> body_depths_;  // 1: calls nothing that is in place
  int depth_ = 0;                                           // of the body that is being written
  WrittenMap<Shape> shapes_;
  WrittenMap<AttrBlock> attributes_;
  WrittenMap<Metadata> metadata_;
};

}  // namespace

std::string Print(const Instruction& inst, const PrintOptions& options) {
  const ScopedFloatEnvironment environment;
  Printer printer(options);
  printer.AppendInstruction(inst);
  return printer.Take();
}

std::string Print(const Module& module, const PrintOptions& options) {
  const ScopedFloatEnvironment environment;
  Printer printer(options);
  printer.AppendModule(module);
  return printer.Take();
}

}  // namespace axle

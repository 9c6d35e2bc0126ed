// Attributes: those of the row, those that every op takes, called computations.
#include <tsl/robin_set.h>

#include <algorithm>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/text/common_attributes.h"
#include "axle/text/instruction_checks.h"
#include "axle/text/parser.h"

namespace axle {

void* Parser::MutableValues(const OpDef& def, PendingAttributes& attributes) {
  if (attributes.values == nullptr) attributes.values = def.attrs.create();
  return attributes.values.get();
}

AttrBlock Parser::FinishAttrs(const OpDef& def, PendingAttributes& attributes) {
  if (attributes.values != nullptr) return {def.attrs, std::move(attributes.values)};
  return {def.attrs,
          std::shared_ptr<const void>(std::shared_ptr<const void>(), def.attrs.defaults)};
}

Status Parser::ParseSpec(const OpDef& def, size_t i, const Shape& result,
                         PendingAttributes& attributes) {
  const AttrSpec& spec = def.attrs.specs[i];
  if (attributes.seen.test(i)) return Twice(spec.text);
  attributes.seen.set(i);
  scanner_.PeekChar();
  const size_t begin = scanner_.position();
  void* const value = spec.field(MutableValues(def, attributes));
  AXLE_TRY(spec.kind->parse(scanner_, result, value));
  if (spec.kind != &kAttrKind<DomainSharding>) return {};
  // Its shardings are read here, where shardings are known.
  auto& domain = *static_cast<DomainSharding*>(value);
  for (std::string* text : {&domain.entry, &domain.exit}) {
    Scanner scanner(*text, "sharding");
    StatusOr<ShardingText> sharding = ParseSharding(scanner);
    if (!sharding.ok()) return Located(begin, sharding.status());
    *text = std::move(sharding->text);
  }
  return {};
}

Status Parser::CheckHasModule(std::string_view name) {
  if (!is_alone_) return {};
  return scanner_.Error(StrCat("\"", name, "\" cannot be given as text here"));
}

Status Parser::Twice(std::string_view name) {
  return scanner_.Error(StrCat("second value for \"", name, "\""));
}

Status Parser::ParseAttributes(Scope& scope, const OpDef& def, const Shape& result,
                               PendingAttributes& attributes, const OpDef* outer,
                               PendingAttributes* outer_attributes) {
  while (scanner_.Consume(",")) {
    AXLE_TRY(ParseAttribute(scope, def, result, attributes, outer, outer_attributes));
  }
  return {};
}

Status Parser::ParseAttribute(Scope& scope, const OpDef& def, const Shape& result,
                              PendingAttributes& attributes, const OpDef* outer,
                              PendingAttributes* outer_attributes) {
  const std::string_view name = SpacedAttributeName(scanner_);
  if (name.empty()) return scanner_.Expected("an attribute, and '='");
  const auto has_name = [&](const auto& spec) { return spec.text == name; };
  const size_t skip = def.parens == ParenSyntax::kAttribute ? 1 : 0;
  const auto specs = def.attrs.specs.subspan(skip);
  if (const auto spec = std::ranges::find_if(specs, has_name); spec != specs.end()) {
    AXLE_TRY(ParseSpec(def, spec - specs.begin() + skip, result, attributes));
  } else if (const auto common = std::ranges::find(kCommonNames, name);
             common != std::end(kCommonNames)) {
    AXLE_TRY(ParseCommon(scope, def, common - std::begin(kCommonNames), attributes));
  } else if (const size_t i = outer == nullptr ? 0 : FindSpec(*outer, name);
             outer != nullptr && i < outer->attrs.specs.size()) {
    AXLE_TRY(ParseSpec(*outer, i, result, *outer_attributes));
  } else {
    AXLE_TRY(ParseCallees(def, name, attributes));
  }
  return {};
}

StatusOr<OpAttributes> Parser::ParseAttributesAlone(const OpDef& def, const Shape& result) {
  module_ = std::make_unique<Module>("");
  is_alone_ = true;
  Scope scope{.computation = nullptr};
  PendingAttributes attributes;
  if (!scanner_.AtEnd()) {
    do {
      AXLE_TRY(ParseAttribute(scope, def, result, attributes, nullptr, nullptr));
    } while (scanner_.Consume(","));
  }
  if (!scanner_.AtEnd()) return scanner_.Expected("','");
  AXLE_TRY(CheckRequired(def, 0, attributes));
  OpAttributes alone = {
      .attrs = {def.attrs, std::move(attributes.values)}, .sharding = {}, .extras = {}};
  if (attributes.seen_common.test(kSharding)) alone.sharding = std::move(attributes.sharding);
  if (attributes.has_extras) alone.extras = std::move(attributes.extras);
  return alone;
}

size_t Parser::FindSpec(const OpDef& def, std::string_view name) {
  return std::ranges::find(def.attrs.specs, name, &AttrSpec::text) - def.attrs.specs.begin();
}

Status Parser::ParseCallees(const OpDef& def, std::string_view name,
                            PendingAttributes& attributes) {
  const auto has_name = [&](const CalleeSpec& spec) { return spec.text == name; };
  for (const std::span<const CalleeSpec> specs : {def.callees, def.alternative_callees}) {
    const auto spec = std::ranges::find_if(specs, has_name);
    if (spec == specs.end()) continue;
    AXLE_TRY(CheckHasModule(name));
    const size_t i = spec - specs.begin();
    if (attributes.callee_specs.data() != specs.data()) {
      if (!attributes.callee_specs.empty()) {
        return scanner_.Error(
            StrCat("\"", name, "\" cannot stand beside \"", attributes.callee_specs[0].text, "\""));
      }
      attributes.callee_specs = specs;
      if (!spec->variadic) attributes.callees.resize(specs.size());
    }
    if (attributes.seen_callees.test(i)) return Twice(name);
    attributes.seen_callees.set(i);
    if (!spec->variadic) {
      AXLE_ASSIGN(attributes.callees[i], ParseCallee());
      return {};
    }
    return scanner_.List("{", "}", [&]() -> Status {
      AXLE_ASSIGN(attributes.callees.emplace_back(), ParseCallee());
      return {};
    });
  }
  return UnknownAttribute(def, name);
}

// Before {name}; a body has instructions.
static bool AtNameInBraces(Scanner& scanner) {
  const size_t begin = scanner.position();
  const bool found =
      scanner.Consume("{") && !scanner.Peek("}") && !scanner.Word().empty() && scanner.Peek("}");
  scanner.Rewind(begin);
  return found;
}

StatusOr<HloComputation*> Parser::ParseCallee() {
  const bool has_braces = AtNameInBraces(scanner_);
  if (!has_braces && scanner_.Peek("{")) return ParseBodyInPlace();
  if (has_braces) AXLE_TRY(scanner_.Expect("{"));
  AXLE_ASSIGN(const std::string_view name, scanner_.Name("a computation"));
  if (const auto it = computations_.find(name); it != computations_.end()) {
    if (it->second == nullptr) {
      return scanner_.Error(StrCat("computation \"", name, "\" calls itself"));
    }
    if (has_braces) AXLE_TRY(scanner_.Expect("}"));
    return it->second;
  }
  std::vector<std::string_view> names;
  for (const auto& computation : module_->computations()) names.push_back(computation->name());
  return scanner_.Error(
      StrCat("no computation \"", name, "\" before this one", DidYouMean(name, names)));
}

Status Parser::UnknownAttribute(const OpDef& def, std::string_view name) {
  std::vector<std::string_view> known;
  const size_t skip = def.parens == ParenSyntax::kAttribute ? 1 : 0;
  for (const AttrSpec& spec : def.attrs.specs.subspan(skip)) known.push_back(spec.text);
  for (const CalleeSpec& spec : def.callees) known.push_back(spec.text);
  for (const CalleeSpec& spec : def.alternative_callees) known.push_back(spec.text);
  const std::string takes = known.empty() ? "it takes none" : "it takes: " + Join(known, ", ");
  known.insert(known.end(), std::begin(kCommonNames), std::end(kCommonNames));
  const auto match = ClosestMatch(name, known);
  // An attribute that other ops take is not misspelt.
  const std::string hint = match && *match != name ? StrCat("did you mean \"", *match, "\"? ") : "";
  return scanner_.Error(
      StrCat("unknown attribute \"", name, "\" for \"", def.text, "\" (", hint, takes, ")"));
}

Status Parser::CheckRequired(const OpDef& def, size_t op_position,
                             const PendingAttributes& attributes) {
  for (size_t i = 0; i < def.attrs.specs.size(); ++i) {
    const AttrSpec& spec = def.attrs.specs[i];
    if (spec.presence == Presence::kRequired && !attributes.seen.test(i)) {
      return scanner_.ErrorAt(op_position, StrCat("\"", def.text, "\" needs ", spec.text, "=..."));
    }
  }
  return {};
}

Status Parser::CheckAttributes(const OpDef& def, size_t op_position,
                               const PendingAttributes& attributes) {
  AXLE_TRY(CheckRequired(def, op_position, attributes));
  const auto specs = attributes.callee_specs.empty() ? def.callees : attributes.callee_specs;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!attributes.seen_callees.test(i) && !specs[i].optional) {
      return scanner_.ErrorAt(op_position,
                              StrCat("\"", def.text, "\" needs ", specs[i].text, "=..."));
    }
  }
  return {};
}

Status Parser::ParseCommon(Scope& scope, const OpDef& def, size_t which,
                           PendingAttributes& attributes) {
  if (which == kMetadata || which == kControlPredecessors || which == kParameterReplication) {
    AXLE_TRY(CheckHasModule(kCommonNames[which]));
  }
  if (attributes.seen_common.test(which)) return Twice(kCommonNames[which]);
  attributes.seen_common.set(which);
  InstructionExtras& extras = attributes.extras;
  if (which != kMetadata) attributes.has_extras = true;
  switch (which) {
    case kMetadata: {
      AXLE_ASSIGN(attributes.metadata, ParseInternedMetadata());
      return {};
    }
    case kSharding: {
      AXLE_ASSIGN(attributes.sharding, ParseSharding(scanner_));
      return {};
    }
    case kFrontendAttributes: {
      AXLE_ASSIGN(extras.frontend_attributes, ParseFrontendAttributes(scanner_));
      return {};
    }
    case kBackendConfig: {
      AXLE_ASSIGN(extras.backend_config, ParseTextOrJson(scanner_));
      extras.has_backend_config = true;
      return {};
    }
    case kControlPredecessors:
      return ParseControlPredecessors(scope, extras.control_predecessors);
    case kStatistics: {
      AXLE_ASSIGN(extras.statistics, ParseStatistics(scanner_));
      return {};
    }
    case kOrigin: {
      AXLE_ASSIGN(extras.origin, ParseOrigin(scanner_));
      return {};
    }
    case kParameterReplication: {
      attributes.replication_position = scanner_.token_position();
      AXLE_ASSIGN(extras.parameter_replication, ParseParameterReplication(scanner_));
      return {};
    }
    default: {
      if (!TakesResultAccuracy(def)) return UnknownAttribute(def, kCommonNames[which]);
      AXLE_ASSIGN(extras.result_accuracy, ParseResultAccuracy(scanner_));
      return {};
    }
  }
}

StatusOr<Metadata> Parser::ParseInternedMetadata() {
  scanner_.PeekChar();
  const size_t begin = scanner_.position();
  const std::string_view text = PlainBraces();
  if (const auto it = metadata_.find(text); !text.empty() && it != metadata_.end()) {
    scanner_.Rewind(begin + text.size());
    return it->second;
  }
  AXLE_ASSIGN(OwnedMetadata owned, ParseMetadata(scanner_));
  Metadata& metadata = owned.value;
  for (std::string_view* view :
       {&metadata.op_type, &metadata.op_name, &metadata.source_file, &metadata.profile_type,
        &metadata.deduplicated_name, &metadata.scheduling_name, &metadata.metadata_payload}) {
    *view = module_->InternText(*view);
  }
  if (!text.empty()) metadata_.emplace(text, metadata);
  return metadata;
}

std::string_view Parser::PlainBraces() const {
  const size_t begin = scanner_.position();
  const std::string_view text = scanner_.Slice(begin, begin + scanner_.remaining());
  if (!text.starts_with('{')) return {};
  size_t at = 1;
  while ((at = text.find_first_of("}\"'{/", at)) != text.npos) {
    if (text[at] == '}') return text.substr(0, at + 1);
    if (text[at] != '"') return {};
    ++at;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    ++at;
  }
  return {};
}

Status Parser::ParseControlPredecessors(const Scope& scope,
                                        std::vector<Instruction*>& predecessors) {
  tsl::robin_set<const Instruction*> seen;
  AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("an instruction"));
    const auto it = scope.instructions.find(name);
    if (it == scope.instructions.end()) {
      return UnknownInstruction(scope, name, scanner_.token_position());
    }
    if (seen.insert(it->second).second) predecessors.push_back(it->second);
    return {};
  }));
  return {};
}

Status Parser::FinishExtras(PendingAttributes& attributes, const Instruction& inst) {
  const Shape& shape = inst.shape();
  const bool has_sharding = attributes.seen_common.test(kSharding);
  const bool has_replication = attributes.seen_common.test(kParameterReplication);
  if (!has_sharding && !has_replication) return {};
  i64 num_leaves = 0;
  ForEachLeaf(shape, [&](const Shape&, const Dims&) { ++num_leaves; });
  if (has_sharding) {
    ShardingText& sharding = attributes.sharding;
    if (shape.is_tuple()) {
      AXLE_TRY(scanner_.ChargeElided(sharding.is_tuple ? 0 : num_leaves * sharding.text.size()));
      attributes.extras.sharding = ShardingForLeaves(sharding, num_leaves);
    } else {
      attributes.extras.sharding = std::move(sharding.text);
    }
  }
  if (!has_replication) return {};
  const Status status =
      CheckParameterReplication(inst, attributes.extras.parameter_replication, num_leaves);
  return status.ok() ? status : scanner_.ErrorAt(attributes.replication_position, status.message());
}

StatusOr<OpAttributes> ParseOpAttributes(const OpDef& def, std::string_view text,
                                         const Shape& shape, const ParseOptions& options) {
  const ScopedFloatEnvironment float_environment;
  return Parser(text, options).ParseAttributesAlone(def, shape);
}

}  // namespace axle

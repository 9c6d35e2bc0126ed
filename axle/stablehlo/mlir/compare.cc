#include "axle/stablehlo/mlir/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/forms.h"

namespace axle::mlir {
namespace {

bool SameElements(const Attribute& a, const Attribute& b) {
  if (a.literal == nullptr || b.literal == nullptr) return a.literal == b.literal;
  if (a.is_splat == b.is_splat) return *a.literal == *b.literal;
  const Literal& one = a.is_splat ? *a.literal : *b.literal;
  const Literal& all = a.is_splat ? *b.literal : *a.literal;
  const auto size = static_cast<size_t>(one.num_bytes());
  if (one.shape().type() != all.shape().type()) return false;
  for (size_t at = 0; at < static_cast<size_t>(all.num_bytes()); at += size) {
    if (std::memcmp(all.bytes() + at, one.bytes(), size) != 0) return false;
  }
  return true;
}

bool SameFields(std::span<const NamedAttribute> a, std::span<const NamedAttribute> b) {
  if (a.size() != b.size()) return false;
  std::vector<NamedAttribute> left(a.begin(), a.end()), right(b.begin(), b.end());
  std::ranges::sort(left, {}, &NamedAttribute::name);
  std::ranges::sort(right, {}, &NamedAttribute::name);
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].name != right[i].name || !SameAttribute(*left[i].value, *right[i].value)) {
      return false;
    }
  }
  return true;
}

bool SameType(const Type* a, const Type* b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && a->ToString() == b->ToString();
}

bool SameLocation(const Location* a, const Location* b) {
  std::set<std::pair<const Location*, const Location*>> seen;
  std::vector<std::pair<const Location*, const Location*>> open{{a, b}};
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    if (x == y || !seen.emplace(x, y).second) continue;
    const bool same = x->kind == y->kind && x->text == y->text && x->line == y->line &&
                      x->column == y->column && x->end_line == y->end_line &&
                      x->end_column == y->end_column && x->children.size() == y->children.size() &&
                      (x->metadata == nullptr) == (y->metadata == nullptr);
    if (!same || (x->metadata != nullptr && !SameAttribute(*x->metadata, *y->metadata))) {
      return false;
    }
    for (size_t i = 0; i < x->children.size(); ++i) {
      open.emplace_back(x->children[i], y->children[i]);
    }
  }
  return true;
}

class Comparison {
 public:
  explicit Comparison(const CompareOptions& options) : options_(options) {}

  std::string Run(const Operation& a, const Operation& b) {
    // Operations in order, and which value stands for which, before any operand is compared.
    std::vector<std::pair<const Operation*, const Operation*>> open{{&a, &b}};
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      pairs_.emplace_back(x, y);
      std::string what = Shallow(*x, *y);
      if (!what.empty()) return Place(*x) + what;
      for (size_t r = x->regions.size(); r > 0; --r) {
        what = Blocks(x->regions[r - 1], y->regions[r - 1], open);
        if (!what.empty()) return Place(*x) + what;
      }
    }
    for (const auto& [x, y] : pairs_) {
      for (size_t i = 0; i < x->operands.size(); ++i) {
        const auto found = values_.find(x->operands[i]);
        if (found == values_.end() || found->second != y->operands[i]) {
          return StrCat(Place(*x), "operand ", i, " is another value");
        }
      }
    }
    return "";
  }

 private:
  std::string Place(const Operation& operation) const {
    return StrCat("in ", operation.name, " (operation ", pairs_.size(), "): ");
  }

  std::string Shallow(const Operation& a, const Operation& b) {
    if (a.name != b.name) return StrCat("the name is ", a.name, " against ", b.name);
    if (a.operands.size() != b.operands.size() || a.results.size() != b.results.size() ||
        a.regions.size() != b.regions.size()) {
      return "the numbers of operands, results or regions differ";
    }
    if (!std::ranges::equal(a.operand_sizes, b.operand_sizes)) return "operand sizes differ";
    for (size_t i = 0; i < a.results.size(); ++i) {
      values_[&a.results[i]] = &b.results[i];
      if (!SameType(a.results[i].type, b.results[i].type)) {
        return StrCat("the type of result ", i, " is ", a.results[i].type->ToString(), " against ",
                      b.results[i].type->ToString());
      }
    }
    if (options_.locations && !SameLocation(a.location, b.location)) return "locations differ";
    return Attributes(a, b);
  }

  static std::string Attributes(const Operation& a, const Operation& b) {
    const auto is_default = [&](const NamedAttribute& entry) {
      const AttributeSyntax* row =
          a.syntax == nullptr ? nullptr : a.syntax->FindAttribute(entry.name);
      return row != nullptr && IsDefault(*row, entry.value);
    };
    for (const NamedAttribute& entry : a.attributes) {
      const Attribute* other = b.Find(entry.name);
      if (other == nullptr && is_default(entry)) continue;
      if (other == nullptr || !SameAttribute(*entry.value, *other)) {
        return StrCat("the attribute ", entry.name, " is ", entry.value->ToString(), " against ",
                      other == nullptr ? "nothing" : other->ToString());
      }
    }
    for (const NamedAttribute& entry : b.attributes) {
      if (a.Find(entry.name) == nullptr && !is_default(entry)) {
        return StrCat("the attribute ", entry.name, " is nothing against ",
                      entry.value->ToString());
      }
    }
    return "";
  }

  std::string Blocks(const Region& a, const Region& b,
                     std::vector<std::pair<const Operation*, const Operation*>>& open) {
    if (a.blocks.size() != b.blocks.size()) return "the numbers of blocks differ";
    for (size_t i = 0; i < a.blocks.size(); ++i) {
      const Block& x = a.blocks[i];
      const Block& y = b.blocks[i];
      if (x.arguments.size() != y.arguments.size()) return "the numbers of arguments differ";
      if (x.operations.size() != y.operations.size()) return "the numbers of operations differ";
      for (size_t k = 0; k < x.arguments.size(); ++k) {
        values_[&x.arguments[k]] = &y.arguments[k];
        if (!SameType(x.arguments[k].type, y.arguments[k].type)) {
          return StrCat("the types of argument ", k, " differ");
        }
        if (options_.locations && !SameLocation(x.arguments[k].location, y.arguments[k].location)) {
          return StrCat("the locations of argument ", k, " differ");
        }
      }
      for (size_t k = x.operations.size(); k > 0; --k) {
        open.emplace_back(x.operations[k - 1], y.operations[k - 1]);
      }
    }
    return "";
  }

  const CompareOptions& options_;
  std::vector<std::pair<const Operation*, const Operation*>> pairs_;
  std::unordered_map<const Value*, const Value*> values_;
};

}  // namespace

bool SameAttribute(const Attribute& a, const Attribute& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || !SameType(a.type, b.type) || a.text != b.text) return false;
  switch (a.kind) {
    case AttributeKind::kElements:
      return SameElements(a, b);
    case AttributeKind::kFloat:
      return a.number == b.number ? std::signbit(a.number) == std::signbit(b.number)
                                  : std::isnan(a.number) && std::isnan(b.number);
    case AttributeKind::kLocation:
      return SameLocation(a.location, b.location);
    case AttributeKind::kArray:
      return std::ranges::equal(a.elements, b.elements, [](const Attribute* x, const Attribute* y) {
        return SameAttribute(*x, *y);
      });
    default:
      return a.integer == b.integer && a.mnemonic == b.mnemonic && SameFields(a.fields, b.fields);
  }
}

std::string FirstDifference(const MlirModule& a, const MlirModule& b,
                            const CompareOptions& options) {
  return Comparison(options).Run(*a.top(), *b.top());
}

}  // namespace axle::mlir

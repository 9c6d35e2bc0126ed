#include "axle/builder/annotations.h"

#include <algorithm>

#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {

void OpSharding::add_tile_assignment_dimensions(i64 size) {
  tile_.push_back(size);
}
void OpSharding::add_tile_assignment_devices(i64 device) {
  devices_.push_back(device);
}
OpSharding* OpSharding::add_tuple_shardings() {
  return &elements_.emplace_back();
}

FrontendAttributes::FrontendAttributes(
    std::initializer_list<std::pair<const std::string, std::string>> attributes)
    : map_(attributes) {}

Status OpSharding::Check() const {
  if (type_ == TUPLE) {
    for (const OpSharding& element : elements_) {
      if (element.type_ == TUPLE) return InvalidArgument("sharding: a tuple is inside of a tuple");
      AXLE_TRY(element.Check());
    }
    return {};
  }
  if (type_ != MAXIMAL && type_ != OTHER) return {};
  if (type_ == OTHER && tile_.empty()) return InvalidArgument("sharding: there are no tiles");
  i64 tiles = 1;
  for (i64 size : type_ == OTHER ? tile_ : Dims()) {
    const std::optional<i64> product = CheckedMul(tiles, size);
    if (size < 1 || !product) {
      return InvalidArgument(StrCat("sharding: {", Join(tile_, ","), "} are not sizes of tiles"));
    }
    tiles = *product;
  }
  if (static_cast<i64>(devices_.size()) != tiles) {
    return InvalidArgument(
        StrCat("sharding: there are ", devices_.size(), " devices for ", tiles, " tiles"));
  }
  Dims sorted = devices_;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (sorted.front() < 0 || twice != sorted.end()) {
    return InvalidArgument(StrCat("sharding: device ", sorted.front() < 0 ? sorted.front() : *twice,
                                  sorted.front() < 0 ? " is negative" : " is there twice"));
  }
  return {};
}

std::string OpSharding::ToString() const {
  switch (type_) {
    case REPLICATED:
      return "{replicated}";
    case MAXIMAL:
      return StrCat("{maximal device=", devices_.empty() ? 0 : devices_[0], "}");
    case MANUAL:
      return "{manual}";
    case UNKNOWN:
      return "{unknown}";
    case OTHER:
      return StrCat("{devices=[", Join(tile_, ","), "]", Join(devices_, ","),
                    replicate_on_last_tile_dim_ ? " last_tile_dim_replicate}" : "}");
    case TUPLE:
      break;
  }
  std::string out = "{";
  constexpr size_t kIndexCommentInterval =
      5;  // the interval in which HLO text numbers the elements of tuples
  for (size_t i = 0; i < elements_.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % kIndexCommentInterval == 0) StrAppend(out, "/*index=", i, "*/");
    out += elements_[i].ToString();
  }
  return out + "}";
}

Status FrontendAttributes::Check() const {
  for (const auto& [name, value] : map_) {
    const bool is_name = !name.empty() && (IsAlpha(name[0]) || name[0] == '_') &&
                         std::ranges::all_of(name, [](char c) {
                           return IsAlnum(c) || c == '_' || c == '.' || c == '-';
                         });
    if (!is_name) {
      return InvalidArgument(StrCat("frontend attributes: \"", CEscape(name),
                                    "\" is not a letter or '_' and then letters, digits, '_', '.' "
                                    "and '-'"));
    }
  }
  return {};
}

std::string FrontendAttributeText(std::string_view value) {
  Scanner scanner(value);
  const auto braces = scanner.Braces();
  if (braces.ok() && braces->size() == value.size()) return std::string(value);
  return StrCat("\"", CEscape(value), "\"");
}

}  // namespace axle

// Coverage: how many modules have an operation on an element type, by place and by region kind.
// Places are those at which a compiler makes different code; region kinds are those of the compile
// report (kPlacementKinds).
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "axle/client/client.h"
#include "axle/ir/module.h"

namespace axle {

struct CompileReport;  // runtime/compile_report.h

enum class CoveragePlace : std::uint8_t {
  kEntry,
  kLoop,     // in the body or condition of a while, or a scan
  kCalled,   // in another computation that runs on whole values: call, branch, fusion, async
  kApplied,  // in one that is applied to elements: reducers, comparators, map
};
inline constexpr int kNumPlaces = 4;
std::string_view PlaceName(CoveragePlace place);  // "entry", ...

class Coverage {
 public:
  // Counts every cell of the module once.
  void Add(const Module& module);
  // Adds the counts of another object.
  void Add(const Coverage& other);
  // The same for regions: has the passes and the native engine of `client` look at the module, but
  // make no code. Errors: theirs.
  Status AddRegions(const Module& module, Client& client);

  std::uint64_t modules() const { return modules_; }
  // Modules with the op on the type; at one place, or anywhere.
  std::uint64_t Count(Opcode op, ElementType type, CoveragePlace place) const;
  std::uint64_t Count(Opcode op, ElementType type) const;

  // Modules with the op on the type in the region kind of this number.
  std::uint64_t CountInRegion(Opcode op, ElementType type, size_t kind) const;

  // A table with a line per op and place: element types that it was drawn with, by how many
  // modules at least. Markdown.
  std::string Page(std::uint64_t enough) const;
  // Op and type pairs that some module should have had and none did: "add f32".
  std::vector<std::string> Missing() const;
  // How many pairs the ops can have, and how many of these came up at least `enough` times.
  struct Totals {
    i64 cells = 0, enough = 0;
  };
  Totals Total(std::uint64_t enough) const;

 private:
  using Counts = std::array<std::uint64_t, kNumPlaces + 1>;  // the last one: anywhere
  static constexpr int kAny = -1;                            // op, or type, or kind
  using RegionCell = std::array<int, 3>;                     // op, type, kind
  void AddReport(const Module& optimized, const CompileReport& report);
  void AppendRegions(std::string& page, std::uint64_t enough) const;
  // The same for the cells that came up; a coordinate that is not asked for is kAny.
  Totals TotalInRegions(const RegionCell& where, std::uint64_t enough) const;

  std::map<std::pair<Opcode, ElementType>, Counts> counts_;
  std::map<RegionCell, std::uint64_t> regions_;
  std::uint64_t modules_ = 0;
};

}  // namespace axle

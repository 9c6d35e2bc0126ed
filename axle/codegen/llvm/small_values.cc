// How few elements lie in vectors, and how new arrays are gathered from old ones. Gather makes each
// result vector from the vectors that its elements come from: one shuffle per source (Resized) to
// bring its lanes into place, and one that blends it with what is there. A result whose elements
// stand in order in one vector needs no shuffle.
//
// Lanes behind the last element hold numbers, never poison (FillLanes). They are not free to be
// anything: operations run on all lanes, and one on poison, such as a division, would let LLVM
// delete the whole vector. Loads and stores split into runs of powers of two instead of using
// masks, and touch no byte behind the array.
#include "axle/codegen/llvm/small_values.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "axle/codegen/llvm/llvm_versions.h"

namespace axle {
namespace {

constexpr unsigned kConstantAlignment = 64;

using llvm::Value;

unsigned Unsigned(i64 n) {
  return static_cast<unsigned>(n);
}

i64 LanesOf(const Value* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

bool AreNeighbours(std::span<const i64> elements) {
  for (size_t k = 1; k < elements.size(); ++k) {
    if (elements[k] != elements[0] + static_cast<i64>(k)) return false;
  }
  return true;
}

bool AreOne(std::span<const i64> elements) {
  return std::ranges::all_of(elements, [&](i64 element) { return element == elements[0]; });
}

// Calls f(first, size) for runs of `count` elements whose sizes are powers of two, the largest
// first. What is loaded again soon is better written without masks, which keep it from going the
// short way.
template <typename F>
void ForEachRun(i64 count, const F& f) {
  for (i64 first = 0; first < count;) {
    const auto size = static_cast<i64>(std::bit_floor(static_cast<std::uint64_t>(count - first)));
    f(first, size);
    first += size;
  }
}

// A vector, and for each lane of a result which of its lanes goes there; -1: none.
struct Source {
  Value* vector;
  std::vector<int> lanes;
};

// Defines the lanes that no source has, with lanes of the first source in sequence. Left out, they
// would be poison, and a division by poison is undefined behaviour: LLVM would delete the division
// of all lanes, and the guard against 0 before it.
void FillLanes(std::vector<Source>& sources) {
  std::vector<int>& lanes = sources[0].lanes;
  const auto begin = std::ranges::find_if(lanes, [](int lane) { return lane >= 0; });
  const i64 first = *begin, at = begin - lanes.begin();
  const bool is_one = std::ranges::all_of(lanes, [&](int k) { return k < 0 || k == first; });
  const i64 width = LanesOf(sources[0].vector);
  const i64 offset = first - at + at * width;  // not below 0
  for (i64 k = 0; k < std::ssize(lanes); ++k) {
    const auto has_it = [k](const Source& source) { return source.lanes[k] >= 0; };
    if (std::ranges::any_of(sources, has_it)) continue;
    lanes[k] = static_cast<int>(is_one ? first : (k + offset) % width);
  }
}

}  // namespace

LaneEmitter SmallValueBuilder::Emitter(i64 num_elements) {
  return {b_, Unsigned(SmallLanesFor(num_elements)), target_};
}

llvm::Type* SmallValueBuilder::ElementType(LaneType type, bool in_memory) {
  return Emitter(1).Element(type, in_memory);
}

llvm::Type* SmallValueBuilder::VectorType(const LaneArray& array, i64 num_elements) {
  return Emitter(num_elements).Vector(array.type);
}

Value* SmallValueBuilder::Address(const LaneArray& array, Value* base, i64 element, unsigned part) {
  return b_.CreateConstGEP1_64(ElementType(array.type, /*in_memory=*/true), base,
                               static_cast<std::uint64_t>(element * array.num_parts + part));
}

// Lane k is lane lanes[k] of the vector; -1: any.
Value* SmallValueBuilder::Resized(Value* vector, std::span<const int> lanes) {
  const auto width = static_cast<i64>(lanes.size());
  const i64 from = LanesOf(vector);
  bool is_same = from == width;
  for (i64 k = 0; k < width; ++k) is_same = is_same && (lanes[k] < 0 || lanes[k] == k);
  if (is_same) return vector;
  const auto first = std::ranges::find_if(lanes, [](int lane) { return lane >= 0; });
  const bool is_one = std::ranges::all_of(lanes, [&](int k) { return k < 0 || k == *first; });
  if (!is_one)
    return b_.CreateShuffleVector(vector, llvm::ArrayRef<int>(lanes.data(), lanes.size()));
  return b_.CreateVectorSplat(Unsigned(width), b_.CreateExtractElement(vector, Unsigned(*first)));
}

// One vector of a result.
Value* SmallValueBuilder::Pick(unsigned part, i64 lanes, std::span<const ElementRef> refs) {
  std::vector<Source> sources;
  for (size_t k = 0; k < refs.size(); ++k) {
    const SmallValue* value = refs[k].value;
    if (value == nullptr) continue;
    const i64 width = SmallLanesFor(value->num_elements);
    Value* vector = value->vectors[part][refs[k].element / width];
    auto source = std::ranges::find(sources, vector, &Source::vector);
    if (source == sources.end()) {
      sources.push_back({vector, std::vector<int>(static_cast<size_t>(lanes), -1)});
      source = sources.end() - 1;
    }
    source->lanes[k] = static_cast<int>(refs[k].element % width);
  }
  if (sources.empty()) return nullptr;
  FillLanes(sources);
  Value* all = Resized(sources[0].vector, sources[0].lanes);
  std::vector<int> blend(static_cast<size_t>(lanes), -1);
  const auto take = [&](const Source& source, i64 offset) {
    for (i64 k = 0; k < lanes; ++k) {
      if (source.lanes[k] >= 0) blend[k] = static_cast<int>(k + offset);
    }
  };
  take(sources[0], 0);
  for (size_t s = 1; s < sources.size(); ++s) {
    take(sources[s], lanes);
    all = b_.CreateShuffleVector(all, Resized(sources[s].vector, sources[s].lanes), blend);
    for (i64 k = 0; k < lanes; ++k) {
      if (blend[k] >= 0) blend[k] = static_cast<int>(k);
    }
  }
  return all;
}

SmallValue SmallValueBuilder::Gather(const LaneArray& array, std::span<const ElementRef> refs) {
  SmallValue result{array, static_cast<i64>(refs.size()), {}};
  const i64 lanes = SmallLanesFor(result.num_elements);
  for (unsigned part = 0; part < array.num_parts; ++part) {
    for (i64 first = 0; first < result.num_elements; first += lanes) {
      const auto count = static_cast<size_t>(std::min(lanes, result.num_elements - first));
      Value* vector = Pick(part, lanes, refs.subspan(static_cast<size_t>(first), count));
      if (vector == nullptr) {
        vector = llvm::Constant::getNullValue(VectorType(array, result.num_elements));
      }
      result.vectors[part].push_back(vector);
    }
  }
  return result;
}

// Loaded from a global variable, not IR constants: LLVM folds operations on constants, and the NaNs
// that it folds to have another sign than the processor's, which it may use in one place and not in
// another.
SmallValue SmallValueBuilder::Constants(const LaneArray& array, i64 num_elements,
                                        const std::byte* bytes) {
  std::vector<i64> elements(static_cast<size_t>(num_elements));
  std::iota(elements.begin(), elements.end(), 0);
  return Load(array, Variable(bytes, num_elements * array.element_bytes()), elements);
}

Value* SmallValueBuilder::Variable(const std::byte* bytes, i64 num_bytes) {
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  const auto size = static_cast<size_t>(num_bytes);
  llvm::Constant* data = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(reinterpret_cast<const char*>(bytes), size), size, b_.getInt8Ty());
  auto* variable = new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/false,
                                            llvm::GlobalValue::InternalLinkage, data, "numbers");
  variable->setAlignment(llvm::Align(kConstantAlignment));
  return variable;
}

// One element in all lanes is one load and a splat; neighbours are loaded as runs of powers of two;
// other elements one by one.
Value* SmallValueBuilder::LoadVector(const LaneArray& array, Value* base,
                                     std::span<const i64> elements, i64 lanes, unsigned part) {
  llvm::Type* type = ElementType(array.type, /*in_memory=*/true);
  const llvm::Align align(static_cast<std::uint64_t>(BytesOf(array.type)));
  const auto one = [&](i64 element) {
    return b_.CreateAlignedLoad(type, Address(array, base, element, part), align);
  };
  auto* vector_type = llvm::FixedVectorType::get(type, Unsigned(lanes));
  Value* vector = llvm::Constant::getNullValue(vector_type);
  const auto add_one = [&](size_t k) {
    vector = b_.CreateInsertElement(vector, one(elements[k]), k);
  };
  if (AreOne(elements)) {
    vector = b_.CreateVectorSplat(Unsigned(lanes), one(elements[0]));
  } else if (array.num_parts == 1 && AreNeighbours(elements)) {
    ForEachRun(static_cast<i64>(elements.size()), [&](i64 first, i64 size) {
      const auto k = static_cast<size_t>(first);
      if (size == 1) return add_one(k);
      auto* run_type = llvm::FixedVectorType::get(type, Unsigned(size));
      Value* run = b_.CreateAlignedLoad(run_type, Address(array, base, elements[k], part), align);
      vector = size == lanes ? run : InsertVector(b_, vector, run, static_cast<int>(k));
    });
  } else {
    for (size_t k = 0; k < elements.size(); ++k) add_one(k);
  }
  if (array.type != LaneType::kPred) return vector;
  return b_.CreateICmpNE(vector, llvm::Constant::getNullValue(vector_type));
}

SmallValue SmallValueBuilder::Load(const LaneArray& array, Value* base,
                                   std::span<const i64> elements) {
  SmallValue result{array, static_cast<i64>(elements.size()), {}};
  const i64 lanes = SmallLanesFor(result.num_elements);
  for (unsigned part = 0; part < array.num_parts; ++part) {
    for (i64 first = 0; first < result.num_elements; first += lanes) {
      const auto count = static_cast<size_t>(std::min(lanes, result.num_elements - first));
      result.vectors[part].push_back(LoadVector(
          array, base, elements.subspan(static_cast<size_t>(first), count), lanes, part));
    }
  }
  return result;
}

void SmallValueBuilder::StoreVector(const LaneArray& array, Value* vector, Value* base,
                                    std::span<const i64> elements, unsigned part) {
  const llvm::Align align(static_cast<std::uint64_t>(BytesOf(array.type)));
  const i64 lanes = LanesOf(vector);
  if (array.type == LaneType::kPred) {
    vector = b_.CreateZExt(vector, llvm::FixedVectorType::get(b_.getInt8Ty(), Unsigned(lanes)));
  }
  const auto store_one = [&](size_t k) {
    b_.CreateAlignedStore(b_.CreateExtractElement(vector, k),
                          Address(array, base, elements[k], part), align);
  };
  if (array.num_parts > 1 || !AreNeighbours(elements)) {
    for (size_t k = 0; k < elements.size(); ++k) store_one(k);
    return;
  }
  ForEachRun(static_cast<i64>(elements.size()), [&](i64 first, i64 size) {
    const auto k = static_cast<size_t>(first);
    if (size == 1) return store_one(k);
    auto* run_type = llvm::FixedVectorType::get(
        llvm::cast<llvm::FixedVectorType>(vector->getType())->getElementType(), Unsigned(size));
    Value* run = size == lanes ? vector : ExtractVector(b_, run_type, vector, static_cast<int>(k));
    b_.CreateAlignedStore(run, Address(array, base, elements[k], part), align);
  });
}

void SmallValueBuilder::Store(const SmallValue& value, Value* base, std::span<const i64> elements) {
  const i64 lanes = SmallLanesFor(value.num_elements);
  for (unsigned part = 0; part < value.array.num_parts; ++part) {
    for (i64 first = 0; first < value.num_elements; first += lanes) {
      const auto count = static_cast<size_t>(std::min(lanes, value.num_elements - first));
      StoreVector(value.array, value.vectors[part][static_cast<size_t>(first / lanes)], base,
                  elements.subspan(static_cast<size_t>(first), count), part);
    }
  }
}

Value* SmallValueBuilder::Element(const SmallValue& value, i64 element) {
  const i64 lanes = SmallLanesFor(value.num_elements);
  return b_.CreateExtractElement(value.vectors[0][static_cast<size_t>(element / lanes)],
                                 Unsigned(element % lanes));
}

}  // namespace axle

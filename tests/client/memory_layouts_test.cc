// Layouts change no value, but for two things that look at memory: a bitcast reads the bytes of its
// operand's layout as if they were in its own, and a custom call gets its operands in their layouts
// and gives its result in its own. Random layouts around both, tiles included, against a model that
// puts every element into an array of places.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "axle/client/client.h"
#include "axle/client/host_device.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

using Sizes = std::vector<i64>;

// An array as memory has it: dimension order[0] is the most minor one, and `tile` (none if empty)
// cuts the most minor dimensions.
struct Array {
  Sizes dims;
  Sizes order;
  Sizes tile;

  std::string Text() const {
    const std::string tiles = tile.empty() ? "" : StrCat(":T(", Join(tile, ","), ")");
    if (dims.empty()) return "f32[]";
    return StrCat("f32[", Join(dims, ","), "]{", Join(order, ","), tiles, "}");
  }
  i64 num_elements() const {
    return std::accumulate(dims.begin(), dims.end(), i64{1}, std::multiplies<>());
  }
};

// Sizes and indices in memory, the most major dimension first, after the tile.
std::pair<Sizes, Sizes> Tiled(const Array& array, const Sizes& index) {
  Sizes sizes, at;
  for (size_t i = array.order.size(); i-- > 0;) {
    sizes.push_back(array.dims[array.order[i]]);
    at.push_back(index[array.order[i]]);
  }
  while (sizes.size() < array.tile.size()) {  // a tile of more dimensions than there are
    sizes.insert(sizes.begin(), 1);
    at.insert(at.begin(), 0);
  }
  const size_t first = sizes.size() - array.tile.size();
  for (size_t i = 0; i < array.tile.size(); ++i) {
    const i64 size = array.tile[i];
    sizes.push_back(size);
    at.push_back(at[first + i] % size);
    sizes[first + i] = (sizes[first + i] + size - 1) / size;
    at[first + i] /= size;
  }
  return {sizes, at};
}

i64 NumPlaces(const Array& array) {
  const Sizes sizes = Tiled(array, Sizes(array.dims.size(), 0)).first;
  return std::accumulate(sizes.begin(), sizes.end(), i64{1}, std::multiplies<>());
}

i64 PlaceOf(const Array& array, const Sizes& index) {
  const auto [sizes, at] = Tiled(array, index);
  i64 place = 0;
  for (size_t i = 0; i < sizes.size(); ++i) place = place * sizes[i] + at[i];
  return place;
}

// Calls visit(number of the element in row-major order, place).
template <typename Visit>
void ForEachElement(const Array& array, const Visit& visit) {
  Sizes index(array.dims.size(), 0);
  const i64 count = array.num_elements();
  for (i64 i = 0; i < count; ++i) {
    visit(i, PlaceOf(array, index));
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < array.dims[d]) break;
      index[d] = 0;
    }
  }
}

// The elements of `from`, put into memory and read as `to`. What no element is at is 0.
std::vector<float> ThroughMemory(const std::vector<float>& elements, const Array& from,
                                 const Array& to) {
  std::vector<float> memory(NumPlaces(from), 0.0F);
  ForEachElement(from, [&](i64 i, i64 place) { memory[place] = elements[i]; });
  std::vector<float> result(to.num_elements());
  ForEachElement(to, [&](i64 i, i64 place) { result[i] = memory[place]; });
  return result;
}

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}

  i64 Below(i64 n) { return static_cast<i64>(random_() % static_cast<std::uint64_t>(n)); }

  Sizes Order(size_t rank) {
    Sizes order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = rank; i > 1; --i) std::swap(order[i - 1], order[Below(static_cast<i64>(i))]);
    return order;
  }

  Array AnyArray(bool may_have_tiles) {
    Array array;
    const i64 rank = 1 + Below(4);
    for (i64 d = 0; d < rank; ++d) array.dims.push_back(1 + Below(5));
    array.order = Order(array.dims.size());
    if (may_have_tiles && Below(2) == 0) {
      for (i64 i = 1 + Below(rank); i > 0; --i) array.tile.push_back(1 + Below(4));
    }
    return array;
  }

  // An array with as many places, in another shape and layout.
  Array WithPlaces(i64 places) {
    Array array;
    for (i64 left = places; left > 1 && array.dims.size() < 4;) {
      const bool is_last = array.dims.size() == 3;
      Sizes divisors;
      for (i64 size = 1; size <= left; ++size) {
        if (left % size == 0) divisors.push_back(size);
      }
      const i64 size = is_last ? left : divisors[Below(static_cast<i64>(divisors.size()))];
      array.dims.push_back(size);
      left /= size;
    }
    i64 product = array.num_elements();
    if (product != places) array.dims.push_back(places / product);
    array.order = Order(array.dims.size());
    // A tile that fills its dimensions up needs no more places.
    if (!array.dims.empty() && Below(2) == 0) {
      const i64 size = array.dims[array.order[0]];
      Sizes divisors;
      for (i64 tile = 1; tile <= size; ++tile) {
        if (size % tile == 0) divisors.push_back(tile);
      }
      array.tile = {divisors[Below(static_cast<i64>(divisors.size()))]};
    }
    return array;
  }

 private:
  std::mt19937 random_;
};

std::vector<EngineKind> Engines() {
#ifdef AXLE_HAS_CODEGEN
  return {EngineKind::kInterpret, EngineKind::kNative};
#else
  return {EngineKind::kInterpret};
#endif
}

Literal ToLiteral(const std::vector<float>& elements, const Sizes& dims) {
  Literal literal = *Literal::Create(Shape(F32, Dims(dims.begin(), dims.end())));
  std::ranges::copy(elements, literal.mutable_data<float>().begin());
  return literal;
}

std::vector<float> Counting(i64 count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

void ExpectResult(Client& client, const std::string& program, const Literal& argument,
                  const Literal& expected) {
  for (const EngineKind engine : Engines()) {
    const auto executable = client.Compile(program, {.engine = engine});
    ASSERT_TRUE(executable.ok()) << executable.status().ToString() << "\n" << program;
    const auto result = (*executable)->Execute({argument});
    ASSERT_TRUE(result.ok()) << result.status().ToString() << "\n" << program;
    EXPECT_EQ(result->ToStringWithShape(), expected.ToStringWithShape()) << program;
  }
}

// The operand is made by an operation that has a layout of its own, so that what passes do with
// layouts is there before the bitcast reads them; behind it other layouts say nothing.
TEST(MemoryLayouts, BitcastsReadMemory) {
  const auto client = *Client::Create();
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Draw draw(seed);
    const Array from = draw.AnyArray(/*may_have_tiles=*/true);
    const Array to = draw.WithPlaces(NumPlaces(from));
    const Array argument = {from.dims, draw.Order(from.dims.size()), {}};
    const Array result = {to.dims, draw.Order(to.dims.size()), {}};
    const std::string program =
        StrCat("HloModule m\nENTRY e {\n  x = ", argument.Text(),
               " parameter(0)\n  n = ", from.Text(), " negate(x)\n  b = ", to.Text(),
               " bitcast(n)\n  ROOT r = ", result.Text(), " negate(b)\n}\n");
    const std::vector<float> values = Counting(from.num_elements());
    std::vector<float> expected = ThroughMemory(values, from, to);
    for (float& value : expected) value = value == 0 ? -0.0F : value;  // -(0) of what is filled up
    ExpectResult(*client, program, ToLiteral(values, from.dims), ToLiteral(expected, to.dims));
  }
}

// A function that copies its operand's memory, in whatever layouts, is a bitcast.
TEST(MemoryLayouts, CustomCallsReadMemory) {
  const auto client = *Client::Create();
  const auto copy = [](const CustomCallFrame& frame) {
    std::ranges::copy(frame.operands[0].elements<float>(),
                      frame.results[0].elements<float>().begin());
    return Status();
  };
  ASSERT_TRUE(client->RegisterTypedCustomCall("copy_memory", copy).ok());
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Draw draw(seed);
    const Array from = draw.AnyArray(/*may_have_tiles=*/false);
    Array to = draw.WithPlaces(from.num_elements());
    to.tile.clear();
    const Array argument = {from.dims, draw.Order(from.dims.size()), {}};
    const Array result = {to.dims, draw.Order(to.dims.size()), {}};
    // With constraints, the layout of the operand says nothing.
    const bool is_constrained = draw.Below(2) == 0;
    const Array operand = is_constrained ? argument : from;
    const std::string constraint =
        is_constrained ? StrCat(", operand_layout_constraints={", from.Text(), "}") : "";
    const std::string program = StrCat(
        "HloModule m\nENTRY e {\n  x = ", argument.Text(), " parameter(0)\n  n = ", operand.Text(),
        " negate(x)\n  c = ", to.Text(), " custom-call(n), custom_call_target=\"copy_memory\"",
        constraint, ", api_version=API_VERSION_TYPED_FFI\n  ROOT r = ", result.Text(),
        " negate(c)\n}\n");
    const std::vector<float> values = Counting(from.num_elements());
    ExpectResult(*client, program, ToLiteral(values, from.dims),
                 ToLiteral(ThroughMemory(values, from, to), to.dims));
  }
}

// What does not look at memory has the same value in all layouts.
TEST(MemoryLayouts, ElsewhereTheySayNothing) {
  const auto client = *Client::Create();
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Draw draw(seed);
    const Array x = draw.AnyArray(/*may_have_tiles=*/true);
    const auto any = [&] { return Array{x.dims, draw.Order(x.dims.size()), {}}.Text(); };
    const std::string program =
        StrCat("HloModule m\nENTRY e {\n  x = ", any(), " parameter(0)\n  a = ", x.Text(),
               " add(x, x)\n  c = ", any(), " copy(a)\n  ROOT s = ", any(), " subtract(c, x)\n}\n");
    const Literal values = ToLiteral(Counting(x.num_elements()), x.dims);
    ExpectResult(*client, program, values, values);
  }
}

}  // namespace
}  // namespace axle

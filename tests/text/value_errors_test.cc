// Shapes, literals and shardings: the exact text of diagnostics: position, message, line and caret.
// One row, one reason.
#include "tests/text/test_text.h"

namespace axle {
namespace {

// clang-format off
const ErrorRow kRows[] = {
    {"unknown element type",
R"hlo(HloModule m
ENTRY e {
  x = f31[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:7: unknown element type "f31" (did you mean "f32"?)
  x = f31[] parameter(0)
      ^)hlo"},
    {"negative size",
R"hlo(HloModule m
ENTRY e {
  x = f32[-2] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:11: dimension size -2 must be >= 0
  x = f32[-2] parameter(0)
          ^)hlo"},
    {"size that does not fit",
R"hlo(HloModule m
ENTRY e {
  x = f32[99999999999999999999] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:11: integer does not fit into 64 bits
  x = f32[99999999999999999999] parameter(0)
          ^)hlo"},
    {"too many elements",
R"hlo(HloModule m
ENTRY e {
  x = f32[4294967296,4294967296] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:7: shape f32[4294967296,4294967296] has too many elements
  x = f32[4294967296,4294967296] parameter(0)
      ^)hlo"},
    {"layout of another rank",
R"hlo(HloModule m
ENTRY e {
  x = f32[2,3]{0} parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:15: layout names 1 dimensions but the shape has rank 2
  x = f32[2,3]{0} parameter(0)
              ^)hlo"},
    {"layout that is no permutation",
R"hlo(HloModule m
ENTRY e {
  x = f32[2,3]{1,1} parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:15: layout {1,1} is not a permutation of the dimensions 0..1
  x = f32[2,3]{1,1} parameter(0)
              ^)hlo"},
    {"shape without bracket",
R"hlo(HloModule m
ENTRY e {
  x = f32[2 parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:13: expected ','
  x = f32[2 parameter(0)
            ^)hlo"},
    {"shape tuple not closed",
R"hlo(HloModule m
ENTRY e {
  x = (f32[], s32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:21: expected ','
  x = (f32[], s32[] parameter(0)
                    ^)hlo"},
    {"unknown sharding",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), sharding={replicate}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:37: expected a sharding: replicated, manual, unknown, unreduced, maximal, devices=... or mesh[...]
  x = f32[] parameter(0), sharding={replicate}
                                    ^)hlo"},
    {"sharding with too few devices",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:58: lists 3 devices but the tiles [2,2] need 4
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2}
                                                         ^)hlo"},
    {"sharding with a device twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2,2}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:60: device 2 is there twice
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2,2}
                                                           ^)hlo"},
    {"sharding with an iota of another size",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]<=[5]}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:57: lists 5 devices but the tiles [2,2] need 4
  x = f32[4,4] parameter(0), sharding={devices=[2,2]<=[5]}
                                                        ^)hlo"},
    {"sharding with axes that overlap",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={mesh['x'=4], [{'x'}, {}], manual={'x'}}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:78: axes 'x' and 'x' overlap
  x = f32[4,4] parameter(0), sharding={mesh['x'=4], [{'x'}, {}], manual={'x'}}
                                                                             ^)hlo"},
    {"sharding with an unknown axis",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={mesh['model'=4], [{'mode'}, {}]}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:59: the mesh has no axis "mode" (did you mean "model"?)
  x = f32[4,4] parameter(0), sharding={mesh['model'=4], [{'mode'}, {}]}
                                                          ^)hlo"},
    {"constant with too few elements",
R"hlo(HloModule m
ENTRY e {
  x = f32[3] constant({1, 2})
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:28: too few elements in dimension 0 of f32[3]
  x = f32[3] constant({1, 2})
                           ^)hlo"},
    {"constant with too many elements",
R"hlo(HloModule m
ENTRY e {
  x = f32[1] constant({1, 2})
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:27: too many elements in dimension 0 of f32[1]
  x = f32[1] constant({1, 2})
                          ^)hlo"},
    {"constant out of range",
R"hlo(HloModule m
ENTRY e {
  x = s8[] constant(128)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:21: 128 is out of the range of s8
  x = s8[] constant(128)
                    ^)hlo"},
    {"decimal for an integer",
R"hlo(HloModule m
ENTRY e {
  x = s32[] constant(1.5)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:22: 1.5 is not an integer, as s32 needs
  x = s32[] constant(1.5)
                     ^)hlo"},
    {"elided terabyte",
R"hlo(HloModule m
ENTRY e {
  x = f32[1099511627776] constant({...})
})hlo",
R"hlo(RESOURCE_EXHAUSTED: t 3:39: elided constants of more than 256 MiB
  x = f32[1099511627776] constant({...})
                                      ^)hlo"},
    {"sharding of two kinds",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), sharding={replicated manual}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:48: "manual" beside another kind of sharding
  x = f32[] parameter(0), sharding={replicated manual}
                                               ^)hlo"},
    {"mesh axis twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), sharding={mesh['x'=2,'x'=2], replicated}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:53: axis 'x' is there twice
  x = f32[] parameter(0), sharding={mesh['x'=2,'x'=2], replicated}
                                                    ^)hlo"},
    {"part of a mesh axis that does not divide",
R"hlo(HloModule m
ENTRY e {
  x = f32[4] parameter(0), sharding={mesh['x'=4], [{'x':(1)3}]}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:60: (1)3 is not a part of axis 'x' of size 4
  x = f32[4] parameter(0), sharding={mesh['x'=4], [{'x':(1)3}]}
                                                           ^)hlo"},
};
// clang-format on

TEST(ParseErrors, ShapesLiteralsAndShardings) {
  ExpectErrors(kRows);
}

}  // namespace
}  // namespace axle

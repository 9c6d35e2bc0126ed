#include "axle/ops/unimplemented_attribute.h"

namespace axle {

const AttrKind kUnimplementedKind = {
    .name = "not implemented",
    .parse = [](Scanner&, const Shape&, void*) { return Unimplemented("not implemented"); },
    .print = [](const void*) { return std::string(); },
    .equal = [](const void*, const void*) { return true; },
    .hash = [](const void*) { return size_t{0}; },
    .write = [](const void*, const Shape&, int, WireWriter&) {},
    .read = [](const WireReader&, const Shape&, void*) { return Unimplemented("not implemented"); },
    .clear = [](void*) {},
};

}  // namespace axle

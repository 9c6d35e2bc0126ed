"""Generators of dots and convolutions."""

from element_types import TYPES
from programs import Parameter, Program
from generator_parts import generator, ints, shape_text


def dot_shapes(rng):
    sizes = {k: int(rng.choice([1, 2, 3, 5, 8, 17])) for k in ("b", "m", "n", "k", "l")}
    sizes["k"] = int(rng.choice([0, 1, 3, 16, 33, 130]))
    sizes["l"] = int(rng.choice([1, 2, 3]))
    batch = ["b"] if rng.random() < 0.4 else []
    contracting = ["k"] if rng.random() < 0.8 else ["k", "l"]
    lhs = rng.permutation(batch + contracting + (["m"] if rng.random() < 0.8 else [])).tolist()
    rhs = rng.permutation(batch + contracting + (["n"] if rng.random() < 0.8 else [])).tolist()
    return sizes, batch, contracting, lhs, rhs


@generator("dot")
def dot(rng, op, name):
    sizes, batch, contracting, lhs, rhs = dot_shapes(rng)
    t = TYPES[name]
    attributes = []
    for key, letters in (("batch", batch), ("contracting", contracting)):
        for side, labels in (("lhs", lhs), ("rhs", rhs)):
            if letters:
                attributes.append(f"{side}_{key}_dims={ints(labels.index(x) for x in letters)}")
    result = ""
    if rng.random() < 0.25 and t.kind in ("signed", "half", "tiny float"):
        free = [x for x in lhs if x not in batch + contracting] + [
            x for x in rhs if x not in batch + contracting
        ]
        result = shape_text(
            "s32" if t.kind == "signed" else "f32", [sizes[x] for x in batch + free]
        )
    return Program(
        "dot",
        name,
        [Parameter(name, [sizes[x] for x in lhs]), Parameter(name, [sizes[x] for x in rhs])],
        ", ".join(attributes),
        result,
        check="product sum",
    )


@generator("convolution")
def convolution(rng, op, name):
    spatial = int(rng.integers(0, 3))
    digits = "".join(map(str, range(spatial)))
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    batch_groups = int(rng.choice([1, 2])) if groups == 1 and rng.random() < 0.2 else 1
    sizes = {
        "b": int(rng.integers(1, 3)) * batch_groups,
        "f": groups * int(rng.integers(1, 4)),
        "o": groups * batch_groups * int(rng.integers(1, 4)),
    }
    sizes["i"] = sizes["f"] // groups
    image = {d: int(rng.integers(1, 9)) for d in digits}
    kernel = {d: int(rng.integers(1, 4)) for d in digits}
    lhs = "".join(rng.permutation(list("bf" + digits)))
    rhs = "".join(rng.permutation(list("io" + digits)))
    out = "".join(rng.permutation(list("bf" + digits)))
    attributes = [f"dim_labels={lhs}_{rhs}->{out}"]
    if spatial:
        fields = {
            "size": "x".join(str(kernel[d]) for d in digits),
            "stride": "x".join(str(int(rng.integers(1, 3))) for _ in digits),
            "pad": "x".join(
                f"{int(rng.integers(-1, 3))}_{int(rng.integers(0, 3))}" for _ in digits
            ),
        }
        if rng.random() < 0.3:
            fields["lhs_dilate"] = "x".join(str(int(rng.integers(1, 3))) for _ in digits)
            fields["rhs_dilate"] = "x".join(str(int(rng.integers(1, 3))) for _ in digits)
        if rng.random() < 0.2:
            fields["rhs_reversal"] = "x".join(str(int(rng.integers(0, 2))) for _ in digits)
        attributes.insert(0, "window={" + " ".join(f"{k}={v}" for k, v in fields.items()) + "}")
    if groups > 1:
        attributes.append(f"feature_group_count={groups}")
    if batch_groups > 1:
        attributes.append(f"batch_group_count={batch_groups}")
    return Program(
        "convolution",
        name,
        [
            Parameter(name, [image[x] if x in digits else sizes[x] for x in lhs]),
            Parameter(name, [kernel[x] if x in digits else sizes[x] for x in rhs]),
        ],
        ", ".join(attributes),
        check="product sum",
        styles=("finite", "finite", "tame"),
    )

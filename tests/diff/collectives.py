"""Generators of collectives, of one device."""

import values
from element_types import TYPES
from programs import Parameter, Program
from generator_parts import fold_parameter, generator, reducer, shape_text


@generator("all-reduce", "reduce-scatter")
def all_reduce(rng, op, name):
    t = TYPES[name]
    dims = values.shape(rng, 1, 3)
    fold, text, _ = reducer(rng, t)
    dimensions = (
        f", dimensions={{{int(rng.integers(0, len(dims)))}}}"
        if op["name"] == "reduce-scatter"
        else ""
    )
    return Program(
        op["name"],
        name,
        [fold_parameter(fold, t, dims)],
        f"replica_groups={{{{0}}}}{dimensions}, to_apply=fold",
        shape_text(name, dims) if op["declared_shape"] else "",
        computations=text,
        check="exact",
    )


@generator("all-gather", "all-to-all")
def all_gather(rng, op, name):
    dims = values.shape(rng, 1, 3)
    return Program(
        op["name"],
        name,
        [Parameter(name, dims)],
        f"replica_groups={{{{0}}}}, dimensions={{{int(rng.integers(0, len(dims)))}}}",
        shape_text(name, dims) if op["declared_shape"] else "",
        check="exact",
    )


@generator("collective-permute")
def collective_permute(rng, op, name):
    pairs = str(rng.choice(["{{0,0}}", "{}"]))
    return Program(
        op["name"],
        name,
        [Parameter(name, values.shape(rng))],
        f"source_target_pairs={pairs}",
        check="exact",
    )


@generator("replica-id", "partition-id")
def ids(rng, op, name):
    return Program(op["name"], name, [], result=f"{name}[]", check="exact")

"""Trains a small network data-parallel over processes, with JAX on Axle:

    axle launch -n 4 -- env JAX_PLATFORMS=axle python3 multi_process.py        four processes of this machine
    srun -n 16 env JAX_PLATFORMS=axle python3 multi_process.py                 Slurm, which JAX asks for the rest

Each process makes its part of the data. What is global here is one array in all processes: each holds the parts that
are on its devices. Prints the loss and, as each process has it, a sum of the weights.
"""

import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def initialize():
    """Connects with the other processes: those of `axle launch`, or those of a launcher that JAX knows."""
    if "AXLE_PROCESS_ID" in os.environ:
        jax.distributed.initialize(
            os.environ.get("COORDINATOR", "127.0.0.1:9876"),
            num_processes=int(os.environ["AXLE_NUM_PROCESSES"]),
            process_id=int(os.environ["AXLE_PROCESS_ID"]),
        )
    else:
        jax.distributed.initialize()


def loss(weights, x, y):
    hidden = jnp.tanh(x @ weights["in"])
    return jnp.mean((hidden @ weights["out"] - y) ** 2)


def step(weights, x, y):
    """Of one device: its examples and the weights, which all devices have. Gradients are averaged over all."""
    weights_here = jax.tree.map(lambda w: lax.pcast(w, "data", to="varying"), weights)
    value, gradients = lax.pmean(jax.value_and_grad(loss)(weights_here, x, y), "data")
    return jax.tree.map(lambda w, g: w - 0.05 * g, weights, gradients), value


def main(num_steps=200):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    divided, whole = P("data"), P()
    train = jax.jit(jax.shard_map(step, mesh=mesh, in_specs=(whole, divided, divided), out_specs=(whole, whole)))

    # The examples of a device are its own: only this process makes them.
    def examples(index):
        return np.random.default_rng(index[0].start or 0).uniform(-1, 1, (32, 2)).astype(np.float32)

    count = 32 * len(jax.devices())
    x = jax.make_array_from_callback((count, 2), NamedSharding(mesh, divided), examples)
    y = jax.jit(lambda x: jnp.sin(2 * x[:, :1]) + x[:, 1:])(x)
    keys = jax.random.split(jax.random.key(0), 2)
    weights = {"in": jax.random.normal(keys[0], (2, 32)), "out": jax.random.normal(keys[1], (32, 1)) / 6}
    weights = multihost_utils.host_local_array_to_global_array(jax.device_get(weights), mesh, whole)

    first = jax.process_index() == 0
    if first:
        print(f"{jax.process_count()} processes, {len(jax.devices())} devices, {count} examples", flush=True)
    losses = []
    for i in range(num_steps):
        weights, value = train(weights, x, y)
        losses.append(float(value))
        if first and (i % 50 == 0 or i == num_steps - 1):
            print(f"step {i:4}  loss {losses[-1]:.5f}", flush=True)
    multihost_utils.sync_global_devices("trained")
    total = sum(np.asarray(w.addressable_data(0)).sum() for w in jax.tree.leaves(weights))
    print(f"process {jax.process_index()}: the weights sum up to {total:.6f}", flush=True)
    return losses


if __name__ == "__main__":
    initialize()
    main()

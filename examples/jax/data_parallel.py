"""Trains a small network on all devices at once: AXLE_NUM_DEVICES=8 JAX_PLATFORMS=axle python data_parallel.py

The batch is divided among the devices, and every device has the weights. The step is written for the whole batch; the
shardings of its arguments say the rest. Prints the loss, and how the batch lies on the devices.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def loss(weights, x, y):
    hidden = jnp.tanh(x @ weights["in"])
    return jnp.mean((hidden @ weights["out"] - y) ** 2)


def step(weights, x, y):
    value, gradients = jax.value_and_grad(loss)(weights, x, y)
    return jax.tree.map(lambda w, g: w - 0.05 * g, weights, gradients), value


def main(num_steps=200):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    divided, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    train = jax.jit(step, out_shardings=(whole, whole), donate_argnums=0)

    keys = jax.random.split(jax.random.key(0), 3)
    x = jax.random.uniform(keys[0], (32 * len(jax.devices()), 2), minval=-1.0)
    y = jnp.sin(2 * x[:, :1]) + x[:, 1:]
    weights = {"in": jax.random.normal(keys[1], (2, 32)), "out": jax.random.normal(keys[2], (32, 1)) / 6}
    x, y, weights = jax.device_put((x, y), divided) + (jax.device_put(weights, whole),)

    parts = {shard.device.id: shard.data.shape for shard in x.addressable_shards}
    print(f"{len(parts)} devices of {jax.devices()[0].platform}, each with {parts[0][0]} of {x.shape[0]} examples")
    losses = []
    for i in range(num_steps):
        weights, value = train(weights, x, y)
        losses.append(float(value))
        if i % 50 == 0 or i == num_steps - 1:
            print(f"step {i:4}  loss {losses[-1]:.5f}")
    return losses


if __name__ == "__main__":
    main()

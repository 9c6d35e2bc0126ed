"""Multiplies two matrices that no device has whole: AXLE_NUM_DEVICES=8 JAX_PLATFORMS=axle python ring_matmul.py

Each device has some rows of a and some rows of b. What it has of b goes round the ring of devices, and each device adds the
product with its columns of a. Prints how far the result is from NumPy's.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def ring_matmul(mesh):
    (axis,) = mesh.axis_names
    size = mesh.devices.size
    from_next = [((i + 1) % size, i) for i in range(size)]

    def on_each(a, b):
        me = lax.axis_index(axis)
        rows = b.shape[0]

        def turn(k, state):
            total, b = state
            columns = lax.dynamic_slice_in_dim(a, (me + k) % size * rows, rows, 1)
            return total + columns @ b, lax.ppermute(b, axis, from_next)

        zero = lax.pcast(jnp.zeros((a.shape[0], b.shape[1]), a.dtype), axis, to="varying")
        return lax.fori_loop(0, size, turn, (zero, b))[0]

    return jax.jit(jax.shard_map(on_each, mesh=mesh, in_specs=(P(axis), P(axis)), out_specs=P(axis)))


def main(size=512):
    mesh = Mesh(np.array(jax.devices()), ("ring",))
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size), np.float32) for _ in range(2))
    rows = NamedSharding(mesh, P("ring"))
    product = ring_matmul(mesh)(jax.device_put(a, rows), jax.device_put(b, rows))
    error = float(np.max(np.abs(np.asarray(product) - a @ b)))
    print(f"{mesh.devices.size} devices, {product.addressable_shards[0].data.shape} on each; largest difference {error:.1e}")
    return error


if __name__ == "__main__":
    main()

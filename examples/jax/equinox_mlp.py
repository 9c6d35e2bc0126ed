"""A network in Equinox that learns a curve: JAX_PLATFORMS=axle python equinox_mlp.py

Needs: pip install equinox optax. Prints a table and the curve with what was learned.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


def target(x):
    return jnp.sin(3 * x) + 0.5 * x


def main(steps=1000):
    model = eqx.nn.MLP("scalar", "scalar", 32, 3, jnp.tanh, key=jax.random.key(0))
    x = jnp.linspace(-2, 2, 256)
    optimizer = optax.adam(3e-3)
    state = optimizer.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def step(model, state):
        value, gradients = eqx.filter_value_and_grad(lambda m: ((jax.vmap(m)(x) - target(x)) ** 2).mean())(model)
        updates, state = optimizer.update(gradients, state)
        return eqx.apply_updates(model, updates), state, value

    print(f"{jax.devices()[0]}\n step  mean squared error")
    for i in range(steps):
        model, state, value = step(model, state)
        if i % 200 == 199:
            print(f"{i + 1:5}  {float(value):.6f}")
    for place in jnp.linspace(-2, 2, 17):  # o: the curve, *: the network
        row = [" "] * 61
        row[int(30 + 12 * target(place))] = "o"
        row[int(30 + 12 * model(place))] = "*"
        print(f"{float(place):5.2f} |{''.join(row)}")
    return float(value)


if __name__ == "__main__":
    main()

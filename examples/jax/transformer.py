"""A small transformer in Flax that learns to reverse sequences, trained with Optax: JAX_PLATFORMS=axle python transformer.py

Needs: pip install flax optax. Prints loss and the share of right symbols as it learns.
"""

import time

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

LENGTH, SYMBOLS, WIDTH = 12, 16, 64


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=4)(y, y)
        return x + nn.Dense(WIDTH)(nn.gelu(nn.Dense(4 * WIDTH)(nn.LayerNorm()(x))))


class Transformer(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        places = self.param("places", nn.initializers.normal(0.02), (LENGTH, WIDTH))
        x = nn.Embed(SYMBOLS, WIDTH)(tokens) + places
        for _ in range(2):
            x = Block()(x)
        return nn.Dense(SYMBOLS)(nn.LayerNorm()(x))


def main(steps=400, batch=64):
    model, optimizer = Transformer(), optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(2e-3))
    params = model.init(jax.random.key(0), jnp.zeros((1, LENGTH), jnp.int32))
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, key):
        tokens = jax.random.randint(key, (batch, LENGTH), 0, SYMBOLS)

        def loss(params):
            logits = model.apply(params, tokens)
            right = (logits.argmax(-1) == tokens[:, ::-1]).mean()
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, ::-1]).mean(), right

        (value, right), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value, right

    print(f"{jax.devices()[0]}\n step    loss   right  seconds")
    start = time.perf_counter()
    for i in range(steps):
        params, state, value, right = step(params, state, jax.random.fold_in(jax.random.key(1), i))
        if i % 50 == 49:
            print(f"{i + 1:5}  {float(value):.4f}  {float(right):6.1%}  {time.perf_counter() - start:7.2f}")
    return float(right)


if __name__ == "__main__":
    main()

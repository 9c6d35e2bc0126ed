"""A program of JAX that is run on the platform that the environment chooses; it prints the name of that platform."""

import jax
import jax.numpy as jnp
import numpy as np


def step(state, x):
    weights, count = state
    loss, slope = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(weights)
    return (weights - 0.1 * slope, count + 1), loss


def main():
    x = np.linspace(-1, 1, 60, dtype=np.float32).reshape(5, 4, 3)
    train = jax.jit(lambda weights: jax.lax.scan(step, (weights, 0), x), donate_argnums=0)
    weights = jnp.full((3, 2), 0.5)
    (trained, count), losses = train(weights)
    assert count == 5 and trained.shape == (3, 2) and losses.shape == (5,)
    assert weights.is_deleted()  # its memory was donated
    expected = np.full((3, 2), 0.5)
    for batch in x:  # the same by hand
        y = np.tanh(batch @ expected)
        expected = expected - 0.1 * batch.T @ (2 * y * (1 - y**2) / y.size)
    np.testing.assert_allclose(trained, expected, rtol=1e-5)

    key = jax.random.key_data(jax.random.split(jax.random.key(7), 2))
    assert np.asarray(key).dtype == np.uint32 and key.shape == (2, 2)
    rows = jax.vmap(lambda row: jnp.sort(row)[::-1])(jnp.array([[3, 1, 2], [4, 6, 5]]))
    assert rows.tolist() == [[3, 2, 1], [6, 5, 4]]
    assert jax.jit(lambda: jnp.arange(3))().tolist() == [0, 1, 2]

    # What has no rule for all platforms: linear algebra, calls of Python.
    def norm(x):
        jax.debug.callback(lambda y: None, x)
        root = jax.pure_callback(lambda y: np.sqrt(np.asarray(y)), jax.ShapeDtypeStruct((2,), np.float32), jnp.linalg.eigh(x)[0])
        return root.sum()

    np.testing.assert_allclose(jax.jit(norm)(jnp.array([[2.0, 1.0], [1.0, 3.0]])), 1.17557 + 1.902113, rtol=1e-5)
    jax.effects_barrier()
    print(jax.devices()[0].platform)


if __name__ == "__main__":
    main()

"""Samples of a banana-shaped density with BlackJAX's HMC: JAX_PLATFORMS=axle python hmc.py

Needs: pip install blackjax. Draws the samples.
"""

import blackjax
import jax
import jax.numpy as jnp
import numpy as np


def log_density(place):
    x, y = place
    return -0.5 * (x**2 / 4 + (y - x**2 / 4) ** 2)


def main(samples=4000):
    sampler = blackjax.hmc(log_density, step_size=0.25, inverse_mass_matrix=jnp.ones(2), num_integration_steps=20)

    @jax.jit
    def run(key):
        def step(state, key):
            state, info = sampler.step(key, state)
            return state, (state.position, info.acceptance_rate)

        return jax.lax.scan(step, sampler.init(jnp.zeros(2)), jax.random.split(key, samples))[1]

    places, rates = run(jax.random.key(0))
    print(f"{jax.devices()[0]}, accepted {float(rates.mean()):.1%}, mean {places.mean(0)}")
    counts, _, _ = np.histogram2d(np.asarray(places[:, 1]), np.asarray(places[:, 0]), [16, 60], [[-2, 8], [-6, 6]])
    for row in counts[::-1]:
        print("".join(" .:+*#@"[min(6, int(np.ceil(n / 3)))] for n in row).rstrip())
    return float(places[:, 1].mean())


if __name__ == "__main__":
    main()

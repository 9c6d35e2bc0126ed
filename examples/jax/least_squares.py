"""A curve through noisy points by Levenberg-Marquardt, with Optimistix: JAX_PLATFORMS=axle python least_squares.py

Needs: pip install optimistix equinox. Prints what was found beside what the points were made of.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx

jax.config.update("jax_enable_x64", True)
TRUE = jnp.array([2.5, 0.7, 3.0, 0.3])


def curve(parameters, t):
    height, decay, frequency, phase = parameters
    return height * jnp.exp(-decay * t) * jnp.cos(frequency * t + phase)


@eqx.filter_jit
def fit(start, t, points):
    solver = optx.LevenbergMarquardt(rtol=1e-10, atol=1e-10)
    return optx.least_squares(lambda p, _: curve(p, t) - points, solver, start, max_steps=200)


def main():
    t = jnp.linspace(0, 5, 200)
    points = curve(TRUE, t) + 0.05 * jax.random.normal(jax.random.key(0), t.shape)
    solution = fit(jnp.array([1.0, 1.0, 2.5, 0.0]), t, points)
    print(f"{jax.devices()[0]}, {int(solution.stats['num_steps'])} steps\n              true     found")
    for name, true, found in zip(("height", "decay", "frequency", "phase"), TRUE, solution.value):
        print(f"{name:10} {float(true):8.4f} {float(found):9.4f}")
    return [float(x) for x in solution.value]


if __name__ == "__main__":
    main()

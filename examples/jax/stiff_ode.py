"""Robertson's chemical reaction, a stiff differential equation, with Diffrax: JAX_PLATFORMS=axle python stiff_ode.py

Needs: pip install diffrax. Prints the concentrations over eleven powers of ten of time.
"""

import diffrax
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def reaction(t, y, args):
    k1, k2, k3 = args
    slow, fast, back = k1 * y[0], k2 * y[1] ** 2, k3 * y[1] * y[2]
    return jnp.stack([back - slow, slow - fast - back, fast])


@jax.jit
def solve(y0, times):
    return diffrax.diffeqsolve(
        diffrax.ODETerm(reaction), diffrax.Kvaerno5(), t0=0.0, t1=times[-1], dt0=2e-4, y0=y0, args=(0.04, 3e7, 1e4),
        stepsize_controller=diffrax.PIDController(rtol=1e-8, atol=1e-8), saveat=diffrax.SaveAt(ts=times), max_steps=10_000,
    )  # fmt: skip


def main():
    times = 10.0 ** jnp.arange(-5, 6)
    solution = solve(jnp.array([1.0, 0.0, 0.0]), times)
    print(f"{jax.devices()[0]}, {int(solution.stats['num_steps'])} steps\n        time            A            B            C")
    for t, (a, b, c) in zip(times, solution.ys):
        print(f"{float(t):12.0e} {float(a):12.6e} {float(b):12.6e} {float(c):12.6e}")
    return [float(x) for x in solution.ys[-1]]


if __name__ == "__main__":
    main()

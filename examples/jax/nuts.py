"""The eight schools, a hierarchical model, with NumPyro's NUTS: JAX_PLATFORMS=axle python nuts.py

Needs: pip install numpyro. Prints the posterior of the mean, the spread and each school's effect.
"""

import time

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS
from numpyro.infer.reparam import TransformReparam

EFFECTS = jnp.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERRORS = jnp.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def schools():
    mean = numpyro.sample("mean", dist.Normal(0, 5))
    spread = numpyro.sample("spread", dist.HalfCauchy(5))
    with numpyro.plate("school", 8), numpyro.handlers.reparam(config={"effect": TransformReparam()}):
        base = dist.TransformedDistribution(dist.Normal(0, 1), dist.transforms.AffineTransform(mean, spread))
        effect = numpyro.sample("effect", base)
        numpyro.sample("measured", dist.Normal(effect, ERRORS), obs=EFFECTS)


def main(samples=1000):
    start = time.perf_counter()
    mcmc = MCMC(NUTS(schools), num_warmup=500, num_samples=samples, progress_bar=False)
    mcmc.run(jax.random.key(0))
    found = mcmc.get_samples()
    print(f"{jax.devices()[0]}, {samples} samples in {time.perf_counter() - start:.1f} s")
    columns = {"mean": found["mean"], "spread": found["spread"]}
    columns.update({f"school {i + 1}": found["effect"][:, i] for i in range(8)})
    print("           mean   5 %   95 %")
    for name, values in columns.items():
        low, high = jnp.quantile(values, jnp.array([0.05, 0.95]))
        print(f"{name:9} {float(values.mean()):5.1f} {float(low):5.1f}  {float(high):5.1f}")
    return float(found["mean"].mean())


if __name__ == "__main__":
    main()

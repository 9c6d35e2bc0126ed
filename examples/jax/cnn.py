"""A small convolutional network in Flax, trained with Optax on drawn digits: JAX_PLATFORMS=axle python cnn.py

Needs: pip install flax optax. Prints a line per epoch: loss, share of test images that are classified right, seconds.
"""

import time

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

# Seven-segment digits: which of the segments (top, upper left, upper right, middle, lower left, lower right, bottom) are on.
SEGMENTS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]
PLACES = [(2, 4, 8, 2), (2, 3, 2, 6), (2, 9, 2, 6), (7, 4, 8, 2), (8, 3, 2, 6), (8, 9, 2, 6), (13, 4, 8, 2)]


def draw(rng, count):
    labels = rng.integers(0, 10, count)
    images = rng.normal(0.0, 0.3, (count, 16, 16, 1)).astype(np.float32)
    for image, label in zip(images, labels):
        dy, dx = rng.integers(-1, 2, 2)
        for on, (y, x, w, h) in zip(SEGMENTS[label], PLACES):
            if on == "1":
                image[y + dy : y + dy + h, x + dx : x + dx + w, 0] += 1.0
    return jnp.asarray(images), jnp.asarray(labels)


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        for features in (16, 32):
            x = nn.relu(nn.Conv(features, (3, 3))(x))
            x = nn.max_pool(x, (2, 2), (2, 2))
        return nn.Dense(10)(nn.relu(nn.Dense(64)(x.reshape(x.shape[0], -1))))


def main(epochs=5, batch=64):
    rng = np.random.default_rng(0)
    images, labels = draw(rng, 2048)
    test_images, test_labels = draw(rng, 512)
    model, optimizer = CNN(), optax.adam(1e-3)
    params = model.init(jax.random.key(0), images[:1])
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, x, y):
        def loss(params):
            return optax.softmax_cross_entropy_with_integer_labels(model.apply(params, x), y).mean()

        value, gradients = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, value

    accuracy = jax.jit(lambda params, x, y: (model.apply(params, x).argmax(-1) == y).mean())
    print(f"{jax.devices()[0]}\nepoch   loss  accuracy  seconds")
    for epoch in range(epochs):
        start, losses = time.perf_counter(), []
        for i in range(0, len(images), batch):
            params, state, value = step(params, state, images[i : i + batch], labels[i : i + batch])
            losses.append(value)
        right = float(accuracy(params, test_images, test_labels))
        print(f"{epoch:5}  {float(jnp.stack(losses).mean()):.3f}    {right:6.1%}  {time.perf_counter() - start:7.2f}")
    return right


if __name__ == "__main__":
    main()

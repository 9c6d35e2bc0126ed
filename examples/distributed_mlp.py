#!/usr/bin/env python3
"""Trains a small network data-parallel, on the devices of one process or of many, with checkpoints:

    python3 distributed_mlp.py --devices 4                     one process of four devices
    axle launch -n 4 -- python3 distributed_mlp.py             four processes of one device each
    srun -n 16 python3 distributed_mlp.py                      Slurm, with AXLE_RENDEZVOUS=file://$PWD/meet
    mpirun -n 4 python3 distributed_mlp.py --transport mpi

The network tells the points of three spirals apart. Every device has the weights and a part of each batch. The
gradients are summed over all devices (all-reduce), so that the weights stay equal; the sums are made in a fixed order,
so that the weights have the same bits however the devices are spread over processes.

Process 0 writes a checkpoint every --every steps, and every process begins with it if there is one. When a process is
lost, the others get UNAVAILABLE, which names it, and end. Started again, the job goes on from the checkpoint.
"""

import argparse
import os
import sys
import time

import axle
import numpy as np

CLASSES, HIDDEN, BATCH = 3, 64, 384
RATE, MOMENTUM = 0.05, 0.9


def train_step(num_devices):
    """The step of one device: weights, momenta, its points and labels -> weights, momenta, loss of the whole batch."""
    add = axle.computation(lambda x, y: x + y, "f32[]", "f32[]")
    b = axle.Builder("train_step")
    weights = [b.parameter(shape_text(w)) for w in first_weights()]
    momenta = [b.parameter(shape_text(w)) for w in first_weights()]
    w1, b1, w2, b2, w3, b3 = weights
    x = b.parameter(f"f32[{BATCH // num_devices},2]")
    y = b.parameter(f"f32[{BATCH // num_devices},{CLASSES}]")

    def sum_of(value, dimension):
        return b.reduce(value, 0, dimensions=[dimension], to_apply=add)

    # Forward: two hidden layers, and the logarithm of softmax.
    h1 = b.tanh(x @ w1 + b1)
    h2 = b.tanh(h1 @ w2 + b2)
    logits = h2 @ w3 + b3
    total = sum_of(b.exponential(logits), 1).reshape([BATCH // num_devices, 1])
    loss = -sum_of(sum_of(y * (logits - b.log(total)), 1), 0) / BATCH

    # Backward.
    d3 = (b.exponential(logits) / total - y) / BATCH
    d2 = (d3 @ w3.T) * (1 - h2 * h2)
    d1 = (d2 @ w2.T) * (1 - h1 * h1)
    gradients = [x.T @ d1, sum_of(d1, 0), h1.T @ d2, sum_of(d2, 0), h2.T @ d3, sum_of(d3, 0)]

    # One message for all: each device gets the sums over all devices.
    *gradients, loss = b.all_reduce(*gradients, loss, replica_groups=[range(num_devices)], to_apply=add)
    momenta = [MOMENTUM * m + g for m, g in zip(momenta, gradients)]
    weights = [w - RATE * m for w, m in zip(weights, momenta)]
    return b.build([*weights, *momenta, loss])


def shape_text(array):
    return f"f32[{','.join(map(str, array.shape))}]"


def first_weights():
    draw = np.random.default_rng(0).standard_normal
    sizes = [2, HIDDEN, HIDDEN, CLASSES]
    shapes = [shape for m, n in zip(sizes, sizes[1:]) for shape in ((m, n), (n,))]
    return [
        (draw(shape) / np.sqrt(shape[0])).astype(np.float32) if len(shape) == 2 else np.zeros(shape, np.float32)
        for shape in shapes
    ]


def spirals(count, seed):
    """Points and one-hot labels."""
    random = np.random.default_rng(seed)
    label = random.integers(0, CLASSES, count)
    radius = random.uniform(0.05, 1, count)
    angle = 4 * radius + label * (2 * np.pi / CLASSES) + random.normal(0, 0.2, count)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return (2 * points).astype(np.float32), np.eye(CLASSES, dtype=np.float32)[label]


def accuracy(weights, points, labels):
    w1, b1, w2, b2, w3, b3 = weights
    logits = np.tanh(np.tanh(points @ w1 + b1) @ w2 + b2) @ w3 + b3
    return float(np.mean(logits.argmax(1) == labels.argmax(1)))


def write_checkpoint(path, step, values):
    """All of it or nothing: what is half written when a process dies is never read."""
    partial = f"{path}.{os.getpid()}.partial.npz"
    np.savez(partial, step=step, **{f"value{i}": value for i, value in enumerate(values)})
    os.replace(partial, path)


def read_checkpoint(path):
    """The step and the values; step 0 and the first weights if there is no checkpoint."""
    if not path or not os.path.exists(path):
        return 0, first_weights() + [np.zeros_like(w) for w in first_weights()]
    with np.load(path) as file:
        return int(file["step"]), [file[f"value{i}"] for i in range(len(file.files) - 1)]


def train(client, options):
    me, num_devices = client.process_id, client.num_job_devices
    if BATCH % num_devices:
        sys.exit(f"{BATCH} examples cannot be divided among {num_devices} devices")
    step, values = read_checkpoint(options.checkpoint)
    print(f"process {me} of {client.num_processes} is {os.getpid()}, devices {len(client.devices)} of {num_devices}, "
          f"from step {step}", flush=True)  # fmt: skip
    program = client.compile(train_step(num_devices), replicas=num_devices)
    part = BATCH // num_devices
    state = [[device.put(value) for value in values] for device in program.devices]
    while step < options.steps:
        points, labels = spirals(BATCH, seed=1000 + step)  # every process draws the same batch
        parts = [slice(number * part, (number + 1) * part) for number in program.device_numbers]
        results = program.execute_replicated([[*s, points[p], labels[p]] for s, p in zip(state, parts)])
        state = [result[:-1] for result in results]
        step += 1
        if step % options.every == 0 or step == options.steps:
            if me == 0:
                print(f"step {step:4}  loss {float(np.asarray(results[0][-1])):.5f}", flush=True)
                if options.checkpoint:
                    write_checkpoint(options.checkpoint, step, [np.asarray(value) for value in state[0]])
        if me == client.num_processes - 1:
            time.sleep(options.pause)
    if me == 0:
        weights = [np.asarray(value) for value in state[0][: len(values) // 2]]
        print(f"finished: accuracy {accuracy(weights, *spirals(3000, seed=1)):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Trains a small network data-parallel.")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--every", type=int, default=50, help="steps between checkpoints")
    parser.add_argument("--checkpoint", help="the file; without it there are none")
    parser.add_argument("--devices", type=int, default=1, help="of each process")
    parser.add_argument("--transport", choices=["gloo", "mpi"], help="between processes; without it: as launched")
    parser.add_argument("--pause", type=float, default=0, help="seconds for which the last process is late each time")
    options = parser.parse_args()
    is_launched = options.transport or "AXLE_PROCESS_ID" in os.environ or "SLURM_PROCID" in os.environ
    try:
        job = {"transport": options.transport} if is_launched else None
        client = axle.Client(num_devices=options.devices, distributed=job)
        train(client, options)
    except axle.AxleError as error:
        if error.code != "UNAVAILABLE":
            raise
        print(f"another process is gone: {error}", flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()

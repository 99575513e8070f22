"""An n-body system under gravity, by the leapfrog method."""

import numpy as np

SIZE, STEPS = 256, 60


def accelerations(xp, position, mass):
    offset = position[None, :, :] - position[:, None, :]
    distance2 = (offset * offset).sum(axis=-1) + 0.01
    weight = mass[None, :] / (distance2 * xp.sqrt(distance2))
    return (offset * weight[:, :, None]).sum(axis=1)


def run(xp, size, steps, progress):
    rng = np.random.default_rng(2)
    position = xp.asarray(rng.normal(size=(size, 3)))
    velocity = xp.asarray(rng.normal(size=(size, 3)) * 0.1)
    mass = xp.asarray(rng.random(size) / size)
    step = 0.01
    acceleration = accelerations(xp, position, mass)
    for _ in progress(range(steps)):
        velocity += 0.5 * step * acceleration
        position += step * velocity
        acceleration = accelerations(xp, position, mass)
        velocity += 0.5 * step * acceleration
    return position


def plot(axes, result):
    axes.scatter(result[:, 0], result[:, 1], s=4)

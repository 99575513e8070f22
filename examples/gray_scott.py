"""Gray-Scott reaction-diffusion: two substances that form spots and stripes."""

import numpy as np

SIZE, STEPS = 256, 400


def laplacian(xp, z):
    neighbours = xp.roll(z, 1, 0) + xp.roll(z, -1, 0) + xp.roll(z, 1, 1) + xp.roll(z, -1, 1)
    return neighbours - 4 * z


def run(xp, size, steps, progress):
    noise = np.random.default_rng(1).random((size, size)) * 0.05
    u = 1 - xp.asarray(noise)
    v = xp.asarray(noise)
    middle = slice(size // 2 - size // 10, size // 2 + size // 10)
    u[middle, middle] = 0.5
    v[middle, middle] = 0.25
    for _ in progress(range(steps)):
        reaction = u * v * v
        u += 0.16 * laplacian(xp, u) - reaction + 0.035 * (1 - u)
        v += 0.08 * laplacian(xp, v) + reaction - 0.095 * v
    return v


def plot(axes, result):
    axes.imshow(result, cmap="magma")

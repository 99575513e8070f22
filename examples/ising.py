"""The 2-D Ising model: Metropolis steps on a checkerboard, near the critical temperature."""

import numpy as np

SIZE, STEPS = 256, 60


def run(xp, size, steps, progress):
    rng = np.random.default_rng(6)
    spins = xp.asarray(rng.choice([-1.0, 1.0], (size, size)))
    draws = rng.random((8, size, size))
    rows, cols = xp.meshgrid(xp.arange(size), xp.arange(size), indexing="ij")
    colour = (rows + cols) % 2
    chance = xp.asarray(draws)
    for step in progress(range(steps)):
        for parity in (0, 1):
            field = (xp.roll(spins, 1, 0) + xp.roll(spins, -1, 0)
                     + xp.roll(spins, 1, 1) + xp.roll(spins, -1, 1))  # fmt: skip
            accept = chance[(2 * step + parity) % 8] < xp.exp(-2 * spins * field / 2.27)
            spins = xp.where(accept & (colour == parity), -spins, spins)
    return spins


def plot(axes, result):
    axes.imshow(result, cmap="gray")

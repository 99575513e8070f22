"""Flow around a cylinder: the D2Q9 lattice-Boltzmann method with one relaxation time."""

import numpy as np

SIZE, STEPS = 60, 200
VELOCITIES = np.array([(x, y) for x in (0, 1, -1) for y in (0, 1, -1)])
WEIGHTS = np.array([4 / 9 if (x, y) == (0, 0) else 1 / 36 if x and y else 1 / 9
                    for x, y in VELOCITIES])  # fmt: skip
OPPOSITE = [int(np.flatnonzero((-c == VELOCITIES).all(axis=1))[0]) for c in VELOCITIES]


def equilibrium(xp, density, u, v):
    speed2 = 1.5 * (u * u + v * v)
    parts = []
    for (x, y), weight in zip(VELOCITIES.tolist(), WEIGHTS.tolist(), strict=True):
        along = 3 * (x * u + y * v)
        parts.append(weight * density * (1 + along + 0.5 * along * along - speed2))
    return xp.stack(parts)


def run(xp, size, steps, progress):
    height, width = size, 3 * size
    rows, cols = xp.meshgrid(xp.arange(height), xp.arange(width), indexing="ij")
    cylinder = (rows - height // 2) ** 2 + (cols - width // 4) ** 2 < (size // 9) ** 2
    inflow = 0.08 * (1 + 1e-3 * xp.sin(2 * np.pi * rows / height))
    zero = xp.zeros((height, width))
    f = equilibrium(xp, zero + 1, inflow, zero)
    first = equilibrium(xp, zero + 1, inflow, zero)[:, :, 0].copy()
    for _ in progress(range(steps)):
        density = f.sum(axis=0)
        u = sum(int(c[0]) * f[i] for i, c in enumerate(VELOCITIES)) / density
        v = sum(int(c[1]) * f[i] for i, c in enumerate(VELOCITIES)) / density
        collided = f + 1.6 * (equilibrium(xp, density, u, v) - f)
        for i, other in enumerate(OPPOSITE):
            collided[i] = xp.where(cylinder, f[other], collided[i])
        for i, (x, y) in enumerate(VELOCITIES.tolist()):
            f[i] = xp.roll(xp.roll(collided[i], x, 1), y, 0)
        f[:, :, 0] = first
    return xp.sqrt(u * u + v * v)


def plot(axes, result):
    axes.imshow(result, cmap="viridis")

"""k-means clustering (Lloyd's algorithm) of points around a few centres."""

import numpy as np

SIZE, STEPS = 50_000, 12
CLUSTERS = 8


def run(xp, size, steps, progress):
    rng = np.random.default_rng(3)
    homes = rng.normal(size=(CLUSTERS, 2)) * 6
    points = xp.asarray(homes[rng.integers(0, CLUSTERS, size)] + rng.normal(size=(size, 2)))
    centres = points[:CLUSTERS].copy()
    for _ in progress(range(steps)):
        offset = points[:, None, :] - centres[None, :, :]
        nearest = xp.argmin((offset * offset).sum(axis=2), axis=1)
        for k in range(CLUSTERS):
            members = nearest == k
            count = xp.maximum(members.sum(), 1)
            centres[k] = xp.where(members[:, None], points, 0.0).sum(axis=0) / count
    return centres


def plot(axes, result):
    axes.scatter(result[:, 0], result[:, 1], marker="x")

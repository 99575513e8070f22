"""The example programs, small: the same result on rocarray as on NumPy."""

import importlib

import numpy as np
import pytest

import rocarray as rp

SIZES = {
    "black_scholes": (1000, 3),
    "gray_scott": (32, 10),
    "ising": (32, 4),
    "kmeans": (500, 3),
    "lattice_boltzmann": (20, 10),
    "nbody": (32, 5),
}


@pytest.mark.parametrize("name", sorted(SIZES))
def test_example_agrees_with_numpy(name):
    program = importlib.import_module(f"examples.{name}")
    size, steps = SIZES[name]
    expected = program.run(np, size, steps, iter)
    result = program.run(rp, size, steps, iter)
    np.testing.assert_allclose(rp.asnumpy(result), expected, rtol=1e-9, atol=1e-9)

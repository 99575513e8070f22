"""Indexing with arrays and masks, get and set, against NumPy."""

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

RNG = np.random.default_rng(11)
A = RNG.normal(size=(5, 6, 7))
ROWS = np.array([0, -1, 3, 3])
COLS = np.array([1, 2, -3, 0])

KEYS = {
    "one": (ROWS,),
    "second axis": (slice(None), ROWS),
    "pair": (ROWS, COLS),
    "separated": (ROWS, slice(None), COLS),
    "last": (Ellipsis, ROWS),
    "newaxis first": (None, ROWS),
    "newaxis between": (ROWS, None, COLS),
    "outer": (ROWS[:, None], COLS),
    "with slices": (slice(1, 4), ROWS, slice(None, None, -2)),
    "mask": (A > 0,),
    "mask of two axes": (A[:, :, 0] > 0,),
    "mask in the middle": (slice(None), A[0] > 0),
    "mask and array": (A[:, 0, 0] > -9, np.array([0, 1, 2, 3, 4])),
    "list": ([0, 1],),
    "int then array": (2, ROWS),
    "array then int": (ROWS, 2),
    "int around": (slice(None), 2, ROWS),
    "true": (np.array(True),),
    "false": (np.array(False),),
    "empty mask": (np.zeros((5, 6, 7), bool),),
    "empty array": (ROWS[:0],),
    "bytes": (ROWS.astype(np.int8),),
    "two-dimensional": (ROWS.reshape(2, 2), COLS.reshape(2, 2)),
}


def on_device(key):
    return tuple(rp.asarray(x) if isinstance(x, np.ndarray) else x for x in key)


@pytest.mark.parametrize("name", KEYS)
def test_get(name):
    assert_same(rp.asarray(A)[on_device(KEYS[name])], A[KEYS[name]])


VIEWS = {
    "c": lambda x: x,
    "reversed": lambda x: x[::-1],
    "transposed": lambda x: x.transpose(1, 2, 0).transpose(2, 0, 1),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", KEYS)
def test_set_scalar_and_array(name, view):
    key = KEYS[name]
    expected, actual = VIEWS[view](A.copy()), VIEWS[view](rp.asarray(A))
    expected[key] = -1
    actual[on_device(key)] = -1
    assert_same(actual, expected)
    values = RNG.normal(size=expected[key].shape)
    expected[key] = values
    actual[on_device(key)] = values
    assert_same(actual, expected)


def test_last_write_wins():
    n = 100_000
    places = RNG.integers(0, 50, n)
    values = RNG.normal(size=n)
    expected, actual = np.zeros(50), rp.zeros(50)
    expected[places] = values
    actual[rp.asarray(places)] = values
    assert_same(actual, expected)


@pytest.mark.parametrize("n_writes", [0, 1, 50, 3000])
def test_few_writes_into_a_large_array(n_writes):
    rng = np.random.default_rng(3)
    a = np.zeros((20000, 3))
    x = rp.asarray(a)
    places = rng.integers(-30, 30, n_writes)
    values = rng.normal(size=(n_writes, 3))
    a[places] = values
    x[rp.asarray(places)] = rp.asarray(values)
    assert_same(x, a)
    a[places] = 5
    x[rp.asarray(places)] = 5
    assert_same(x, a)


@pytest.mark.parametrize("index", [5, -6, [0, 7]])
def test_out_of_range(index):
    x = rp.asarray(A)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 5"):
        x[rp.asarray(index)]
    before = x.copy()
    with pytest.raises(IndexError, match="out of bounds"):
        x[rp.asarray(index)] = 0
    assert_same(x, before.get())


def test_refused_keys():
    x = rp.asarray(A)
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, 0, 0]
    with pytest.raises(IndexError, match="valid indices"):
        x[rp.asarray([0.5])]
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[rp.ones(4, bool)]
    with pytest.raises(IndexError, match="broadcast"):
        x[rp.asarray([0, 1]), rp.asarray([0, 1, 2])]
    with pytest.raises(ValueError, match="could not be broadcast"):
        x[rp.asarray([0, 1])] = rp.ones(3)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_take_modes(axis, mode):
    index = np.array([[0, 9], [-12, 3]])
    assert_same(rp.take(rp.asarray(A), index, axis, mode=mode), np.take(A, index, axis, mode=mode))


def test_along_axis():
    order = np.argsort(A, axis=1, kind="stable")
    assert_same(
        rp.take_along_axis(rp.asarray(A), rp.asarray(order), 1), np.take_along_axis(A, order, 1)
    )
    expected, actual = A.copy(), rp.asarray(A)
    np.put_along_axis(expected, order[:, :1], 9, 1)
    rp.put_along_axis(actual, rp.asarray(order[:, :1]), 9, 1)
    assert_same(actual, expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "f8", "c16"])
def test_nonzero(dtype):
    a = (RNG.random((4, 5, 6)) > 0.6).astype(dtype)
    for mine, theirs in zip(rp.nonzero(rp.asarray(a)), np.nonzero(a), strict=True):
        assert_same(mine, theirs)
    assert_same(rp.argwhere(rp.asarray(a)), np.argwhere(a))
    assert_same(rp.flatnonzero(rp.asarray(a)), np.flatnonzero(a))


def test_where_promotes_as_numpy():
    mask = A > 0
    for x, y in [(A, 0), (1, A.astype(np.float32)), (np.int8(3), np.arange(7, dtype=np.int16))]:
        device = [rp.asarray(v) if isinstance(v, np.ndarray) else v for v in (x, y)]
        assert_same(rp.where(rp.asarray(mask), *device), np.where(mask, x, y))


def test_put_place_choose_select():
    for name, arguments in {
        "put": ([0, 2, 5], [7, 8]),
        "place": (A > 0, [1, 2, 3]),
        "putmask": (A > 0, [1.0, 2.0]),
    }.items():
        expected, actual = A.copy(), rp.asarray(A)
        getattr(np, name)(expected, *arguments)
        getattr(rp, name)(actual, *map(rp.asarray, arguments))
        assert_same(actual, expected)
    which = RNG.integers(0, 3, (4, 5))
    choices = [np.full((4, 5), v) for v in (1, 2, 3)]
    assert_same(rp.choose(rp.asarray(which), choices), np.choose(which, choices))
    conditions = [A > 1, A > 0]
    assert_same(
        rp.select([rp.asarray(c) for c in conditions], [1, 2], 3), np.select(conditions, [1, 2], 3)
    )
    assert_same(rp.extract(A > 0, A), np.extract(A > 0, A))
    assert_same(rp.compress([True, False, True], rp.asarray(A), 1), np.compress([1, 0, 1], A, 1))


@pytest.mark.parametrize("k", [-2, 0, 1, 9])
def test_diagonals(k):
    m = A[0]
    assert_same(rp.diagonal(rp.asarray(A), k, 0, 2), np.diagonal(A, k, 0, 2))
    assert_same(rp.diag(rp.asarray(m), k), np.diag(m, k))
    assert_same(rp.diag(rp.arange(3), k), np.diag(np.arange(3), k))
    assert_same(rp.tril(rp.asarray(m), k), np.tril(m, k))
    assert_same(rp.triu(rp.asarray(m), k), np.triu(m, k))
    assert_same(rp.eye(4, 5, k), np.eye(4, 5, k))
    for mine, theirs in zip(rp.tril_indices(4, k), np.tril_indices(4, k), strict=True):
        assert_same(mine, theirs)


def test_fill_diagonal_and_index_arithmetic():
    expected, actual = A[0].copy(), rp.asarray(A[0])
    np.fill_diagonal(expected, 5)
    rp.fill_diagonal(actual, 5)
    assert_same(actual, expected)
    flat = np.array([0, 17, 41])
    for mine, theirs in zip(
        rp.unravel_index(flat, (6, 7)), np.unravel_index(flat, (6, 7)), strict=True
    ):
        assert_same(mine, theirs)
    index = np.unravel_index(flat, (6, 7))
    assert_same(rp.ravel_multi_index(index, (6, 7)), np.ravel_multi_index(index, (6, 7)))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract"])
def test_ufunc_at_counts_repetitions(name):
    places = RNG.integers(0, 20, 300)
    values = RNG.normal(size=300)
    expected, actual = np.ones(20), rp.ones(20)
    getattr(np, name).at(expected, places, values)
    getattr(rp, name).at(actual, rp.asarray(places), values)
    assert_same(actual, expected, 1e-13, 1e-13)


def test_indices_that_nothing_uses():
    nothing = np.zeros(0, bool)
    for xp in (np, rp):
        x, mask = xp.zeros((0, 0), int), xp.asarray(nothing)
        assert x[xp.asarray([0]), mask].shape == (0,)
        with pytest.raises(IndexError, match="index 0 is out of bounds for axis 0 with size 0"):
            x[0, mask]
    assert rp.ix_(rp.zeros(0, np.uint16))[0].dtype == np.uint16
    assert rp.ix_([])[0].dtype == np.int64

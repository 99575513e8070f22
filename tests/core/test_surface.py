"""Functions composed of others, each against NumPy's; names that NumPy has."""

import io

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

RNG = np.random.default_rng(7)
A, B = RNG.normal(size=(5, 6)), RNG.normal(size=(5, 6))
V, W = RNG.normal(size=9), RNG.normal(size=4)
Z = V[:5] + 1j * V[4:]
N = RNG.integers(0, 9, 12)
POINTS = RNG.normal(size=(50, 2))

# name: call of a module and a function that brings arrays to it.
CASES = {
    "gradient": lambda xp, f: xp.gradient(f(A)),
    "gradient spacing": lambda xp, f: xp.gradient(f(A), 2.0, axis=1, edge_order=2),
    "gradient coordinates": lambda xp, f: xp.gradient(f(V), f(np.arange(9.0) ** 2), edge_order=2),
    "gradient of integers": lambda xp, f: xp.gradient(f(N)),
    "gradient of complex": lambda xp, f: xp.gradient(f(Z), 0.5),
    "interp": lambda xp, f: xp.interp(f(V * 3), f(np.arange(4.0)), f(W)),
    "interp sides": lambda xp, f: xp.interp(f(V * 3), f(np.arange(4.0)), f(W), left=-7, right=8),
    "interp period": lambda xp, f: xp.interp(f(V * 9), f(np.array([3.0, 1, 2, 0])), f(W), period=4),
    "interp complex": lambda xp, f: xp.interp(f(V), f(np.arange(5.0)), f(Z)),
    "interp special": lambda xp, f: xp.interp(
        f(np.array([np.nan, -np.inf, np.inf, 1])), f(np.arange(4.0)), f(np.array([0, 1, np.inf, 2]))
    ),
    "interp one": lambda xp, f: xp.interp(f(V), f(np.array([0.1])), f(np.array([2.0]))),
    "cross": lambda xp, f: xp.cross(f(A[:, :3]), f(B[:, :3])),
    "cross axes": lambda xp, f: xp.cross(f(A[:3]), f(B[:3]), axis=0),
    "cross broadcast": lambda xp, f: xp.cross(f(A[:, :3]), f(W[:3])),
    "piecewise": lambda xp, f: xp.piecewise(
        f(V), [f(V) < -0.5, f(V) > 0.5], [lambda x: -x, 2, lambda x: x * x]
    ),
    "piecewise one": lambda xp, f: xp.piecewise(f(V), f(V) < 0, [-1, 1]),
    "along axis": lambda xp, f: xp.apply_along_axis(lambda x: x[::-1] * 2, 0, f(A)),
    "along axis scalar": lambda xp, f: xp.apply_along_axis(xp.max, 1, f(A)),
    "over axes": lambda xp, f: xp.apply_over_axes(xp.sum, f(A), [0, 1]),
    "einsum product": lambda xp, f: xp.einsum("ij,kj->ik", f(A), f(B)),
    "einsum implicit": lambda xp, f: xp.einsum("ij,jk", f(A), f(B.T)),
    "einsum trace": lambda xp, f: xp.einsum("ii", f(A[:, :5])),
    "einsum diagonal": lambda xp, f: xp.einsum("ii->i", f(A[:, :5])),
    "einsum sums": lambda xp, f: xp.einsum("ij->j", f(N.reshape(3, 4))),
    "einsum three": lambda xp, f: xp.einsum("ij,ik,jl->kl", f(A), f(B), f(A.T)),
    "einsum dots": lambda xp, f: xp.einsum("...ij,...jk->...ik", f(A.reshape(5, 2, 3)),
                                           f(B.reshape(5, 3, 2))),
    "einsum outer": lambda xp, f: xp.einsum("i,j", f(V), f(W)),
    "einsum lists": lambda xp, f: xp.einsum(f(A), [0, 1], f(B), [0, 1], [0]),
    "einsum batch": lambda xp, f: xp.einsum("bi,bi->b", f(A), f(B)),
    "matvec": lambda xp, f: xp.matvec(f(A), f(B[0])),
    "vecmat": lambda xp, f: xp.vecmat(f(Z), f(A)),
    "vecdot": lambda xp, f: xp.vecdot(f(A), f(B), axis=0),
    "poly": lambda xp, f: xp.poly(f(W)),
    "polyval": lambda xp, f: xp.polyval(f(W), f(V)),
    "polyval integers": lambda xp, f: xp.polyval(f(N[:3]), f(N)),
    "polyadd": lambda xp, f: xp.polyadd(f(W), f(V)),
    "polysub": lambda xp, f: xp.polysub(f(W), f(V)),
    "polymul": lambda xp, f: xp.polymul(f(W), f(V)),
    "polydiv": lambda xp, f: xp.polydiv(f(V), f(W)),
    "polyder": lambda xp, f: xp.polyder(f(V), 2),
    "polyint": lambda xp, f: xp.polyint(f(V), 2, k=[1, 2]),
    "i0": lambda xp, f: xp.i0(f(V * 9)),
    "packbits": lambda xp, f: xp.packbits(f(A > 0), axis=1),
    "packbits flat": lambda xp, f: xp.packbits(f(N % 2), bitorder="little"),
    "unpackbits": lambda xp, f: xp.unpackbits(f(N.astype("u1").reshape(3, 4)), axis=0),
    "unpackbits count": lambda xp, f: xp.unpackbits(f(N.astype("u1")), count=-3,
                                                    bitorder="little"),
    "histogram2d": lambda xp, f: xp.histogram2d(f(POINTS[:, 0]), f(POINTS[:, 1]), 4),
    "histogram2d range": lambda xp, f: xp.histogram2d(
        f(POINTS[:, 0]), f(POINTS[:, 1]), [3, f(np.linspace(-1, 1, 5))], [(-1, 2), None]
    ),
    "histogramdd": lambda xp, f: xp.histogramdd(f(POINTS), (3, 4), density=True)[0],
    "histogramdd weights": lambda xp, f: xp.histogramdd(f(POINTS), 3, weights=f(POINTS[:, 0]))[0],
    "mask_indices": lambda xp, f: xp.mask_indices(4, xp.triu, 1),
    "diag_indices_from": lambda xp, f: xp.diag_indices_from(f(A[:, :5])),
    "row_stack": lambda xp, f: xp.vstack([f(A), f(B)]),
    "r_": lambda xp, f: xp.r_[1:4, 0, f(N)],
    "r_ matrix": lambda xp, f: xp.r_["0,2", f(N), f(N)],
    "r_ steps": lambda xp, f: xp.r_[0:1:5j, 7.5],
    "c_": lambda xp, f: xp.c_[f(N), f(N)],
    "mgrid": lambda xp, f: xp.mgrid[0:3, 1:2:4j],
    "ogrid": lambda xp, f: xp.ogrid[0:3, 1:4],
    "amax": lambda xp, f: xp.amax(f(A), axis=0),
    "nan_to_num": lambda xp, f: xp.nan_to_num(f(np.array([np.nan, np.inf, 1]))),
    "unwrap": lambda xp, f: xp.unwrap(f(np.cumsum(V * 3))),
    "select": lambda xp, f: xp.select([f(V) > 1, f(V) < 0], [f(V), f(V) * 2], 9),
    "digitize": lambda xp, f: xp.digitize(f(V), f(np.array([-1.0, 0, 1]))),
    "pad oddly": lambda xp, f: xp.pad(f(N[:3]), (4, 9), "reflect", reflect_type="odd"),
    "pad oddly with edges": lambda xp, f: xp.pad(
        f(A[:2]), [(3, 1), (0, 8)], "symmetric", reflect_type="odd"
    ),
    "trim_zeros": lambda xp, f: xp.trim_zeros(f(np.array([[0, 0, 0], [0, 3, 0]]))),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name):
    assert_same(CASES[name](rp, rp.asarray), CASES[name](np, np.asarray), 1e-12, 1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_sliding_products(name, mode):
    for a, v in ((V, W), (W, V), (N, N[:5]), (Z, V), (Z, Z), (V, Z[:3]), (N[:3], V)):
        expected = getattr(np, name)(a, v, mode)
        assert_same(getattr(rp, name)(rp.asarray(a), rp.asarray(v), mode), expected, 1e-12, 1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 9])
@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name, n):
    arguments = (n, 8.6) if name == "kaiser" else (n,)
    assert_same(getattr(rp, name)(*arguments), getattr(np, name)(*arguments), 1e-12, 1e-15)


REFUSED = {
    "gradient": lambda xp, f: xp.gradient(f(V[:1])),
    "interp lengths": lambda xp, f: xp.interp(f(V), f(V), f(W)),
    "interp nothing": lambda xp, f: xp.interp(f(V), f(V[:0]), f(V[:0])),
    "convolve nothing": lambda xp, f: xp.convolve(f(V), f(V[:0])),
    "correlate mode": lambda xp, f: xp.correlate(f(V), f(W), "some"),
    "cross": lambda xp, f: xp.cross(f(A), f(B)),
    "einsum operands": lambda xp, f: xp.einsum("ij,jk", f(A)),
    "einsum lengths": lambda xp, f: xp.einsum("ij,jk", f(A), f(B)),
    "einsum output": lambda xp, f: xp.einsum("ij->k", f(A)),
    "einsum rank": lambda xp, f: xp.einsum("ijk->k", f(A)),
    "diag_indices_from": lambda xp, f: xp.diag_indices_from(f(A)),
    "piecewise": lambda xp, f: xp.piecewise(f(V), [f(V) < 0], [1, 2, 3]),
    "histogramdd": lambda xp, f: xp.histogramdd(f(POINTS), (3, 4, 5)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_numpy(name):
    for xp, convert in ((np, np.asarray), (rp, rp.asarray)):
        with pytest.raises(ValueError, match="."):
            REFUSED[name](xp, convert)


def test_files(tmp_path):
    x = rp.asarray(A)
    rp.save(tmp_path / "a.npy", x)
    assert_same(rp.load(tmp_path / "a.npy"), A)
    assert_same(np.load(tmp_path / "a.npy"), A)
    for save in (rp.savez, rp.savez_compressed):
        save(tmp_path / "two.npz", x, named=rp.asarray(N))
        with rp.load(tmp_path / "two.npz") as archive:
            assert sorted(archive) == ["arr_0", "named"]
            assert_same(archive["named"], N)
            assert isinstance(archive["arr_0"], rp.ndarray)
    text = io.StringIO()
    rp.savetxt(text, x)
    text.seek(0)
    assert_same(rp.loadtxt(text), A)
    assert_same(rp.fromstring("1 2 3", sep=" "), np.array([1.0, 2, 3]))


# No number type, or host-only machinery, or not there yet: linear algebra, FFT, random numbers.
ABSENT = set(
    """
    __array_namespace_info__ asmatrix bmat broadcast busday_count busday_offset
    busdaycalendar bytes_ char character clongdouble complex256 core ctypeslib datetime64
    datetime_as_string datetime_data dtypes emath exceptions f2py fft flatiter flexible
    float128 fromregex frompyfunc get_include getbufsize geterrcall info is_busday isnat lib
    linalg longdouble ma matrix memmap nditer nested_iters object_ poly1d polyfit polynomial
    random rec recarray record roots setbufsize seterrcall shares_memory show_runtime str_
    strings test timedelta64 typing vectorize void row_stack in1d trapz
""".split()
)


@pytest.mark.parametrize("name", sorted(set(np.__all__) - ABSENT))
def test_name_exists(name):
    assert hasattr(rp, name)


def test_public_names_exist():
    assert [name for name in rp.__all__ if not hasattr(rp, name)] == []

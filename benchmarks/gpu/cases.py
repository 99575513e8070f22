"""The cases: name, what it needs, how it is set up, and the bytes or operations that it must do.

`make(xp)` returns the function that is timed. Bytes count each input read once and each output
written once; cases without them are host costs or have no simple bound.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from inputs import bits, integers, uniform, wide

N = 2**27
FLOAT = np.float32


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable
    n_bytes: int = 0
    flops: float = 0.0
    needs: str = ""  # a dotted name of the library


CASES: list[Case] = []


def case(name, n_bytes=0, flops=0.0, needs=""):
    """Adds the decorated `make` to the table."""

    def add(make):
        CASES.append(Case(name, make, int(n_bytes), flops, needs))
        return make

    return add


# -- launch cost: small arrays ---------------------------------------------------------------------


@case("launch/add")
def _(xp):
    a = xp.ones(1, FLOAT)
    return lambda: a + a


@case("launch/add out=")
def _(xp):
    a, out = xp.ones(1, FLOAT), xp.ones(1, FLOAT)
    return lambda: xp.add(a, a, out=out)


@case("launch/sum of 100")
def _(xp):
    a = xp.ones(100, FLOAT)
    return lambda: a.sum()


@case("launch/slice")
def _(xp):
    a = xp.ones(100, FLOAT)
    return lambda: a[1:5]


@case("launch/empty")
def _(xp):
    return lambda: xp.empty(100, FLOAT)


@case("launch/matmul 16x16")
def _(xp):
    a = xp.ones((16, 16), FLOAT)
    return lambda: a @ a


@case("launch/astype")
def _(xp):
    a = xp.ones(100, FLOAT)
    return lambda: a.astype(np.float64)


@case("launch/reshape, T, ravel")
def _(xp):
    a = xp.ones((10, 10), FLOAT)
    return lambda: a.reshape(20, 5).T.ravel()


@case("launch/fft of 64", needs="fft.fft")
def _(xp):
    a = xp.ones(64, np.complex64)
    return lambda: xp.fft.fft(a)


# -- elementwise -----------------------------------------------------------------------------------


def add_elementwise():
    def binary(dtype):
        def make(xp):
            a, b = uniform(xp, N, dtype, 1), uniform(xp, N, dtype, 2)
            return lambda: a + b

        return make

    for dtype in (np.int8, np.int32, np.float16, np.float32, np.float64, np.complex64):
        name = np.dtype(dtype).name
        case(f"elementwise/add {name}", 3 * N * np.dtype(dtype).itemsize)(binary(dtype))

    def unary(function):
        def make(xp):
            a = uniform(xp, N, FLOAT)
            call = getattr(xp, function)
            return lambda: call(a)

        return make

    for function in ("sin", "exp", "sqrt", "tanh"):
        case(f"elementwise/{function}", 8 * N)(unary(function))


add_elementwise()


@case("elementwise/power", 12 * N)
def _(xp):
    a, b = uniform(xp, N, FLOAT, 1), uniform(xp, N, FLOAT, 2)
    return lambda: xp.power(a, b)


@case("elementwise/a*b+c", 24 * N)
def _(xp):
    a, b, c = (uniform(xp, N, FLOAT, seed) for seed in (1, 2, 3))
    return lambda: a * b + c


@case("elementwise/row + column", 4 * N)
def _(xp):
    row, column = uniform(xp, (1, 16384), FLOAT), uniform(xp, (8192, 1), FLOAT)
    return lambda: row + column


@case("elementwise/transpose copy", 8 * N)
def _(xp):
    a = uniform(xp, (8192, 16384), FLOAT)
    return lambda: xp.ascontiguousarray(a.T)


@case("elementwise/strided copy", 6 * N)
def _(xp):
    a = uniform(xp, N, FLOAT)
    return lambda: a[::2].copy()


@case("elementwise/cast f32 to f64", 12 * N)
def _(xp):
    a = uniform(xp, N, FLOAT)
    return lambda: a.astype(np.float64)


@case("elementwise/where", 13 * N)
def _(xp):
    a, b = uniform(xp, N, FLOAT, 1), uniform(xp, N, FLOAT, 2)
    mask = a < b
    return lambda: xp.where(mask, a, b)


# -- reductions and scans --------------------------------------------------------------------------


def add_reductions():
    def full(dtype):
        def make(xp):
            a = uniform(xp, 2 * N, dtype)
            return lambda: a.sum()

        return make

    for dtype in (np.int32, np.float16, np.float32, np.float64):
        n_bytes = 2 * N * np.dtype(dtype).itemsize
        case(f"reduce/sum {np.dtype(dtype).name}", n_bytes)(full(dtype))

    def along(shape, axis):
        def make(xp):
            a = uniform(xp, shape, FLOAT)
            return lambda: a.sum(axis=axis)

        return make

    shapes = [(32768, 8192), (8192, 32768), (2**24, 16), (16, 2**24), (256, 1024, 1024)]
    for shape in shapes:
        for axis in range(len(shape)):
            n_out = int(np.prod(shape)) // shape[axis]
            name = f"reduce/sum axis {axis} of {'x'.join(map(str, shape))}"
            case(name, 4 * (int(np.prod(shape)) + n_out))(along(shape, axis))

    def method(name, dtype=FLOAT):
        def make(xp):
            a = uniform(xp, 2 * N, FLOAT)
            if dtype is np.bool_:
                a = a < 0
            call = getattr(xp, name)
            return lambda: call(a)

        return make

    for name in ("argmax", "max", "std", "count_nonzero"):
        case(f"reduce/{name}", 8 * N)(method(name))
    case("reduce/any bool", 2 * N)(method("any", np.bool_))


add_reductions()


@case("scan/cumsum", 8 * N)
def _(xp):
    a = uniform(xp, N, FLOAT)
    return lambda: xp.cumsum(a)


@case("scan/cumsum axis 1", 8 * N)
def _(xp):
    a = uniform(xp, (8192, 16384), FLOAT)
    return lambda: xp.cumsum(a, axis=1)


# -- sorting and counting --------------------------------------------------------------------------

M = 2**26


def add_sorts():
    def sort(dtype):
        def make(xp):
            kinds = {"int64": lambda: wide(xp, M), "int32": lambda: bits(xp, M).view(np.int32)}
            name = np.dtype(dtype).name
            a = kinds[name]() if name in kinds else uniform(xp, M, dtype, low=-1)
            return lambda: xp.sort(a)

        return make

    for dtype in (np.int32, np.float32, np.int64, np.float64):
        name = np.dtype(dtype).name
        case(f"sort/sort {name}", 2 * M * np.dtype(dtype).itemsize)(sort(dtype))


add_sorts()


@case("sort/argsort", 12 * M)
def _(xp):
    a = uniform(xp, M, FLOAT)
    return lambda: xp.argsort(a)


@case("sort/sort rows", 8 * M)
def _(xp):
    a = uniform(xp, (8192, 8192), FLOAT)
    return lambda: xp.sort(a, axis=1)


@case("sort/unique", 4 * 2**24)
def _(xp):
    a = integers(xp, 2**24, 100_000)
    return lambda: xp.unique(a)


@case("sort/partition", 8 * 2**24)
def _(xp):
    a = uniform(xp, 2**24, FLOAT)
    return lambda: xp.partition(a, 2**23)


@case("sort/median", 4 * 2**24)
def _(xp):
    a = uniform(xp, 2**24, FLOAT)
    return lambda: xp.median(a)


@case("sort/searchsorted", 12 * 2**24)
def _(xp):
    edges, a = xp.sort(uniform(xp, 2**20, FLOAT, 1)), uniform(xp, 2**24, FLOAT, 2)
    return lambda: xp.searchsorted(edges, a)


@case("sort/histogram", 4 * M)
def _(xp):
    a = uniform(xp, M, FLOAT)
    return lambda: xp.histogram(a, bins=100, range=(0.0, 1.0))


@case("sort/bincount", 8 * M)
def _(xp):
    a = integers(xp, M, 1000, np.int64)
    return lambda: xp.bincount(a)


# -- indexing --------------------------------------------------------------------------------------


@case("index/take", 16 * M)
def _(xp):
    a, where = uniform(xp, M, FLOAT), integers(xp, M, M, np.int64)
    return lambda: xp.take(a, where)


@case("index/mask", 7 * M)
def _(xp):
    a = uniform(xp, M, FLOAT)
    mask = a < FLOAT(0.5)
    return lambda: a[mask]


@case("index/nonzero", 5 * M)
def _(xp):
    mask = uniform(xp, M, FLOAT) < FLOAT(0.5)
    return lambda: xp.nonzero(mask)


@case("index/add.at", 12 * 2**24)
def _(xp):
    a, where = xp.zeros(2**20, FLOAT), integers(xp, 2**24, 2**20, np.int64)
    values = uniform(xp, 2**24, FLOAT)
    return lambda: xp.add.at(a, where, values)


@case("index/concatenate", 16 * M)
def _(xp):
    a, b = uniform(xp, M, FLOAT, 1), uniform(xp, M, FLOAT, 2)
    return lambda: xp.concatenate([a, b])


@case("index/roll", 8 * M)
def _(xp):
    a = uniform(xp, M, FLOAT)
    return lambda: xp.roll(a, 12345)


# -- random numbers --------------------------------------------------------------------------------


def add_random():
    def make_generator(call):
        return lambda xp: (lambda rng: lambda: call(rng))(xp.random.default_rng(1))

    calls = {
        "uniform": lambda rng: rng.random(N, dtype=FLOAT),
        "normal": lambda rng: rng.standard_normal(N, dtype=FLOAT),
        "integers": lambda rng: rng.integers(0, 1000, N),
        "gamma": lambda rng: rng.standard_gamma(2.0, N),
    }
    for name, call in calls.items():
        n_bytes = (4 if name in ("uniform", "normal") else 8) * N
        case(f"random/{name}", n_bytes, needs="random.default_rng")(make_generator(call))


add_random()


@case("random/legacy rand", 8 * N, needs="random.rand")
def _(xp):
    return lambda: xp.random.rand(N)


@case("random/permutation", 8 * 2**24, needs="random.permutation")
def _(xp):
    return lambda: xp.random.permutation(2**24)


# -- products --------------------------------------------------------------------------------------


def add_products():
    def matmul(dtype, n):
        def make(xp):
            a, b = uniform(xp, (n, n), dtype, 1), uniform(xp, (n, n), dtype, 2)
            return lambda: a @ b

        return make

    for dtype in (np.float16, np.float32, np.float64, np.complex64, np.complex128):
        name, factor = np.dtype(dtype).name, 4 if np.dtype(dtype).kind == "c" else 1
        case(f"product/matmul {name} 4096", flops=factor * 2.0 * 4096**3)(matmul(dtype, 4096))
    case("product/matmul int32 2048", flops=2.0 * 2048**3)(matmul(np.int32, 2048))


add_products()


@case("product/matmul batched", flops=2.0 * 64 * 512**3)
def _(xp):
    a, b = uniform(xp, (64, 512, 512), FLOAT, 1), uniform(xp, (64, 512, 512), FLOAT, 2)
    return lambda: a @ b


@case("product/matrix x vector", 4 * 2**28)
def _(xp):
    a, b = uniform(xp, (16384, 16384), FLOAT, 1), uniform(xp, 16384, FLOAT, 2)
    return lambda: a @ b


@case("product/einsum", flops=2.0 * 64 * 512**3, needs="einsum")
def _(xp):
    a, b = uniform(xp, (64, 512, 512), FLOAT, 1), uniform(xp, (64, 512, 512), FLOAT, 2)
    return lambda: xp.einsum("bij,bjk->bik", a, b)


# -- linear algebra --------------------------------------------------------------------------------


def add_linalg():
    def symmetric(xp, n, dtype=np.float64):
        a = uniform(xp, (n, n), dtype)
        a = a + a.T
        a += n * xp.eye(n, dtype=dtype)
        return a

    def unary(name, n):
        def make(xp):
            a = symmetric(xp, n)
            call = getattr(xp.linalg, name)
            return lambda: call(a)

        return make

    sizes = {"cholesky": 4096, "inv": 2048, "svd": 1024, "eigh": 1024, "qr": 2048, "det": 2048}
    for name, n in sizes.items():
        case(f"linalg/{name} {n}", needs=f"linalg.{name}")(unary(name, n))

    def solve(shape, right):
        def make(xp):
            n = shape[-1]
            a = uniform(xp, shape, np.float64) + n * xp.eye(n)
            b = uniform(xp, right, np.float64)
            return lambda: xp.linalg.solve(a, b)

        return make

    case("linalg/solve 4096", needs="linalg.solve")(solve((4096, 4096), (4096, 16)))
    case("linalg/solve batched", needs="linalg.solve")(solve((10000, 16, 16), (10000, 16, 1)))


add_linalg()

# -- transforms ------------------------------------------------------------------------------------


def add_transforms():
    def transform(name, shape, dtype=np.complex64, **options):
        def make(xp):
            a = uniform(xp, shape, dtype)
            call = getattr(xp.fft, name)
            return lambda: call(a, **options)

        return make

    total = 2**24
    for n in (16, 64, 256, 1024, 4096):
        shape = (total // n, n)
        case(f"fft/{n} batched", 16 * total, needs="fft.fft")(transform("fft", shape))
    case("fft/prime 1009", 16 * 16384 * 1009, needs="fft.fft")(transform("fft", (16384, 1009)))
    case("fft/2^24", 16 * total, needs="fft.fft")(transform("fft", (total,)))
    case("fft/2-D", 16 * total, needs="fft.fft2")(transform("fft2", (4096, 4096)))
    case("fft/3-D", 16 * total, needs="fft.fftn")(transform("fftn", (256, 256, 256)))
    columns = transform("fft", (4096, 4096), axis=0)
    case("fft/axis 0", 16 * total, needs="fft.fft")(columns)
    real = transform("rfft", (4096, 4096), FLOAT)
    case("fft/rfft", 8 * total, needs="fft.rfft")(real)


add_transforms()

# -- host and device -------------------------------------------------------------------------------

COPY_BYTES = 2**28


@case("copy/host to device", COPY_BYTES)
def _(xp):
    host = np.ones(COPY_BYTES // 4, FLOAT)
    return lambda: xp.asarray(host)


@case("copy/device to host", COPY_BYTES)
def _(xp):
    a = xp.ones(COPY_BYTES // 4, FLOAT)
    return lambda: xp.asnumpy(a)

"""RawKernel and RawModule: arguments, launches, globals, attributes, occupancy, refusals."""

import numpy as np
import pytest

import rocarray as rp
from rocarray import hip

SOURCE = """
template <class T> __global__ void scale(T* x, T by, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
__constant__ float weights[4];
__device__ int counter = 3;
extern "C" __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; }
extern "C" __global__ void count(int* out) { out[0] = counter; }
extern "C" __global__ void places(int* out) {
    int at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + at] = block * 1000 + at;
}
extern "C" __global__ void turn_round(int* x) {
    __shared__ int fixed[64];
    extern __shared__ int rest[];
    fixed[threadIdx.x] = x[threadIdx.x];
    rest[threadIdx.x] = 10 * x[threadIdx.x];
    __syncthreads();
    int other = blockDim.x - 1 - threadIdx.x;
    x[threadIdx.x] = fixed[other] + rest[other];
}
"""


@pytest.fixture(scope="module")
def module():
    return rp.RawModule(code=SOURCE, name_expressions=["scale<float>", "scale<long long>"])


def test_name_expressions(module):
    x, y = rp.arange(10, dtype="f4"), rp.arange(10, dtype="i8")
    module.get_function("scale<float>")((1,), (32,), (x, np.float32(2.5), 10))
    module.get_function("scale<long long>")((10,), (1,), (y, 3, 10))
    assert x.tolist() == [2.5 * i for i in range(10)]
    assert y.tolist() == [3 * i for i in range(10)]


def test_globals(module):
    weights = module.get_global("weights")
    values = np.array([1, 2, 3, 4], "f4")
    assert weights.mem.n_bytes == 16
    weights.copy_from(values.ctypes.data, 16)
    x, out = rp.ones(4, "f4"), rp.zeros(1, "i4")
    module.get_function("weigh")((1,), (4,), (x,))
    module.get_function("count")((1,), (1,), (out,))
    assert x.tolist() == [1, 2, 3, 4]
    assert out.tolist() == [3]
    with pytest.raises(ValueError, match="17 bytes .* block of 16"):
        weights.copy_from(values.ctypes.data, 17)
    with pytest.raises(hip.HIPError, match="hipModuleGetGlobal"):
        module.get_global("nothing")


@pytest.mark.parametrize(
    ("grid", "block"), [((3,), (5,)), ((2, 3), (4, 2)), ((2, 1, 3), (2, 3, 4)), (4, 7)]
)
def test_launches_in_three_dimensions(module, grid, block):
    n_blocks, n_items = int(np.prod(grid)), int(np.prod(block))
    out = rp.zeros(n_blocks * n_items, "i4")
    module.get_function("places")(grid, block, (out,))
    expected = np.add.outer(1000 * np.arange(n_blocks), np.arange(n_items)).ravel()
    np.testing.assert_array_equal(out.get(), expected)


def test_static_and_dynamic_lds(module):
    function = module.get_function("turn_round")
    x = rp.arange(48, dtype="i4")
    function((1,), (48,), (x,), shared_mem=48 * 4)
    np.testing.assert_array_equal(x.get(), 11 * np.arange(48)[::-1])
    assert function.attributes["shared_size_bytes"] == function.shared_size_bytes == 256
    assert module.get_function("weigh").shared_size_bytes == 0
    limit = hip.Device().attributes["MaxSharedMemoryPerBlock"]
    assert hip.max_active_blocks(function, 64, limit - 256) >= 1
    assert hip.max_active_blocks(function, 64, limit) == 0


@pytest.mark.parametrize("name", ["reverse<float>", "reverse<double>"])
def test_static_lds_of_templates(name):
    module = rp.RawModule(
        code="""template <class T> __global__ void reverse(T* x) {
            __shared__ T held[32];
            if (threadIdx.x < 32) {
                __shared__ int n;
                n = 31;
                held[n - threadIdx.x] = x[threadIdx.x];
            }
            __syncthreads();
            x[threadIdx.x] = held[threadIdx.x];
        }""",
        name_expressions=[name],
    )
    x = rp.arange(32, dtype=name[8:-1].replace("float", "f4").replace("double", "f8"))
    function = module.get_function(name)
    function((1,), (32,), (x,))
    assert x.tolist() == list(range(31, -1, -1))
    n_bytes = 32 * x.itemsize
    assert n_bytes <= function.shared_size_bytes <= n_bytes + 8


def test_attributes_and_occupancy(module):
    function = module.get_function("scale<float>")
    attributes = function.attributes
    assert 1 <= attributes["max_threads_per_block"] <= 1024
    assert attributes["shared_size_bytes"] == 0
    assert attributes["num_regs"] >= 0
    assert hip.max_active_blocks(function, 64) >= 1
    lds = hip.Device().attributes["MaxSharedMemoryPerBlock"]
    assert hip.max_active_blocks(function, 64, lds // 2 + 1) <= hip.max_active_blocks(function, 64)
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = function.colour


def test_kinds_of_arguments():
    kernel = rp.RawKernel(
        """
        struct Pair { float a; int b; };
        extern "C" __global__ void collect(double* out, const double* none, bool flag, char small,
                short s, int i, long long l, float f, double d, Pair pair, const double* pointer) {
            double values[] = {none == nullptr ? 1. : 0., flag ? 1. : 0., (double)small, (double)s,
                               (double)i, (double)l, f, d, pair.a, (double)pair.b, pointer[1]};
            for (int k = 0; k < 11; ++k) out[k] = values[k];
        }""",
        "collect",
    )
    pair = np.array((1.5, -7), np.dtype([("a", "f4"), ("b", "i4")]))[()]
    out, values = rp.zeros(11), rp.asarray([4.0, 5.0])
    kernel(
        (1,),
        (1,),
        (
            out,
            None,
            True,
            np.int8(-3),
            np.int16(-300),
            np.int32(-70000),
            -(1 << 40),
            np.float32(0.5),
            0.25,
            pair,
            values.data,
        ),
    )
    assert out.tolist() == [1, 1, -3, -300, -70000, -(1 << 40), 0.5, 0.25, 1.5, -7, 5]


def test_a_kernel_in_a_stream():
    kernel = rp.RawKernel('extern "C" __global__ void add(int* x) { x[threadIdx.x] += 1; }', "add")
    stream, x = hip.Stream(), rp.zeros(8, "i4")
    kernel((1,), (8,), (x,), stream=stream)
    with stream:
        kernel((1,), (8,), (x,))
    stream.synchronize()
    assert x.tolist() == [2] * 8
    assert kernel.kernel.name == kernel.name == "add"
    assert kernel.max_threads_per_block >= 64


def test_modules_from_a_file(tmp_path):
    from rocarray._core.kernel import current_architecture
    from rocarray._kernels.compiler import compile_source

    code = compile_source(
        'extern "C" __global__ void three(int* x) { x[0] = 3; }',
        architecture=current_architecture(),
    ).code
    path = tmp_path / "three.hsaco"
    path.write_bytes(code)
    x = rp.zeros(1, "i4")
    rp.RawModule(path=path).get_function("three")((1,), (1,), (x,))
    assert x.tolist() == [3]


@pytest.fixture(scope="module")
def add():
    return rp.RawKernel(
        'extern "C" __global__ void add(int* x, int by) { x[threadIdx.x] += by; }', "add"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (((1, 1, 1, 1), (8,), ()), ValueError, "grid must have 1 to 3 numbers"),
        (((1,), (), ()), ValueError, "block must have 1 to 3 numbers"),
        (((0,), (8,), ()), ValueError, "kernel add: grid.*1 or more"),
        (((-1,), (8,), ()), ValueError, "grid.*from 1"),
        (((1,), (8,), (np.zeros(8), 1)), TypeError, "argument 0 is a numpy.ndarray.*asarray"),
        (((1,), (8,), ("x", 1)), TypeError, "argument 0 is a str; allowed are"),
        (((1,), (8,), (None, 1 << 70)), ValueError, "argument 1.*2\\*\\*63"),
        (((1,), (8,), (np.zeros((), "V5000"),)), ValueError, "more than 4096 bytes"),
    ],
)
def test_refused_launches(add, arguments, error, text):
    with pytest.raises(error, match=text):
        add(*arguments)


def test_too_large_workgroups_are_refused(add):
    x = rp.zeros(8, "i4")
    with pytest.raises(hip.HIPError, match="hipModuleLaunchKernel"):
        add((1,), (100_000,), (x, 1))
    add((1,), (8,), (x, np.int32(2)))
    assert x.tolist() == [2] * 8


def test_a_kernel_that_does_not_compile():
    kernel = rp.RawKernel(
        'extern "C" __global__ void f(int* x) {\n    x[0] = missing_name;\n}', "f"
    )
    with pytest.raises(hip.CompileError) as caught:
        kernel((1,), (1,), (rp.zeros(1, "i4"),))
    text = str(caught.value)
    assert "missing_name" in text
    assert "x[0] = missing_name;" in text  # the source line
    assert "error" in text


def test_a_module_without_the_kernel(module):
    with pytest.raises(hip.HIPError, match="hipModuleGetFunction") as caught:
        module.get_function("nothing")
    assert any("no kernel 'nothing'" in note for note in caught.value.__notes__)


def test_bad_modules(tmp_path):
    with pytest.raises(TypeError, match=r"code=.*path="):
        rp.RawModule()
    with pytest.raises(TypeError, match=r"code=.*path="):
        rp.RawModule(code="", path="x")
    with pytest.raises(FileNotFoundError):
        rp.RawModule(path=tmp_path / "none").compile()
    (tmp_path / "text").write_text("no code object " * 10)
    with pytest.raises((hip.HIPError, ValueError)):
        rp.RawModule(path=tmp_path / "text").compile()


def test_versions():
    driver, runtime = hip.version()
    assert driver > 0
    assert runtime > 50_000_000

// Kernels and compiles that hipRTC of the cpu platform must get right. Run by test_hiprtc.py, each
// case in a process of its own, and by the sanitizer builds.

#include <math.h>
#include <string.h>

#include <numeric>

#include "hiprtc_harness.h"

using harness::build;
using harness::compile;
using harness::Compiled;
using harness::compiled;
using harness::contains;
using harness::Module;
using harness::Shape;
using harness::Source;

static const uint32_t block_sizes[] = {1, 7, 64, 1000, 1024};

static std::vector<float> ramp(size_t n) {
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 13);
    return values;
}

// ---- kernels ----

CASE(plain_kernel_needs_no_fibers) {
    const Module module = build(R"(
extern "C" __global__ void add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
})");
    CHECK_EQUAL(module.kernel("add").flags, 0u);
    for (uint32_t size : block_sizes) {
        const int n = 5000;
        std::vector<float> a = ramp(n), b = ramp(n + 5), out(n + 1, -1.0f);
        module.launch("add", Shape{{(n + size - 1) / size, 1, 1}, {size, 1, 1}}, a.data(), b.data(),
                      out.data(), n);
        for (int i = 0; i < n; ++i) CHECK_EQUAL(out[i], a[i] + b[i]);
        CHECK_EQUAL(out[n], -1.0f);
    }
}

CASE(block_reduction_with_static_lds) {
    const Module module = build(R"(
extern "C" __global__ void __launch_bounds__(1024) total(const float *in, float *out, int n) {
    __shared__ float partial[1024];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t < live / 2) partial[t] += partial[t + half];
        __syncthreads();
        live = half;
    }
    if (t == 0) out[blockIdx.x] = partial[0];
})");
    CHECK((module.kernel("total").flags & hipcpu::kUsesFibers) != 0);
    for (uint32_t size : block_sizes) {
        const int n = 20011;
        const uint32_t n_blocks = (n + size - 1) / size;
        std::vector<float> in = ramp(n), out(n_blocks);
        module.launch("total", Shape{{n_blocks, 1, 1}, {size, 1, 1}}, in.data(), out.data(), n);
        CHECK_EQUAL(std::accumulate(out.begin(), out.end(), 0.0),
                    std::accumulate(in.begin(), in.end(), 0.0));
    }
}

CASE(dynamic_lds_in_every_spelling) {
    const Module module = build(R"(
extern __shared__ int at_namespace_scope[];
__shared__ extern alignas(16) char other_order[];
extern "C" __global__ void reverse(int *data) {
    extern __shared__ int s[];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void reverse_2(int *data) {
    at_namespace_scope[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = at_namespace_scope[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void reverse_3(int *data) {
    HIP_DYNAMIC_SHARED(int, s)
    extern __shared__ __align__(16) unsigned char bytes[];
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = reinterpret_cast<int *>(bytes)[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void reverse_4(int *data) {
    int *s = reinterpret_cast<int *>(other_order);
    s[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
})");
    for (const char *name : {"reverse", "reverse_2", "reverse_3", "reverse_4"})
        for (uint32_t size : block_sizes) {
            std::vector<int> data(size);
            std::iota(data.begin(), data.end(), 0);
            Shape shape{{1, 1, 1}, {size, 1, 1}};
            shape.dynamic_lds_bytes = size * 4;
            module.launch(name, shape, data.data());
            for (uint32_t i = 0; i < size; ++i) CHECK_EQUAL(data[i], int(size - 1 - i));
        }
}

CASE(scan_with_barriers_in_a_loop) {
    const Module module = build(R"(
extern "C" __global__ void scan(int *data) {
    __shared__ int s[2][1024];
    int t = threadIdx.x, from = 0;
    s[0][t] = data[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    data[blockIdx.x * blockDim.x + t] = s[from][t];
})");
    for (uint32_t size : block_sizes) {
        std::vector<int> data(size * 9, 1);
        module.launch("scan", Shape{{9, 1, 1}, {size, 1, 1}}, data.data());
        for (uint32_t i = 0; i < size * 9; ++i) CHECK_EQUAL(data[i], int(i % size + 1));
    }
}

CASE(histogram_with_atomics) {
    const Module module = build(R"(
__global__ void histogram(const int *in, unsigned *counts, float *sum, double *dsum,
                          unsigned long long *lowest, int n) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16) for (int i = threadIdx.x; i < 16; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i]], 1);
        atomicAdd(sum, 1.0f);
        unsafeAtomicAdd(dsum, 0.5);
        atomicMin(lowest, 1000ull + i);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 16; i += blockDim.x) atomicAdd_system(&counts[i], local[i]);
})");
    for (uint32_t size : block_sizes) {
        const int n = 10007;
        std::vector<int> in(n);
        std::vector<unsigned> counts(16), expected(16);
        for (int i = 0; i < n; ++i) ++expected[static_cast<size_t>(in[i] = i * 7 % 16)];
        float sum = 0;
        double double_sum = 0;
        unsigned long long lowest = ~0ull;
        module.launch("histogram", Shape{{5, 1, 1}, {size, 1, 1}}, in.data(), counts.data(), &sum,
                      &double_sum, &lowest, n);
        for (size_t i = 0; i < 16; ++i) CHECK_EQUAL(counts[i], expected[i]);
        CHECK_EQUAL(sum, float(n));
        CHECK_EQUAL(double_sum, n * 0.5);
        CHECK_EQUAL(lowest, 1000ull);
    }
}

CASE(atomics_return_the_old_value) {
    const Module module = build(R"(
extern "C" __global__ void atomics(int *i, unsigned *u, float *f, long long *old) {
    old[0] = atomicAdd(&i[0], 5);      old[1] = atomicSub(&i[1], 5);
    old[2] = atomicExch(&i[2], 5);     old[3] = atomicMin(&i[3], -5);
    old[4] = atomicMax(&i[4], 500);    old[5] = atomicAnd(&i[5], 6);
    old[6] = atomicOr(&i[6], 8);       old[7] = atomicXor(&i[7], 7);
    old[8] = atomicCAS(&i[8], 100, 1); old[9] = atomicCAS(&i[9], 99, 1);
    old[10] = atomicInc(&u[0], 100);   old[11] = atomicInc(&u[1], 200);
    old[12] = atomicDec(&u[2], 100);   old[13] = atomicDec(&u[3], 50);
    old[14] = (long long)atomicExch(&f[0], 2.5f); old[15] = (long long)atomicMax(&f[1], NAN);
})");
    std::vector<int> i(10, 100);
    std::vector<unsigned> u(4, 100);
    std::vector<float> f(2, 100.0f);
    std::vector<long long> old(16);
    module.launch("atomics", Shape{}, i.data(), u.data(), f.data(), old.data());
    for (long long value : old) CHECK_EQUAL(value, 100);
    const int expected[] = {105, 95, 5, -5, 500, 4, 108, 99, 1, 100};
    for (size_t k = 0; k < 10; ++k) CHECK_EQUAL(i[k], expected[k]);
    const unsigned expected_u[] = {0, 101, 99, 50};
    for (size_t k = 0; k < 4; ++k) CHECK_EQUAL(u[k], expected_u[k]);
    CHECK_EQUAL(f[0], 2.5f);
    CHECK_EQUAL(f[1], 100.0f);
}

CASE(shuffle_reduction_for_any_wave_size) {
    const Module module = build(R"(
__global__ void total(const int *in, int *out) {
    __shared__ int waves[1024];
    int t = threadIdx.x, value = in[blockIdx.x * blockDim.x + t];
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down(value, offset);
    if (t % warpSize == 0) waves[t / warpSize] = value;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int w = 0; w < (blockDim.x + warpSize - 1) / warpSize; ++w) sum += waves[w];
        out[blockIdx.x] = sum;
    }
}
__global__ void waves(unsigned long long *out) {
    out[0] = __ballot(1); out[1] = __ballot(0); out[2] = __any(1); out[3] = __all(0);
    out[4] = __activemask(); out[5] = __shfl_sync(1ull, 42ull, 0); out[6] = __shfl_xor(7, 1);
    out[7] = __popcll(__ballot_sync(~0ull, 1)) ; out[8] = __lane_id(); out[9] = warpSize;
})");
    for (uint32_t size : block_sizes) {
        std::vector<int> in(size * 4), out(4);
        for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i % 5);
        module.launch("total", Shape{{4, 1, 1}, {size, 1, 1}}, in.data(), out.data());
        CHECK_EQUAL(std::accumulate(out.begin(), out.end(), 0),
                    std::accumulate(in.begin(), in.end(), 0));
    }
    std::vector<unsigned long long> out(10);
    module.launch("waves", Shape{}, out.data());
    const unsigned long long expected[] = {1, 0, 1, 0, 1, 42, 7, 1, 0, 1};
    for (size_t i = 0; i < 10; ++i) CHECK_EQUAL(out[i], expected[i]);
}

CASE(three_dimensional_blocks_and_grids) {
    const Module module = build(R"(
struct Counts { int x, y, z; };
__global__ void mark(int *out, Counts n, bool wait) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (wait) __syncthreads();
    if (x < n.x && y < n.y && z < n.z) atomicAdd(&out[(z * n.y + y) * n.x + x], 1 + x + y + z);
})");
    struct Counts {
        int x, y, z;
    };
    const Counts n{11, 9, 7};
    for (bool wait : {false, true})
        for (hipcpu::Extent block : {hipcpu::Extent{1, 1, 1},
                                     {7, 1, 1},
                                     {4, 4, 4},
                                     {10, 10, 10},
                                     {16, 8, 8},
                                     {1, 1, 64}}) {
            std::vector<int> out(size_t(n.x * n.y * n.z));
            const hipcpu::Extent grid{(n.x + block.x - 1) / block.x, (n.y + block.y - 1) / block.y,
                                      (n.z + block.z - 1) / block.z};
            module.launch("mark", Shape{grid, block}, out.data(), n, wait);
            for (int z = 0; z < n.z; ++z)
                for (int y = 0; y < n.y; ++y)
                    for (int x = 0; x < n.x; ++x)
                        CHECK_EQUAL(out[size_t((z * n.y + y) * n.x + x)], 1 + x + y + z);
        }
}

CASE(early_return_before_barriers) {
    const Module module = build(R"(
__global__ void some_leave(int *out, int n) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x % 3 == 1) return;
    atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x % 3 == 2) return;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = count;
})");
    for (uint32_t size : block_sizes) {
        std::vector<int> out(6);
        module.launch("some_leave", Shape{{6, 1, 1}, {size, 1, 1}}, out.data(), 1);
        for (int value : out) CHECK_EQUAL(value, int(size - (size + 1) / 3));
    }
}

CASE(barriers_that_count) {
    const Module module = build(R"(
__global__ void votes(int *out) {
    int t = threadIdx.x;
    int a = __syncthreads_count(t % 2), b = __syncthreads_and(t < 2000), c = __syncthreads_or(t == 0);
    if (t % 4 == 3) return;
    int d = __syncthreads_count(1), e = __syncthreads_and(t > 0), f = __syncthreads_count(1);
    if (t == 0) { out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; }
})");
    for (uint32_t size : block_sizes) {
        std::vector<int> out(6, -1);
        module.launch("votes", Shape{{1, 1, 1}, {size, 1, 1}}, out.data());
        CHECK_EQUAL(out[0], int(size / 2));
        CHECK_EQUAL(out[1], 1);
        CHECK_EQUAL(out[2], 1);
        CHECK_EQUAL(out[3], int(size - size / 4));
        CHECK_EQUAL(out[4], 0);
        CHECK_EQUAL(out[5], int(size - size / 4));
    }
}

CASE(deep_frames_on_fibers) {
    const Module module = build(R"(
__device__ __noinline__ int recurse(int depth, int *scratch) {
    int local[64];
    for (int i = 0; i < 64; ++i) local[i] = depth + i;
    __syncthreads();
    int below = depth == 0 ? 0 : recurse(depth - 1, local);
    return below + local[depth % 64] - scratch[0] * 0;
}
__global__ void deep(int *out) { int zero = 0; out[threadIdx.x] = recurse(100, &zero); })");
    std::vector<int> out(1024);
    module.launch("deep", Shape{{1, 1, 1}, {1024, 1, 1}}, out.data());
    int expected = 0;
    for (int depth = 0; depth <= 100; ++depth) expected += depth + depth % 64;
    for (int value : out) CHECK_EQUAL(value, expected);
}

CASE(modules_do_not_share_statics) {
    // The same names with other sizes: as process-wide unique symbols they would collide.
    const char *text = R"(
__device__ int counter = START;
template <class T> __device__ int *slot() { static int value = START; return &value; }
__global__ void k(int *out) {
    __shared__ int s[N];
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[i] = N;
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < N; ++i) sum += s[i];
    if (threadIdx.x == 0) { out[0] = sum; out[1] = ++counter; out[2] = ++*slot<int>(); }
})";
    Source small, large;
    small.text = large.text = text;
    small.options = {"-DN=8", "-DSTART=10"};
    large.options = {"-DN=4096", "-D", "START=20"};
    const Module first(compiled(small).image), second(compiled(large).image);
    int a[3], b[3];
    first.launch("k", Shape{{1, 1, 1}, {7, 1, 1}}, &a[0]);
    second.launch("k", Shape{{1, 1, 1}, {7, 1, 1}}, &b[0]);
    CHECK_EQUAL(a[0], 64);
    CHECK_EQUAL(b[0], 4096 * 4096);
    CHECK_EQUAL(a[1], 11);
    CHECK_EQUAL(b[1], 21);
    CHECK_EQUAL(a[2], 11);
    CHECK_EQUAL(b[2], 21);
    CHECK_EQUAL(*static_cast<int *>(second.symbol("counter")), 21);
}

CASE(half_and_bfloat16) {
    const Module module = build(R"(
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bfloat16.h>
__global__ void h(const float *in, float *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        __half a = __float2half(in[i]);
        out[4 * i] = __half2float(a * a + __half(1));
        __half2 pair = __hadd2(__half2(a, a), __float2half2_rn(2.0f));
        out[4 * i + 1] = __high2float(pair);
        out[4 * i + 2] = (float)hsqrt(a) + (a > 0.5f ? 1 : 0);
        hip_bfloat16 b(in[i]);
        b += hip_bfloat16(1.0f);
        out[4 * i + 3] = float(b);
    }
}
__global__ void round_trip(unsigned *wrong) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        __half a = __ushort_as_half(bits);
        float f = __half2float(a);
        if (f == f && __half_as_ushort(__float2half(f)) != bits) ++*wrong;
    }
    if (__half_as_ushort(__float2half(65519.996f)) != 0x7bff) ++*wrong;
    if (__half_as_ushort(__float2half(65520.0f)) != 0x7c00) ++*wrong;
    if (__half_as_ushort(__float2half(0x1p-25f)) != 0) ++*wrong;
    if (__half_as_ushort(__float2half(0x1.8p-25f)) != 1) ++*wrong;
    if (!__hisnan(__float2half(NAN))) ++*wrong;
})");
    const float in[] = {0.0f, 0.25f, 1.0f, 3.0f};
    float out[16];
    module.launch("h", Shape{}, &in[0], &out[0], 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_EQUAL(out[4 * i], in[i] * in[i] + 1);
        CHECK_EQUAL(out[4 * i + 1], in[i] + 2);
        CHECK(fabsf(out[4 * i + 2] - (sqrtf(in[i]) + (in[i] > 0.5f ? 1 : 0))) < 2e-3f);
        CHECK_EQUAL(out[4 * i + 3], in[i] + 1);
    }
    unsigned wrong = 0;
    module.launch("round_trip", Shape{}, &wrong);
    CHECK_EQUAL(wrong, 0u);
}

CASE(half_without_f16c) {
    Source source;
    source.text = R"(
#include <hip/hip_fp16.h>
__global__ void round_trip(unsigned *wrong) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        float f = __half2float(__ushort_as_half(bits));
        if (f == f && __half_as_ushort(__float2half(f)) != bits) ++*wrong;
    }
    if (__half_as_ushort(__float2half(65519.996f)) != 0x7bff) ++*wrong;
    if (__half_as_ushort(__float2half(65520.0f)) != 0x7c00) ++*wrong;
    if (__half_as_ushort(__float2half(0x1p-25f)) != 0) ++*wrong;
    if (__half_as_ushort(__float2half(0x1.8p-25f)) != 1) ++*wrong;
    if (__half_as_ushort(__float2half(1.0f + 0x1p-11f)) != 0x3c00) ++*wrong;
    if (__half_as_ushort(__float2half(1.0f + 0x1.8p-10f)) != 0x3c02) ++*wrong;
})";
    source.options = {"--offload-arch=x86-64"};
    const Module module(compiled(source).image);
    unsigned wrong = 0;
    module.launch("round_trip", Shape{}, &wrong);
    CHECK_EQUAL(wrong, 0u);
}

CASE(integer_and_conversion_intrinsics) {
    const Module module = build(R"(
__global__ void k(long long *o) {
    *o++ = __popc(0xff0fu); *o++ = __popcll(~0ull); *o++ = __clz(0); *o++ = __clz(1);
    *o++ = __clzll(1); *o++ = __ffs(0); *o++ = __ffs(8); *o++ = __brev(1u);
    *o++ = (long long)__brevll(2ull); *o++ = __mul24(-3, 5); *o++ = __umulhi(1u << 31, 6u);
    *o++ = __mulhi(-1, 1); *o++ = (long long)__umul64hi(1ull << 63, 4ull);
    *o++ = __byte_perm(0x33221100, 0x77665544, 0x7531); *o++ = __float2int_rn(2.5f);
    *o++ = __float2int_rz(-2.9f); *o++ = __float2int_rn(1e20f); *o++ = __float2uint_rz(-1.0f);
    *o++ = __double2int_ru(2.1); *o++ = __float_as_int(1.0f); *o++ = __double2hiint(1.0);
    *o++ = __float2int_rn(NAN); *o++ = __sad(-2, 3, 10); *o++ = __hadd(3, 6);
    *o++ = __funnelshift_l(0x80000000u, 1u, 4u); *o++ = max(-1, 2u) == 4294967295u;
    *o++ = __bitextract_u32(0xabcd1234u, 8u, 8u); *o++ = __float2ll_rz(-1e30f);
})");
    const long long expected[] = {
        12, 64,         32,   31,       63,         0, 4, 0x80000000ll, 1ll << 62,  -15, 3,  -1,
        2,  0x77553311, 2,    -2,       2147483647, 0, 3, 0x3f800000,   0x3ff00000, 0,   15, 4,
        24, 1,          0x12, INT64_MIN};
    std::vector<long long> out(sizeof(expected) / 8);
    module.launch("k", Shape{}, out.data());
    for (size_t i = 0; i < out.size(); ++i) CHECK_EQUAL(out[i], expected[i]);
}

CASE(mathematical_functions) {
    const Module module = build(R"(
__global__ void k(double *o) {
    *o++ = sin(0.5); *o++ = sinf(0.5f); *o++ = rsqrtf(4.0f); *o++ = __expf(1.0f);
    *o++ = fminf(1.0f, NAN); *o++ = fmax(NAN, 2.0); *o++ = erf(0.5); *o++ = erfinv(0.3);
    *o++ = erfcinv(0.2); *o++ = normcdf(1.0); *o++ = normcdfinv(0.975); *o++ = sinpi(0.25);
    *o++ = cospi(1.0); *o++ = cbrt(27.0); *o++ = exp10(2.0); *o++ = pow(2.0f, 3);
    *o++ = fma(2.0f, 3.0f, 1.0f); *o++ = hypot(3.0, 4.0); *o++ = __saturatef(1.5f);
    *o++ = std::sqrt(2.0); *o++ = abs(-2.5f); *o++ = erfcx(10.0); *o++ = j0(1.0);
    *o++ = isnan(NAN) + isinf(INFINITY) + isfinite(1.0f); *o++ = fmod(7.5, 2.0);
    double s, c; sincos(1.0, &s, &c); *o++ = s; *o++ = c; *o++ = lgamma(5.0); *o++ = ldexp(1.0, 4);
    *o++ = sinpi(1e10); *o++ = rint(2.5); *o++ = lround(2.5); *o++ = erfinv(-0.9);
})");
    const double expected[] = {sin(0.5),
                               sinf(0.5f),
                               0.5,
                               expf(1.0f),
                               1,
                               2,
                               erf(0.5),
                               0.2724627147267543,
                               0.9061938024368232,
                               0.8413447460685429,
                               1.959963984540054,
                               M_SQRT1_2,
                               -1,
                               3,
                               100,
                               8,
                               7,
                               5,
                               1,
                               M_SQRT2,
                               2.5,
                               0.05614099274382259,
                               j0(1.0),
                               3,
                               1.5,
                               sin(1.0),
                               cos(1.0),
                               lgamma(5.0),
                               16,
                               0,
                               2,
                               3,
                               -1.1630871536766743};
    std::vector<double> out(sizeof(expected) / 8);
    module.launch("k", Shape{}, out.data());
    for (size_t i = 0; i < out.size(); ++i)
        if (!(fabs(out[i] - expected[i]) <= 4e-15 * fabs(expected[i]) + 1e-16)) {
            printf("function %zu: %.17g, expected %.17g\n", i, out[i], expected[i]);
            ++harness::failures;
        }
}

CASE(vector_math_is_close) {
    Source source;
    source.text = R"(
#include "vector_math.h"
#ifndef ROCARRAY_VECTOR_MATH
namespace vector_math { using ::sin; using ::exp; using ::pow; }
#endif
template <class T> __global__ void k(const T *a, T *o, long n) {
    for (long i = 0; i < n; ++i) o[i] = vector_math::sin(a[i]) + vector_math::exp(a[i]);
    for (long i = 0; i < n; ++i) o[i] += vector_math::pow(a[i], T(1.5));
})";
    source.expressions = {"k<float>", "k<double>"};
    const Compiled result = compiled(source);
    const Module module(result.image);
    std::vector<float> f(1001), out_f(1001);
    std::vector<double> d(1001), out_d(1001);
    for (size_t i = 0; i < f.size(); ++i) d[i] = f[i] = static_cast<float>(i) * 0.01f;
    module.launch(result.lowered.at("k<float>"), Shape{}, f.data(), out_f.data(), 1001l);
    module.launch(result.lowered.at("k<double>"), Shape{}, d.data(), out_d.data(), 1001l);
    for (size_t i = 0; i < f.size(); ++i) {
        const double expected = sin(d[i]) + exp(d[i]) + pow(d[i], 1.5);
        CHECK(fabs(out_d[i] - expected) <= 1e-15 * expected);
        CHECK(fabs(out_f[i] - expected) <= 5e-7 * expected);
    }
}

CASE(vector_types_and_complex) {
    const Module module = build(R"(
#include <hip/hip_complex.h>
static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double2) == 16, "layout");
__global__ void k(float4 *v, hipDoubleComplex *z) {
    v[0] = 2.0f * v[0] + make_float4(1, 2, 3, 4);
    v[0] -= float4(1.0f);
    z[0] = hipCmul(z[0], z[0]);
    z[1] = hipCdiv(z[1], hipConj(z[1]));
})");
    alignas(16) float v[4] = {1, 2, 3, 4};
    double z[4] = {1, 2, 0, 1};
    module.launch("k", Shape{}, &v[0], &z[0]);
    for (int i = 0; i < 4; ++i) CHECK_EQUAL(v[i], 3.0f * float(i + 1) - 1);
    CHECK_EQUAL(z[0], -3.0);
    CHECK_EQUAL(z[1], 4.0);
    CHECK_EQUAL(z[2], -1.0);
    CHECK_EQUAL(z[3], 0.0);
}

CASE(prints) {
    const Module module = build(R"(
extern "C" __global__ void hello() { printf("item %u of block %u: %.1f\n", threadIdx.x, blockIdx.x, 1.5); })");
    module.launch("hello", Shape{{1, 1, 1}, {2, 1, 1}});
    fflush(stdout);
}

CASE(lists_its_own_kernels) {
    Source source;
    source.text = R"(
#define ROCARRAY_EXPORTED_KERNELS
#include "twice.hpp"
extern "C" __global__ void own(float *data, int n) {
    for (int i = blockIdx.x * 100; i < n && i < (blockIdx.x + 1) * 100; ++i) data[i] = twice(data[i]);
    __syncthreads();
}
HIPCPU_EXPORT(own)
)";
    source.headers["twice.hpp"] = "template <class T> __device__ T twice(T x) { return x + x; }";
    source.options = {"-DROCARRAY_BLOCK_SIZE=1"};
    const Module module(compiled(source).image);
    CHECK_EQUAL(module.kernel("own").flags, 0u);
    std::vector<float> data = ramp(1000), expected = ramp(1000);
    module.launch("own", Shape{{10, 1, 1}, {1, 1, 1}}, data.data(), 1000);
    for (size_t i = 0; i < 1000; ++i) CHECK_EQUAL(data[i], 2 * expected[i]);
}

// ---- what kernels look like in a source ----

CASE(kernels_are_found_where_they_are) {
    Source source;
    source.text = R"(
#define K(name) __global__ void name(int *out) { *out = __LINE__; }
K(from_macro)
const char *text = "__global__ void in_string(int *) {"; // __global__ void in_comment() {}
const char *raw = R"x(" ' __global__ void in_raw() { )x";
__global__ void declared_only(int *out);
extern "C" __global__ void declared_first(int *out);
extern "C" { __global__ __launch_bounds__(64) void declared_first(int *out) { *out = 1; }
static __global__ void is_static(int *out) { *out = 2; } }
namespace a { namespace b::c { __global__ void nested(int *out) { *out = 3; } }
namespace { __global__ void hidden(int *out) { *out = 4; } }
inline namespace v1 { void __global__ type_first(int *out) { *out = 5; } } }
template <class T> __global__ void with_template(T *out) { *out = T(6); }
template <> __global__ void with_template<int>(int *out) { *out = 7; }
template __global__ void with_template<float>(float *out);
__attribute__((noinline)) __global__ void with_attribute(int *out) { *out = 8; }
struct __attribute__((aligned(8))) S { int x; S *operator&() = delete; };
__global__ void many(int a, char b, double c, S d, const int *e, int (*f)[3], float4 g) {}
__global__ void none() {}
[[maybe_unused]] __global__ void standard_attribute(int *out) noexcept { *out = 1'0; }
)";
    source.expressions = {"with_template<float>", "&with_template<int>",          "a::b::c::nested",
                          " ::a::hidden ",        "with_template<unsigned long>", "from_macro"};
    const Compiled result = compiled(source);
    const Module module(result.image);
    const auto value = [&](const std::string &name) {
        int out = -1;
        module.launch(name, Shape{}, &out);
        return out;
    };
    CHECK_EQUAL(value("from_macro"), 3);
    CHECK_EQUAL(value("declared_first"), 1);
    CHECK_EQUAL(value("is_static"), 2);
    CHECK_EQUAL(value("a__b__c__nested"), 3);
    CHECK_EQUAL(value(result.lowered.at("a::b::c::nested")), 3);
    CHECK_EQUAL(value(result.lowered.at(" ::a::hidden ")), 4);
    CHECK_EQUAL(value("a__v1__type_first"), 5);
    CHECK_EQUAL(value("with_attribute"), 8);
    CHECK_EQUAL(value("standard_attribute"), 10);
    CHECK_EQUAL(value(result.lowered.at("&with_template<int>")), 7);
    float out = 0;
    module.launch(result.lowered.at("with_template<float>"), Shape{}, &out);
    CHECK_EQUAL(out, 6.0f);
    unsigned long wide = 0;
    module.launch(result.lowered.at("with_template<unsigned long>"), Shape{}, &wide);
    CHECK_EQUAL(wide, 6ul);
    CHECK(module.symbol("hipcpu_kernel_declared_only") == nullptr);
    CHECK(module.symbol("hipcpu_kernel_in_string") == nullptr);
    CHECK(module.symbol("hipcpu_kernel_in_raw") == nullptr);
    const hipcpu::KernelDescriptor &many = module.kernel("many");
    CHECK_EQUAL(many.n_arguments, 7u);
    const uint32_t sizes[] = {4, 1, 8, 8, 8, 8, 16}, alignments[] = {4, 1, 8, 8, 8, 8, 16};
    for (size_t i = 0; i < 7; ++i) {
        CHECK_EQUAL(many.argument_sizes[i], sizes[i]);
        CHECK_EQUAL(many.argument_alignments[i], alignments[i]);
    }
    CHECK_EQUAL(module.kernel("none").n_arguments, 0u);
}

CASE(variables_are_found_by_name) {
    Source source;
    source.text = R"(
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter;
namespace ns { __device__ double value = 2.5; }
__global__ void k(float *out) { out[0] = table[3] + counter + ns::value; })";
    source.expressions = {"&table", "counter", "&ns::value"};
    const Compiled result = compiled(source);
    const Module module(result.image);
    static_cast<float *>(module.symbol(result.lowered.at("&table")))[3] = 100;
    *static_cast<int *>(module.symbol(result.lowered.at("counter"))) = 1000;
    *static_cast<double *>(module.symbol(result.lowered.at("&ns::value"))) = 0.5;
    float out = 0;
    module.launch("k", Shape{}, &out);
    CHECK_EQUAL(out, 1100.5f);
}

CASE(standard_headers_can_be_included) {
    build(R"(
#include <cmath>
#include <math.h>
#include <cstdint>
#include <algorithm>
#include <type_traits>
using namespace std;
__global__ void k(float *a, double *d, int n) {
    a[0] = sin(a[0]) + std::sin(a[0]) + pow(a[0], 2) + max(1.0f, a[0]) + std::min(n, 2) + abs(n);
    d[0] = isnan(d[0]) + std::isinf(a[0]) + fmax(d[0], 1.0) + std::hypot(d[0], 1.0) + __cosf(a[0]);
    static_assert(std::is_same<decltype(sqrt(a[0])), float>::value, "float stays float");
})");
}

// ---- compiles that fail, and options ----

CASE(errors_name_the_users_file_and_line) {
    Source source;
    source.text =
        "// a comment\n#include \"mine.hpp\"\n"
        "extern \"C\" __global__ void k(int *a) {\n  a[0] = undefined_name;\n}\n";
    source.headers["mine.hpp"] = "\n\n";
    const Compiled result = compile(source);
    CHECK_EQUAL(result.result, 6);
    CHECK(contains(result.log, "user.hip:4:10: error:"));
    CHECK(contains(result.log, "undefined_name"));
    CHECK(!contains(result.log, "rocarray-rtc-"));

    source.headers["mine.hpp"] = "\nint broken = ;\n";
    CHECK(contains(compile(source).log, "mine.hpp:2:14: error:"));
    source.name = "folder/my kernel.cu";
    CHECK(contains(compile(source).log, "folder/my kernel.cu:4:10: error:"));
    source.name = "/absolute/../x.hip";
    CHECK(contains(compile(source).log, "/absolute/../x.hip:4:10: error:"));
    source.text = "#define ROCARRAY_EXPORTED_KERNELS\n\nint x = y;\n";
    source.name = "own.hip";
    CHECK(contains(compile(source).log, "own.hip:3:9: error:"));
    source.text = "__global__ void k(int *a) {\n  if (a) {\n  a[0] = 1;\n}\n";
    source.name = "open.hip";
    CHECK(contains(compile(source).log, "open.hip:4:2: error:"));
    source.text = "#include \"absent.hpp\"\n";
    CHECK(contains(compile(source).log, "absent.hpp"));
}

CASE(bad_name_expression_says_which) {
    Source source;
    source.text = "template <class T> __global__ void k(T *a) {}";
    source.expressions = {"k<no_such_type>"};
    const Compiled result = compile(source);
    CHECK_EQUAL(result.result, 6);
    CHECK(contains(result.log, "k<no_such_type>"));
}

CASE(options_are_translated) {
    Source source;
    source.text =
        "#if VALUE != 3 || defined(GONE)\n#error options\n#endif\n"
        "__global__ void k(float *a) { a[0] = VALUE; }";
    source.options = {"-DVALUE=3",
                      "-D",
                      "GONE",
                      "-UGONE",
                      "-std=c++11",
                      "-O2",
                      "-ffast-math",
                      "-munknown",
                      "-fgpu-something",
                      "-Wall",
                      "--offload-arch=x86-64-v3",
                      "-ffp-contract=off"};
    const Compiled result = compile(source);
    CHECK_EQUAL(result.result, 0);
    CHECK(contains(result.log, "-munknown") && contains(result.log, "-fgpu-something"));
    CHECK(!contains(result.log, "-ffast-math"));

    source.options = {"--offload-arch=gfx90a", "-DVALUE=3"};
    const Compiled wrong = compile(source);
    CHECK_EQUAL(wrong.result, 5);
    CHECK(contains(wrong.log, "x86-64-v3"));
    source.options = {"nonsense"};
    CHECK_EQUAL(compile(source).result, 5);
}

CASE(macros_do_not_reach_the_prelude) {
    Source source;
    source.options = {"-DN=1", "-DT=2", "-Dx", "-Dvalue=4", "-DF(a)=a"};
    source.text =
        "#include <hip/hip_runtime.h>\n__global__ void k(int *out) "
        "{ out[0] = N + T + F(x) + value; }";
    const Module module(compiled(source).image);
    int out = 0;
    module.launch("k", Shape{}, &out);
    CHECK_EQUAL(out, 8);
}

CASE(interface_checks_its_arguments) {
    hiprtcProgram program = nullptr;
    CHECK_EQUAL(hiprtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), 3);
    CHECK_EQUAL(hiprtcCreateProgram(&program, nullptr, "", 0, nullptr, nullptr), 3);
    CHECK_EQUAL(hiprtcCreateProgram(&program, "", "", 1, nullptr, nullptr), 3);
    const char *text = "", *name = "../outside.h";
    CHECK_EQUAL(hiprtcCreateProgram(&program, "", "", 1, &text, &name), 2);
    CHECK_EQUAL(hiprtcCompileProgram(nullptr, 0, nullptr), 4);
    CHECK_EQUAL(
        hiprtcCreateProgram(&program, "__global__ void k() {}", nullptr, 0, nullptr, nullptr), 0);
    size_t size = 0;
    const char *lowered = nullptr;
    CHECK_EQUAL(hiprtcGetCodeSize(program, &size), 4);
    CHECK_EQUAL(hiprtcGetLoweredName(program, "k", &lowered), 9);
    CHECK_EQUAL(hiprtcAddNameExpression(program, "k"), 0);
    CHECK_EQUAL(hiprtcCompileProgram(program, 0, nullptr), 0);
    CHECK_EQUAL(hiprtcAddNameExpression(program, "k"), 8);
    CHECK_EQUAL(hiprtcGetLoweredName(program, "other", &lowered), 10);
    CHECK_EQUAL(hiprtcGetLoweredName(program, "k", &lowered), 0);
    CHECK(lowered != nullptr && strcmp(lowered, "k") == 0);
    CHECK_EQUAL(hiprtcDestroyProgram(&program), 0);
    CHECK(program == nullptr);
    CHECK(strcmp(hiprtcGetErrorString(6), "HIPRTC_ERROR_COMPILATION") == 0);
    int major = 0, minor = 0;
    CHECK_EQUAL(hiprtcVersion(&major, &minor), 0);
    CHECK(major >= 6);
}

// Prints the log, for tests that set the environment.
CASE(compile_and_show_log) {
    Source source;
    source.text = "__global__ void k() {}";
    const Compiled result = compile(source);
    printf("result %d\n%s", result.result, result.log.c_str());
}

CASE(compiles_on_several_threads) {
    std::vector<std::thread> threads;
    std::vector<int> values(6, -1);
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([i, &values] {
            Source source;
            source.text = "__global__ void k(int *out) { *out = VALUE; }";
            source.options = {"-DVALUE=" + std::to_string(i)};
            const Module module(compiled(source).image);
            module.launch("k", Shape{}, &values[size_t(i)]);
        });
    for (std::thread &thread : threads) thread.join();
    for (int i = 0; i < 6; ++i) CHECK_EQUAL(values[size_t(i)], i);
}

int main(int argc, char **argv) { return harness::run(argc, argv); }

// Modules (cubin or PTX), kernels, launches, occupancy.
#include <cstring>

#include "runtime.h"

namespace hipnv {

namespace {

// Up to here a workgroup's dynamic LDS needs no permission in CUDA; in HIP none is ever needed.
constexpr unsigned kFreeSharedBytes = 48 * 1024;

bool is_elf(const char *image) { return std::memcmp(image, "\177ELF", 4) == 0; }

// PTX begins with a comment or a directive. Anything else would make the driver read past the end
// of what the caller has, since an image tells its length only if it is one.
bool is_ptx(const char *image) {
    while (*image == ' ' || *image == '\t' || *image == '\r' || *image == '\n') ++image;
    return std::strncmp(image, "//", 2) == 0 || std::strncmp(image, ".version", 8) == 0;
}

// An ELF for CUDA devices (EM_CUDA) of a version that the loader knows.
bool is_cuda_elf(const char *image) {
    constexpr int kMachineOffset = 18, kEmCuda = 190;
    uint16_t machine;
    std::memcpy(&machine, image + kMachineOffset, sizeof machine);
    return machine == kEmCuda;
}

hipError_t load(hipModule_t *module, const char *image, const cuda::Driver &driver) {
    if (!module || !image) return hipErrorInvalidValue;
    *module = nullptr;
    if (is_elf(image) ? !is_cuda_elf(image) : !is_ptx(image)) return hipErrorInvalidImage;
    CUmodule loaded = nullptr;
    const cuda::Result result = driver.cuModuleLoadData(&loaded, image);
    *module = reinterpret_cast<hipModule_t>(loaded);
    return translate(result);
}

bool is_shape(unsigned x, unsigned y, unsigned z) { return x && y && z; }

// The driver's InvalidValue covers wrong shapes too, for which HIP has a code of its own.
bool is_launchable(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                   unsigned z) {
    constexpr uint64_t kMaxBlockItems = 1024;
    const auto fits = [](uint64_t n_blocks, uint64_t n_items) {
        return n_blocks * n_items <= UINT32_MAX;  // HIP counts work-items in 32 bits
    };
    return is_shape(grid_x, grid_y, grid_z) && is_shape(x, y, z) && x <= kMaxBlockItems &&
           y <= kMaxBlockItems && z <= kMaxBlockItems &&
           static_cast<uint64_t>(x) * y * z <= kMaxBlockItems && fits(grid_x, x) &&
           fits(grid_y, y) && fits(grid_z, z);
}

}  // namespace

}  // namespace hipnv

using namespace hipnv;

HIP_EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
    return api_call([&](const cuda::Driver &driver) {
        return load(module, static_cast<const char *>(image), driver);
    });
}

HIP_EXPORT hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
    return api_call([&](const cuda::Driver &driver) {
        if (!module || !path) return hipErrorInvalidValue;
        CUmodule loaded = nullptr;
        const cuda::Result result = driver.cuModuleLoad(&loaded, path);
        *module = reinterpret_cast<hipModule_t>(loaded);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
    return api_call([&](const cuda::Driver &driver) {
        // HIP waits for kernels in flight; the driver leaves that to the caller.
        const cuda::Result waited = driver.cuCtxSynchronize();
        const cuda::Result result = driver.cuModuleUnload(native(module));
        return translate(result ? result : waited);
    });
}

HIP_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                           const char *name) {
    return api_call([&](const cuda::Driver &driver) {
        if (!function || !name) return hipErrorInvalidValue;
        CUfunction found = nullptr;
        const cuda::Result result = driver.cuModuleGetFunction(&found, native(module), name);
        *function = reinterpret_cast<hipFunction_t>(found);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *n_bytes,
                                         hipModule_t module, const char *name) {
    return api_call([&](const cuda::Driver &driver) {
        if ((!pointer && !n_bytes) || !name) return hipErrorInvalidValue;
        cuda::DevicePointer address = 0;
        const cuda::Result result =
            driver.cuModuleGetGlobal_v2(&address, n_bytes, native(module), name);
        if (pointer) *pointer = pointer_to(address);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned x,
                                            unsigned y, unsigned z, unsigned shared_bytes,
                                            hipStream_t stream, void **parameters, void **extra) {
    return api_call([&](const cuda::Driver &driver) {
        if (!function) return hipErrorInvalidHandle;
        if (!is_launchable(grid_x, grid_y, grid_z, x, y, z)) return hipErrorInvalidConfiguration;
        // The marks in `extra` (pointer, size, end) differ: CUDA's are 1, 2, 0.
        void *marks[5] = {};
        if (extra) {
            int n = 0;
            for (; n < 4 && reinterpret_cast<uintptr_t>(extra[n]) != kLaunchParamEnd; n += 2) {
                marks[n] = extra[n];
                marks[n + 1] = extra[n + 1];
            }
            marks[n] = nullptr;
        }
        if (__builtin_expect(shared_bytes > kFreeSharedBytes, 0)) {
            const cuda::Result result = driver.cuFuncSetAttribute(
                native(function), cuda::kFunctionDynamicShared, static_cast<int>(shared_bytes));
            if (result != 0) return translate(result);
        }
        return translate(driver.cuLaunchKernel(native(function), grid_x, grid_y, grid_z, x, y, z,
                                               shared_bytes, native(stream), parameters,
                                               extra ? marks : nullptr));
    });
}

HIP_EXPORT hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                                          hipFunction_t function) {
    return api_call([&](const cuda::Driver &driver) {
        if (!value || attribute < 0 || attribute >= HIP_FUNC_ATTRIBUTE_MAX)
            return hipErrorInvalidValue;
        if (!function) return hipErrorInvalidDeviceFunction;
        return translate(driver.cuFuncGetAttribute(value, attribute, native(function)));
    });
}

HIP_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks,
                                                                         hipFunction_t function,
                                                                         int block_items,
                                                                         size_t shared_bytes) {
    return api_call([&](const cuda::Driver &driver) {
        if (!n_blocks || block_items <= 0) return hipErrorInvalidValue;
        return translate(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            n_blocks, native(function), block_items, shared_bytes));
    });
}

HIP_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *n_blocks, int *block_items,
                                                              hipFunction_t function,
                                                              size_t shared_bytes, int limit) {
    return api_call([&](const cuda::Driver &driver) {
        if (!n_blocks || !block_items || limit < 0) return hipErrorInvalidValue;
        return translate(driver.cuOccupancyMaxPotentialBlockSize(
            n_blocks, block_items, native(function), nullptr, shared_bytes, limit));
    });
}

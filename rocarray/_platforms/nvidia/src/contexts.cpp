// The driver's start, and one primary context a device, retained at first use and kept.
#include <atomic>
#include <mutex>

#include "runtime.h"

namespace hipnv {

namespace {

constexpr int kMaxDevices = 64;

std::atomic<CUcontext> contexts[kMaxDevices];
std::mutex mutex;

struct Start {
    hipError_t status;
    int n_devices = 0;

    Start() {
        const cuda::Driver &driver = cuda::driver();
        cuda::Result result = driver.cuInit(0);
        if (result == 0) result = driver.cuDeviceGetCount(&n_devices);
        status = translate(result);
        if (status == hipSuccess && n_devices == 0) status = hipErrorNoDevice;
        if (n_devices > kMaxDevices) n_devices = kMaxDevices;
    }
};

const Start &start() {
    static const Start instance;
    return instance;
}

}  // namespace

hipError_t initialize() { return start().status; }

int n_devices() { return start().n_devices; }

hipError_t find_context(int device, CUcontext *context) {
    const hipError_t status = initialize();
    if (status != hipSuccess) return status;
    if (device < 0 || device >= n_devices()) return hipErrorInvalidDevice;
    *context = contexts[device].load(std::memory_order_acquire);
    if (*context) return hipSuccess;
    std::lock_guard<std::mutex> lock(mutex);
    *context = contexts[device].load();
    if (*context) return hipSuccess;
    const cuda::Result result = cuda::driver().cuDevicePrimaryCtxRetain(context, device);
    if (result == 0) contexts[device].store(*context, std::memory_order_release);
    return translate(result);
}

int device_of(CUcontext context) {
    for (int device = 0; device < n_devices(); ++device)
        if (contexts[device].load() == context) return device;
    return -1;
}

hipError_t reset_context(int device) {
    std::lock_guard<std::mutex> lock(mutex);
    const cuda::Driver &driver = cuda::driver();
    if (!contexts[device].exchange(nullptr)) return hipSuccess;
    driver.cuCtxSetCurrent(nullptr);
    driver.cuDevicePrimaryCtxRelease_v2(device);
    return translate(driver.cuDevicePrimaryCtxReset_v2(device));
}

hipError_t activate() {
    CUcontext wanted = contexts[thread_state.device].load(std::memory_order_acquire);
    if (__builtin_expect(!wanted, 0)) {
        const hipError_t status = find_context(thread_state.device, &wanted);
        if (status != hipSuccess) return status;
    }
    const cuda::Driver &driver = cuda::driver();
    CUcontext current = nullptr;
    const cuda::Result result = driver.cuCtxGetCurrent(&current);
    if (__builtin_expect(result == 0 && current == wanted, 1)) return hipSuccess;
    return translate(result ? result : driver.cuCtxSetCurrent(wanted));
}

}  // namespace hipnv

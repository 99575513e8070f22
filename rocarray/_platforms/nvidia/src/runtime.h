// What the parts of the runtime share: the thread's device and last error, contexts, error codes.
#pragma once

#include "driver.h"
#include "hip_abi.h"

namespace hipnv {

struct ThreadState {
    int device = 0;
    hipError_t last_error = hipSuccess;
};
extern thread_local ThreadState thread_state;

// HIP's code for the driver's; most are the same number.
hipError_t translate(cuda::Result result);

inline hipError_t report(hipError_t status) {
    if (__builtin_expect(status != hipSuccess && status != hipErrorNotReady, 0))
        thread_state.last_error = status;
    return status;
}

// Starts the driver; its outcome is kept.
hipError_t initialize();
int n_devices();

// The primary context of a device, which CUDA's own runtime and libraries use too.
hipError_t find_context(int device, CUcontext *context);
// The device whose context this is, or -1.
int device_of(CUcontext context);
// Releases and forgets a device's context.
hipError_t reset_context(int device);

// Makes the context of the thread's device current. Other libraries may have changed it.
hipError_t activate();

// Every entry point: `body` returns a driver's result, with the right context current.
template <class Body>
hipError_t driver_call(Body &&body) {
    const hipError_t status = activate();
    return report(status != hipSuccess ? status : translate(body(cuda::driver())));
}

// The same for a body that returns HIP's codes.
template <class Body>
hipError_t api_call(Body &&body) {
    const hipError_t status = activate();
    return report(status != hipSuccess ? status : body(cuda::driver()));
}

inline cuda::DevicePointer address_of(const void *pointer) {
    return reinterpret_cast<cuda::DevicePointer>(pointer);
}
inline void *pointer_to(cuda::DevicePointer address) { return reinterpret_cast<void *>(address); }

// HIP's handles are the driver's own. 1 and 2 name the null and the per-thread stream in both.
inline CUstream native(hipStream_t stream) { return reinterpret_cast<CUstream>(stream); }
inline CUevent native(hipEvent_t event) { return reinterpret_cast<CUevent>(event); }
inline CUmodule native(hipModule_t module) { return reinterpret_cast<CUmodule>(module); }
inline CUfunction native(hipFunction_t function) { return reinterpret_cast<CUfunction>(function); }
inline CUgraph native(hipGraph_t graph) { return reinterpret_cast<CUgraph>(graph); }
inline CUgraphExec native(hipGraphExec_t graph) { return reinterpret_cast<CUgraphExec>(graph); }

}  // namespace hipnv

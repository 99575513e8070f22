// Names and texts of HIP's error codes, and the calling thread's last error.
#include "hip_error_texts.h"
#include "runtime.h"

HIP_EXPORT const char *hipGetErrorName(hipError_t code) { return hip_abi::error_name(code); }

HIP_EXPORT const char *hipGetErrorString(hipError_t code) { return hip_abi::error_string(code); }

HIP_EXPORT hipError_t hipGetLastError(void) {
    const hipError_t error = hipcpu::thread_state.last_error;
    hipcpu::thread_state.last_error = hipSuccess;
    return error;
}

HIP_EXPORT hipError_t hipExtGetLastError(void) { return hipGetLastError(); }

HIP_EXPORT hipError_t hipPeekAtLastError(void) { return hipcpu::thread_state.last_error; }

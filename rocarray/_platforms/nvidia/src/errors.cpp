// Error codes: the driver's as HIP's, their names and texts, and the calling thread's last error.
#include "hip_error_texts.h"
#include "runtime.h"

namespace hipnv {

thread_local ThreadState thread_state;

// The codes that have no equal in HIP, or another meaning there. All others are the same numbers.
hipError_t translate(cuda::Result result) {
    if (__builtin_expect(result == 0, 1)) return hipSuccess;
    switch (result) {
        case 34:                                      // stub library
        case 46:                                      // device unavailable
        case 102: return hipErrorNoDevice;            // not licensed
        case 36:                                      // the call needs a newer driver
        case 803:                                     // driver and library do not fit
        case 804: return hipErrorInsufficientDriver;  // no forward compatibility here
        case 220: return hipErrorECCNotCorrectable;   // NVLink, uncorrectable
        case 221:                                     // no compiler for PTX
        case 222:                                     // PTX is newer than the driver
        case 223: return hipErrorNoBinaryForGpu;      // compiling PTX is turned off
        case 226:                                     // contained hardware fault
        case 714:                                     // hardware stack
        case 715:                                     // illegal instruction
        case 718: return hipErrorLaunchFailure;       // invalid program counter
        case 716:                                     // misaligned address
        case 717: return hipErrorIllegalAddress;      // invalid address space
        case 224:                                     // execution affinity
        case 225:                                     // synchronisation in a kernel
        case 711:                                     // too many peers
        case cuda::kNotPermitted: return hipErrorNotSupported;
        case 911:                          // CUDA: external device
        case 912: return hipErrorUnknown;  // CUDA: cluster size
        default: break;
    }
    const auto code = static_cast<hipError_t>(result);
    return hip_abi::find_error_text(code) ? code : hipErrorUnknown;
}

}  // namespace hipnv

using namespace hipnv;

HIP_EXPORT const char *hipGetErrorName(hipError_t code) { return hip_abi::error_name(code); }

HIP_EXPORT const char *hipGetErrorString(hipError_t code) { return hip_abi::error_string(code); }

HIP_EXPORT hipError_t hipGetLastError(void) {
    const hipError_t error = thread_state.last_error;
    thread_state.last_error = hipSuccess;
    return error;
}

HIP_EXPORT hipError_t hipPeekAtLastError(void) { return thread_state.last_error; }

// The part of NVRTC's C ABI that we call: own declarations, as in cuda_abi.h.
#pragma once

#include <stddef.h>

typedef struct _nvrtcProgram *nvrtcProgram;

namespace cuda {

typedef int NvrtcResult;

constexpr NvrtcResult kNvrtcCompilation = 6;  // NVRTC_ERROR_COMPILATION

// X(symbol, (arguments)): every function of libnvrtc that returns an nvrtcResult and that we use.
#define NVRTC_FUNCTIONS(X)                                                                         \
    X(nvrtcVersion, (int *, int *))                                                                \
    X(nvrtcGetNumSupportedArchs, (int *))                                                          \
    X(nvrtcGetSupportedArchs, (int *))                                                             \
    X(nvrtcCreateProgram,                                                                          \
      (nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *)) \
    X(nvrtcDestroyProgram, (nvrtcProgram *))                                                       \
    X(nvrtcCompileProgram, (nvrtcProgram, int, const char *const *))                               \
    X(nvrtcAddNameExpression, (nvrtcProgram, const char *))                                        \
    X(nvrtcGetLoweredName, (nvrtcProgram, const char *, const char **))                            \
    X(nvrtcGetProgramLogSize, (nvrtcProgram, size_t *))                                            \
    X(nvrtcGetProgramLog, (nvrtcProgram, char *))                                                  \
    X(nvrtcGetPTXSize, (nvrtcProgram, size_t *))                                                   \
    X(nvrtcGetPTX, (nvrtcProgram, char *))                                                         \
    X(nvrtcGetCUBINSize, (nvrtcProgram, size_t *))                                                 \
    X(nvrtcGetCUBIN, (nvrtcProgram, char *))

}  // namespace cuda

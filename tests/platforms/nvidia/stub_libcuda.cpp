// A libcuda.so.1 for tests: device memory is the host's, streams run at once, kernels do nothing.
//
// STUB_FAIL="cuMemAlloc_v2=2,cuLaunchKernel=716" makes functions return these codes. STUB_DEVICES
// is the number of devices (1). What is called is written to the file STUB_TRACE, a line a call.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "cuda_abi.h"

using cuda::DevicePointer;
using cuda::Enum;

#define STUB extern "C" __attribute__((visibility("default"))) int
#define ENTER \
    if (const int code = enter(__func__)) return code

namespace {

struct Stream {
    unsigned flags;
    int priority, device;
    bool capturing = false;
};

struct Event {
    bool recorded = false;
};

std::map<DevicePointer, size_t> device_memory, host_memory;
thread_local CUcontext current;
char contexts[64];
char module, function, graph, executable;

int injected(const char *name) {
    const char *list = std::getenv("STUB_FAIL");
    const std::string text = list ? list : "";
    const size_t at = ("," + text).find("," + std::string(name) + "=");
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + std::strlen(name) + 1);
}

int enter(const char *name) {
    if (const char *path = std::getenv("STUB_TRACE"))
        if (FILE *file = std::fopen(path, "a")) {
            std::fprintf(file, "%s\n", name);
            std::fclose(file);
        }
    return injected(name);
}

int device_count() {
    const char *text = std::getenv("STUB_DEVICES");
    return text ? std::atoi(text) : 1;
}

int current_device() {
    return current ? static_cast<int>(reinterpret_cast<char *>(current) - contexts) : -1;
}

const std::pair<const DevicePointer, size_t> *find(const std::map<DevicePointer, size_t> &memory,
                                                   DevicePointer address) {
    auto next = memory.upper_bound(address);
    if (next == memory.begin()) return nullptr;
    --next;
    return address - next->first < next->second ? &*next : nullptr;
}

int copy(DevicePointer to, DevicePointer from, size_t n_bytes) {
    std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), n_bytes);
    return 0;
}

DevicePointer number(const void *pointer) { return reinterpret_cast<DevicePointer>(pointer); }

}  // namespace

STUB cuInit(unsigned) {
    ENTER;
    return device_count() ? 0 : 100;
}
STUB cuDriverGetVersion(int *version) {
    ENTER;
    *version = 13000;
    return 0;
}
STUB cuDeviceGetCount(int *n) {
    ENTER;
    *n = device_count();
    return 0;
}
STUB cuDeviceGetName(char *name, int n_bytes, int device) {
    ENTER;
    std::snprintf(name, static_cast<size_t>(n_bytes), "Stub %d", device);
    return 0;
}
STUB cuDeviceTotalMem_v2(size_t *n_bytes, int) {
    ENTER;
    *n_bytes = size_t{1} << 34;
    return 0;
}
STUB cuDeviceGetAttribute(int *value, Enum attribute, int) {
    ENTER;
    static const std::map<int, int> values = {{1, 1024},       {2, 1024},  {3, 1024},    {4, 64},
                                              {5, 2147483647}, {6, 65535}, {7, 65535},   {8, 49152},
                                              {10, 32},        {16, 132},  {39, 2048},   {41, 1},
                                              {75, 9},         {76, 0},    {97, 232448}, {106, 32}};
    const auto found = values.find(attribute);
    *value = found == values.end() ? 0 : found->second;
    return 0;
}
STUB cuDeviceGetPCIBusId(char *text, int n_bytes, int device) {
    ENTER;
    std::snprintf(text, static_cast<size_t>(n_bytes), "0000:%02x:00.0", device);
    return 0;
}
STUB cuDeviceCanAccessPeer(int *can, int, int) {
    ENTER;
    *can = 1;
    return 0;
}
STUB cuDevicePrimaryCtxRetain(CUcontext *context, int device) {
    ENTER;
    *context = reinterpret_cast<CUcontext>(contexts + device);
    return 0;
}
STUB cuDevicePrimaryCtxRelease_v2(int) {
    ENTER;
    return 0;
}
STUB cuDevicePrimaryCtxReset_v2(int) {
    ENTER;
    return 0;
}
STUB cuCtxGetCurrent(CUcontext *context) {
    ENTER;
    *context = current;
    return 0;
}
STUB cuCtxSetCurrent(CUcontext context) {
    ENTER;
    current = context;
    return 0;
}
STUB cuCtxSynchronize(void) {
    ENTER;
    return 0;
}
STUB cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    ENTER;
    *least = 0;
    *greatest = -5;
    return 0;
}
STUB cuMemGetInfo_v2(size_t *free, size_t *total) {
    ENTER;
    *free = size_t{1} << 33;
    *total = size_t{1} << 34;
    return 0;
}
STUB cuMemAlloc_v2(DevicePointer *address, size_t n_bytes) {
    ENTER;
    if (n_bytes == 0) return 1;
    if (n_bytes > size_t{1} << 34) return 2;
    void *memory = std::calloc(1, n_bytes);
    *address = number(memory);
    device_memory[*address] = n_bytes;
    return memory ? 0 : 2;
}
STUB cuMemFree_v2(DevicePointer address) {
    ENTER;
    if (!device_memory.erase(address)) return 1;
    std::free(reinterpret_cast<void *>(address));
    return 0;
}
STUB cuMemAllocAsync(DevicePointer *address, size_t n_bytes, CUstream) {
    ENTER;
    return cuMemAlloc_v2(address, n_bytes);
}
STUB cuMemFreeAsync(DevicePointer address, CUstream) {
    ENTER;
    return cuMemFree_v2(address);
}
STUB cuMemHostAlloc(void **pointer, size_t n_bytes, unsigned flags) {
    ENTER;
    if (flags & ~7u) return 1;
    *pointer = std::malloc(n_bytes);
    host_memory[number(*pointer)] = n_bytes;
    return 0;
}
STUB cuMemFreeHost(void *pointer) {
    ENTER;
    if (!host_memory.erase(number(pointer))) return 1;
    std::free(pointer);
    return 0;
}
STUB cuMemHostGetFlags(unsigned *flags, void *) {
    ENTER;
    *flags = 2;
    return 0;
}
STUB cuPointerGetAttributes(unsigned n, Enum *names, void **values, DevicePointer address) {
    ENTER;
    const bool on_device = find(device_memory, address), on_host = find(host_memory, address);
    for (unsigned i = 0; i < n; ++i) {
        const bool known = on_device || on_host;
        switch (names[i]) {
            case cuda::kPointerMemoryType:
                *static_cast<int *>(values[i]) = on_device ? 2 : on_host ? 1 : 0;
                break;
            case cuda::kPointerDevicePointer:
                *static_cast<DevicePointer *>(values[i]) = known ? address : 0;
                break;
            case cuda::kPointerHostPointer:
                *static_cast<DevicePointer *>(values[i]) = on_host ? address : 0;
                break;
            case cuda::kPointerDevice: *static_cast<int *>(values[i]) = known ? 0 : -2; break;
            default: *static_cast<int *>(values[i]) = 0;
        }
    }
    return 0;
}
STUB cuMemcpy(DevicePointer to, DevicePointer from, size_t n_bytes) {
    ENTER;
    return copy(to, from, n_bytes);
}
STUB cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t n_bytes, CUstream) {
    ENTER;
    return copy(to, from, n_bytes);
}
STUB cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t n_bytes) {
    ENTER;
    return find(device_memory, to) ? copy(to, number(from), n_bytes) : 1;
}
STUB cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t n_bytes) {
    ENTER;
    return find(device_memory, from) ? copy(number(to), from, n_bytes) : 1;
}
STUB cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t n_bytes, CUstream) {
    ENTER;
    return cuMemcpyHtoD_v2(to, from, n_bytes);
}
STUB cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t n_bytes, CUstream) {
    ENTER;
    return cuMemcpyDtoH_v2(to, from, n_bytes);
}
STUB cuMemcpy2DAsync_v2(const cuda::Memcpy2D *c, CUstream) {
    ENTER;
    for (size_t row = 0; row < c->Height; ++row)
        copy(c->dstDevice + row * c->dstPitch, c->srcDevice + row * c->srcPitch, c->WidthInBytes);
    return 0;
}
STUB cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t n_bytes) {
    ENTER;
    std::memset(reinterpret_cast<void *>(to), value, n_bytes);
    return 0;
}
STUB cuMemsetD8Async(DevicePointer to, unsigned char value, size_t n_bytes, CUstream) {
    ENTER;
    return cuMemsetD8_v2(to, value, n_bytes);
}
STUB cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    ENTER;
    if (current_device() < 0) return 201;
    *stream = reinterpret_cast<CUstream>(new Stream{flags, priority, current_device()});
    return 0;
}
STUB cuStreamDestroy_v2(CUstream stream) {
    ENTER;
    delete reinterpret_cast<Stream *>(stream);
    return 0;
}
STUB cuStreamSynchronize(CUstream) {
    ENTER;
    return 0;
}
STUB cuStreamQuery(CUstream) {
    ENTER;
    return 0;
}
STUB cuStreamWaitEvent(CUstream, CUevent, unsigned) {
    ENTER;
    return 0;
}
STUB cuStreamGetFlags(CUstream stream, unsigned *flags) {
    ENTER;
    *flags = reinterpret_cast<Stream *>(stream)->flags;
    return 0;
}
STUB cuStreamGetPriority(CUstream stream, int *priority) {
    ENTER;
    *priority = reinterpret_cast<Stream *>(stream)->priority;
    return 0;
}
STUB cuStreamGetCtx(CUstream stream, CUcontext *context) {
    ENTER;
    *context = reinterpret_cast<CUcontext>(contexts + reinterpret_cast<Stream *>(stream)->device);
    return 0;
}
STUB cuStreamAddCallback(CUstream stream, cuda::StreamCallback callback, void *data, unsigned) {
    ENTER;
    callback(stream, injected("callback"), data);
    return 0;
}
STUB cuLaunchHostFunc(CUstream, cuda::HostFunction function_, void *data) {
    ENTER;
    function_(data);
    return 0;
}
STUB cuStreamBeginCapture_v2(CUstream stream, Enum) {
    ENTER;
    if (!stream) return 900;
    reinterpret_cast<Stream *>(stream)->capturing = true;
    return 0;
}
STUB cuStreamEndCapture(CUstream stream, CUgraph *result) {
    ENTER;
    reinterpret_cast<Stream *>(stream)->capturing = false;
    *result = reinterpret_cast<CUgraph>(&graph);
    return 0;
}
STUB cuStreamIsCapturing(CUstream stream, Enum *status) {
    ENTER;
    *status = stream && reinterpret_cast<Stream *>(stream)->capturing;
    return 0;
}
STUB cuEventCreate(CUevent *event, unsigned flags) {
    ENTER;
    if (flags & ~7u) return 1;
    *event = reinterpret_cast<CUevent>(new Event);
    return 0;
}
STUB cuEventDestroy_v2(CUevent event) {
    ENTER;
    delete reinterpret_cast<Event *>(event);
    return 0;
}
STUB cuEventRecord(CUevent event, CUstream) {
    ENTER;
    reinterpret_cast<Event *>(event)->recorded = true;
    return 0;
}
STUB cuEventQuery(CUevent) {
    ENTER;
    return 0;
}
STUB cuEventSynchronize(CUevent) {
    ENTER;
    return 0;
}
STUB cuEventElapsedTime(float *ms, CUevent start, CUevent stop) {
    ENTER;
    *ms = 1.5f;
    const bool recorded =
        reinterpret_cast<Event *>(start)->recorded && reinterpret_cast<Event *>(stop)->recorded;
    return recorded ? 0 : 400;
}
STUB cuModuleLoadData(CUmodule *result, const void *) {
    ENTER;
    *result = reinterpret_cast<CUmodule>(&module);
    return 0;
}
STUB cuModuleUnload(CUmodule) {
    ENTER;
    return 0;
}
STUB cuModuleGetFunction(CUfunction *result, CUmodule, const char *name) {
    ENTER;
    *result = reinterpret_cast<CUfunction>(&function);
    return std::strcmp(name, "absent") ? 0 : 500;
}
STUB cuFuncGetAttribute(int *value, Enum attribute, CUfunction) {
    ENTER;
    *value = attribute == 0 ? 1024 : 0;
    return 0;
}
STUB cuFuncSetAttribute(CUfunction, Enum, int) {
    ENTER;
    return 0;
}
STUB cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    unsigned, CUstream, void **, void **extra) {
    ENTER;
    // CUDA's list ends with a null pointer; pairs of 1 and 2 come before.
    for (; extra && *extra; extra += 2)
        if (reinterpret_cast<uintptr_t>(*extra) > 2) return 1;
    return 0;
}
STUB cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int block, size_t) {
    ENTER;
    *n = 2048 / block;
    return 0;
}
STUB cuGraphInstantiateWithFlags(CUgraphExec *result, CUgraph, unsigned long long) {
    ENTER;
    *result = reinterpret_cast<CUgraphExec>(&executable);
    return 0;
}
STUB cuGraphLaunch(CUgraphExec, CUstream) {
    ENTER;
    return 0;
}
STUB cuGraphDestroy(CUgraph) {
    ENTER;
    return 0;
}
STUB cuGraphExecDestroy(CUgraphExec) {
    ENTER;
    return 0;
}
// NVRTC asks for it, and goes on without.
STUB cuGetExportTable(const void **table, const void *) {
    ENTER;
    *table = nullptr;
    return 500;
}
// The other functions are missing, as in an old driver.

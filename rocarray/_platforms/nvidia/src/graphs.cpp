// Capture and graphs: the driver's own; modes and states have the same numbers.
#include "runtime.h"

using namespace hipnv;

HIP_EXPORT hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuStreamBeginCapture_v2(native(stream), mode);
    });
}

HIP_EXPORT hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
    return api_call([&](const cuda::Driver &driver) {
        if (!graph) return hipErrorInvalidValue;
        CUgraph captured = nullptr;
        const cuda::Result result = driver.cuStreamEndCapture(native(stream), &captured);
        *graph = reinterpret_cast<hipGraph_t>(captured);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
    return api_call([&](const cuda::Driver &driver) {
        if (!status) return hipErrorInvalidValue;
        cuda::Enum value = 0;
        const cuda::Result result = driver.cuStreamIsCapturing(native(stream), &value);
        *status = static_cast<hipStreamCaptureStatus>(value);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph,
                                          hipGraphNode_t *error_node, char *log, size_t n_bytes) {
    return api_call([&](const cuda::Driver &driver) {
        if (!executable) return hipErrorInvalidValue;
        if (error_node) *error_node = nullptr;
        if (log && n_bytes > 0) *log = 0;
        CUgraphExec created = nullptr;
        const cuda::Result result = driver.cuGraphInstantiateWithFlags(&created, native(graph), 0);
        *executable = reinterpret_cast<hipGraphExec_t>(created);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuGraphLaunch(native(executable), native(stream));
    });
}

HIP_EXPORT hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuGraphUpload(native(executable), native(stream));
    });
}

HIP_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuGraphDestroy(native(graph)); });
}

HIP_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuGraphExecDestroy(native(executable)); });
}

HIP_EXPORT hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *n_nodes) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuGraphGetNodes(native(graph), reinterpret_cast<CUgraphNode *>(nodes),
                                      n_nodes);
    });
}

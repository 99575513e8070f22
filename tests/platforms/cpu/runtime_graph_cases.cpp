// Capture of streams, and graphs.
#include "runtime_harness.h"

using namespace harness;

static hipStreamCaptureStatus status_of(hipStream_t stream) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusInvalidated;
    OK(hipStreamIsCapturing(stream, &status));
    return status;
}

CASE(capture_and_launch) {
    Kernels kernels;
    const hipStream_t stream = new_stream();
    auto *data = allocate<int64_t>(64);
    static std::atomic<int> n_calls{0};
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK(status_of(stream) == hipStreamCaptureStatusActive);
    OK(hipMemsetAsync(data, 0, 512, stream));
    for (int i = 0; i < 3; ++i)
        OK(launch(kernels["add"], 8, 8, stream, data, uint64_t{64}, int64_t{5}));
    OK(hipLaunchHostFunc(stream, [](void *) { ++n_calls; }, nullptr));
    hipGraph_t graph = nullptr;
    OK(hipStreamEndCapture(stream, &graph));
    CHECK(status_of(stream) == hipStreamCaptureStatusNone);
    OK(hipStreamSynchronize(stream));
    CHECK(n_calls == 0);  // nothing ran yet

    size_t n_nodes = 0;
    OK(hipGraphGetNodes(graph, nullptr, &n_nodes));
    CHECK(n_nodes == 5);
    std::vector<hipGraphNode_t> nodes(n_nodes);
    OK(hipGraphGetNodes(graph, nodes.data(), &n_nodes));
    hipGraphNodeType type = hipGraphNodeTypeEmpty;
    OK(hipGraphNodeGetType(nodes[1], &type));
    CHECK(type == hipGraphNodeTypeKernel);

    hipGraphExec_t executable = nullptr;
    OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    OK(hipGraphDestroy(graph));
    CHECK_STATUS(hipGraphDestroy(graph), hipErrorInvalidValue);
    OK(hipGraphUpload(executable, stream));
    for (int i = 0; i < 10; ++i) OK(hipGraphLaunch(executable, stream));
    OK(hipGraphExecDestroy(executable));  // launches in flight go on
    OK(hipStreamSynchronize(stream));
    CHECK(n_calls == 10);
    CHECK(data[0] == 15 && data[63] == 15);
    CHECK_STATUS(hipGraphLaunch(executable, stream), hipErrorInvalidValue);
    OK(hipStreamDestroy(stream));
    OK(hipFree(data));
}

CASE(capture_across_streams) {
    Kernels kernels;
    const hipStream_t first = new_stream(), second = new_stream();
    const hipEvent_t fork = new_event(hipEventDisableTiming), join = new_event();
    auto *data = allocate<int64_t>(2);
    OK(hipStreamBeginCapture(first, hipStreamCaptureModeThreadLocal));
    OK(hipMemsetAsync(data, 0, 16, first));
    OK(hipEventRecord(fork, first));
    CHECK_STATUS(hipEventQuery(fork), hipErrorCapturedEvent);
    OK(hipStreamWaitEvent(second, fork, 0));
    CHECK(status_of(second) == hipStreamCaptureStatusActive);
    OK(launch(kernels["add"], 1, 1, second, data, uint64_t{1}, int64_t{1}));
    OK(launch(kernels["add"], 1, 1, first, data + 1, uint64_t{1}, int64_t{2}));
    OK(hipEventRecord(join, second));
    OK(hipStreamWaitEvent(first, join, 0));
    hipGraph_t graph = nullptr;
    OK(hipStreamEndCapture(first, &graph));
    CHECK(status_of(second) == hipStreamCaptureStatusNone);
    hipGraphExec_t executable = nullptr;
    OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
    OK(hipGraphLaunch(executable, first));
    OK(hipStreamSynchronize(first));
    CHECK(data[0] == 1 && data[1] == 2);
    CHECK_STATUS(hipStreamWaitEvent(first, join, 0), hipErrorCapturedEvent);
    OK(hipGraphExecDestroy(executable));
    OK(hipGraphDestroy(graph));
    OK(hipEventDestroy(fork));
    OK(hipEventDestroy(join));
    OK(hipStreamDestroy(first));
    OK(hipStreamDestroy(second));
    OK(hipFree(data));
}

CASE(captured_launches_nest) {
    Kernels kernels;
    const hipStream_t stream = new_stream();
    auto *data = allocate<int64_t>(1);
    OK(hipMemset(data, 0, 8));
    OK(hipDeviceSynchronize());
    hipGraph_t inner = nullptr, outer = nullptr;
    hipGraphExec_t inner_exec = nullptr, outer_exec = nullptr;
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    OK(launch(kernels["add"], 1, 1, stream, data, uint64_t{1}, int64_t{1}));
    OK(hipStreamEndCapture(stream, &inner));
    OK(hipGraphInstantiate(&inner_exec, inner, nullptr, nullptr, 0));
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    OK(hipGraphLaunch(inner_exec, stream));
    OK(hipGraphLaunch(inner_exec, stream));
    OK(hipStreamEndCapture(stream, &outer));
    OK(hipGraphInstantiate(&outer_exec, outer, nullptr, nullptr, 0));
    OK(hipGraphDestroy(inner));
    OK(hipGraphDestroy(outer));
    OK(hipGraphExecDestroy(inner_exec));
    OK(hipGraphLaunch(outer_exec, stream));
    OK(hipStreamSynchronize(stream));
    CHECK(data[0] == 2);
    OK(hipGraphExecDestroy(outer_exec));
    OK(hipStreamDestroy(stream));
    OK(hipFree(data));
}

CASE(capture_errors) {
    const hipStream_t stream = new_stream(), other = new_stream(),
                      blocking = new_stream(hipStreamDefault);
    const hipEvent_t event = new_event(), outside = new_event();
    auto *data = allocate<char>(64);
    hipGraph_t graph = nullptr;
    void *pointer = nullptr;
    CHECK_STATUS(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal),
                 hipErrorStreamCaptureUnsupported);
    CHECK_STATUS(hipStreamEndCapture(stream, &graph), hipErrorIllegalState);

    // A branch that is not joined.
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK_STATUS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    OK(hipEventRecord(event, stream));
    OK(hipStreamWaitEvent(other, event, 0));
    OK(hipMemsetAsync(data, 0, 64, other));
    CHECK_STATUS(hipStreamEndCapture(other, &graph), hipErrorStreamCaptureUnmatched);
    CHECK_STATUS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureUnjoined);
    CHECK(graph == nullptr && status_of(other) == hipStreamCaptureStatusNone);

    // Calls that synchronise.
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK_STATUS(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
    CHECK(status_of(stream) == hipStreamCaptureStatusInvalidated);
    CHECK_STATUS(hipMemsetAsync(data, 0, 64, stream), hipErrorStreamCaptureInvalidated);
    CHECK_STATUS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK_STATUS(hipMalloc(&pointer, 64), hipErrorStreamCaptureUnsupported);
    CHECK_STATUS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);

    // Relaxed captures, and threads that say they know, allow them.
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    OK(hipMalloc(&pointer, 64));
    OK(hipStreamEndCapture(stream, &graph));
    OK(hipGraphDestroy(graph));
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    OK(hipThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == hipStreamCaptureModeGlobal);
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    OK(hipFree(pointer));
    OK(hipMalloc(&pointer, 64));
    OK(hipStreamEndCapture(stream, &graph));
    OK(hipGraphDestroy(graph));
    OK(hipThreadExchangeStreamCaptureMode(&mode));

    // Events of uncaptured work, another thread, the null stream.
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    OK(hipEventRecord(outside, other));
    CHECK_STATUS(hipStreamWaitEvent(stream, outside, 0), hipErrorStreamCaptureIsolation);
    std::thread([&] {
        CHECK_STATUS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureWrongThread);
    }).join();
    CHECK_STATUS(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
    OK(hipStreamBeginCapture(blocking, hipStreamCaptureModeRelaxed));
    CHECK_STATUS(hipMemsetAsync(data, 0, 64, nullptr), hipErrorStreamCaptureImplicit);
    CHECK_STATUS(hipStreamEndCapture(blocking, &graph), hipErrorStreamCaptureInvalidated);

    // A stream that is destroyed takes its capture along.
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    OK(hipMemsetAsync(data, 0, 64, stream));
    OK(hipStreamDestroy(stream));
    OK(hipFree(pointer));
    OK(hipFree(data));
    OK(hipStreamDestroy(other));
    OK(hipStreamDestroy(blocking));
}

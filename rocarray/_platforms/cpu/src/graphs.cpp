#include "graphs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

namespace hipcpu {

namespace {

// Guards captures, and the capture state of streams. Capturing is no hot path.
std::mutex &capture_mutex() {
    static auto *mutex = new std::mutex;
    return *mutex;
}

uint64_t last_capture_id = 0;
std::vector<Capture *> &captures() {
    static auto *list = new std::vector<Capture *>;
    return *list;
}

// Live handles: graphs and executables come and go rarely, so a set of them will do.
template <class T>
struct LiveHandles {
    std::mutex mutex;
    std::unordered_set<const void *> all;

    void add(const T *handle) {
        std::lock_guard<std::mutex> lock(mutex);
        all.insert(handle);
    }
    bool remove(const T *handle) {
        std::lock_guard<std::mutex> lock(mutex);
        return all.erase(handle) == 1;
    }
    bool has(const T *handle) {
        std::lock_guard<std::mutex> lock(mutex);
        return all.count(handle) == 1;
    }
};

template <class T>
LiveHandles<T> &live() {
    static auto *handles = new LiveHandles<T>;
    return *handles;
}

hipGraphNodeType node_type(CommandKind kind) {
    switch (kind) {
        case CommandKind::kKernel: return hipGraphNodeTypeKernel;
        case CommandKind::kCopy: return hipGraphNodeTypeMemcpy;
        case CommandKind::kFill: return hipGraphNodeTypeMemset;
        case CommandKind::kHostFunction: return hipGraphNodeTypeHost;
        case CommandKind::kGraph: return hipGraphNodeTypeGraph;
        default: return hipGraphNodeTypeEmpty;
    }
}

bool contains(const std::vector<GraphNode *> &list, const GraphNode *node) {
    return std::find(list.begin(), list.end(), node) != list.end();
}

// With the mutex held: takes the stream out of its capture.
void leave_capture(Stream &stream) {
    stream.capture.store(nullptr);
    stream.capture_front.clear();
}

// With the mutex held.
void end_capture(Capture *capture) {
    for (Stream *stream : capture->streams) leave_capture(*stream);
    if (capture->mode == hipStreamCaptureModeThreadLocal) --capture->thread->n_captures;
    captures().erase(std::find(captures().begin(), captures().end(), capture));
    delete capture;
}

// Every node that nothing follows must be in front of the origin: else a stream that was forked
// off was not joined again.
bool is_joined(const Capture &capture) {
    std::unordered_set<const GraphNode *> followed;
    for (const auto &node : capture.graph->nodes)
        followed.insert(node->dependencies.begin(), node->dependencies.end());
    const auto &front = capture.origin->capture_front;
    return std::all_of(capture.graph->nodes.begin(), capture.graph->nodes.end(),
                       [&](const auto &node) {
                           return followed.count(node.get()) || contains(front, node.get());
                       });
}

hipError_t begin_capture(hipStream_t handle, hipStreamCaptureMode mode) {
    if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
        return hipErrorInvalidValue;
    Stream *stream = find_stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (stream->is_null) return hipErrorStreamCaptureUnsupported;
    std::lock_guard<std::mutex> lock(capture_mutex());
    if (stream->capture.load()) return hipErrorIllegalState;
    auto *capture =
        new Capture{++last_capture_id, stream, mode, &thread_state, new Graph, {stream}, false};
    captures().push_back(capture);
    if (mode == hipStreamCaptureModeThreadLocal) ++thread_state.n_captures;
    stream->capture_front.clear();
    stream->capture.store(capture);
    return hipSuccess;
}

hipError_t end_capture(hipStream_t handle, hipGraph_t *result) {
    if (!result) return hipErrorInvalidValue;
    *result = nullptr;
    Stream *stream = find_stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    std::lock_guard<std::mutex> lock(capture_mutex());
    Capture *capture = stream->capture.load();
    if (!capture) return hipErrorIllegalState;
    if (capture->origin != stream) return hipErrorStreamCaptureUnmatched;
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->thread != &thread_state)
        return hipErrorStreamCaptureWrongThread;
    std::unique_ptr<Graph> graph(capture->graph);
    hipError_t status = hipSuccess;
    if (capture->failed)
        status = hipErrorStreamCaptureInvalidated;
    else if (!is_joined(*capture))
        status = hipErrorStreamCaptureUnjoined;
    end_capture(capture);
    if (status != hipSuccess) return status;
    live<Graph>().add(graph.get());
    *result = graph.release();
    return hipSuccess;
}

hipError_t capture_status(hipStream_t handle, hipStreamCaptureStatus *status,
                          unsigned long long *id) {
    if (!status) return hipErrorInvalidValue;
    Stream *stream = find_stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    std::lock_guard<std::mutex> lock(capture_mutex());
    const Capture *capture = stream->capture.load();
    *status = !capture          ? hipStreamCaptureStatusNone
              : capture->failed ? hipStreamCaptureStatusInvalidated
                                : hipStreamCaptureStatusActive;
    if (id && capture) *id = capture->id;
    return hipSuccess;
}

// The first `*n` of `values`, or only their number where `list` is null.
template <class T>
hipError_t give_list(const std::vector<T> &values, T *list, size_t *n) {
    if (!n) return hipErrorInvalidValue;
    if (list) {
        const size_t n_given = std::min(*n, values.size());
        std::copy_n(values.begin(), n_given, list);
        std::fill(list + n_given, list + *n, nullptr);
    }
    *n = values.size();
    return hipSuccess;
}

hipError_t give_nodes(hipGraph_t graph, hipGraphNode_t *list, size_t *n, bool roots_only) {
    if (!live<Graph>().has(graph)) return hipErrorInvalidValue;
    std::vector<GraphNode *> nodes;
    for (const auto &node : graph->nodes)
        if (!roots_only || node->dependencies.empty()) nodes.push_back(node.get());
    return give_list(nodes, list, n);
}

hipError_t instantiate(hipGraphExec_t *result, hipGraph_t graph) {
    if (!result) return hipErrorInvalidValue;
    *result = nullptr;
    if (!live<Graph>().has(graph)) return hipErrorInvalidValue;
    auto body = std::make_shared<GraphBody>();
    // A captured node only follows nodes that were there before it.
    for (const auto &node : graph->nodes) {
        body->records.push_back(node->record);
        body->has_host_functions |= node->record->needs_worker;
    }
    auto executable = std::make_unique<hipGraphExec>();
    executable->body = std::move(body);
    live<hipGraphExec>().add(executable.get());
    *result = executable.release();
    return hipSuccess;
}

hipError_t launch(hipGraphExec_t executable, hipStream_t handle) {
    if (!live<hipGraphExec>().has(executable)) return hipErrorInvalidValue;
    Stream *stream = find_stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    return submit<GraphCommand>(*stream, 0, [&](GraphCommand &command, uint64_t ticket) {
        command.body = new std::shared_ptr<const GraphBody>(executable->body);
        command.needs_worker = executable->body->has_host_functions;
        if (command.needs_worker && ticket) runtime().n_host_functions.fetch_add(1);
    });
}

}  // namespace

void RecordDeleter::operator()(Command *command) const {
    dispose(*command);
    std::free(command);
}

Record make_record(CommandKind kind, size_t n_bytes) {
    n_bytes = record_bytes(n_bytes);
    void *memory = std::aligned_alloc(kRecordAlignment, n_bytes);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, n_bytes);  // a record that is never written owns nothing
    auto *command = static_cast<Command *>(memory);
    command->kind = kind;
    command->n_bytes = static_cast<uint32_t>(n_bytes);
    return Record(command, RecordDeleter());
}

hipError_t capture_command(Stream &stream, CommandKind kind, size_t n_bytes,
                           const std::function<void(Command &)> &build) {
    std::lock_guard<std::mutex> lock(capture_mutex());
    Capture *capture = stream.capture.load();
    if (!capture) return hipErrorIllegalState;  // ended by another thread just now
    if (capture->failed) return hipErrorStreamCaptureInvalidated;
    auto node = std::make_unique<GraphNode>();
    node->graph = capture->graph;
    node->type = node_type(kind);
    node->record = make_record(kind, n_bytes);
    build(*node->record);
    node->dependencies = stream.capture_front;
    stream.capture_front = {node.get()};
    capture->graph->nodes.push_back(std::move(node));
    return hipSuccess;
}

void capture_failed(Stream &stream) {
    std::lock_guard<std::mutex> lock(capture_mutex());
    if (Capture *capture = stream.capture.load()) capture->failed = true;
}

void abandon_capture(Stream &stream) {
    std::lock_guard<std::mutex> lock(capture_mutex());
    Capture *capture = stream.capture.load();
    if (!capture) return;
    if (capture->origin == &stream) {
        delete capture->graph;
        end_capture(capture);
        return;
    }
    capture->failed = true;
    auto &streams = capture->streams;
    streams.erase(std::find(streams.begin(), streams.end(), &stream));
    leave_capture(stream);
}

CapturedPoint captured_point(Stream &stream) {
    std::lock_guard<std::mutex> lock(capture_mutex());
    const Capture *capture = stream.capture.load();
    if (!capture) return {};
    return {capture->id, stream.capture_front};
}

hipError_t wait_for_captured(Stream &stream, const CapturedPoint &point) {
    std::lock_guard<std::mutex> lock(capture_mutex());
    Capture *capture = nullptr;
    for (Capture *candidate : captures())
        if (candidate->id == point.capture_id) capture = candidate;
    if (!capture) return hipErrorCapturedEvent;  // its capture is over
    Capture *own = stream.capture.load();
    if (own && own != capture) {
        own->failed = capture->failed = true;
        return hipErrorStreamCaptureMerge;
    }
    if (stream.is_null) {
        capture->failed = true;
        return hipErrorStreamCaptureImplicit;
    }
    if (!own) {
        stream.capture_front.clear();
        capture->streams.push_back(&stream);
        stream.capture.store(capture);
    }
    for (GraphNode *node : point.front)
        if (!contains(stream.capture_front, node)) stream.capture_front.push_back(node);
    return hipSuccess;
}

hipError_t check_no_capture() {
    if (thread_state.capture_mode == hipStreamCaptureModeRelaxed) return hipSuccess;
    std::lock_guard<std::mutex> lock(capture_mutex());
    bool forbidden = false;
    for (Capture *capture : captures()) {
        const bool is_own =
            capture->mode == hipStreamCaptureModeThreadLocal && capture->thread == &thread_state;
        const bool is_global = capture->mode == hipStreamCaptureModeGlobal &&
                               thread_state.capture_mode == hipStreamCaptureModeGlobal;
        if (!is_own && !is_global) continue;
        capture->failed = true;
        forbidden = true;
    }
    return forbidden ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

void run_graph(const GraphBody &body, Stream &stream) {
    for (const Record &record : body.records) execute(*record, stream);
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    return api_call([&] { return begin_capture(stream, mode); });
}

HIP_EXPORT hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
    return api_call([&] { return end_capture(stream, graph); });
}

HIP_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
    return api_call([&] { return capture_status(stream, status, nullptr); });
}

HIP_EXPORT hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                              unsigned long long *id) {
    return api_call([&] { return capture_status(stream, status, id); });
}

HIP_EXPORT hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
    return api_call([&] {
        if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
            return hipErrorInvalidValue;
        std::swap(*mode, thread_state.capture_mode);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph,
                                          hipGraphNode_t *error_node, char *log, size_t n_log) {
    return api_call([&] {
        if (error_node) *error_node = nullptr;
        if (log && n_log) *log = '\0';
        return instantiate(executable, graph);
    });
}

HIP_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *executable, hipGraph_t graph,
                                                   unsigned long long) {
    return api_call([&] { return instantiate(executable, graph); });
}

HIP_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
    return api_call([&] { return launch(executable, stream); });
}

HIP_EXPORT hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
    return api_call([&] {
        if (!live<hipGraphExec>().has(executable)) return hipErrorInvalidValue;
        return find_stream(stream) ? hipSuccess : hipErrorInvalidHandle;
    });
}

HIP_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
    return api_call([&] {
        if (!live<hipGraphExec>().remove(executable)) return hipErrorInvalidValue;
        delete executable;  // launches in flight share its body
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
    return api_call([&] {
        if (!live<Graph>().remove(graph)) return hipErrorInvalidValue;
        delete graph;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *n) {
    return api_call([&] { return give_nodes(graph, nodes, n, false); });
}

HIP_EXPORT hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *n) {
    return api_call([&] { return give_nodes(graph, nodes, n, true); });
}

// The node must belong to a graph that still exists: nodes have no handles of their own.
HIP_EXPORT hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
    return api_call([&] {
        if (!node || !type) return hipErrorInvalidValue;
        *type = node->type;
        return hipSuccess;
    });
}

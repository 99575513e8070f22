// Graphs: recorded commands with the order between them; made by capture of streams.
#pragma once

#include <memory>
#include <vector>

#include "stream_queue.h"

namespace hipcpu {

// One command outside a stream's queue. Shared by a graph and what was instantiated from it.
struct RecordDeleter {
    void operator()(Command *command) const;
};
using Record = std::shared_ptr<Command>;
Record make_record(CommandKind kind, size_t n_bytes);

struct GraphBody {
    std::vector<Record> records;  // in an order that respects every dependency
    bool has_host_functions = false;
};

using Graph = ::ihipGraph;

// A capture in progress: its streams point to it, and its graph grows with each call on them.
struct Capture {
    uint64_t id;
    Stream *origin;
    hipStreamCaptureMode mode;
    ThreadState *thread;  // that began it
    Graph *graph;
    std::vector<Stream *> streams;
    bool failed = false;
};

// The capture of this stream can only end with an error from now on.
void capture_failed(Stream &stream);
// The stream is destroyed while it is captured.
void abandon_capture(Stream &stream);

// What an event recorded on a captured stream stands for.
struct CapturedPoint {
    uint64_t capture_id = 0;  // 0: the event was recorded outside any capture
    std::vector<GraphNode *> front;
};
CapturedPoint captured_point(Stream &stream);
// A captured stream, or one that joins the capture by this wait, waits for a captured event.
hipError_t wait_for_captured(Stream &stream, const CapturedPoint &point);

}  // namespace hipcpu

struct hipGraphNode {
    ihipGraph *graph;
    hipGraphNodeType type;
    hipcpu::Record record;
    std::vector<hipGraphNode *> dependencies;
};

struct ihipGraph {
    std::vector<std::unique_ptr<hipGraphNode>> nodes;
};

struct hipGraphExec {
    std::shared_ptr<const hipcpu::GraphBody> body;
};

// Copies and fills: one- and two-dimensional, between any two memories, synchronous or not.
#include <algorithm>
#include <cstring>

#include "stream_queue.h"
#include "thread_pool.h"

namespace hipcpu {

namespace {

// Pageable sources up to this size travel inside the command: the caller may change them at once
// and does not wait.
constexpr size_t kStagedBytes = 16 * 1024;

// Pieces of a copy or fill that several threads share, and from which total size they do.
constexpr size_t kPieceBytes = 512 * 1024;
constexpr size_t kParallelBytes = 2 * 1024 * 1024;

struct Rectangle {
    void *target;
    size_t target_pitch;
    const void *source;
    size_t source_pitch;
    size_t n_row_bytes;
    size_t n_rows;

    bool is_empty() const { return n_row_bytes == 0 || n_rows == 0; }
    // From the first byte to behind the last, or SIZE_MAX where that overflows.
    static size_t extent(size_t pitch, size_t n_row_bytes, size_t n_rows) {
        if (n_rows > 1 && pitch > (SIZE_MAX / 2 - n_row_bytes) / (n_rows - 1)) return SIZE_MAX;
        return pitch * (n_rows - 1) + n_row_bytes;
    }
};

bool fits(const MemoryRange &range, const void *pointer, size_t n_bytes) {
    if (range.type == hipMemoryTypeUnregistered) return true;  // pageable: nobody knows
    const size_t offset = reinterpret_cast<uintptr_t>(pointer) - range.begin;
    return n_bytes <= range.n_bytes - offset;
}

// Whether the pointers are what the direction says. Memory that HIP allocated or registered can
// play both parts.
bool suits(hipMemcpyKind kind, const MemoryRange &target, const MemoryRange &source) {
    const bool target_known = target.type != hipMemoryTypeUnregistered;
    const bool source_known = source.type != hipMemoryTypeUnregistered;
    switch (kind) {
        case hipMemcpyHostToDevice: return target_known;
        case hipMemcpyDeviceToHost: return source_known;
        case hipMemcpyDeviceToDevice:
        case hipMemcpyDeviceToDeviceNoCU: return target_known && source_known;
        default: return true;
    }
}

bool is_kind(hipMemcpyKind kind) {
    return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) ||
           kind == hipMemcpyDeviceToDeviceNoCU;
}

hipError_t check(const Rectangle &r, hipMemcpyKind kind, const MemoryRange &target,
                 const MemoryRange &source) {
    if (!r.target || !r.source) return hipErrorInvalidValue;
    if (r.n_rows > 1 && (r.target_pitch < r.n_row_bytes || r.source_pitch < r.n_row_bytes))
        return hipErrorInvalidPitchValue;
    if (!suits(kind, target, source) ||
        !fits(target, r.target, Rectangle::extent(r.target_pitch, r.n_row_bytes, r.n_rows)) ||
        !fits(source, r.source, Rectangle::extent(r.source_pitch, r.n_row_bytes, r.n_rows)))
        return hipErrorInvalidValue;
    return hipSuccess;
}

void write(CopyCommand &command, const Rectangle &r) {
    command.target = static_cast<char *>(r.target);
    command.source = static_cast<const char *>(r.source);
    command.target_pitch = r.target_pitch;
    command.source_pitch = r.source_pitch;
    command.n_row_bytes = r.n_row_bytes;
    command.n_rows = r.n_rows;
}

// Copies the source into the room behind the command.
void stage(CopyCommand &command) {
    char *room = reinterpret_cast<char *>(&command + 1);
    for (size_t row = 0; row < command.n_rows; ++row)
        std::memcpy(room + row * command.n_row_bytes, command.source + row * command.source_pitch,
                    command.n_row_bytes);
    command.source = room;
    command.source_pitch = command.n_row_bytes;
}

uint64_t enqueue_copy(Stream &stream, const Rectangle &r, bool staged, hipError_t *status) {
    const size_t n_bytes = r.n_row_bytes * r.n_rows;
    uint64_t ticket = 0;
    *status = submit<CopyCommand>(
        stream, staged ? n_bytes : 0,
        [&](CopyCommand &command, uint64_t) {
            write(command, r);
            if (staged) stage(command);
        },
        &ticket);
    return ticket;
}

enum class Waits { kAlways, kForPageable };

// HIP's rule: a copy that touches pageable memory is over when the call returns (or has its
// source staged); between device memories even the plain calls only enqueue.
hipError_t copy(const Rectangle &r, hipMemcpyKind kind, Stream *stream, Waits waits) {
    if (!is_kind(kind)) return hipErrorInvalidMemcpyDirection;
    if (!stream) return hipErrorInvalidHandle;
    if (r.is_empty()) return hipSuccess;
    const MemoryRange target = find_memory(r.target), source = find_memory(r.source);
    hipError_t status = check(r, kind, target, source);
    if (status != hipSuccess) return status;
    const bool pageable_target = target.type == hipMemoryTypeUnregistered;
    const bool pageable_source = source.type == hipMemoryTypeUnregistered;
    const bool captured = stream->capture.load() != nullptr;
    const bool staged = pageable_source && !captured && r.n_rows <= kStagedBytes / r.n_row_bytes;
    const uint64_t ticket = enqueue_copy(*stream, r, staged, &status);
    if (status != hipSuccess || captured) return status;
    const bool on_device = target.type == hipMemoryTypeDevice && source.type == hipMemoryTypeDevice;
    const bool must_wait = pageable_target || (pageable_source && !staged) ||
                           (waits == Waits::kAlways && !on_device && !staged);
    if (must_wait) stream->wait_for(ticket);
    return hipSuccess;
}

hipError_t copy_sync(void *target, const void *source, size_t n_bytes, hipMemcpyKind kind) {
    return api_call([&] {
        const hipError_t status = check_no_capture();
        if (status != hipSuccess) return status;
        return copy({target, n_bytes, source, n_bytes, n_bytes, 1}, kind,
                    current_device().null_stream, Waits::kAlways);
    });
}

hipError_t copy_async(void *target, const void *source, size_t n_bytes, hipMemcpyKind kind,
                      hipStream_t stream) {
    return api_call([&] {
        return copy({target, n_bytes, source, n_bytes, n_bytes, 1}, kind, find_stream(stream),
                    Waits::kForPageable);
    });
}

struct Fill {
    void *target;
    size_t pitch;
    uint32_t value;
    uint32_t element_bytes;
    size_t n_row_elements;
    size_t n_rows;
};

hipError_t check(const Fill &f) {
    if (!f.target || f.n_row_elements > SIZE_MAX / 2 / f.element_bytes) return hipErrorInvalidValue;
    const size_t n_row_bytes = f.n_row_elements * f.element_bytes;
    if (f.n_rows > 1 && f.pitch < n_row_bytes) return hipErrorInvalidPitchValue;
    const MemoryRange range = find_memory(f.target);
    if (range.type == hipMemoryTypeUnregistered ||
        !fits(range, f.target, Rectangle::extent(f.pitch, n_row_bytes, f.n_rows)))
        return hipErrorInvalidValue;
    return hipSuccess;
}

void write(FillCommand &command, const Fill &f) {
    command.target = static_cast<char *>(f.target);
    command.value = f.value;
    command.element_bytes = f.element_bytes;
    command.pitch = f.pitch;
    command.n_row_elements = f.n_row_elements;
    command.n_rows = f.n_rows;
}

hipError_t fill(const Fill &f, Stream *stream) {
    if (!stream) return hipErrorInvalidHandle;
    if (f.n_row_elements == 0 || f.n_rows == 0) return hipSuccess;
    const hipError_t status = check(f);
    if (status != hipSuccess) return status;
    return submit<FillCommand>(*stream, 0,
                               [&](FillCommand &command, uint64_t) { write(command, f); });
}

// Unlike the copies, HIP's plain fills of device memory are asynchronous too.
hipError_t fill_sync(const Fill &f) {
    return api_call([&] {
        const hipError_t status = check_no_capture();
        return status == hipSuccess ? fill(f, current_device().null_stream) : status;
    });
}

hipError_t fill_async(const Fill &f, hipStream_t stream) {
    return api_call([&] { return fill(f, find_stream(stream)); });
}

Fill fill_line(void *target, uint32_t value, uint32_t element_bytes, size_t n) {
    return {target, 0, value, element_bytes, n, 1};
}

template <class T>
void fill_elements(char *target, uint32_t value, size_t n) {
    // The address need not be aligned for T.
    const T element = static_cast<T>(value);
    for (size_t i = 0; i < n; ++i) std::memcpy(target + i * sizeof(T), &element, sizeof(T));
}

void fill_bytes(const FillCommand &f, char *target, size_t n_elements) {
    if (f.element_bytes == 1)
        std::memset(target, static_cast<int>(f.value & 0xFF), n_elements);
    else if (f.element_bytes == 2)
        fill_elements<uint16_t>(target, f.value, n_elements);
    else
        fill_elements<uint32_t>(target, f.value, n_elements);
}

void copy_rows(void *context, uint64_t begin, uint64_t end) {
    const auto &c = *static_cast<CopyCommand *>(context);
    for (uint64_t row = begin; row < end; ++row)
        std::memmove(c.target + row * c.target_pitch, c.source + row * c.source_pitch,
                     c.n_row_bytes);
}

void copy_pieces(void *context, uint64_t begin, uint64_t end) {
    const auto &c = *static_cast<CopyCommand *>(context);
    const size_t first = begin * kPieceBytes;
    const size_t n = std::min(end * kPieceBytes, c.n_row_bytes) - first;
    std::memcpy(c.target + first, c.source + first, n);
}

void fill_rows(void *context, uint64_t begin, uint64_t end) {
    const auto &f = *static_cast<FillCommand *>(context);
    for (uint64_t row = begin; row < end; ++row)
        fill_bytes(f, f.target + row * f.pitch, f.n_row_elements);
}

void fill_pieces(void *context, uint64_t begin, uint64_t end) {
    const auto &f = *static_cast<FillCommand *>(context);
    const size_t n_piece = kPieceBytes / f.element_bytes;
    const size_t first = begin * n_piece;
    fill_bytes(f, f.target + first * f.element_bytes,
               std::min(end * n_piece, f.n_row_elements) - first);
}

uint64_t n_pieces(size_t n_bytes) { return (n_bytes + kPieceBytes - 1) / kPieceBytes; }

}  // namespace

void run_copy(CopyCommand &c) {
    const size_t n_bytes = c.n_row_bytes * c.n_rows;
    const bool overlaps = c.target < c.source + n_bytes && c.source < c.target + n_bytes;
    if (n_bytes < kParallelBytes || overlaps)
        copy_rows(&c, 0, c.n_rows);
    else if (c.n_rows == 1)
        runtime().pool->run(copy_pieces, &c, n_pieces(n_bytes), true);
    else
        runtime().pool->run(copy_rows, &c, c.n_rows, true);
}

void run_fill(FillCommand &f) {
    const size_t n_row_bytes = f.n_row_elements * f.element_bytes;
    if (n_row_bytes * f.n_rows < kParallelBytes)
        fill_rows(&f, 0, f.n_rows);
    else if (f.n_rows == 1)
        runtime().pool->run(fill_pieces, &f, n_pieces(n_row_bytes), true);
    else
        runtime().pool->run(fill_rows, &f, f.n_rows, true);
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipMemcpy(void *target, const void *source, size_t n_bytes,
                                hipMemcpyKind kind) {
    return copy_sync(target, source, n_bytes, kind);
}

HIP_EXPORT hipError_t hipMemcpyAsync(void *target, const void *source, size_t n_bytes,
                                     hipMemcpyKind kind, hipStream_t stream) {
    return copy_async(target, source, n_bytes, kind, stream);
}

HIP_EXPORT hipError_t hipMemcpyWithStream(void *target, const void *source, size_t n_bytes,
                                          hipMemcpyKind kind, hipStream_t stream) {
    return api_call([&] {
        Stream *s = find_stream(stream);
        const hipError_t status =
            copy({target, n_bytes, source, n_bytes, n_bytes, 1}, kind, s, Waits::kAlways);
        if (status == hipSuccess && !s->capture.load()) s->wait_for_all();
        return status;
    });
}

HIP_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t target, void *source, size_t n_bytes) {
    return copy_sync(target, source, n_bytes, hipMemcpyHostToDevice);
}

HIP_EXPORT hipError_t hipMemcpyDtoH(void *target, hipDeviceptr_t source, size_t n_bytes) {
    return copy_sync(target, source, n_bytes, hipMemcpyDeviceToHost);
}

HIP_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t target, hipDeviceptr_t source, size_t n_bytes) {
    return copy_sync(target, source, n_bytes, hipMemcpyDeviceToDevice);
}

HIP_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t target, void *source, size_t n_bytes,
                                         hipStream_t stream) {
    return copy_async(target, source, n_bytes, hipMemcpyHostToDevice, stream);
}

HIP_EXPORT hipError_t hipMemcpyDtoHAsync(void *target, hipDeviceptr_t source, size_t n_bytes,
                                         hipStream_t stream) {
    return copy_async(target, source, n_bytes, hipMemcpyDeviceToHost, stream);
}

HIP_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t target, hipDeviceptr_t source,
                                         size_t n_bytes, hipStream_t stream) {
    return copy_async(target, source, n_bytes, hipMemcpyDeviceToDevice, stream);
}

HIP_EXPORT hipError_t hipMemcpyPeer(void *target, int target_device, const void *source,
                                    int source_device, size_t n_bytes) {
    return api_call([&] {
        const hipError_t status = check_no_capture();
        if (status != hipSuccess) return status;
        if (!is_device(target_device) || !is_device(source_device)) return hipErrorInvalidDevice;
        return copy({target, n_bytes, source, n_bytes, n_bytes, 1}, hipMemcpyDeviceToDevice,
                    current_device().null_stream, Waits::kAlways);
    });
}

HIP_EXPORT hipError_t hipMemcpyPeerAsync(void *target, int target_device, const void *source,
                                         int source_device, size_t n_bytes, hipStream_t stream) {
    return api_call([&] {
        if (!is_device(target_device) || !is_device(source_device)) return hipErrorInvalidDevice;
        return copy({target, n_bytes, source, n_bytes, n_bytes, 1}, hipMemcpyDeviceToDevice,
                    find_stream(stream), Waits::kForPageable);
    });
}

HIP_EXPORT hipError_t hipMemcpy2D(void *target, size_t target_pitch, const void *source,
                                  size_t source_pitch, size_t width, size_t height,
                                  hipMemcpyKind kind) {
    return api_call([&] {
        const hipError_t status = check_no_capture();
        if (status != hipSuccess) return status;
        return copy({target, target_pitch, source, source_pitch, width, height}, kind,
                    current_device().null_stream, Waits::kAlways);
    });
}

HIP_EXPORT hipError_t hipMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
                                       size_t source_pitch, size_t width, size_t height,
                                       hipMemcpyKind kind, hipStream_t stream) {
    return api_call([&] {
        return copy({target, target_pitch, source, source_pitch, width, height}, kind,
                    find_stream(stream), Waits::kForPageable);
    });
}

HIP_EXPORT hipError_t hipMemset(void *target, int value, size_t n_bytes) {
    return fill_sync(fill_line(target, static_cast<uint32_t>(value), 1, n_bytes));
}

HIP_EXPORT hipError_t hipMemsetAsync(void *target, int value, size_t n_bytes, hipStream_t stream) {
    return fill_async(fill_line(target, static_cast<uint32_t>(value), 1, n_bytes), stream);
}

HIP_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t target, unsigned char value, size_t n) {
    return fill_sync(fill_line(target, value, 1, n));
}

HIP_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t target, unsigned char value, size_t n,
                                       hipStream_t stream) {
    return fill_async(fill_line(target, value, 1, n), stream);
}

HIP_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t target, unsigned short value, size_t n) {
    return fill_sync(fill_line(target, value, 2, n));
}

HIP_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t target, unsigned short value, size_t n,
                                        hipStream_t stream) {
    return fill_async(fill_line(target, value, 2, n), stream);
}

HIP_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t target, int value, size_t n) {
    return fill_sync(fill_line(target, static_cast<uint32_t>(value), 4, n));
}

HIP_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t target, int value, size_t n,
                                        hipStream_t stream) {
    return fill_async(fill_line(target, static_cast<uint32_t>(value), 4, n), stream);
}

HIP_EXPORT hipError_t hipMemset2D(void *target, size_t pitch, int value, size_t width,
                                  size_t height) {
    return fill_sync({target, pitch, static_cast<uint32_t>(value), 1, width, height});
}

HIP_EXPORT hipError_t hipMemset2DAsync(void *target, size_t pitch, int value, size_t width,
                                       size_t height, hipStream_t stream) {
    return fill_async({target, pitch, static_cast<uint32_t>(value), 1, width, height}, stream);
}

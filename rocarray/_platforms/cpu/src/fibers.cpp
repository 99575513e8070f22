// The work-items of one workgroup as fibers on one host thread.
//
// Each work-item has a stack of its own. The live ones form a ring; at a barrier, and at its end, a
// fiber switches to the next. One round is one barrier: all have reached it when the first of the
// ring runs again, and those that have returned early no longer count.

#include "fibers.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HIPCPU_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HIPCPU_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HIPCPU_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define HIPCPU_TSAN 1
#endif
#ifdef HIPCPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HIPCPU_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__) && !defined(HIPCPU_UCONTEXT)
#define HIPCPU_OWN_SWITCH 1
#else
#include <ucontext.h>
#endif

namespace hipcpu {

namespace {

constexpr size_t kStackBytes = 256 * 1024;  // reserved; only touched pages cost memory
constexpr size_t kPageBytes = 4096;
constexpr size_t kLdsBytes = 64 * 1024;
// Each guard page splits a mapping in two, and a process has 65530 of them.
constexpr int kMaxGuardPages = 16 * 1024;

// ---- context switch ----

#ifdef HIPCPU_OWN_SWITCH

using Context = void *;  // the stack pointer; the callee-saved registers lie there

extern "C" void hipcpu_switch(void **save, void *load);
extern "C" void hipcpu_fiber_start();

// Saves the callee-saved registers of the System V ABI and changes stacks. A fresh fiber's stack
// holds zeros for them and the address of hipcpu_fiber_start, which calls rbx (the entry).
asm(R"(
.text
.p2align 4
.local hipcpu_switch
.type hipcpu_switch, @function
hipcpu_switch:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
.size hipcpu_switch, .-hipcpu_switch
.p2align 4
.local hipcpu_fiber_start
.type hipcpu_fiber_start, @function
hipcpu_fiber_start:
    .cfi_startproc
    .cfi_undefined rip
    xorl %ebp, %ebp
    callq *%rbx
    ud2
    .cfi_endproc
.size hipcpu_fiber_start, .-hipcpu_fiber_start
)");

void make_context(Context *context, char *, char *top, void (*entry)()) {
    // 16-byte alignment at the call in hipcpu_fiber_start.
    void **stack = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
    *--stack = reinterpret_cast<void *>(&hipcpu_fiber_start);
    *--stack = nullptr;                              // rbp
    *--stack = reinterpret_cast<void *>(entry);      // rbx
    for (int i = 0; i < 4; ++i) *--stack = nullptr;  // r12 to r15
    *context = stack;
}

void switch_context(Context *from, Context *to) { hipcpu_switch(from, *to); }

#else

using Context = ucontext_t;

void make_context(Context *context, char *bottom, char *top, void (*entry)()) {
    getcontext(context);
    context->uc_stack.ss_sp = bottom;
    context->uc_stack.ss_size = static_cast<size_t>(top - bottom);
    context->uc_link = nullptr;
    makecontext(context, entry, 0);
}

void switch_context(Context *from, Context *to) { swapcontext(from, to); }

#endif

// ---- stacks ----

std::atomic<int> guard_pages{0};

// One mapping for a fiber's stack, with a guard page below while there are enough of them.
class Stack {
 public:
    Stack() {
        void *memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED) {
            fprintf(stderr, "rocarray: no memory for the stack of a work-item (%zu bytes)\n",
                    kStackBytes);
            abort();
        }
        memory_ = static_cast<char *>(memory);
        if (guard_pages.fetch_add(1, std::memory_order_relaxed) < kMaxGuardPages &&
            mprotect(memory_, kPageBytes, PROT_NONE) == 0)
            guarded_ = true;
        else
            guard_pages.fetch_sub(1, std::memory_order_relaxed);
    }
    ~Stack() {
        unpoison();
        munmap(memory_, kStackBytes);
        if (guarded_) guard_pages.fetch_sub(1, std::memory_order_relaxed);
    }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;

    // A fiber never returns from its first frame, so the sanitizer still guards that frame's edges.
    void unpoison() {
#ifdef HIPCPU_ASAN
        ASAN_UNPOISON_MEMORY_REGION(memory_ + kPageBytes, kStackBytes - kPageBytes);
#endif
    }

    char *bottom() const { return memory_ + kPageBytes; }
    // Stacks begin at different offsets in a page, so that the work-items' frames do not all
    // compete for the same sets of the cache.
    char *top(uint32_t item) const {
        return memory_ + kStackBytes - (static_cast<size_t>(item) * 192) % kPageBytes;
    }

 private:
    char *memory_;
    bool guarded_ = false;
};

// What the sanitizers want to know of a fiber.
struct Shadow {
    void *fake_stack = nullptr;  // address sanitizer
    void *tsan = nullptr;
};

// ---- the scheduler of one host thread ----

class Scheduler {
 public:
    void run(uint32_t n_items, void (*run_item)(void *, uint32_t), void *item_context) {
        run_item_ = run_item;
        item_context_ = item_context;
        prepare(n_items);
        current_ = 0;
        running_ = true;
        start_switch(&thread_shadow_, &stacks_[0], &shadows_[0], false);
        switch_context(&thread_context_, &contexts_[0]);
        finish_switch(&thread_shadow_);
        running_ = false;
        finish(n_items);
    }

    void barrier() {
        if (!running_) {
            fprintf(stderr, "rocarray: a barrier in a kernel that was taken to have none\n");
            abort();
        }
        const uint32_t from = current_, to = next_[from];
        if (to <= from) forget_ended();
        if (to == from) return;
        current_ = to;
        start_switch(&shadows_[from], &stacks_[to], &shadows_[to], false);
        __builtin_prefetch(&contexts_[next_[to]]);
        switch_context(&contexts_[from], &contexts_[to]);
        finish_switch(&shadows_[from]);
    }

    // Two rows in turn: a work-item can only write the next row after all have passed the barrier
    // of this one, and that of the row after next when all have read it.
    uint64_t *exchange(uint64_t value) {
        const uint32_t item = current_;
        const uint32_t which = exchange_counts_[item]++ & 1;
        rows_[which][item] = value;
        barrier();
        return rows_[which].data();
    }

    void *dynamic_lds(uint32_t n_bytes) {
        if (lds_ == nullptr) lds_.reset(allocate_lds());
        if (n_bytes > kLdsBytes) {
            fprintf(stderr, "rocarray: %u bytes of dynamic LDS, a workgroup has %zu\n", n_bytes,
                    kLdsBytes);
            abort();
        }
        return lds_.get();
    }

 private:
    struct FreeDeleter {
        void operator()(void *memory) const { free(memory); }
    };

    static void *allocate_lds() {
        void *memory = nullptr;
        if (posix_memalign(&memory, 256, kLdsBytes) != 0) {
            fprintf(stderr, "rocarray: no memory for dynamic LDS (%zu bytes)\n", kLdsBytes);
            abort();
        }
        return memory;
    }

    // A ring of all work-items, each about to run from its beginning.
    void prepare(uint32_t n_items) {
        while (stacks_.size() < n_items) stacks_.emplace_back();
        if (contexts_.size() < n_items) contexts_.resize(n_items);
        shadows_.resize(stacks_.size());
        next_.resize(n_items);
        previous_.resize(n_items);
        for (std::vector<uint64_t> &row : rows_) row.assign(n_items, 0);
        exchange_counts_.assign(n_items, 0);
        for (uint32_t i = 0; i < n_items; ++i) {
            next_[i] = i + 1 == n_items ? 0 : i + 1;
            previous_[i] = i == 0 ? n_items - 1 : i - 1;
            stacks_[i].unpoison();
            make_context(&contexts_[i], stacks_[i].bottom(), stacks_[i].top(i), &fiber_main);
#ifdef HIPCPU_TSAN
            shadows_[i].tsan = __tsan_create_fiber(0);
#endif
        }
#ifdef HIPCPU_TSAN
        thread_shadow_.tsan = __tsan_get_current_fiber();
#endif
    }

    void finish(uint32_t n_items) {
        ended_.clear();
#ifdef HIPCPU_TSAN
        for (uint32_t i = 0; i < n_items; ++i) __tsan_destroy_fiber(shadows_[i].tsan);
#else
        static_cast<void>(n_items);
#endif
    }

    // The others may read a work-item's last value until the end of the round in which it ended.
    void forget_ended() {
        for (const uint32_t item : ended_) rows_[0][item] = rows_[1][item] = 0;
        ended_.clear();
    }

    // To a fiber, or to the thread itself where `to_stack` is null.
    void start_switch(Shadow *from, const Stack *to_stack, Shadow *to, bool for_good) {
#ifdef HIPCPU_ASAN
        // A null place to save the fake stack tells that it is to be destroyed.
        __sanitizer_start_switch_fiber(
            for_good ? nullptr : &from->fake_stack,
            to_stack != nullptr ? to_stack->bottom() : thread_stack_bottom_,
            to_stack != nullptr ? kStackBytes - kPageBytes : thread_stack_bytes_);
#endif
#ifdef HIPCPU_TSAN
        __tsan_switch_to_fiber(to->tsan, 0);
#endif
        static_cast<void>(from), static_cast<void>(to_stack);
        static_cast<void>(to), static_cast<void>(for_good);
    }

    void finish_switch(Shadow *here) {
#ifdef HIPCPU_ASAN
        __sanitizer_finish_switch_fiber(here->fake_stack, nullptr, nullptr);
#else
        static_cast<void>(here);
#endif
    }

    static void fiber_main();
    [[noreturn]] void run_current();

    std::deque<Stack> stacks_;
    std::vector<Context> contexts_;
    std::vector<Shadow> shadows_;
    std::vector<uint32_t> next_, previous_;  // the live work-items, in the order of their numbers
    uint32_t current_ = 0;
    bool running_ = false;
    Context thread_context_{};
    Shadow thread_shadow_;
    void (*run_item_)(void *, uint32_t) = nullptr;
    void *item_context_ = nullptr;
    std::vector<uint64_t> rows_[2];
    std::vector<uint32_t> exchange_counts_;
    std::vector<uint32_t> ended_;
    std::unique_ptr<void, FreeDeleter> lds_;
    const void *thread_stack_bottom_ = nullptr;
    size_t thread_stack_bytes_ = 0;
};

// Stacks and LDS are kept for the thread's next workgroup and freed with the thread.
Scheduler &thread_scheduler() {
    static thread_local Scheduler scheduler;
    return scheduler;
}

void Scheduler::fiber_main() { thread_scheduler().run_current(); }

void Scheduler::run_current() {
    const uint32_t item = current_;
#ifdef HIPCPU_ASAN
    // The first fiber is entered from the thread's own stack, the others from a fiber's.
    if (item == 0)
        __sanitizer_finish_switch_fiber(nullptr, &thread_stack_bottom_, &thread_stack_bytes_);
    else
        __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    run_item_(item_context_, item);

    // What it gave in an earlier exchange must not count in the ones that follow.
    rows_[exchange_counts_[item] & 1][item] = 0;
    ended_.push_back(item);
    const uint32_t to = next_[item];
    if (to == item) {
        start_switch(&shadows_[item], nullptr, &thread_shadow_, true);
        switch_context(&contexts_[item], &thread_context_);
    } else {
        next_[previous_[item]] = to;
        previous_[to] = previous_[item];
        if (to < item) forget_ended();
        current_ = to;
        start_switch(&shadows_[item], &stacks_[to], &shadows_[to], true);
        switch_context(&contexts_[item], &contexts_[to]);
    }
    abort();  // a finished fiber is never resumed
}

void run_workgroup(uint32_t n_items, void (*run_item)(void *, uint32_t), void *context) {
    thread_scheduler().run(n_items, run_item, context);
}
void barrier() { thread_scheduler().barrier(); }
uint64_t *exchange(uint64_t value) { return thread_scheduler().exchange(value); }
void *dynamic_lds(uint32_t n_bytes) { return thread_scheduler().dynamic_lds(n_bytes); }

}  // namespace

const FiberRuntime *fiber_runtime() {
    static constexpr FiberRuntime runtime = {run_workgroup, barrier, exchange, dynamic_lds};
    return &runtime;
}

}  // namespace hipcpu

// The work-items of one workgroup as fibers on one host thread.
//
// Each work-item has a stack of its own. The scheduler resumes them in turn; a fiber comes back at
// a barrier or at its end. One round over the live fibers is one barrier: all have reached it when
// the round ends, and those that have returned early no longer count.

#include "fibers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <new>
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
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HIPCPU_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if !defined(__x86_64__)
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

#if defined(__x86_64__)

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
    *--stack = nullptr;                           // rbp
    *--stack = reinterpret_cast<void *>(entry);   // rbx
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
        munmap(memory_, kStackBytes);
        if (guarded_) guard_pages.fetch_sub(1, std::memory_order_relaxed);
    }
    Stack(const Stack &) = delete;
    Stack &operator=(const Stack &) = delete;

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

struct Fiber {
    Context context;
    Stack stack;
    bool done = false;
#ifdef HIPCPU_ASAN
    void *fake_stack = nullptr;
#endif
#ifdef HIPCPU_TSAN
    void *tsan = nullptr;
#endif
};

// ---- the scheduler of one host thread ----

class Scheduler {
  public:
    void run(uint32_t n_items, void (*run_item)(void *, uint32_t), void *item_context) {
        prepare(n_items, run_item, item_context);
        uint32_t n_live = n_items;
        while (n_live > 0) {
            n_live = 0;
            for (uint32_t i = 0; i < n_items; ++i) {
                if (fibers_[i]->done) continue;
                current_ = i;
                enter_fiber(*fibers_[i]);
                if (!fibers_[i]->done) ++n_live;
            }
            forget_ended();
        }
        finish(n_items);
    }

    void barrier() { leave_fiber(*fibers_[current_], false); }

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

    void prepare(uint32_t n_items, void (*run_item)(void *, uint32_t), void *item_context) {
        run_item_ = run_item;
        item_context_ = item_context;
        while (fibers_.size() < n_items) fibers_.push_back(std::make_unique<Fiber>());
        for (std::vector<uint64_t> &row : rows_) row.assign(n_items, 0);
        exchange_counts_.assign(n_items, 0);
        for (uint32_t i = 0; i < n_items; ++i) {
            Fiber &fiber = *fibers_[i];
            fiber.done = false;
            make_context(&fiber.context, fiber.stack.bottom(), fiber.stack.top(i), &fiber_main);
#ifdef HIPCPU_TSAN
            fiber.tsan = __tsan_create_fiber(0);
#endif
        }
#ifdef HIPCPU_TSAN
        thread_tsan_ = __tsan_get_current_fiber();
#endif
    }

    void finish(uint32_t n_items) {
#ifdef HIPCPU_TSAN
        for (uint32_t i = 0; i < n_items; ++i) __tsan_destroy_fiber(fibers_[i]->tsan);
#else
        static_cast<void>(n_items);
#endif
    }

    // The others may read a work-item's last value until the end of the round in which it ended.
    void forget_ended() {
        for (const uint32_t item : ended_) rows_[0][item] = rows_[1][item] = 0;
        ended_.clear();
    }

    void enter_fiber(Fiber &fiber) {
#ifdef HIPCPU_ASAN
        __sanitizer_start_switch_fiber(&thread_fake_stack_, fiber.stack.bottom(),
                                       kStackBytes - kPageBytes);
#endif
#ifdef HIPCPU_TSAN
        __tsan_switch_to_fiber(fiber.tsan, 0);
#endif
        switch_context(&thread_context_, &fiber.context);
#ifdef HIPCPU_ASAN
        __sanitizer_finish_switch_fiber(thread_fake_stack_, nullptr, nullptr);
#endif
    }

    void leave_fiber(Fiber &fiber, bool for_good) {
#ifdef HIPCPU_ASAN
        // A null place to save the fake stack tells that it is to be destroyed.
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fiber.fake_stack,
                                       thread_stack_bottom_, thread_stack_bytes_);
#else
        static_cast<void>(for_good);
#endif
#ifdef HIPCPU_TSAN
        __tsan_switch_to_fiber(thread_tsan_, 0);
#endif
        switch_context(&fiber.context, &thread_context_);
#ifdef HIPCPU_ASAN
        __sanitizer_finish_switch_fiber(fiber.fake_stack, &thread_stack_bottom_,
                                        &thread_stack_bytes_);
#endif
    }

    static void fiber_main();

    std::vector<std::unique_ptr<Fiber>> fibers_;
    uint32_t current_ = 0;
    Context thread_context_{};
    void (*run_item_)(void *, uint32_t) = nullptr;
    void *item_context_ = nullptr;
    std::vector<uint64_t> rows_[2];
    std::vector<uint32_t> exchange_counts_;
    std::vector<uint32_t> ended_;
    std::unique_ptr<void, FreeDeleter> lds_;
#ifdef HIPCPU_ASAN
    void *thread_fake_stack_ = nullptr;
    const void *thread_stack_bottom_ = nullptr;
    size_t thread_stack_bytes_ = 0;
#endif
#ifdef HIPCPU_TSAN
    void *thread_tsan_ = nullptr;
#endif
};

// Stacks and LDS are kept for the thread's next workgroup and freed with the thread.
Scheduler &thread_scheduler() {
    static thread_local Scheduler scheduler;
    return scheduler;
}

void Scheduler::fiber_main() {
    Scheduler &scheduler = thread_scheduler();
    const uint32_t item = scheduler.current_;
    Fiber &fiber = *scheduler.fibers_[item];
#ifdef HIPCPU_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &scheduler.thread_stack_bottom_,
                                    &scheduler.thread_stack_bytes_);
#endif
    scheduler.run_item_(scheduler.item_context_, item);
    // What it gave in an earlier exchange must not count in the ones that follow.
    scheduler.rows_[scheduler.exchange_counts_[item] & 1][item] = 0;
    scheduler.ended_.push_back(item);
    fiber.done = true;
    scheduler.leave_fiber(fiber, true);
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

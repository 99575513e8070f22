// What the cases of hiprtc_cases.cpp share: compile through the C interface, load the image, run
// a kernel on several host threads, and report.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "fibers.h"
#include "kernel_abi.h"

extern "C" {
typedef struct _hiprtcProgram *hiprtcProgram;
int hiprtcVersion(int *, int *);
const char *hiprtcGetErrorString(int);
int hiprtcCreateProgram(hiprtcProgram *, const char *, const char *, int, const char **,
                        const char **);
int hiprtcDestroyProgram(hiprtcProgram *);
int hiprtcAddNameExpression(hiprtcProgram, const char *);
int hiprtcCompileProgram(hiprtcProgram, int, const char **);
int hiprtcGetLoweredName(hiprtcProgram, const char *, const char **);
int hiprtcGetProgramLogSize(hiprtcProgram, size_t *);
int hiprtcGetProgramLog(hiprtcProgram, char *);
int hiprtcGetCodeSize(hiprtcProgram, size_t *);
int hiprtcGetCode(hiprtcProgram, char *);
}

namespace harness {

inline int failures = 0;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            ++harness::failures;                                            \
        }                                                                   \
    } while (false)
#define CHECK_EQUAL(got, expected)                                                 \
    do {                                                                           \
        const auto got_ = (got);                                                   \
        const decltype(got_) expected_ = (expected);                               \
        if (!(got_ == expected_)) {                                                \
            printf("%s:%d: %s is %.9g, expected %.9g\n", __FILE__, __LINE__, #got, \
                   static_cast<double>(got_), static_cast<double>(expected_));     \
            ++harness::failures;                                                   \
        }                                                                          \
    } while (false)

struct Source {
    std::string text;
    std::string name = "user.hip";
    std::vector<std::string> options;
    std::vector<std::string> expressions;
    std::map<std::string, std::string> headers;
};

struct Compiled {
    int result = 0;
    std::string log;
    std::string image;
    std::map<std::string, std::string> lowered;
};

inline std::vector<const char *> c_strings(const std::vector<std::string> &strings) {
    std::vector<const char *> result;
    for (const std::string &string : strings) result.push_back(string.c_str());
    return result;
}

inline Compiled compile(const Source &source) {
    std::vector<std::string> names, texts;
    for (const auto &header : source.headers) {
        names.push_back(header.first);
        texts.push_back(header.second);
    }
    Compiled compiled;
    hiprtcProgram program = nullptr;
    compiled.result = hiprtcCreateProgram(&program, source.text.c_str(), source.name.c_str(),
                                          static_cast<int>(names.size()), c_strings(texts).data(),
                                          c_strings(names).data());
    if (compiled.result != 0) return compiled;
    for (const std::string &expression : source.expressions)
        CHECK_EQUAL(hiprtcAddNameExpression(program, expression.c_str()), 0);
    compiled.result = hiprtcCompileProgram(program, static_cast<int>(source.options.size()),
                                           c_strings(source.options).data());
    size_t n_bytes = 0;
    CHECK_EQUAL(hiprtcGetProgramLogSize(program, &n_bytes), 0);
    compiled.log.resize(n_bytes);
    CHECK_EQUAL(hiprtcGetProgramLog(program, compiled.log.data()), 0);
    compiled.log.resize(n_bytes - 1);
    if (compiled.result == 0) {
        CHECK_EQUAL(hiprtcGetCodeSize(program, &n_bytes), 0);
        compiled.image.resize(n_bytes);
        CHECK_EQUAL(hiprtcGetCode(program, compiled.image.data()), 0);
        for (const std::string &expression : source.expressions) {
            const char *name = nullptr;
            CHECK_EQUAL(hiprtcGetLoweredName(program, expression.c_str(), &name), 0);
            if (name != nullptr) compiled.lowered[expression] = name;
        }
    }
    CHECK_EQUAL(hiprtcDestroyProgram(&program), 0);
    return compiled;
}

struct Shape {
    hipcpu::Extent grid{1, 1, 1};
    hipcpu::Extent block{1, 1, 1};
    uint32_t dynamic_lds_bytes = 0;
};

class Module {
 public:
    explicit Module(const std::string &image) {
        // The file stays open: dlopen takes a second module of the same path for the first one.
        file_ = memfd_create("kernel", MFD_CLOEXEC);
        if (write(file_, image.data(), image.size()) != static_cast<ssize_t>(image.size())) abort();
        const std::string path = "/proc/self/fd/" + std::to_string(file_);
        handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) {
            printf("cannot load: %s\n", dlerror());
            exit(1);
        }
    }
    ~Module() {
        dlclose(handle_);
        close(file_);
    }
    Module(const Module &) = delete;
    Module &operator=(const Module &) = delete;

    void *symbol(const std::string &name) const { return dlsym(handle_, name.c_str()); }

    const hipcpu::KernelDescriptor &kernel(const std::string &name) const {
        void *found = symbol("hipcpu_kernel_" + name);
        if (found == nullptr) {
            printf("no kernel %s\n", name.c_str());
            exit(1);
        }
        return *static_cast<const hipcpu::KernelDescriptor *>(found);
    }

    // Runs the grid on `n_threads` threads, each with an equal share of the workgroups.
    template <class... A>
    void launch(const std::string &name, Shape shape, A... arguments) const {
        const hipcpu::KernelDescriptor &descriptor = kernel(name);
        CHECK_EQUAL(descriptor.abi_version, hipcpu::kKernelAbiVersion);
        CHECK_EQUAL(descriptor.n_arguments, sizeof...(A));
        void *pointers[] = {static_cast<void *>(&arguments)..., nullptr};
        const uint32_t sizes[] = {static_cast<uint32_t>(sizeof(A))..., 0};
        for (size_t i = 0; i < sizeof...(A); ++i)
            CHECK_EQUAL(descriptor.argument_sizes[i], sizes[i]);
        const hipcpu::Launch launch{
            shape.grid, shape.block, pointers, shape.dynamic_lds_bytes, 0, hipcpu::fiber_runtime()};
        const uint64_t n_blocks = uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
        constexpr uint64_t n_threads = 3;
        std::vector<std::thread> threads;
        for (uint64_t i = 0; i < n_threads; ++i)
            threads.emplace_back([&, i] {
                descriptor.run_blocks(&launch, n_blocks * i / n_threads,
                                      n_blocks * (i + 1) / n_threads);
            });
        for (std::thread &thread : threads) thread.join();
    }

 private:
    int file_;
    void *handle_;
};

// Compiles a source that must compile.
inline Compiled compiled(const Source &source) {
    Compiled result = compile(source);
    if (result.result != 0) {
        printf("does not compile: %s\n%s\n", hiprtcGetErrorString(result.result),
               result.log.c_str());
        exit(1);
    }
    return result;
}
inline Module build(const std::string &text) {
    Source source;
    source.text = text;
    return Module(compiled(source).image);
}

inline std::map<std::string, std::function<void()>> &cases() {
    static std::map<std::string, std::function<void()>> all;
    return all;
}
struct Register {
    Register(const char *name, void (*body)()) { cases()[name] = body; }
};
#define CASE(name)                                                \
    static void name();                                           \
    static const harness::Register register_##name(#name, &name); \
    static void name()

inline bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

// hiprtc_cases            prints the names of the cases
// hiprtc_cases NAME...    runs them
inline int run(int argc, char **argv) {
    if (argc == 1)
        for (const auto &entry : cases()) puts(entry.first.c_str());
    for (int i = 1; i < argc; ++i) {
        const auto found = cases().find(argv[i]);
        if (found == cases().end()) {
            printf("no case %s\n", argv[i]);
            return 2;
        }
        found->second();
    }
    return failures == 0 ? 0 : 1;
}

}  // namespace harness

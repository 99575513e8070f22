#include "driver.h"

#include <dlfcn.h>

#include <initializer_list>

namespace cuda {

namespace {

// A function of the wanted type that only returns a code.
template <class Function, Result Code>
struct Refusal;
template <class... Arguments, Result Code>
struct Refusal<Result (*)(Arguments...), Code> {
    static Result call(Arguments...) { return Code; }
};

void *open_driver() {
    // The loader knows it on most machines; then WSL's and container runtimes' folders.
    for (const char *name : {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1",
                             "/usr/local/nvidia/lib64/libcuda.so.1"}) {
        if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

template <class Function>
void find(void *library, const char *symbol, Function *slot) {
    void *address = library ? dlsym(library, symbol) : nullptr;
    if (address)
        *slot = reinterpret_cast<Function>(address);
    else
        *slot = library ? Refusal<Function, kRequiresNewerDriver>::call
                        : Refusal<Function, kNoDevice>::call;
}

Driver open_table() {
    Driver table;
    void *library = open_driver();
    table.found = library != nullptr;
#define FIND(symbol, arguments) find(library, #symbol, &table.symbol);
    CUDA_FUNCTIONS(FIND)
#undef FIND
    return table;
}

}  // namespace

const Driver &driver() {
    static const Driver table = open_table();
    return table;
}

}  // namespace cuda

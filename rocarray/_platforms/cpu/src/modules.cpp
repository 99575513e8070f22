// Modules: code objects are shared libraries, loaded from memory.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "functions.h"
#include "stream_queue.h"

struct ihipModule_t {
    std::atomic<bool> alive{false};
    std::mutex mutex;
    int device = 0;
    void *library = nullptr;
    std::map<std::string, hipcpu::Function *> functions;
};

namespace hipcpu {

using Module = ::ihipModule_t;

namespace {

HandleTable<Module, 65536> &modules() {
    static auto *instance = new HandleTable<Module, 65536>;
    return *instance;
}

HandleTable<Function, 1 << 18> &functions() {
    static auto *instance = new HandleTable<Function, 1 << 18>;
    return *instance;
}

Module *find_module(hipModule_t handle) {
    Module *module = modules().find(handle);
    return module && module->alive.load() ? module : nullptr;
}

bool is_shared_library(const Elf64_Ehdr &header) {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN &&
           header.e_phentsize == sizeof(Elf64_Phdr);
}

// The image's length, which HIP's call does not tell: the end of its last part.
size_t image_bytes(const char *image) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    size_t end = header.e_shoff + static_cast<size_t>(header.e_shnum) * header.e_shentsize;
    for (int i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part;
        std::memcpy(&part, image + header.e_phoff + static_cast<size_t>(i) * sizeof part,
                    sizeof part);
        end = std::max<size_t>(end, part.p_offset + part.p_filesz);
    }
    return end;
}

// A spelling of /proc/self/fd/N that no earlier call used: the loader takes a path that it knows
// for the library that it has, even though the file behind N is another one by now.
std::string unique_path(int fd) {
    static std::atomic<uint32_t> n_calls{0};
    std::string path = "/proc/self/fd";
    for (uint32_t bits = ++n_calls; bits; bits >>= 1) path += (bits & 1) ? "/." : "/";
    return path + "/" + std::to_string(fd);
}

void *load_library(const char *image, size_t n_bytes) {
    const int fd = memfd_create("hip-code-object", MFD_CLOEXEC);
    if (fd < 0) return nullptr;
    void *library = nullptr;
    size_t done = 0;
    while (done < n_bytes) {
        const ssize_t n = write(fd, image + done, n_bytes - done);
        if (n <= 0) break;
        done += static_cast<size_t>(n);
    }
    if (done == n_bytes) {
        library = dlopen(unique_path(fd).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) std::fprintf(stderr, "rocarray: code object: %s\n", dlerror());
    }
    close(fd);
    return library;
}

hipError_t load_image(hipModule_t *result, const char *image) {
    if (!result || !image) return hipErrorInvalidValue;
    *result = nullptr;
    Elf64_Ehdr header;
    // The magic first: a shorter image may end right behind it.
    if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return hipErrorInvalidImage;
    std::memcpy(&header, image, sizeof header);
    if (!is_shared_library(header)) return hipErrorInvalidImage;
    void *library = load_library(image, image_bytes(image));
    if (!library) return hipErrorNoBinaryForGpu;
    Module *module = modules().take();
    std::lock_guard<std::mutex> lock(module->mutex);
    module->device = thread_state.device;
    module->library = library;
    module->alive.store(true);
    *result = module;
    return hipSuccess;
}

hipError_t load_file(hipModule_t *result, const char *path) {
    if (!result || !path) return hipErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return hipErrorFileNotFound;
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (text.size() < sizeof(Elf64_Ehdr)) return hipErrorInvalidImage;
    Elf64_Ehdr header;
    std::memcpy(&header, text.data(), sizeof header);
    if (!is_shared_library(header)) return hipErrorInvalidImage;
    const size_t n_headers = static_cast<size_t>(header.e_phnum) * sizeof(Elf64_Phdr);
    if (header.e_phoff > text.size() || n_headers > text.size() - header.e_phoff ||
        image_bytes(text.data()) > text.size())
        return hipErrorInvalidImage;
    return load_image(result, text.data());
}

// A data symbol of this library itself: dlsym also looks into the libraries that it needs.
void *own_symbol(void *library, const char *name, size_t *n_bytes) {
    void *address = dlsym(library, name);
    link_map *map = nullptr;
    if (!address || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
    Dl_info info;
    Elf64_Sym *symbol = nullptr;
    if (!dladdr1(address, &info, reinterpret_cast<void **>(&symbol), RTLD_DL_SYMENT))
        return nullptr;
    if (reinterpret_cast<uintptr_t>(info.dli_fbase) != map->l_addr) return nullptr;
    if (n_bytes) *n_bytes = symbol ? symbol->st_size : 0;
    return address;
}

Function *make_function(const Module &module, const KernelDescriptor *descriptor,
                        const char *name) {
    Function *function = functions().take();
    function->device = module.device;
    function->descriptor = descriptor;
    function->name = name;
    function->block_ns.store(0);
    function->offsets.clear();
    uint32_t offset = 0;
    for (uint32_t i = 0; i < descriptor->n_arguments; ++i) {
        const uint32_t alignment = std::max(1u, descriptor->argument_alignments[i]);
        offset = (offset + alignment - 1) / alignment * alignment;
        function->offsets.push_back(offset);
        offset += descriptor->argument_sizes[i];
    }
    function->n_argument_bytes = offset;
    function->alive.store(true);
    return function;
}

hipError_t get_function(hipFunction_t *result, hipModule_t handle, const char *name) {
    if (!result || !name) return hipErrorInvalidValue;
    *result = nullptr;
    Module *module = find_module(handle);
    if (!module) return hipErrorInvalidHandle;
    std::lock_guard<std::mutex> lock(module->mutex);
    Function *&function = module->functions[name];
    if (!function) {
        const auto *descriptor = static_cast<const KernelDescriptor *>(
            own_symbol(module->library, ("hipcpu_kernel_" + std::string(name)).c_str(), nullptr));
        if (!descriptor || descriptor->abi_version != kKernelAbiVersion) {
            module->functions.erase(name);
            return descriptor ? hipErrorNoBinaryForGpu : hipErrorNotFound;
        }
        function = make_function(*module, descriptor, name);
    }
    *result = function;
    return hipSuccess;
}

hipError_t unload(hipModule_t handle) {
    Module *module = find_module(handle);
    if (!module) return hipErrorInvalidHandle;
    for (Device *device : runtime().devices) synchronize_device(*device);
    if (!module->alive.exchange(false)) return hipErrorInvalidHandle;
    {
        std::lock_guard<std::mutex> lock(module->mutex);
        for (auto &[name, function] : module->functions) {
            function->alive.store(false);
            functions().give_back(function);
        }
        module->functions.clear();
        dlclose(module->library);
        module->library = nullptr;
    }
    modules().give_back(module);
    return hipSuccess;
}

}  // namespace

Function *find_function(const void *handle) {
    Function *function = functions().find(handle);
    return function && function->alive.load(std::memory_order_acquire) ? function : nullptr;
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
    return api_call([&] { return load_file(module, path); });
}

HIP_EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
    return api_call([&] { return load_image(module, static_cast<const char *>(image)); });
}

HIP_EXPORT hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned,
                                          hipJitOption *, void **) {
    return hipModuleLoadData(module, image);
}

HIP_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
    return api_call([&] { return unload(module); });
}

HIP_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module,
                                           const char *name) {
    return api_call([&] { return get_function(function, module, name); });
}

HIP_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *address, size_t *n_bytes,
                                         hipModule_t handle, const char *name) {
    return api_call([&] {
        if ((!address && !n_bytes) || !name) return hipErrorInvalidValue;
        Module *module = find_module(handle);
        if (!module) return hipErrorInvalidHandle;
        std::lock_guard<std::mutex> lock(module->mutex);
        size_t n = 0;
        void *symbol = own_symbol(module->library, name, &n);
        if (!symbol) return hipErrorNotFound;
        if (address) *address = symbol;
        if (n_bytes) *n_bytes = n;
        return hipSuccess;
    });
}

HIP_EXPORT const char *hipKernelNameRef(hipFunction_t handle) {
    Function *function = find_function(handle);
    return function ? function->name.c_str() : nullptr;
}

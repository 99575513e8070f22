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
#include <utility>
#include <vector>

#include "functions.h"
#include "stream_queue.h"

namespace hipcpu {

// `__shared__` variables are thread-local statics of functions: the symbol `_ZZ6kernelE4name` has
// the size of `name` in `kernel`; and the loop around a kernel is a template whose symbol holds
// `XadL_Z6kernelEE`. So an image says which kernel has how much. What device functions declare
// counts for none: who calls them is not to be seen.
struct LdsSymbols {
    std::vector<std::pair<std::string, uint32_t>> variables;  // what follows _ZZ; bytes
    std::map<uint64_t, std::string> loops;                    // address; what follows XadL_Z
};

}  // namespace hipcpu

struct ihipModule_t {
    std::atomic<bool> alive{false};
    std::mutex mutex;
    int device = 0;
    void *library = nullptr;
    std::map<std::string, hipcpu::Function *> functions;
    hipcpu::LdsSymbols lds;
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

// Back references in a mangled name are numbered from the whole name's beginning.
std::string without_numbers(const char *name) {
    std::string text;
    for (; *name; ++name) {
        text += *name;
        if (*name != 'S') continue;
        const char *end = name + 1;
        while ((*end >= '0' && *end <= '9') || (*end >= 'A' && *end <= 'Z')) ++end;
        if (*end == '_') name = end;
    }
    return text;
}

LdsSymbols read_lds_symbols(const char *image, size_t n_bytes) {
    LdsSymbols result;
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    const auto section = [&](size_t number) {
        Elf64_Shdr found{};
        const size_t at = header.e_shoff + number * sizeof found;
        if (number < header.e_shnum && at + sizeof found <= n_bytes)
            std::memcpy(&found, image + at, sizeof found);
        const bool fits = found.sh_offset <= n_bytes && found.sh_size <= n_bytes - found.sh_offset;
        return fits ? found : Elf64_Shdr{};
    };
    for (size_t i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr symbols = section(i);
        if (symbols.sh_type != SHT_SYMTAB) continue;
        const Elf64_Shdr names = section(symbols.sh_link);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, image + symbols.sh_offset + at, sizeof symbol);
            if (symbol.st_name >= names.sh_size) continue;
            const char *name = image + names.sh_offset + symbol.st_name;
            const int type = ELF64_ST_TYPE(symbol.st_info);
            if (type == STT_TLS && std::strncmp(name, "_ZZ", 3) == 0)
                result.variables.emplace_back(without_numbers(name + 3),
                                              static_cast<uint32_t>(symbol.st_size));
            const char *kernel = type == STT_FUNC ? std::strstr(name, "XadL_Z") : nullptr;
            if (kernel) result.loops.emplace(symbol.st_value, without_numbers(kernel + 6));
        }
    }
    if (result.variables.empty()) result.loops.clear();
    return result;
}

uint32_t lds_bytes_of(const Module &module, const KernelDescriptor &descriptor) {
    link_map *map = nullptr;
    if (module.lds.loops.empty() || dlinfo(module.library, RTLD_DI_LINKMAP, &map) != 0) return 0;
    const auto address = reinterpret_cast<uintptr_t>(descriptor.run_blocks) - map->l_addr;
    const auto loop = module.lds.loops.find(address);
    if (loop == module.lds.loops.end()) return 0;
    uint32_t n_bytes = 0;
    for (const auto &[variable, size] : module.lds.variables) {
        // `6kernelE4name` belongs to `6kernelEE...`: the same up to an E, behind which a second
        // follows.
        const auto pair = std::mismatch(variable.begin(), variable.end(), loop->second.begin(),
                                        loop->second.end());
        if (pair.second != loop->second.end() && *pair.second == 'E' &&
            pair.first != variable.begin() && pair.first[-1] == 'E')
            n_bytes += size;
    }
    return n_bytes;
}

hipError_t load_image(hipModule_t *result, const char *image) {
    if (!result || !image) return hipErrorInvalidValue;
    *result = nullptr;
    Elf64_Ehdr header;
    // The magic first: a shorter image may end right behind it.
    if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return hipErrorInvalidImage;
    std::memcpy(&header, image, sizeof header);
    if (!is_shared_library(header)) return hipErrorInvalidImage;
    const size_t n_bytes = image_bytes(image);
    void *library = load_library(image, n_bytes);
    if (!library) return hipErrorNoBinaryForGpu;
    Module *module = modules().take();
    std::lock_guard<std::mutex> lock(module->mutex);
    module->device = thread_state.device;
    module->library = library;
    module->lds = read_lds_symbols(image, n_bytes);
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
    function->static_lds_bytes =
        std::max(descriptor->static_lds_bytes, lds_bytes_of(module, *descriptor));
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

#include "nvrtc.h"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "driver.h"

namespace cuda {

namespace {

std::mutex folders_mutex;
std::string extra_folders;

std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(':', begin), text.size());
        if (end > begin) parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// The caller's folders, then those of a toolkit.
std::vector<std::string> folders() {
    std::vector<std::string> result;
    {
        std::lock_guard<std::mutex> lock(folders_mutex);
        result = split(extra_folders);
    }
    for (const char *name : {"CUDA_HOME", "CUDA_PATH"}) {
        const char *value = std::getenv(name);
        if (value && *value) result.push_back(std::string(value) + "/lib64");
    }
    result.push_back("/usr/local/cuda/lib64");
    return result;
}

std::vector<std::string> matches(const std::string &pattern) {
    std::vector<std::string> paths;
    glob_t found;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i) paths.push_back(found.gl_pathv[i]);
    globfree(&found);
    return paths;
}

// Major versions of NVRTC, the best first: what a newer one than the driver makes does not load.
std::vector<int> major_versions() {
    constexpr int kNewest = 15, kOldest = 12;
    int version = 0;
    const bool known = driver().cuDriverGetVersion(&version) == 0;
    std::vector<int> result;
    for (int major = known ? version / 1000 : kNewest; major >= kOldest; --major)
        result.push_back(major);
    return result;
}

// NVRTC opens its builtins by their name alone, which the loader only knows once they are loaded.
void open_builtins(const std::string &folder, int major) {
    const std::string name = "/libnvrtc-builtins.so." + std::to_string(major);
    for (const std::string &path : matches(folder + name + "*"))
        dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

void *open_library() {
    for (int major : major_versions()) {
        const std::string name = "libnvrtc.so." + std::to_string(major);
        for (const std::string &folder : folders())
            if (void *library = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
                open_builtins(folder, major);
                return library;
            }
        if (void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

template <class Function>
void find(void *library, const char *symbol, Function *slot, std::string *problem) {
    *slot = reinterpret_cast<Function>(dlsym(library, symbol));
    if (!*slot) *problem = std::string("NVRTC lacks the function ") + symbol;
}

Nvrtc open_table() {
    Nvrtc table;
    void *library = open_library();
    if (!library) {
        table.problem =
            "NVRTC (libnvrtc.so) was not found, so kernels that no pack holds cannot be compiled. "
            "Install it: pip install nvidia-cuda-nvrtc (a version not newer than the driver's "
            "CUDA), or set CUDA_PATH to a CUDA toolkit";
        return table;
    }
#define FIND(symbol, arguments) find(library, #symbol, &table.symbol, &table.problem);
    NVRTC_FUNCTIONS(FIND)
#undef FIND
    return table;
}

}  // namespace

const Nvrtc &nvrtc() {
    static const Nvrtc table = open_table();
    return table;
}

void set_search_folders(const char *text) {
    std::lock_guard<std::mutex> lock(folders_mutex);
    extra_folders = text ? text : "";
}

}  // namespace cuda

extern "C" __attribute__((visibility("default"))) void rocarray_nvidia_set_folders(
    const char *text) {
    cuda::set_search_folders(text);
}

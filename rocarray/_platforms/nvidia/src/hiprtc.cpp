// hipRTC's C interface over NVRTC. The types restate ROCm's <hip/hiprtc.h>.
#include <dlfcn.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <new>
#include <regex>
#include <vector>

#include "hiprtc_abi.h"
#include "hiprtc_options.h"
#include "nvrtc.h"
#include "runtime.h"

struct _hiprtcProgram {
    nvrtcProgram native = nullptr;
    std::string log, code;
    bool compiled = false, has_code = false;
};
typedef struct _hiprtcProgram *hiprtcProgram;

namespace hipnv {

namespace {

// NVRTC's codes are hipRTC's up to here; it has more above.
hiprtcResult translate_nvrtc(cuda::NvrtcResult result) {
    return result <= HIPRTC_ERROR_INTERNAL_ERROR ? static_cast<hiprtcResult>(result)
                                                 : HIPRTC_ERROR_INTERNAL_ERROR;
}

// No C++ exception may cross the C interface.
template <class Body>
hiprtcResult guarded(Body &&body) {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    } catch (...) {
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
}

// The folder of headers beside this library.
std::string device_folder() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&device_folder), &info) == 0) return "device";
    const std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    return (slash == std::string::npos ? "." : path.substr(0, slash)) + "/device";
}

// sm_NN of the thread's device; empty without one.
std::string device_architecture() {
    if (initialize() != hipSuccess) return "";
    const cuda::Driver &driver = cuda::driver();
    int major = 0, minor = 0;
    driver.cuDeviceGetAttribute(&major, cuda::kComputeCapabilityMajor, thread_state.device);
    driver.cuDeviceGetAttribute(&minor, cuda::kComputeCapabilityMinor, thread_state.device);
    return "sm_" + std::to_string(major) + std::to_string(minor);
}

// Machine code where NVRTC knows the architecture, else PTX of the newest older one, which the
// driver compiles when it is loaded.
std::string architecture_option(const std::string &name, bool *machine_code) {
    const cuda::Nvrtc &nvrtc = cuda::nvrtc();
    int n = 0;
    nvrtc.nvrtcGetNumSupportedArchs(&n);
    std::vector<int> known(static_cast<size_t>(n > 0 ? n : 0));
    if (n > 0) nvrtc.nvrtcGetSupportedArchs(known.data());
    const int wanted = std::atoi(name.c_str() + 3);
    int best = 0;
    for (int architecture : known)
        if (architecture <= wanted && architecture > best) best = architecture;
    *machine_code = best == wanted || best == 0;
    return "--gpu-architecture=" + (*machine_code ? name : "compute_" + std::to_string(best));
}

// "name(7): error: text" as clang writes it, so that readers of logs need one form.
std::string clang_locations(const std::string &log) {
    static const std::regex location("(^|\n)([^\\s():][^():\n]*)\\((\\d+)\\): ");
    return std::regex_replace(log, location, "$1$2:$3: ");
}

void read_log(hiprtcProgram program) {
    size_t n_bytes = 0;
    if (cuda::nvrtc().nvrtcGetProgramLogSize(program->native, &n_bytes) != 0 || n_bytes <= 1)
        return;
    std::string text(n_bytes, '\0');
    cuda::nvrtc().nvrtcGetProgramLog(program->native, &text[0]);
    program->log += clang_locations(text.c_str());
}

hiprtcResult read_code(hiprtcProgram program, bool machine_code) {
    const cuda::Nvrtc &nvrtc = cuda::nvrtc();
    const auto size = machine_code ? nvrtc.nvrtcGetCUBINSize : nvrtc.nvrtcGetPTXSize;
    const auto get = machine_code ? nvrtc.nvrtcGetCUBIN : nvrtc.nvrtcGetPTX;
    size_t n_bytes = 0;
    cuda::NvrtcResult result = size(program->native, &n_bytes);
    program->code.resize(n_bytes);
    if (result == 0) result = get(program->native, &program->code[0]);
    program->has_code = result == 0;
    return translate_nvrtc(result);
}

hiprtcResult compile(hiprtcProgram program, const std::vector<std::string> &words) {
    program->compiled = true;
    program->has_code = false;
    program->log.clear();
    CompileOptions options = translate_options(words, device_architecture());
    program->log = options.notes;
    if (!options.error.empty()) {
        program->log += "error: " + options.error + "\n";
        return HIPRTC_ERROR_INVALID_OPTION;
    }
    bool machine_code = true;
    options.words.push_back(architecture_option(options.architecture, &machine_code));
    const std::string folder = device_folder();
    options.words.insert(options.words.begin(), {"-I" + folder, "--pre-include=prelude.h",
                                                 "--device-int128", "-default-device"});
    std::vector<const char *> pointers;
    for (const std::string &word : options.words) pointers.push_back(word.c_str());
    const cuda::NvrtcResult result = cuda::nvrtc().nvrtcCompileProgram(
        program->native, static_cast<int>(pointers.size()), pointers.data());
    read_log(program);
    if (result != 0) return translate_nvrtc(result);
    return read_code(program, machine_code);
}

// Without NVRTC a program can be made, so that the compile's log can say what is missing.
bool has_nvrtc() { return cuda::nvrtc().problem.empty(); }

template <class Body>
hiprtcResult on_program(hiprtcProgram program, bool valid, Body &&body) {
    if (!program) return HIPRTC_ERROR_INVALID_PROGRAM;
    return valid ? guarded(body) : HIPRTC_ERROR_INVALID_INPUT;
}

}  // namespace

}  // namespace hipnv

using namespace hipnv;

HIP_EXPORT const char *hiprtcGetErrorString(hiprtcResult result) {
    return hip_abi::hiprtc_error_name(result);
}

// NVRTC's version, or 0.0 without it: what a cached code object depends on.
HIP_EXPORT hiprtcResult hiprtcVersion(int *major, int *minor) {
    if (!major || !minor) return HIPRTC_ERROR_INVALID_INPUT;
    *major = *minor = 0;
    return has_nvrtc() ? translate_nvrtc(cuda::nvrtc().nvrtcVersion(major, minor)) : HIPRTC_SUCCESS;
}

HIP_EXPORT hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *source,
                                            const char *name, int n_headers, const char **headers,
                                            const char **include_names) {
    if (!program || !source || n_headers < 0 || (n_headers > 0 && (!headers || !include_names)))
        return HIPRTC_ERROR_INVALID_INPUT;
    return guarded([&] {
        auto *created = new _hiprtcProgram;
        if (has_nvrtc()) {
            const cuda::NvrtcResult result = cuda::nvrtc().nvrtcCreateProgram(
                &created->native, source, name && *name ? name : "program.hip", n_headers, headers,
                include_names);
            if (result != 0) {
                delete created;
                return translate_nvrtc(result);
            }
        }
        *program = created;
        return HIPRTC_SUCCESS;
    });
}

HIP_EXPORT hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) {
    if (!program) return HIPRTC_ERROR_INVALID_INPUT;
    if (!*program) return HIPRTC_ERROR_INVALID_PROGRAM;
    if ((*program)->native) cuda::nvrtc().nvrtcDestroyProgram(&(*program)->native);
    delete *program;
    *program = nullptr;
    return HIPRTC_SUCCESS;
}

HIP_EXPORT hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char *expression) {
    return on_program(program, expression != nullptr, [&] {
        if (program->compiled) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
        if (!has_nvrtc()) return HIPRTC_SUCCESS;
        return translate_nvrtc(cuda::nvrtc().nvrtcAddNameExpression(program->native, expression));
    });
}

HIP_EXPORT hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int n_options,
                                             const char **options) {
    const bool valid = n_options >= 0 && (n_options == 0 || options);
    return on_program(program, valid, [&] {
        if (!has_nvrtc()) {
            program->compiled = true;
            program->log = "error: " + cuda::nvrtc().problem + "\n";
            return HIPRTC_ERROR_COMPILATION;
        }
        std::vector<std::string> words;
        for (int i = 0; i < n_options; ++i) {
            if (!options[i]) return HIPRTC_ERROR_INVALID_INPUT;
            words.push_back(options[i]);
        }
        return compile(program, words);
    });
}

HIP_EXPORT hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char *expression,
                                             const char **lowered_name) {
    return on_program(program, expression && lowered_name, [&] {
        if (!program->has_code) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
        return translate_nvrtc(
            cuda::nvrtc().nvrtcGetLoweredName(program->native, expression, lowered_name));
    });
}

HIP_EXPORT hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *n_bytes) {
    return on_program(program, n_bytes != nullptr, [&] {
        *n_bytes = program->log.size() + 1;
        return HIPRTC_SUCCESS;
    });
}

HIP_EXPORT hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log) {
    return on_program(program, log != nullptr, [&] {
        std::memcpy(log, program->log.c_str(), program->log.size() + 1);
        return HIPRTC_SUCCESS;
    });
}

HIP_EXPORT hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *n_bytes) {
    return on_program(program, n_bytes != nullptr, [&] {
        if (!program->has_code) return HIPRTC_ERROR_INVALID_PROGRAM;
        *n_bytes = program->code.size();
        return HIPRTC_SUCCESS;
    });
}

HIP_EXPORT hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code) {
    return on_program(program, code != nullptr, [&] {
        if (!program->has_code) return HIPRTC_ERROR_INVALID_PROGRAM;
        std::memcpy(code, program->code.data(), program->code.size());
        return HIPRTC_SUCCESS;
    });
}

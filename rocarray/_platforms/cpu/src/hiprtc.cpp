// hipRTC's C interface on the cpu platform. The types restate ROCm's <hip/hiprtc.h>.

#include <cstring>
#include <map>
#include <new>

#include "hiprtc_abi.h"
#include "hiprtc_internal.h"

#define HIPRTC_API extern "C" __attribute__((visibility("default")))

extern "C" {

struct _hiprtcProgram {
    hipcpu::rtc::CompileRequest request;
    hipcpu::rtc::CompileResult result;
    std::map<std::string, std::string> lowered_names;
    bool compiled = false;  // a compile was asked for, successful or not
    bool has_code = false;
};
typedef struct _hiprtcProgram *hiprtcProgram;

}  // extern "C"

namespace {

// No C++ exception may cross the C interface.
template <class F>
hiprtcResult guarded(F body) {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    } catch (...) {
        return HIPRTC_ERROR_INTERNAL_ERROR;
    }
}

// A getter that wants room for the terminating zero as well.
void copy_with_zero(const std::string &text, char *to) {
    std::memcpy(to, text.c_str(), text.size() + 1);
}

}  // namespace

HIPRTC_API const char *hiprtcGetErrorString(hiprtcResult result) {
    return hip_abi::hiprtc_error_name(result);
}

HIPRTC_API hiprtcResult hiprtcVersion(int *major, int *minor) {
    if (major == nullptr || minor == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    *major = 6;
    *minor = 4;
    return HIPRTC_SUCCESS;
}

HIPRTC_API hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *source,
                                            const char *name, int n_headers, const char **headers,
                                            const char **include_names) {
    if (program == nullptr || source == nullptr || n_headers < 0) return HIPRTC_ERROR_INVALID_INPUT;
    if (n_headers > 0 && (headers == nullptr || include_names == nullptr))
        return HIPRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n_headers; ++i) {
        if (headers[i] == nullptr || include_names[i] == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        if (!hipcpu::rtc::is_safe_relative_name(include_names[i]))
            return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    return guarded([&] {
        auto *created = new _hiprtcProgram;
        created->request.source = source;
        created->request.name = name == nullptr ? "" : name;
        for (int i = 0; i < n_headers; ++i)
            created->request.headers.push_back({include_names[i], headers[i]});
        *program = created;
        return HIPRTC_SUCCESS;
    });
}

HIPRTC_API hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    if (*program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return HIPRTC_SUCCESS;
}

HIPRTC_API hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char *expression) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (expression == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    if (program->compiled) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    return guarded([&] {
        program->request.name_expressions.push_back(expression);
        return HIPRTC_SUCCESS;
    });
}

HIPRTC_API hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int n_options,
                                             const char **options) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (n_options < 0 || (n_options > 0 && options == nullptr)) return HIPRTC_ERROR_INVALID_INPUT;
    return guarded([&] {
        program->request.options.clear();
        for (int i = 0; i < n_options; ++i) {
            if (options[i] == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
            program->request.options.push_back(options[i]);
        }
        program->compiled = true;
        program->has_code = false;
        program->result = hipcpu::rtc::compile(program->request);
        switch (program->result.status) {
            case hipcpu::rtc::CompileStatus::invalid_option: return HIPRTC_ERROR_INVALID_OPTION;
            case hipcpu::rtc::CompileStatus::compilation_error: return HIPRTC_ERROR_COMPILATION;
            case hipcpu::rtc::CompileStatus::success: break;
        }
        for (const auto &pair : program->result.lowered_names)
            program->lowered_names[pair.first] = pair.second;
        program->has_code = true;
        return HIPRTC_SUCCESS;
    });
}

HIPRTC_API hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char *expression,
                                             const char **lowered_name) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (expression == nullptr || lowered_name == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    if (!program->has_code) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    return guarded([&] {
        const auto found = program->lowered_names.find(expression);
        if (found == program->lowered_names.end()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        *lowered_name = found->second.c_str();
        return HIPRTC_SUCCESS;
    });
}

HIPRTC_API hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *n_bytes) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (n_bytes == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    *n_bytes = program->result.log.size() + 1;
    return HIPRTC_SUCCESS;
}

HIPRTC_API hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (log == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    copy_with_zero(program->result.log, log);
    return HIPRTC_SUCCESS;
}

HIPRTC_API hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *n_bytes) {
    if (program == nullptr || !program->has_code) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (n_bytes == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    *n_bytes = program->result.image.size();
    return HIPRTC_SUCCESS;
}

HIPRTC_API hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code) {
    if (program == nullptr || !program->has_code) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (code == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    std::memcpy(code, program->result.image.data(), program->result.image.size());
    return HIPRTC_SUCCESS;
}

// There is no intermediate form here: bitcode is asked for with -fgpu-rdc, which is refused.
HIPRTC_API hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *n_bytes) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (n_bytes == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    return HIPRTC_ERROR_INVALID_PROGRAM;
}

HIPRTC_API hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *bitcode) {
    if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (bitcode == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
    return HIPRTC_ERROR_INVALID_PROGRAM;
}

// The parts of the cpu platform's hipRTC, from source text to the image of a shared library.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hipcpu::rtc {

struct Header {
    std::string name;
    std::string text;
};

// ---- hiprtc_options.cpp: hipRTC's options as options of the host compiler ----

struct Options {
    std::vector<std::string> preprocessor;  // -I -include and the macros that our headers read
    std::string definitions;                // the other -D and -U, as lines of source
    std::vector<std::string> compiler;      // everything else
    bool lists_own_kernels = false;         // -DROCARRAY_EXPORTED_KERNELS was given
    std::string notes;                      // what was ignored, for the log
    std::string error;                      // not empty: an option that cannot be honoured
};

Options translate_options(const std::vector<std::string> &options);

// The highest x86-64 level of this machine, as in the device's gcnArchName.
const char *native_architecture();

// ---- hiprtc_scan.cpp: kernels in preprocessed text ----

struct ScannedKernel {
    std::string qualified_name;  // ns::kernel
    std::string exported_name;   // ns__kernel
};

struct ScanResult {
    std::string text;  // with the markers rewritten to C++
    std::vector<ScannedKernel> kernels;
    bool uses_barriers = false;
    bool is_balanced = true;  // every brace is closed: text can be appended
};

// Text from files under `own_folder` (the device headers) is copied, not scanned.
ScanResult scan(const std::string &preprocessed, const std::string &own_folder);

// ---- hiprtc_process.cpp: temporary folders and the compiler's process ----

class TemporaryFolder {
 public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    // Empty when no folder could be made; `error()` then says where it was tried.
    const std::string &path() const { return path_; }
    const std::string &error() const { return error_; }

    // Writes a file under a relative name, making its folders. False, and errno, on failure.
    bool write(const std::string &name, const std::string &text) const;
    bool read(const std::string &name, std::string *text) const;

 private:
    std::string path_;
    std::string error_;
};

// True for a relative name that stays inside its folder.
bool is_safe_relative_name(const std::string &name);

// The C++ compiler to use, or "" and what to do about it in `*advice`.
std::string find_compiler(std::string *advice);

struct ProcessResult {
    bool started = false;
    int status = -1;  // exit status, or 128 + signal
    std::string error;
};

// Runs a program, with stdout and stderr into `output_path`.
ProcessResult run_process(const std::vector<std::string> &arguments,
                          const std::string &output_path);

// ---- hiprtc_compile.cpp ----

struct CompileRequest {
    std::string source;
    std::string name;
    std::vector<Header> headers;
    std::vector<std::string> name_expressions;
    std::vector<std::string> options;
};

enum class CompileStatus { success, invalid_option, compilation_error };

struct CompileResult {
    CompileStatus status = CompileStatus::compilation_error;
    std::string image;
    std::string log;
    std::vector<std::pair<std::string, std::string>> lowered_names;  // expression, name
};

CompileResult compile(const CompileRequest &request);

}  // namespace hipcpu::rtc

// hipRTC's options (clang's, for a GPU) as options of the host's g++ or clang++.

#include <string_view>

#include "hiprtc_internal.h"

namespace hipcpu::rtc {

namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

template <class... Prefix>
bool starts_with_any(std::string_view text, Prefix... prefix) {
    return (starts_with(text, prefix) || ...);
}

// Understood by g++ and clang++ alike, and of use on a CPU.
bool passes_unchanged(std::string_view option) {
    if (option == "-w" || option == "-g" || option == "-Wall" || option == "-Wextra") return true;
    return starts_with_any(
        option, "-Werror", "-Wno-", "-fsanitize=", "-fno-sanitize", "-ffast-math", "-fno-fast-math",
        "-fmath-errno", "-fno-math-errno", "-ftrapping-math", "-fno-trapping-math",
        "-fsigned-zeros", "-fno-signed-zeros", "-ffinite-math-only", "-fno-finite-math-only",
        "-fassociative-math", "-fno-associative-math", "-freciprocal-math", "-fno-reciprocal-math",
        "-funsafe-math-optimizations", "-fno-unsafe-math-optimizations", "-fstrict-aliasing",
        "-fno-strict-aliasing", "-fwrapv", "-funroll-loops", "-fno-unroll-loops",
        "-fno-omit-frame-pointer", "-ftemplate-depth=", "-fconstexpr-depth=", "-fdiagnostics-",
        "-march=", "-mtune=", "-mprefer-vector-width=", "-mavx", "-mfma", "-mno-");
}

bool is_architecture(std::string_view name) {
    return name == "x86-64" || name == "x86-64-v2" || name == "x86-64-v3" || name == "x86-64-v4" ||
           name == "aarch64" || name == "native";
}

// Standards before C++17 are raised to it: the descriptors need it.
std::string language_standard(std::string_view value) {
    for (const char *old : {"98", "03", "11", "14", "0x", "1y"})
        if (value.size() >= 2 && value.substr(value.size() - 2) == old)
            return starts_with(value, "gnu") ? "-std=gnu++17" : "-std=c++17";
    return "-std=" + std::string(value);
}

// What was chosen for the options of which the last one counts.
struct Choice {
    std::string architecture = native_architecture();
    std::string standard = "-std=c++17";
    std::string optimisation = "-O3";
    std::string contraction = "-ffp-contract=fast";  // the default of HIP
};

// Macros that the prelude itself depends on. All others are defined after it: -DN=8 must not
// change the `template <unsigned N>` of a device header.
bool is_read_by_prelude(std::string_view macro) {
    return starts_with_any(macro, "_", "ROCARRAY_", "HIPCPU", "NDEBUG");
}

void take_macro(const std::string &flag, const std::string &macro, Options *result) {
    if (macro.find("ROCARRAY_EXPORTED_KERNELS") == 0 && flag == "-D")
        result->lists_own_kernels = true;
    if (is_read_by_prelude(macro)) {
        result->preprocessor.push_back(flag + macro);
        return;
    }
    const size_t equals = macro.find('=');
    if (flag == "-U")
        result->definitions += "#undef " + macro + "\n";
    else if (equals == std::string::npos)
        result->definitions += "#define " + macro + " 1\n";
    else
        result->definitions +=
            "#define " + macro.substr(0, equals) + " " + macro.substr(equals + 1) + "\n";
}

// Options whose value may be the next word. True when `option` was one of them.
bool take_preprocessor_option(const std::vector<std::string> &words, size_t *i, Options *result) {
    for (const std::string flag : {"-D", "-U", "-I", "-isystem", "-include"}) {
        if (!starts_with(words[*i], flag)) continue;
        std::string value = words[*i].substr(flag.size());
        if (value.empty() && *i + 1 == words.size()) {
            result->error = "option " + flag + " needs a value";
            return true;
        }
        if (value.empty()) value = words[++*i];
        if (flag == "-D" || flag == "-U")
            take_macro(flag, value, result);
        else
            result->preprocessor.insert(result->preprocessor.end(), {flag, value});
        return true;
    }
    return false;
}

bool take_choice(std::string_view option, Choice *choice, Options *result) {
    for (const char *flag : {"--offload-arch=", "--gpu-architecture=", "-arch="}) {
        if (!starts_with(option, flag)) continue;
        const std::string_view name = option.substr(std::string_view(flag).size());
        if (!is_architecture(name))
            result->error = "option " + std::string(option) +
                            ": the cpu platform compiles for x86-64, x86-64-v2, x86-64-v3, "
                            "x86-64-v4 (this machine: " +
                            native_architecture() + ")";
        choice->architecture = name;
        return true;
    }
    if (starts_with(option, "-std=") || starts_with(option, "--std="))
        choice->standard = language_standard(option.substr(option.find('=') + 1));
    else if (starts_with(option, "-O"))
        choice->optimisation = option;
    else if (starts_with(option, "-ffp-contract="))
        // g++ before 14 has no "on" across statements; "fast-honor-pragmas" is clang's alone.
        choice->contraction = option == "-ffp-contract=fast-honor-pragmas" ? "-ffp-contract=fast"
                                                                           : std::string(option);
    else
        return false;
    return true;
}

}  // namespace

const char *native_architecture() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v3 && v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "native";
#endif
}

Options translate_options(const std::vector<std::string> &words) {
    Options result;
    Choice choice;
    std::vector<std::string> others;
    for (size_t i = 0; i < words.size() && result.error.empty(); ++i) {
        const std::string &word = words[i];
        if (word.empty() || take_preprocessor_option(words, &i, &result)) continue;
        if (take_choice(word, &choice, &result)) continue;
        if (word[0] != '-')
            result.error = "option '" + word + "' does not begin with '-'";
        else if (word == "-fgpu-rdc")
            result.error = "option -fgpu-rdc: the cpu platform has no linkable bitcode";
        else if (passes_unchanged(word))
            others.push_back(word);
        else
            result.notes += "note: option " + word + " has no meaning on the cpu platform\n";
    }
    result.compiler = {choice.standard, choice.optimisation, choice.contraction};
    if (choice.architecture == "aarch64")
        result.compiler.push_back("-march=armv8-a");
    else
        result.compiler.push_back("-march=" + choice.architecture);
    result.compiler.insert(result.compiler.end(), others.begin(), others.end());
    return result;
}

}  // namespace hipcpu::rtc

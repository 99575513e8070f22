#include "hiprtc_options.h"

#include <string_view>

namespace hipnv {

namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

// NVRTC's own options, for whoever compiles for it alone.
bool passes_unchanged(const std::string &option) {
    for (const char *prefix :
         {"--device-debug", "--extra-device-vectorization", "--generate-line-info", "-lineinfo",
          "--maxrregcount", "--use_fast_math", "--ptxas-options", "--fmad", "--ftz", "--prec-",
          "--diag-", "--expt-", "--extended-lambda", "--restrict", "--no-source-include",
          "--minimal", "--split-compile"})
        if (starts_with(option, prefix)) return true;
    return false;
}

struct Choice {
    std::string standard = "--std=c++17";
    std::string contraction = "--fmad=true";  // HIP's default
};

// Options whose value may be the next word. True when `option` was one of them.
bool take_preprocessor_option(const std::vector<std::string> &words, size_t *i,
                              CompileOptions *result) {
    struct Flag {
        const char *hip, *nvrtc;
    };
    for (const Flag flag : {Flag{"-D", "-D"}, Flag{"-U", "-U"}, Flag{"-isystem", "-I"},
                            Flag{"-include", "--pre-include="}, Flag{"-I", "-I"}}) {
        if (!starts_with(words[*i], flag.hip)) continue;
        std::string value = words[*i].substr(std::string_view(flag.hip).size());
        if (value.empty() && *i + 1 == words.size()) {
            result->error = std::string("option ") + flag.hip + " needs a value";
            return true;
        }
        if (value.empty()) value = words[++*i];
        result->words.push_back(flag.nvrtc + value);
        return true;
    }
    return false;
}

// NVRTC has no optimisation levels but the lowest, and "on" means the same as "fast" to it.
bool take_choice(const std::string &option, Choice *choice, CompileOptions *result) {
    for (const char *flag : {"--offload-arch=", "--gpu-architecture=", "-arch="})
        if (starts_with(option, flag)) {
            result->architecture = option.substr(std::string_view(flag).size());
            return true;
        }
    if (starts_with(option, "-std=") || starts_with(option, "--std=")) {
        std::string value = option.substr(option.find('=') + 1);
        if (starts_with(value, "gnu")) value = "c" + value.substr(3);
        choice->standard = "--std=" + value;
    } else if (starts_with(option, "-ffp-contract=")) {
        choice->contraction = option == "-ffp-contract=off" ? "--fmad=false" : "--fmad=true";
    } else if (option == "-ffast-math") {
        result->words.push_back("--use_fast_math");
    } else if (option == "-g") {
        result->words.push_back("--generate-line-info");
    } else if (option == "-w") {
        result->words.push_back("--disable-warnings");
    } else if (!starts_with(option, "-O")) {
        return false;
    }
    return true;
}

void choose_architecture(CompileOptions *result, const std::string &device_architecture) {
    const std::string asked = result->architecture;
    if (starts_with(asked, "sm_")) return;
    if (device_architecture.empty()) {
        result->error = "option --offload-arch=" + asked +
                        ": no NVIDIA GPU is here to compile for, so the architecture must be an "
                        "sm_NN";
    } else if (!asked.empty() && asked != "native") {
        result->notes += "note: compiled for " + device_architecture + " instead of " + asked +
                         ", which the nvidia platform does not have\n";
    }
    result->architecture = device_architecture;
}

}  // namespace

CompileOptions translate_options(const std::vector<std::string> &options,
                                 const std::string &device_architecture) {
    CompileOptions result;
    Choice choice;
    for (size_t i = 0; i < options.size() && result.error.empty(); ++i) {
        const std::string &option = options[i];
        if (option.empty() || take_preprocessor_option(options, &i, &result)) continue;
        if (take_choice(option, &choice, &result)) continue;
        if (option[0] != '-')
            result.error = "option '" + option + "' does not begin with '-'";
        else if (option == "-fgpu-rdc")
            result.error = "option -fgpu-rdc: the nvidia platform has no linkable bitcode";
        else if (passes_unchanged(option))
            result.words.push_back(option);
        else
            result.notes += "note: option " + option + " has no meaning on the nvidia platform\n";
    }
    if (result.error.empty()) choose_architecture(&result, device_architecture);
    result.words.insert(result.words.end(), {choice.standard, choice.contraction});
    return result;
}

}  // namespace hipnv

// hipRTC's options (clang's, for an AMD GPU) as NVRTC's.
#pragma once

#include <string>
#include <vector>

namespace hipnv {

struct CompileOptions {
    std::vector<std::string> words;  // for NVRTC
    std::string architecture;        // sm_NN
    std::string notes;               // for the log
    std::string error;               // empty where all options are understood
};

// `device_architecture` stands for every AMD architecture, and for none.
CompileOptions translate_options(const std::vector<std::string> &options,
                                 const std::string &device_architecture);

}  // namespace hipnv

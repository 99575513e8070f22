// From a HIP program to the image of a shared library, through the host's C++ compiler.

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hiprtc_internal.h"

namespace hipcpu::rtc {

namespace {

using Words = std::vector<std::string>;

// A folder beside this library, which holds headers. Without symbolic links, since g++ may resolve
// them in its line markers.
std::string folder_beside_library(const char *name) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&folder_beside_library), &info) == 0) return "";
    std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    path = (slash == std::string::npos ? "." : path.substr(0, slash)) + "/" + name;
    if (char *resolved = realpath(path.c_str(), nullptr)) {
        path = resolved;
        free(resolved);
    }
    return path;
}

void append(Words *words, const Words &more) {
    words->insert(words->end(), more.begin(), more.end());
}

void replace_all(std::string *text, const std::string &from, const std::string &to) {
    for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at))
        text->replace(at, from.size(), to), at += to.size();
}

std::string trimmed(std::string text) {
    while (!text.empty() && isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    size_t first = 0;
    while (first < text.size() && isspace(static_cast<unsigned char>(text[first]))) ++first;
    return text.substr(first);
}

// One compile. Its steps run in order and stop at the first that fails.
class Compilation {
 public:
    explicit Compilation(const CompileRequest &request)
        : request_(request),
          options_(translate_options(request.options)),
          device_(folder_beside_library("device")),
          abi_(folder_beside_library("src")) {}

    CompileResult run() {
        result_.log = options_.notes;
        if (!options_.error.empty()) {
            result_.status = CompileStatus::invalid_option;
            result_.log += "error: " + options_.error + "\n";
            return std::move(result_);
        }
        if (find_tools() && write_files() && (lists_own_kernels() ? compose() : preprocess()) &&
            build())
            result_.status = CompileStatus::success;
        show_given_names();
        return std::move(result_);
    }

 private:
    bool fail(const std::string &message) {
        result_.log += "error: " + message + "\n";
        return false;
    }

    bool find_tools() {
        std::string advice;
        compiler_ = find_compiler(&advice);
        if (compiler_.empty()) return fail(advice);
        if (folder_.path().empty())
            return fail("no temporary folder could be made (" + folder_.error() +
                        "); set TMPDIR to a writable folder");
        return true;
    }

    // The program as s/NAME, its headers under h/.
    bool write_files() {
        given_name_ = request_.name.empty() ? "program.hip" : request_.name;
        const bool is_file_name = is_safe_relative_name(given_name_) && given_name_.back() != '/';
        file_name_ = "s/" + (is_file_name ? given_name_ : std::string("program.hip"));
        if (!write(file_name_, request_.source) || !write("options", options_.definitions))
            return false;
        for (const Header &header : request_.headers)
            if (!write("h/" + header.name, header.text)) return false;
        return true;
    }

    bool write(const std::string &name, const std::string &text) {
        if (folder_.write(name, text)) return true;
        return fail("cannot write " + folder_.path() + "/" + name + ": " + strerror(errno));
    }

    bool lists_own_kernels() const {
        return options_.lists_own_kernels ||
               request_.source.find("#define ROCARRAY_EXPORTED_KERNELS") != std::string::npos;
    }

    Words preprocessor_options() const {
        Words words = {"-I" + folder_.path() + "/h"};
        append(&words, {"-isystem", device_, "-isystem", abi_, "-include", "prelude.h", "-include",
                        folder_.path() + "/options"});
        append(&words, options_.preprocessor);
        return words;
    }

    // A program that exports its kernels itself: one file includes it and holds the stubs.
    bool compose() {
        input_ = "main.cpp";
        input_options_ = preprocessor_options();
        append(&input_options_, {"-x", "c++"});
        return write(input_, "#include \"" + folder_.path() + "/" + file_name_ + "\"\n" +
                                 name_expression_stubs(true));
    }

    bool preprocess() {
        // -fno-exceptions and -fno-rtti define macros, so both passes have them.
        Words words = {compiler_,         "-E",       "-x", "c++", "-DHIPCPU_MARKERS",
                       "-fno-exceptions", "-fno-rtti"};
        append(&words, options_.compiler);
        append(&words, preprocessor_options());
        append(&words, {folder_.path() + "/" + file_name_, "-o", folder_.path() + "/program.ii"});
        if (!run_compiler(words)) return false;
        std::string text;
        if (!folder_.read("program.ii", &text)) return fail("the preprocessor wrote no output");

        const ScanResult scanned = scan(text, device_);
        kernels_ = scanned.kernels;
        input_ = "kernels.ii";
        input_options_.clear();  // the suffix tells the language
        // Inside an open brace the stubs would only add errors to the user's.
        if (!scanned.is_balanced) return write(input_, scanned.text);
        return write(input_, scanned.text + "\n" + kernel_stubs(scanned.uses_barriers) +
                                 name_expression_stubs(scanned.uses_barriers));
    }

    static std::string stub(const std::string &symbol, const std::string &kernel, bool fibers) {
        return "extern \"C\" { extern const hipcpu::KernelDescriptor hipcpu_kernel_" + symbol +
               " __attribute__((visibility(\"default\"), used));\n"
               "const hipcpu::KernelDescriptor hipcpu_kernel_" +
               symbol + " = hipcpu::Body<&" + kernel + ", " + (fibers ? "true" : "false") +
               ", decltype(&" + kernel + ")>::descriptor(); }\n";
    }

    std::string kernel_stubs(bool fibers) const {
        std::string text;
        for (const ScannedKernel &kernel : kernels_)
            text += "# 1 \"kernel " + kernel.qualified_name + "\"\n" +
                    stub(kernel.exported_name, "::" + kernel.qualified_name, fibers);
        return text;
    }

    // Fills `lowered_names`, and returns the stubs of the expressions that have none yet.
    std::string name_expression_stubs(bool fibers) {
        std::string text;
        int number = 0;
        for (const std::string &given : request_.name_expressions) {
            std::string expression = trimmed(given);
            if (!expression.empty() && expression[0] == '&')
                expression = trimmed(expression.substr(1));
            std::string name = known_name(expression);
            if (name.empty()) {
                for (char c : expression) name += isalnum(static_cast<unsigned char>(c)) ? c : '_';
                name += "_" + std::to_string(number++);
                std::string quoted = given;
                replace_all(&quoted, "\\", "\\\\");
                replace_all(&quoted, "\"", "\\\"");
                replace_all(&quoted, "\n", " ");
                text +=
                    "# 1 \"name expression '" + quoted + "'\"\n" + stub(name, expression, fibers);
            }
            result_.lowered_names.emplace_back(given, name);
        }
        return text;
    }

    // The exported name of a kernel that is no template, or the symbol of a variable; "" for what
    // needs a stub.
    std::string known_name(const std::string &expression) const {
        const std::string name = expression.rfind("::", 0) == 0 ? expression.substr(2) : expression;
        for (const ScannedKernel &kernel : kernels_)
            if (kernel.qualified_name == name) return kernel.exported_name;
        if (name.find('<') != std::string::npos || name.find(' ') != std::string::npos ||
            lists_own_kernels())
            return "";
        return variable_symbol(name);
    }

    // The Itanium ABI's name of a variable: plain at global scope, else _ZN...E.
    static std::string variable_symbol(const std::string &name) {
        if (name.find("::") == std::string::npos) return name;
        std::string symbol = "_ZN";
        size_t begin = 0;
        while (true) {
            const size_t end = name.find("::", begin);
            const std::string part = name.substr(begin, end - begin);
            symbol += std::to_string(part.size()) + part;
            if (end == std::string::npos) return symbol + "E";
            begin = end + 2;
        }
    }

    bool build() {
        // Hidden, because the symbols of inline and template statics (LDS among them) would
        // otherwise be GNU_UNIQUE: shared by all modules of the process, and never unloaded.
        Words words = {compiler_,
                       "-shared",
                       "-fPIC",
                       "-fvisibility=hidden",
                       "-fno-math-errno",
                       "-fno-trapping-math",
                       "-fno-exceptions",
                       "-fno-rtti",
                       "-fno-asynchronous-unwind-tables",
                       "-Wno-attributes",
                       "-Wno-unknown-pragmas"};
        append(&words, options_.compiler);
        append(&words, input_options_);
        append(&words, {folder_.path() + "/" + input_, "-o", folder_.path() + "/image.so",
                        "-Wl,-Bsymbolic", "-Wl,--as-needed", "-Wl,--build-id=none"});
        if (!run_compiler(words)) return false;
        if (!folder_.read("image.so", &result_.image) || result_.image.empty())
            return fail("the compiler wrote no output");
        return true;
    }

    bool run_compiler(const Words &words) {
        const ProcessResult process = run_process(words, folder_.path() + "/log");
        if (!process.started) return fail("cannot run the C++ compiler: " + process.error);
        std::string log;
        if (folder_.read("log", &log)) result_.log += log;
        if (process.status == 0) return true;
        return fail(compiler_ + " failed with status " + std::to_string(process.status));
    }

    // The log speaks of the names that the caller gave, not of the temporary files.
    void show_given_names() {
        if (folder_.path().empty()) return;
        const std::string root = folder_.path() + "/";
        if (!file_name_.empty()) replace_all(&result_.log, root + file_name_, given_name_);
        replace_all(&result_.log, root + "s/", "");
        replace_all(&result_.log, root + "h/", "");
        replace_all(&result_.log, root, "");
    }

    const CompileRequest &request_;
    const Options options_;
    const std::string device_, abi_;
    const TemporaryFolder folder_;
    std::string compiler_;
    std::string given_name_, file_name_;
    std::string input_;
    Words input_options_;
    std::vector<ScannedKernel> kernels_;
    CompileResult result_;
};

}  // namespace

CompileResult compile(const CompileRequest &request) { return Compilation(request).run(); }

}  // namespace hipcpu::rtc

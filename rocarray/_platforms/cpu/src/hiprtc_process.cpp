// Temporary folders, and the host compiler as a child process without a shell.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "hiprtc_internal.h"

extern char **environ;

namespace hipcpu::rtc {

namespace {

void remove_tree(const std::string &path) {
    if (DIR *folder = opendir(path.c_str())) {
        while (dirent *entry = readdir(folder)) {
            const std::string_view name = entry->d_name;
            if (name == "." || name == "..") continue;
            const std::string child = path + "/" + entry->d_name;
            struct stat info;
            if (lstat(child.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
                remove_tree(child);
            else
                unlink(child.c_str());
        }
        closedir(folder);
    }
    rmdir(path.c_str());
}

// The child's environment: messages in English, and none of the libraries that were preloaded
// into this process (sanitizers, above all).
std::vector<std::string> compiler_environment() {
    std::vector<std::string> result = {"LC_ALL=C"};
    for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.rfind("LC_ALL=", 0) == 0 || text.rfind("LD_PRELOAD=", 0) == 0) continue;
        result.emplace_back(text);
    }
    return result;
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
    std::vector<char *> result;
    for (std::string &string : strings) result.push_back(string.data());
    result.push_back(nullptr);
    return result;
}

bool is_program(const std::string &path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

// The full path of a program, or "".
std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
    const char *variable = getenv("PATH");
    std::string_view path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (true) {
        const size_t colon = path.find(':');
        const std::string folder(path.substr(0, colon));
        if (!folder.empty() && is_program(folder + "/" + name)) return folder + "/" + name;
        if (colon == std::string_view::npos) return "";
        path.remove_prefix(colon + 1);
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        // With SIGCHLD ignored the kernel reaps the child itself: its output tells how it went.
        if (errno == ECHILD) return 0;
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    const char *variable = getenv("TMPDIR");
    for (const char *root : {variable, "/tmp", "/var/tmp", "/dev/shm", "."}) {
        if (root == nullptr || *root == '\0') continue;
        std::string pattern = std::string(root) + "/rocarray-rtc-XXXXXX";
        if (mkdtemp(pattern.data()) != nullptr) {
            path_ = pattern;
            return;
        }
        error_ += (error_.empty() ? "" : "; ") + std::string(root) + ": " + strerror(errno);
    }
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty()) remove_tree(path_);
}

bool TemporaryFolder::write(const std::string &name, const std::string &text) const {
    for (size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1))
        if (mkdir((path_ + "/" + name.substr(0, slash)).c_str(), 0700) != 0 && errno != EEXIST)
            return false;
    const int file =
        open((path_ + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += static_cast<size_t>(n);
    }
    const int saved = errno;
    const bool closed = close(file) == 0;
    if (done < text.size()) errno = saved;
    return closed && done == text.size();
}

bool TemporaryFolder::read(const std::string &name, std::string *text) const {
    const int file = open((path_ + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat info;
    if (fstat(file, &info) != 0) info.st_size = 0;
    text->resize(static_cast<size_t>(info.st_size));
    size_t done = 0;
    while (done < text->size()) {
        const ssize_t n = ::read(file, text->data() + done, text->size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += static_cast<size_t>(n);
    }
    close(file);
    return done == text->size();
}

bool is_safe_relative_name(const std::string &name) {
    if (name.empty() || name[0] == '/') return false;
    std::string_view rest = name;
    while (true) {
        const size_t slash = rest.find('/');
        if (rest.substr(0, slash) == "..") return false;
        if (slash == std::string_view::npos) return !rest.empty();
        rest.remove_prefix(slash + 1);
    }
}

std::string find_compiler(std::string *advice) {
    std::string tried;
    for (const char *variable : {"ROCARRAY_CPU_CXX", "CXX"}) {
        const char *value = getenv(variable);
        if (value == nullptr || *value == '\0') continue;
        const std::string path = find_program(value);
        if (!path.empty()) return path;
        tried += std::string(variable) + "=" + value + ", ";
    }
    for (const char *name : {"c++", "g++", "clang++"}) {
        const std::string path = find_program(name);
        if (!path.empty()) return path;
        tried += std::string(name) + (std::string_view(name) == "clang++" ? "" : ", ");
    }
    *advice =
        "no C++ compiler was found (tried " + tried +
        "). Kernels that are not in a pack need one on the cpu platform: install it (Debian, "
        "Ubuntu: apt install g++; Fedora: dnf install gcc-c++; conda: conda install cxx-compiler) "
        "or set ROCARRAY_CPU_CXX to its path.\n";
    return "";
}

ProcessResult run_process(const std::vector<std::string> &arguments,
                          const std::string &output_path) {
    std::vector<std::string> words = arguments;
    std::vector<std::string> environment = compiler_environment();

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);

    // Signals that the host program blocks or ignores would reach the compiler so.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    ProcessResult result;
    pid_t child;
    const int error = posix_spawn(&child, words[0].c_str(), &files, &attributes,
                                  pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        result.error = words[0] + ": " + strerror(error);
        return result;
    }
    result.started = true;
    result.status = wait_for(child);
    return result;
}

}  // namespace hipcpu::rtc

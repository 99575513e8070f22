// Finds the __global__ functions of a preprocessed program and rewrites HIP's keywords.
//
// One pass over the tokens, with a stack of the open braces for the namespaces. It needs no more of
// C++'s grammar than declarations: a kernel's declaration begins after `;`, `{` or `}`.

#include <ctype.h>

#include <set>
#include <string_view>

#include "hiprtc_internal.h"

namespace hipcpu::rtc {

namespace {

bool starts_word(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool continues_word(char c) { return starts_word(c) || isdigit(static_cast<unsigned char>(c)); }

struct Token {
    std::string_view text;
    size_t begin;  // offset in the input
    size_t end;
};

// Splits text into words, literals and single characters. Line markers come as one token that
// begins with '#'.
class Tokenizer {
 public:
    explicit Tokenizer(std::string_view text) : text_(text) {}

    // False at the end of the text.
    bool next(Token *token) {
        while (at_ < text_.size() && isspace(static_cast<unsigned char>(text_[at_]))) {
            line_start_ = line_start_ || text_[at_] == '\n';
            ++at_;
        }
        if (at_ == text_.size()) return false;
        const size_t begin = at_;
        at_ = end_of_token(begin);
        line_start_ = false;
        *token = {text_.substr(begin, at_ - begin), begin, at_};
        return true;
    }

    size_t position() const { return at_; }

 private:
    size_t end_of_token(size_t begin) const {
        const char c = text_[begin];
        if (c == '#' && line_start_) return find_or_end("\n", begin);
        if (c == '"') return end_of_quoted(begin, '"');
        if (c == '\'') return end_of_quoted(begin, '\'');
        size_t end = begin + 1;
        if (starts_word(c)) {
            while (end < text_.size() && continues_word(text_[end])) ++end;
            if (end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R' &&
                end - begin <= 3)
                return end_of_raw(end);
        } else if (isdigit(static_cast<unsigned char>(c))) {
            // Digit separators must not look like character literals.
            while (end < text_.size() && (continues_word(text_[end]) || text_[end] == '.' ||
                                          (text_[end] == '\'' && end + 1 < text_.size() &&
                                           continues_word(text_[end + 1]))))
                ++end;
        }
        return end;
    }

    size_t find_or_end(std::string_view what, size_t from) const {
        const size_t found = text_.find(what, from);
        return found == std::string_view::npos ? text_.size() : found;
    }

    size_t end_of_quoted(size_t begin, char quote) const {
        size_t i = begin + 1;
        while (i < text_.size() && text_[i] != quote && text_[i] != '\n')
            i += text_[i] == '\\' ? 2 : 1;
        return i < text_.size() ? i + 1 : text_.size();
    }

    size_t end_of_raw(size_t quote) const {
        const size_t open = find_or_end("(", quote);
        const std::string close =
            ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
        const size_t found = find_or_end(close, open);
        return found == text_.size() ? found : found + close.size();
    }

    std::string_view text_;
    size_t at_ = 0;
    bool line_start_ = true;
};

const std::set<std::string_view> &barrier_words() {
    static const std::set<std::string_view> words = {
        "__syncthreads",    "__syncthreads_count",        "__syncthreads_and",
        "__syncthreads_or", "__builtin_amdgcn_s_barrier", "cooperative_groups",
        "__barrier_sync",   "__work_group_barrier",       "__block_barrier",
    };
    return words;
}

class Scanner {
 public:
    Scanner(const std::string &text, const std::string &own_folder)
        : text_(text), own_folder_(own_folder), tokens_(text) {}

    ScanResult run() {
        Token token;
        while (tokens_.next(&token)) {
            if (token.text[0] == '#') {
                // A token, not text: the marker alone decides whose text follows.
                read_line_marker(token.text);
            } else if (!in_own_header_) {
                take(token);
            }
        }
        copy_until(text_.size());
        result_.is_balanced = scopes_.empty();
        return std::move(result_);
    }

 private:
    struct Scope {
        bool is_namespace;  // or extern "C": transparent for kernels
        std::string name;
    };

    // # 12 "file" flags
    void read_line_marker(std::string_view marker) {
        const size_t open = marker.find('"');
        if (open == std::string_view::npos) return;
        in_own_header_ = marker.substr(open + 1, own_folder_.size()) == own_folder_;
    }

    void take(const Token &token) {
        const std::string_view text = token.text;
        if (text == "__hipcpu_global__") {
            replace(token, is_template() ? "" : "inline __attribute__((always_inline))");
            if (is_explicit_instantiation()) erase_last_replacement();
            take_kernel(token.end);
        } else if (text == "__hipcpu_shared__") {
            take_shared(token);
        } else if (text == "__hipcpu_device__") {
            replace(token, is_exported_variable(token.end)
                               ? "__attribute__((visibility(\"default\")))"
                               : "");
        } else if (text == "__hipcpu_noinline__") {
            // <bits/...> of libstdc++ writes __attribute__((__noinline__)).
            const bool is_attribute = !previous_.empty() && previous_.back().text == "(";
            replace(token, is_attribute ? "__noinline__" : "__attribute__((noinline))");
        } else if (barrier_words().count(text) != 0) {
            result_.uses_barriers = true;
        }
        if (text == "{") {
            open_scope();
        } else if (text == "}") {
            if (!scopes_.empty()) scopes_.pop_back();
            previous_.clear();
        } else if (text == ";" && parentheses_ == 0) {
            previous_.clear();
        } else {
            if (text == "(") ++parentheses_;
            if (text == ")" && parentheses_ > 0) --parentheses_;
            previous_.push_back(token);
        }
    }

    // The tokens of the declaration so far tell what a `{` opens.
    void open_scope() {
        Scope scope{false, ""};
        for (size_t i = 0; i < previous_.size(); ++i) {
            const std::string_view text = previous_[i].text;
            if (text == "namespace") {
                scope.is_namespace = true;
                scope.name = namespace_name(i + 1);
                break;
            }
            if (text == "extern" && i + 2 == previous_.size() && previous_[i + 1].text[0] == '"')
                scope.is_namespace = true;
        }
        scopes_.push_back(scope);
        previous_.clear();
        parentheses_ = 0;
    }

    // `a::b` of namespace a::b, "" of an unnamed or inline one.
    std::string namespace_name(size_t first) const {
        std::string name;
        for (size_t i = first; i < previous_.size(); ++i) {
            const std::string_view text = previous_[i].text;
            if (text == "__attribute__" || text == "[") break;
            if (text == "inline") continue;
            name += text;
        }
        return name;
    }

    bool is_template() const {
        for (const Token &token : previous_)
            if (token.text == "template") return true;
        return false;
    }

    // `template __global__ void k<float>(...)`, without a parameter list after `template`.
    bool is_explicit_instantiation() const {
        for (size_t i = 0; i < previous_.size(); ++i)
            if (previous_[i].text == "template")
                return i + 1 == previous_.size() || previous_[i + 1].text != "<";
        return false;
    }

    // A __device__ variable of namespace scope, which hipModuleGetGlobal finds by name. Inline ones
    // and templates stay hidden: as GNU_UNIQUE symbols they would be shared between modules.
    bool is_exported_variable(size_t from) const {
        if (!scopes_.empty() && !scopes_.back().is_namespace) return false;
        for (const Token &token : previous_)
            for (const char *word : {"template", "inline", "static", "(", "["})
                if (token.text == word) return false;
        Tokenizer ahead(std::string_view(text_).substr(from));
        Token token;
        while (ahead.next(&token)) {
            if (token.text == "__attribute__" || token.text == "alignas") {
                if (!skip_group(&ahead, "(", ")")) return false;
            } else if (token.text == "(" || token.text == "inline" || token.text == "static" ||
                       token.text == "__hipcpu_global__" || token.text == "operator") {
                return false;
            } else if (token.text == ";" || token.text == "=" || token.text == "[" ||
                       token.text == "{") {
                return true;
            }
        }
        return false;
    }

    // Reads ahead from a marker: records the kernel if it is a definition that can be named.
    void take_kernel(size_t from) {
        if (is_template()) return;
        std::string prefix;
        for (const Scope &scope : scopes_) {
            if (!scope.is_namespace) return;
            if (!scope.name.empty()) prefix += scope.name + "::";
        }
        const std::string name = read_definition(from);
        if (name.empty()) return;
        const std::string qualified = prefix + name;
        for (const ScannedKernel &known : result_.kernels)
            if (known.qualified_name == qualified) return;
        result_.kernels.push_back({qualified, exported(qualified)});
    }

    // The name between the return type and the parameters, or "" if this is a mere declaration.
    std::string read_definition(size_t from) const {
        Tokenizer ahead(std::string_view(text_).substr(from));
        std::string name;
        Token token;
        while (ahead.next(&token) && token.text != "(" && token.text != ";" && token.text != "{") {
            if (token.text == "__attribute__" || token.text == "alignas") {
                if (!skip_group(&ahead, "(", ")")) return "";
            } else if (token.text == "template") {
                return "";
            } else if (starts_word(token.text[0])) {
                name = name.size() > 1 && name.back() == ':' ? name + std::string(token.text)
                                                             : std::string(token.text);
            } else if (token.text == ":") {
                name += ":";
            } else if (token.text[0] == '<') {
                return "";  // an explicit specialisation's arguments
            }
        }
        if (token.text != "(" || name.empty() || !skip_to_closing(&ahead, "(", ")")) return "";
        while (ahead.next(&token))
            if (token.text == "{")
                return name;
            else if (token.text == ";")
                return "";
        return "";
    }

    static bool skip_group(Tokenizer *tokens, const char *open, const char *close) {
        Token token;
        return tokens->next(&token) && token.text == open && skip_to_closing(tokens, open, close);
    }

    static bool skip_to_closing(Tokenizer *tokens, const char *open, const char *close) {
        Token token;
        int depth = 1;
        while (depth > 0 && tokens->next(&token)) {
            if (token.text == open) ++depth;
            if (token.text == close) --depth;
        }
        return depth == 0;
    }

    static std::string exported(const std::string &qualified) {
        std::string name;
        for (size_t i = 0; i < qualified.size(); ++i)
            name += continues_word(qualified[i]) ? qualified[i] : '_';
        return name;
    }

    // `__shared__ T x[n];` is thread-local. `extern __shared__ T x[];` is a pointer to the dynamic
    // LDS: the words in between are kept, the brackets go.
    void take_shared(const Token &token) {
        Tokenizer ahead(std::string_view(text_).substr(token.end));
        size_t before_name = 0, name_end = 0, bracket_end = 0;
        Token word;
        bool is_array = false, has_extern = false;
        std::string_view name;
        while (ahead.next(&word) && word.text != ";" && word.text != "=" && word.text != "{" &&
               word.text != "(") {
            if (word.text == "__attribute__" || word.text == "alignas") {
                // alignas(16) on a pointer to the LDS would align the pointer.
                const size_t begin = token.end + word.begin;
                if (!skip_group(&ahead, "(", ")")) return;
                skipped_ = {begin, token.end + ahead.position()};
            } else if (word.text == "extern") {
                has_extern = true;
            } else if (word.text == "[" && !is_array && !name.empty()) {
                is_array = true;
                before_name = static_cast<size_t>(name.data() - text_.data());
                name_end = before_name + name.size();
            } else if (!is_array && starts_word(word.text[0])) {
                name = word.text;
            }
            if (word.text == "]") bracket_end = token.end + word.end;
        }
        const Token *external = nullptr;
        for (const Token &before : previous_)
            if (before.text == "extern") external = &before;
        // Another keyword was rewritten between `extern` and __shared__: no declaration that is
        // C++.
        if (external != nullptr && external->begin < last_replaced_) return;
        if (external == nullptr && !has_extern) {
            replace(token, "static thread_local");
            rewrite_alignas();
        } else if (is_array && bracket_end != 0) {
            rewrite_dynamic(token, external, before_name, name_end, bracket_end);
        }
    }

    // `static thread_local alignas(16) T x` is out of order in C++, where __shared__ alignas(16) is
    // common. A GNU attribute may stand anywhere.
    void rewrite_alignas() {
        const std::string group(text_, skipped_.first, skipped_.second - skipped_.first);
        if (group.rfind("alignas", 0) == 0) {
            copy_until(skipped_.first);
            result_.text += "__attribute__((aligned" + group.substr(7) + "))";
            copied_ = last_replaced_ = skipped_.second;
        }
        skipped_ = {0, 0};
    }

    void rewrite_dynamic(const Token &token, const Token *external, size_t before_name,
                         size_t name_end, size_t bracket_end) {
        // At namespace scope the pointer is set at each thread's first use; its LDS stays in place.
        const bool in_function = !scopes_.empty() && !scopes_.back().is_namespace;
        const std::string storage = in_function ? "" : "static thread_local ";
        std::string type(text_, token.end, before_name - token.end);
        if (skipped_.second > skipped_.first && skipped_.first >= token.end &&
            skipped_.second <= before_name)
            type.erase(skipped_.first - token.end, skipped_.second - skipped_.first);
        const size_t word = type.find("extern");
        if (word != std::string::npos) type.erase(word, 6);
        std::string qualifiers;
        if (external != nullptr) {
            // Blank out the `extern` that has been copied already, keep what follows it.
            qualifiers = std::string(text_, external->end, token.begin - external->end);
            cut_output(external->begin);
        }
        const std::string name(text_, before_name, name_end - before_name);
        const std::string full_type = qualifiers + type;
        copy_until(external != nullptr ? external->begin : token.begin);
        result_.text +=
            storage + full_type + "*const " + name + " = (" + full_type + "*)hipcpu::dynamic_lds()";
        copied_ = last_replaced_ = bracket_end;
        skipped_ = {0, 0};
    }

    // ---- output: the input up to `copied_` is in result_.text ----

    void copy_until(size_t position) {
        if (position <= copied_) return;
        result_.text.append(text_, copied_, position - copied_);
        copied_ = position;
    }

    void replace(const Token &token, const char *with) {
        copy_until(token.begin);
        before_replacement_ = result_.text.size();
        result_.text += with;
        copied_ = last_replaced_ = token.end;
    }

    void erase_last_replacement() { result_.text.resize(before_replacement_); }

    // Takes back output that was copied past `position`; nothing is, while no token between the
    // two was replaced.
    void cut_output(size_t position) {
        if (copied_ <= position) return;
        result_.text.resize(result_.text.size() - (copied_ - position));
        copied_ = position;
    }

    const std::string &text_;
    const std::string own_folder_;
    Tokenizer tokens_;
    ScanResult result_;
    std::vector<Token> previous_;  // the declaration so far
    std::vector<Scope> scopes_;
    int parentheses_ = 0;
    size_t copied_ = 0;
    size_t last_replaced_ = 0;  // the end of the last rewritten word, in the input
    size_t before_replacement_ = 0;
    std::pair<size_t, size_t> skipped_{0, 0};
    bool in_own_header_ = false;
};

}  // namespace

ScanResult scan(const std::string &preprocessed, const std::string &own_folder) {
    return Scanner(preprocessed, own_folder).run();
}

}  // namespace hipcpu::rtc

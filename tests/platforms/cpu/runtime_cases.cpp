// Runs one case by its name, or lists them.
#include "runtime_harness.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        for (const auto &[name, body] : harness::cases()) printf("%s\n", name.c_str());
        return 2;
    }
    const auto found = harness::cases().find(argv[1]);
    if (found == harness::cases().end()) {
        printf("no case %s\n", argv[1]);
        return 2;
    }
    found->second();
    return harness::failures == 0 ? 0 : 1;
}

"""Our declarations against AMD's real headers: prototypes, enum values, struct layouts.

    python tools/check_declarations.py [--headers FOLDER --version 6.4]

Writes a C++ file per library that includes the vendor's header and asserts each declaration of the
spec, and compiles it (nothing is linked). Without --headers, ROCm 6.4's and 5.7's headers are
fetched into build/rocm; functions newer than the headers are left out, as the spec records.
"""

import argparse
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

LIBRARIES = ["hip", "hiprtc"]
SUITES = {"6.4": "sid", "5.7": "trixie"}


def version_key(text):
    return tuple(int(part) for part in text.split("."))


def lines_of(lib, version):
    """The C++ source that holds all assertions of a library."""
    yield "#include <stddef.h>"
    yield f"#include <{lib.header}>"
    for f in lib.functions:
        if version_key(f.since) > version_key(version):
            continue
        kinds = ", ".join(kind for kind, _ in f.arguments)
        # The versioned symbol is a macro for the plain name in the headers that have it.
        name = f.name.removesuffix("R0600")
        # The headers add C++ overloads to some: the cast takes the one with our prototype, if any.
        yield (
            f"static_assert(static_cast<{f.result} (*)({kinds})>(&{name}) != nullptr, "
            f'"prototype of {f.name}");'
        )
    for enum, values in lib.enums.items():
        for key, value in values.items():
            yield f'static_assert(int({key}) == {value}, "value of {enum}::{key}");'
    for key, value in lib.constants.items():
        yield f'static_assert(unsigned({key}) == {value}u, "value of {key}");'
    for struct in lib.structs:
        name = struct.header_name or struct.name
        yield f'static_assert(sizeof({name}) == {struct.n_bytes}, "size of {name}");'
        for member, _, offset in struct.members:
            yield (
                f"static_assert(offsetof({name}, {member}) == {offset}, "
                f'"offset of {name}::{member}");'
            )


# What the spec declares as of 6.x and the 5.7 headers number or lay out otherwise: the code that
# uses these asks the runtime's version, or does not use them on 5.7.
OLDER = re.compile(
    r"int\((hipDeviceAttribute|hipMemoryType|hipError|hipMemcpyDeviceToDeviceNoCU)"
    r"|hipDeviceProp_t|hipGetDeviceProperties"
)


def check(lib, include, version):
    """Compiles the assertions; returns the failed ones as text."""
    lines = list(lines_of(lib, version))
    if version_key(version) < (6, 0):
        lines = [line for line in lines if not OLDER.search(line)]
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, "-std=c++17", "-x", "c++", "-fsyntax-only", "-D__HIP_PLATFORM_AMD__",
               "-w", f"-I{include}", "-"]  # fmt: skip
    done = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True)
    n = sum(line.startswith("static_assert") for line in lines)
    print(f"{lib.name} against {version}: {n} declarations, "
          f"{'all agree' if done.returncode == 0 else 'FAILED'}")  # fmt: skip
    return "" if done.returncode == 0 else done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headers", help="a folder with hip/hip_runtime_api.h")
    parser.add_argument("--version", default="6.4", help="the ROCm version of --headers")
    options = parser.parse_args()
    targets = [(options.headers, options.version)] if options.headers else []
    if not targets:
        for version, suite in SUITES.items():
            folder = ROOT / "build" / "rocm"
            subprocess.run([ROOT / "tools" / "fetch_rocm_headers.sh", folder, suite], check=True)
            targets.append((folder / suite / "usr" / "include", version))
    failures = ""
    for include, version in targets:
        for name in LIBRARIES:
            lib = importlib.import_module(f"rocarray._rocm.specs.{name}").LIBRARY
            failures += check(lib, include, version)
    print(failures, end="", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

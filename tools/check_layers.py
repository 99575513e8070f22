"""Imports and cimports point down: the layers of docs/design/architecture.md, enforced.

    python tools/check_layers.py

Fails where a module imports one of a higher layer, where something inside imports `rocarray` itself
at module level, where anything but `_rocm` reaches into `_platforms`, or where a platform is asked
for its name above `_rocm`.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "rocarray"

LAYERS = {
    "_rocm": 0,
    "_platforms": 0,
    "_kernels": 1,
    "_core": 2,
    "hip": 3,
    "linalg": 3,
    "fft": 3,
    "random": 3,
    "sparse": 3,
    "testing": 4,
    "_show_config": 4,
    "_dask": 4,
}

IMPORT = re.compile(
    r"^(?P<indent>[ \t]*)(?:from\s+(?P<source>rocarray[\w.]*)\s+c?import\s+(?P<names>[^\n]*)"
    r"|c?import\s+(?P<module>rocarray[\w.]*))",
    re.MULTILINE,
)
PLATFORM_TEST = re.compile(r"platform[\w.()]*\s*(?:==|!=|in\b)\s*[\"'(\[]")


def part_of(path):
    """The package part of a file: the first folder (or module) below rocarray/."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.split(".")[0]


def imported_parts(match):
    """The package parts that one import statement names."""
    source = match["source"] or match["module"]
    pieces = source.split(".")
    if len(pieces) > 1:
        return [pieces[1]]
    if match["module"]:
        return [""]
    names = re.sub(r"#.*|[()\\]", "", match["names"])
    return [name.split()[0] for name in names.split(",") if name.split()]


def problems_of(path):
    part = part_of(path)
    layer = LAYERS.get(part)
    if layer is None:
        yield f"{path}: {part} has no layer; add it to tools/check_layers.py"
        return
    text = path.read_text(encoding="utf-8")
    for match in IMPORT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        for target in imported_parts(match):
            if target not in LAYERS:
                if not match["indent"]:
                    yield f"{path}:{line}: imports rocarray itself"
            elif LAYERS[target] > layer:
                yield f"{path}:{line}: {part} (layer {layer}) imports {target} above it"
            elif target == "_platforms" and part not in ("_platforms", "_rocm"):
                yield f"{path}:{line}: only _rocm may reach into _platforms"
    if layer > 0:
        for match in PLATFORM_TEST.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: asks for the platform; ask the device for a capability instead"


def main():
    files = sorted(
        path
        for pattern in ("*.py", "*.pyx", "*.pxd")
        for path in PACKAGE.rglob(pattern)
        if path.name != "__init__.py" or path.parent != PACKAGE
    )
    problems = [problem for path in files for problem in problems_of(path)]
    for problem in problems:
        print(str(problem).replace(str(ROOT) + "/", ""))
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

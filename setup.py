"""Build: Cython extensions, the cpu and nvidia platforms' shared libraries, and the kernel packs.

Everything static is in pyproject.toml. Here is what a declarative file cannot say:

* every ``rocarray/**/*.pyx`` is an extension module (``EXTRA_SOURCES`` adds C++ files to one);
* ``SHARED_LIBRARIES`` are plain C++ libraries that are built beside them;
* after both, ``tools/build_packs.py`` compiles the built-in kernels ahead of time.

A failing module does not stop the others: all are tried, the failures are listed at the end.

Environment: ``ROCARRAY_BUILD_ONLY`` (comma-separated module names, or the name of a shared library
without suffix: builds only these, no packs), ``ROCARRAY_PACKS`` (architectures of the packs,
comma-separated; empty for none), ``ROCARRAY_BUILD_JOBS`` (default: the number of cores),
``ROCARRAY_SANITIZE`` (value of ``-fsanitize=`` for the C++ parts).
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
CYTHON_BUILD = "build/cython"
SANITIZE = os.environ.get("ROCARRAY_SANITIZE", "")

CXX_FLAGS = ["-std=c++17", "-O2", "-g0", "-fvisibility=hidden", "-fno-strict-aliasing", "-Wall"]
# Cython's output is not our own text: what compilers remark on it is no news.
CYTHON_FLAGS = [
    "-Wno-unused-function",
    "-Wno-unused-but-set-variable",
    "-Wno-maybe-uninitialized",
    "-Wno-sign-compare",
]
LINK_FLAGS = ["-Wl,-s"]
if SANITIZE:
    CXX_FLAGS += [f"-fsanitize={SANITIZE}", "-fno-omit-frame-pointer", "-g1"]
    LINK_FLAGS = [f"-fsanitize={SANITIZE}"]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "embedsignature": True,
    "binding": True,
    "freethreading_compatible": False,
}

# Module name -> further C or C++ sources that are linked into it.
EXTRA_SOURCES: dict[str, list[str]] = {
    "rocarray._rocm.hip.calls": ["rocarray/_rocm/hip/table.cpp"],
    "rocarray._rocm.hiprtc.calls": ["rocarray/_rocm/hiprtc/table.cpp"],
}
# Module name -> libraries to link.
EXTRA_LIBRARIES: dict[str, list[str]] = {"rocarray._rocm": ["dl"]}


@dataclass(frozen=True)
class SharedLibrary:
    """A plain C++ library, built from every ``.cpp`` of one folder."""

    path: str
    source_dir: str
    compile_flags: tuple = ()
    link_flags: tuple = field(default=("-ldl", "-pthread"))

    @property
    def name(self):
        return Path(self.path).stem

    def sources(self):
        return sorted((ROOT / self.source_dir).glob("*.cpp"))


SHARED_LIBRARIES = [
    SharedLibrary(
        "rocarray/_platforms/cpu/libhip_cpu.so",
        "rocarray/_platforms/cpu/src",
        compile_flags=("-pthread", "-fPIC", "-Irocarray/_platforms/include"),
    ),
    SharedLibrary(
        "rocarray/_platforms/nvidia/libhip_nvidia.so",
        "rocarray/_platforms/nvidia/src",
        compile_flags=("-pthread", "-fPIC", "-Irocarray/_platforms/include"),
    ),
]


class Module(Extension):
    """An extension with an identity: Cython keeps failed ones in a set, and setuptools' own class
    (a dataclass) does not hash."""

    __hash__ = object.__hash__


def n_jobs():
    return int(os.environ.get("ROCARRAY_BUILD_JOBS") or os.cpu_count() or 1)


def only():
    """Names that ROCARRAY_BUILD_ONLY asks for; None for everything."""
    text = os.environ.get("ROCARRAY_BUILD_ONLY", "").strip()
    return {name.strip() for name in text.split(",")} if text else None


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def discover_extensions():
    extensions = []
    for path in sorted(ROOT.glob("rocarray/**/*.pyx")):
        name = module_name(path)
        if only() is not None and name not in only():
            continue
        relative = path.relative_to(ROOT)
        extensions.append(
            Module(
                name,
                [str(relative), *EXTRA_SOURCES.get(name, [])],
                include_dirs=[".", str(relative.parent)],
                libraries=["dl"],
                language="c++",
                extra_compile_args=CXX_FLAGS + CYTHON_FLAGS,
                extra_link_args=LINK_FLAGS,
                define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            )
        )
    return extensions


def stale(target, sources):
    if not target.exists():
        return True
    time = target.stat().st_mtime
    return any(not source.exists() or source.stat().st_mtime > time for source in sources)


def dependencies(depfile):
    """The files that a compiler's -MMD output names."""
    text = depfile.read_text().replace("\\\n", " ")
    return [Path(word) for word in text.split(":", 1)[1].split()]


class BuildAll(build_ext):
    """build_ext that goes on after a failure, and builds libraries and packs too."""

    def initialize_options(self):
        super().initialize_options()
        self.failures = {}

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or n_jobs()

    def run(self):
        super().run()
        for library in SHARED_LIBRARIES:
            if only() is None or library.name in only():
                self.attempt(library.path, self.build_shared_library, library)
        if only() is None and not self.failures:
            self.attempt("kernel packs", self.build_packs)
        if self.failures:
            lines = "\n".join(f"  {name}: {error}" for name, error in self.failures.items())
            sys.stdout.flush()
            raise SystemExit(f"{len(self.failures)} part(s) failed to build:\n{lines}")

    def attempt(self, name, function, *args):
        try:
            function(*args)
        except Exception as error:
            self.failures[name] = str(error).strip().splitlines()[-1] if str(error) else repr(error)

    # -- Cython ------------------------------------------------------------------------------

    def build_extensions(self):
        import numpy

        self.translate()
        built = [ext for ext in self.extensions if ext.name not in self.failures]
        for extension in built:
            extension.include_dirs.append(numpy.get_include())
        self.extensions = built
        super().build_extensions()
        # What failed has no file, so nothing later (the in-place copy) may look for one.
        self.extensions = [ext for ext in built if ext.name not in self.failures]

    def translate(self):
        """Cython to C++, every module even where one fails."""
        from Cython.Build import cythonize

        translated = cythonize(
            [as_template(extension) for extension in self.extensions],
            build_dir=CYTHON_BUILD,
            compiler_directives=DIRECTIVES,
            nthreads=n_jobs() if len(self.extensions) > 1 else 0,
            exclude_failures=True,
        )
        results = {extension.name: extension for extension in translated}
        for extension in self.extensions:
            result = results.get(extension.name)
            if result is None or not all(Path(source).exists() for source in result.sources):
                self.failures[extension.name] = "Cython could not translate it (see above)"
            else:
                extension.sources = result.sources
                extension.depends = nested_headers(result.depends)

    def build_extension(self, extension):
        self.attempt(extension.name, super().build_extension, extension)

    # -- plain C++ libraries -----------------------------------------------------------------

    def package_root(self):
        return ROOT if self.inplace else Path(self.build_lib)

    def build_shared_library(self, library):
        sources = library.sources()
        if not sources:
            return
        work = Path("build") / library.name
        work.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(n_jobs()) as pool:
            objects = list(pool.map(lambda source: compile_object(library, work, source), sources))
        target = self.package_root() / library.path
        if stale(target, objects):
            target.parent.mkdir(parents=True, exist_ok=True)
            # Linked under another name and renamed: a running process keeps its old file.
            temporary = target.with_suffix(".new")
            command = [*cxx(), "-shared", "-o", temporary, *objects, *LINK_FLAGS]
            execute([*command, *library.link_flags], f"linking {library.path}")
            temporary.replace(target)

    # -- packs -------------------------------------------------------------------------------

    def build_packs(self):
        architectures = os.environ.get("ROCARRAY_PACKS", "x86-64-v3")
        script = ROOT / "tools" / "build_packs.py"
        if not architectures.strip() or not script.exists():
            return
        root = self.package_root().resolve()
        destination = root / "rocarray" / "_kernels" / "packs"
        # A wheel of this tree starts from the in-place pack: unchanged programs are taken over.
        previous = ROOT / "rocarray" / "_kernels" / "packs"
        destination.mkdir(parents=True, exist_ok=True)
        if previous != destination:
            for pack in previous.glob("*.pack"):
                if not (destination / pack.name).exists():
                    shutil.copy2(pack, destination)
        command = [sys.executable, script, "--root", root, "--jobs", n_jobs()]
        execute([*command, *architectures.replace(",", " ").split()])

    def get_outputs(self):
        outputs = super().get_outputs()
        root = Path(self.build_lib)
        outputs += [str(root / library.path) for library in SHARED_LIBRARIES]
        outputs += [str(path) for path in (root / "rocarray/_kernels/packs").glob("*")]
        return outputs


def nested_headers(headers):
    """`headers` and the headers of ours that they include, at any depth."""
    found, waiting = set(), list(headers)
    while waiting:
        path = Path(waiting.pop())
        if str(path) in found or not path.is_file():
            continue
        found.add(str(path))
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.MULTILINE):
            waiting += [path.parent / name, Path(name)]
    return sorted(found)


def as_template(extension):
    """A copy for cythonize, which keeps what it is given and changes it."""
    return Module(
        extension.name,
        list(extension.sources),
        include_dirs=list(extension.include_dirs),
        language="c++",
    )


def cxx():
    return os.environ.get("CXX", "").split() or [shutil.which("g++") or "c++"]


def compile_object(library, work, source):
    target = work / (source.stem + ".o")
    depfile = target.with_suffix(".d")
    if not depfile.exists() or stale(target, dependencies(depfile)):
        flags = [*CXX_FLAGS, *library.compile_flags, "-MMD", "-MF", depfile]
        execute(
            [*cxx(), "-c", source, "-o", target, *flags], f"compiling {source.relative_to(ROOT)}"
        )
    return target


def execute(command, title=None):
    command = [str(word) for word in command]
    print(title or " ".join(command), flush=True)
    result = subprocess.run(command)
    if result.returncode:
        print("failed:", " ".join(command), flush=True)
        raise RuntimeError(f"{command[0]} ended with status {result.returncode} (see above)")


if __name__ == "__main__":
    os.chdir(ROOT)
    setup(ext_modules=discover_extensions(), cmdclass={"build_ext": BuildAll})

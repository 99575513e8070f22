"""From source to code object: `(source, headers, options, architecture)`, through hipRTC.

Nothing else in the package calls hipRTC. Results are remembered in the kernel cache, in memory and
on disk; the key is everything that goes in, with the compiler's version.
"""

import hashlib
import re
import threading
from dataclasses import dataclass

from rocarray._kernels import architectures, hiprtc_program, programs
from rocarray._kernels.cache import Compiled, shared_cache

_LOCATION = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? .*error", re.M
)
_LINE_DIRECTIVE = re.compile(r'\s*#\s*line\s+(?P<line>\d+)\s+"(?P<file>[^"]+)"')
# AMD's compiler works in a folder whose name is different each time.
_RANDOM_FOLDER = re.compile(r"/[\w/.-]*/comgr-[0-9a-f]+/input/")
_CONTEXT_LINES = 2

_locks: dict[str, threading.Lock] = {}


class CompileError(RuntimeError):
    """A kernel did not compile.

    Attributes
    ----------
    name : str
        The program's name.
    architecture : str
    log : str
        The compiler's own words.
    source : str
    """

    def __init__(self, name, architecture, log, source, headers=None):
        self.name = name
        self.architecture = architecture
        self.log = log = _RANDOM_FOLDER.sub("", log)
        self.source = source
        self._headers = headers or {}
        excerpt = source_excerpt(log, name, source, self._headers)
        text = f"{name} does not compile for {architecture}:\n{log.strip() or '(empty log)'}"
        super().__init__(text + (f"\n\n{excerpt}" if excerpt else ""))

    def __reduce__(self):
        # Compiles in worker processes send their errors home.
        arguments = (self.name, self.architecture, self.log, self.source, self._headers)
        return CompileError, arguments


@dataclass(frozen=True)
class Request:
    """One compile. `key` names its result, but for the compiler's version."""

    source: str
    name: str
    headers: dict[str, str]
    options: tuple[str, ...]
    architecture: str
    name_expressions: tuple[str, ...] = ()

    @property
    def key(self):
        key = programs.program_key(self.source, self.headers, self.options)
        if self.name_expressions:
            key = hashlib.sha256("\0".join([key, *self.name_expressions]).encode()).hexdigest()
        return key


def source_excerpt(log, name, source, headers):
    """The lines around the first error of a log; empty where the log names none of our files."""
    for match in _LOCATION.finditer(log):
        file, number = match["file"], int(match["line"])
        # Compilers may put in-memory files into folders of their own: compare the paths' ends.
        texts = {name: source, **headers}
        text = next((text for key, text in texts.items() if file.endswith(key)), None)
        lines = text.splitlines() if text is not None else []
        if text is None:
            lines, number = _under_line_directive(source, file, number)
        if not 1 <= number <= len(lines):
            continue
        first = max(1, number - _CONTEXT_LINES)
        rows = [f"line {match['line']} of {file.rsplit('/', 1)[-1]}:"]
        for n, line in enumerate(lines[first - 1 : number + _CONTEXT_LINES], first):
            rows.append(f"{'>' if n == number else ' '} {n:4} | {line}")
            if n == number and match["column"]:
                rows.append(f"       | {' ' * (int(match['column']) - 1)}^")
        return "\n".join(rows)
    return ""


def _under_line_directive(source, file, number):
    """The source's lines, and which of them a `#line` directive calls `number` of `file`."""
    lines = source.splitlines()
    for at, line in enumerate(lines, 1):
        directive = _LINE_DIRECTIVE.match(line)
        if directive and file.endswith(directive["file"]) and number >= int(directive["line"]):
            return lines, at + 1 + number - int(directive["line"])
    return [], 0


def compile_request(request):
    """Compiles, whatever a cache may hold. Returns a `Compiled`; raises `CompileError`."""
    code, log, names = hiprtc_program.compile_program(
        request.source,
        request.name,
        request.headers,
        request.options,
        request.name_expressions,
    )
    if code is None:
        raise CompileError(request.name, request.architecture, log, request.source, request.headers)
    return Compiled(code, names)


def compile_cached(request):
    """The result of an earlier compile of the same request, else of one made now."""
    version = hiprtc_program.compiler_version()
    key = hashlib.sha256(f"{request.key}\0{version}".encode()).hexdigest()
    cache = shared_cache()
    found = cache.get(key)
    if found is not None:
        return found
    # Threads that want the same kernel wait for the first of them.
    with _locks.setdefault(key, threading.Lock()):
        found = cache.get(key)
        if found is None:
            found = compile_request(request)
            cache.put(key, found)
    _locks.pop(key, None)
    return found


def program_request(program, architecture, line=None):
    """The compile of a built-in program, or of only one line of it."""
    source = program.source(line)
    return Request(
        source=source,
        name=program.name,
        headers=programs.included_headers(source),
        options=architectures.compile_options(architecture),
        architecture=architecture,
    )


def compile_source(
    source,
    *,
    architecture,
    name="kernel.hip",
    headers=None,
    options=(),
    name_expressions=(),
    device_architecture=None,
):
    """Compiles a user's source, or finds it compiled.

    Parameters
    ----------
    source : str
    architecture : str
        Such as 'gfx90a' or 'x86-64-v3'.
    name : str
        What the log calls the source.
    headers : dict of str to str, optional
        Further in-memory headers. Those of `device/` are found by name.
    options : sequence of str
        Compiler options, after the architecture's.
    name_expressions : sequence of str
        C++ names (of template instances) whose mangled names the result holds.
    device_architecture : str, optional
        The running device's own, valid however new it is.

    Returns
    -------
    Compiled
        `code` (bytes) and `lowered_names` (dict).
    """
    architectures.validate(architecture, device_architecture)
    request = Request(
        source=source,
        name=name,
        headers=programs.included_headers(source, headers),
        options=(f"--offload-arch={architecture}", *options),
        architecture=architecture,
        name_expressions=tuple(name_expressions),
    )
    return compile_cached(request)

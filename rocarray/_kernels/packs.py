"""Packs: read-only kernel caches, one file an architecture, that a wheel carries.

Layout: magic, length of the index (4 bytes), the index (JSON), then the code objects, each
compressed by itself. The index maps a program's name to [key, offset, compressed bytes].
"""

import functools
import json
import mmap
import os
import zlib
from pathlib import Path

from rocarray._kernels import architectures

MAGIC = b"RPPACK1\n"
HERE = Path(__file__).parent
PACK_FOLDER = HERE / "packs"
_START = len(MAGIC) + 4


class PackError(ValueError):
    """A file that is not a sound pack."""


class Pack:
    """An open pack. Nothing is decompressed before it is asked for."""

    def __init__(self, path):
        self.path = Path(path)
        with open(self.path, "rb") as file:
            self.mtime = os.fstat(file.fileno()).st_mtime
            try:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise PackError(f"{self.path} is empty") from None
        if self._map[: len(MAGIC)] != MAGIC:
            raise PackError(f"{self.path} does not begin with the mark of a pack")
        n_index = int.from_bytes(self._map[len(MAGIC) : _START], "little")
        self._first = _START + n_index
        try:
            index = json.loads(self._map[_START : self._first])
            self.architecture = index["architecture"]
            self.programs = index["programs"]
            self.toolchain = index.get("toolchain")
        except (ValueError, KeyError, TypeError):
            raise PackError(f"{self.path} has a damaged index") from None

    def key(self, program):
        entry = self.programs.get(program)
        return None if entry is None else entry[0]

    def code(self, program):
        """The code object of a program; None for a damaged one."""
        _, offset, n_bytes = self.programs[program]
        start = self._first + offset
        try:
            return zlib.decompress(self._map[start : start + n_bytes])
        except zlib.error:
            return None


def write_pack(path, architecture, entries, toolchain=None):
    """Writes a pack of {program: (key, code)} under another name, then renames it.

    `toolchain` names what compiled it; the pack builder takes over nothing of another one.
    """
    index, blobs, offset = {}, [], 0
    for name, (key, code) in sorted(entries.items()):
        blob = zlib.compress(code, 9)
        index[name] = [key, offset, len(blob)]
        blobs.append(blob)
        offset += len(blob)
    header = {"architecture": architecture, "toolchain": toolchain, "programs": index}
    text = json.dumps(header, separators=(",", ":")).encode()
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(b"".join([MAGIC, len(text).to_bytes(4, "little"), text, *blobs]))
    os.replace(temporary, path)


def pack_path(architecture, folder=PACK_FOLDER):
    return Path(folder) / f"{architecture.replace(':', '_')}.pack"


def open_packs(architecture, folder=PACK_FOLDER):
    """The packs whose code runs on `architecture`, best first. Damaged files are passed over."""
    found = []
    for name in architectures.pack_candidates(architecture):
        try:
            found.append(Pack(pack_path(name, folder)))
        except (OSError, PackError):
            continue
    return found


@functools.lru_cache(maxsize=1)
def newest_source_time():
    """When the last of the files that kernels depend on was changed; 0.0 in an installed package.

    The packs of an installed package were built from the very files beside them. In a development
    tree (which has a setup.py) a pack may be older than they are.
    """
    if not (HERE.parent.parent / "setup.py").exists():
        return 0.0
    files = [*(HERE / "device").rglob("*.hpp"), *(HERE / "tables").glob("*.py")]
    files += [HERE / "architectures.py", HERE / "programs.py"]
    return max(path.stat().st_mtime for path in files)


def current_key(program, architecture):
    """The key that the sources of today give a program."""
    from rocarray._kernels import programs

    source = program.source()
    headers = programs.included_headers(source)
    options = architectures.compile_options(architecture)
    return programs.program_key(source, headers, options)


def is_current(pack, name):
    """Whether a pack's program is what today's sources give."""
    if pack.mtime >= newest_source_time():
        return True
    from rocarray._kernels import programs

    try:
        program = programs.find_program(name)
    except KeyError:
        return False
    return pack.key(name) == current_key(program, pack.architecture)

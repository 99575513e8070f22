"""The disk cache of compiled kernels.

An entry is one file, named by its key and written whole under another name before it is renamed.
It begins with a magic word, its own key and a checksum: a file that is damaged, cut short or in the
wrong place is not trusted, it is compiled again. Nothing here raises: a cache that cannot be read
or written costs time, never a result.
"""

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path
from typing import NamedTuple

from rocarray._rocm import environment

MAGIC = b"RPKERN1\n"
_KEY_BYTES = 32
_HEADER_BYTES = len(MAGIC) + 2 * _KEY_BYTES + 4
_DAY = 86400.0
DEFAULT_LIMIT = 1 << 30


class Compiled(NamedTuple):
    """A code object, and the mangled names of the name expressions that were asked for."""

    code: bytes
    lowered_names: dict[str, str]


def default_folder():
    """`ROCARRAY_CACHE_DIR`, else `rocarray` in the user's cache folder, if there is one."""
    folder = environment.get("ROCARRAY_CACHE_DIR")
    if folder:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME")
    if base and os.path.isabs(base):
        return Path(base, "rocarray")
    try:
        return Path.home() / ".cache" / "rocarray"
    except RuntimeError:
        return None


def default_limit():
    """Bytes that the cache may hold: `ROCARRAY_CACHE_MAX_BYTES`."""
    try:
        return int(environment.get("ROCARRAY_CACHE_MAX_BYTES", DEFAULT_LIMIT))
    except ValueError:
        return DEFAULT_LIMIT


def pack_entry(key, compiled):
    names = json.dumps(compiled.lowered_names).encode()
    payload = names + compiled.code
    checksum = hashlib.sha256(payload).digest()
    return MAGIC + bytes.fromhex(key) + checksum + len(names).to_bytes(4, "little") + payload


def unpack_entry(key, data):
    """The entry's content; None for anything that is not a sound entry of this key."""
    if len(data) < _HEADER_BYTES or not data.startswith(MAGIC + bytes.fromhex(key)):
        return None
    start = len(MAGIC) + _KEY_BYTES
    checksum = data[start : start + _KEY_BYTES]
    n_names = int.from_bytes(data[_HEADER_BYTES - 4 : _HEADER_BYTES], "little")
    payload = data[_HEADER_BYTES:]
    if hashlib.sha256(payload).digest() != checksum or n_names > len(payload):
        return None
    try:
        names = json.loads(payload[:n_names])
    except ValueError:
        return None
    return Compiled(payload[n_names:], names)


class KernelCache:
    """Compiled kernels by key, in memory and (where possible) in a folder.

    Parameters
    ----------
    folder : Path or None
        None, or a folder that cannot be written, leaves memory only.
    limit : int
        Bytes of files to keep. Above it the least recently used go.
    """

    def __init__(self, folder, limit=DEFAULT_LIMIT):
        self.folder = folder
        self.limit = limit
        self.writable = folder is not None
        self._memory = {}
        self._n_writes = 0

    def path(self, key):
        return self.folder / key[:2] / key

    def get(self, key):
        """The entry, or None."""
        found = self._memory.get(key)
        if found is None and self.folder is not None:
            found = self._read(key)
            if found is not None:
                self._memory[key] = found
        return found

    def put(self, key, compiled):
        self._memory[key] = compiled
        if self.writable:
            self._write(key, pack_entry(key, compiled))

    def forget(self, key):
        """Drops an entry, for one that turned out not to load."""
        self._memory.pop(key, None)
        if self.folder is not None:
            with contextlib.suppress(OSError):
                self.path(key).unlink()

    def _read(self, key):
        path = self.path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        found = unpack_entry(key, data)
        with contextlib.suppress(OSError):
            if found is None:
                path.unlink()
            elif time.time() - path.stat().st_mtime > _DAY:
                os.utime(path)  # recently used: the last to be evicted
        return found

    def _write(self, key, data):
        path = self.path(key)
        temporary = path.with_name(f".{key[:16]}.{os.getpid()}.{os.urandom(4).hex()}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                temporary.write_bytes(data)
                os.replace(temporary, path)
            except OSError:
                with contextlib.suppress(OSError):
                    temporary.unlink()
                raise
        except OSError:
            self.writable = False
            return
        # Counting files takes time: at the first write of a process, and then now and again.
        if self._n_writes % 64 == 0:
            self.evict()
        self._n_writes += 1

    def evict(self):
        """Removes the least recently used files until the rest is under 80 % of the limit."""
        files = []
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        n_bytes = sum(size for _, size, _ in files)
        if n_bytes <= self.limit:
            return
        for _, size, path in sorted(files):
            with contextlib.suppress(OSError):
                path.unlink()
            n_bytes -= size
            if n_bytes <= self.limit * 4 // 5:
                break


_shared = None


def shared_cache():
    """The process's cache, made at its first use."""
    global _shared
    if _shared is None:
        _shared = KernelCache(default_folder(), default_limit())
    return _shared

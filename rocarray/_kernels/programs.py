"""Programs: the translation units that kernels come from.

A program is one family's operation, a list of instantiations of templates in `device/`. The tables
(`tables/`, one module a family) yield them.
"""

import functools
import hashlib
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rocarray._kernels import tables
from rocarray._kernels.tables import FAMILIES

DEVICE_FOLDER = Path(__file__).with_name("device")

# The type a character (NumPy's, and E for bfloat16) stands for in device code.
TYPE_NAMES = {
    "?": "bool",
    "b": "int8_t",
    "B": "uint8_t",
    "h": "int16_t",
    "H": "uint16_t",
    "i": "int32_t",
    "I": "uint32_t",
    "l": "int64_t",
    "L": "uint64_t",
    "e": "half",
    "f": "float",
    "d": "double",
    "F": "complex<float>",
    "D": "complex<double>",
    "E": "bfloat16",
}


def identifier(chars):
    """Type characters as they stand in kernel names, which are C identifiers."""
    return chars.replace("?", "p")


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """One translation unit of built-in kernels.

    `instantiations` maps a stem to the line that makes its kernels: the kernel of that name, and
    others whose names begin with the stem and `_`. `on_demand(kernel_name)` returns a pair (stem,
    line) for a kernel that is too rare to list, or None.
    """

    name: str
    includes: tuple[str, ...]
    instantiations: Mapping[str, str]
    on_demand: Callable | None = field(default=None, compare=False, repr=False)

    def instantiation_of(self, kernel):
        """The (stem, line) that makes `kernel`, or None."""
        stem = kernel
        while stem:
            line = self.instantiations.get(stem)
            if line is not None:
                return stem, line
            stem = stem.rpartition("_")[0]
        return self.on_demand(kernel) if self.on_demand is not None else None

    def source(self, line=None):
        """The text of the unit: all instantiations, or only `line`."""
        lines = self.instantiations.values() if line is None else [line]
        includes = [f'#include "{name}"' for name in self.includes]
        return "\n".join([f"// {self.name}", *includes, *lines, ""])


def device_headers():
    """Name -> text of every file of `device/`."""
    return {
        str(path.relative_to(DEVICE_FOLDER)): path.read_text(encoding="utf-8")
        for path in sorted(DEVICE_FOLDER.rglob("*.hpp"))
    }


@functools.lru_cache(maxsize=512)
def _device_header(name):
    path = DEVICE_FOLDER / name
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def included_headers(source, headers=None):
    """The headers that `source` includes, directly or not: name -> text, in order of need.

    Names are looked up in `headers` (a dict) first, then in `device/`; others are the compiler's
    own.
    """
    found = {}
    waiting = _INCLUDE.findall(source)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        text = headers.get(name) if headers else None
        if text is None:
            text = _device_header(name)
        if text is not None:
            found[name] = text
            waiting += _INCLUDE.findall(text)
    return dict(sorted(found.items()))


def program_key(source, headers, options):
    """SHA-256 (hex) of all that determines a code object, but for the compiler itself."""
    digest = hashlib.sha256(b"rocarray kernel 1\0")
    for text in (source, *options):
        _add(digest, text)
    for name, text in sorted(headers.items()):
        _add(digest, name)
        _add(digest, text)
    return digest.hexdigest()


def _add(digest, text):
    data = text.encode()
    digest.update(len(data).to_bytes(8, "little"))
    digest.update(data)


def all_programs():
    """Every program of every table, by name."""
    programs = {}
    for table in dict.fromkeys(FAMILIES.values()):
        programs.update(table_programs(table))
    return programs


@functools.cache
def table_programs(table):
    """The programs of one module of `tables/`, by name."""
    module = importlib.import_module(f"{tables.__name__}.{table}")
    programs = {}
    for program in module.programs():
        family = program.name.partition("/")[0]
        if program.name in programs:
            raise ValueError(f"{module.__name__} has two programs {program.name!r}")
        if FAMILIES.get(family) != table:
            raise ValueError(
                f"program {program.name!r} of {module.__name__}: FAMILIES does not map "
                f"{family!r} to {table!r}"
            )
        programs[program.name] = program
    return programs


def find_program(name):
    """The program of this name. Only its own family's table is loaded."""
    table = FAMILIES.get(name.partition("/")[0])
    program = table_programs(table).get(name) if table else None
    if program is None:
        raise KeyError(f"no program is named {name!r} (families: {', '.join(FAMILIES)})")
    return program

"""What a library's spec is made of. `tools/generate_calls.py` turns one into C and Cython."""

import re
from dataclasses import dataclass, field

_PROTOTYPE = re.compile(r"^(.+?[\s*])(\w+)\((.*)\)$")
_ARGUMENT = re.compile(r"^(.+?[\s*])(\w+)$")


@dataclass(frozen=True)
class Function:
    """One function: the ROCm version it came with, whether a call may take long, its prototype."""

    since: str
    blocking: bool
    prototype: str

    @property
    def result(self):
        return _PROTOTYPE.match(self.prototype)[1].strip()

    @property
    def name(self):
        return _PROTOTYPE.match(self.prototype)[2]

    @property
    def arguments(self):
        """Pairs (type, name)."""
        text = _PROTOTYPE.match(self.prototype)[3].strip()
        if text in ("", "void"):
            return []
        pairs = []
        for part in text.split(","):
            kind, name = _ARGUMENT.match(part.strip()).groups()
            pairs.append((kind.strip(), name))
        return pairs


@dataclass(frozen=True)
class Struct:
    """A struct passed by pointer: the members we use, at their offsets, and the whole length."""

    name: str
    n_bytes: int
    members: list
    header_name: str = ""


@dataclass(frozen=True)
class Library:
    """A ROCm library: everything the generator and the declaration check need."""

    name: str
    status_type: str
    success: str
    error_name: str
    header: str
    exception: str
    functions: list
    enums: dict = field(default_factory=dict)
    handles: list = field(default_factory=list)
    typedefs: dict = field(default_factory=dict)
    function_types: dict = field(default_factory=dict)
    structs: list = field(default_factory=list)
    constants: dict = field(default_factory=dict)

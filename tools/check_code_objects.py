"""Reads what AMD's compiler made of the kernels: wide memory access, no scratch memory, LDS.

    ROCARRAY_PLATFORM=amd python tools/check_code_objects.py --architectures gfx1100,gfx90a

Needs AMD's hipRTC and comgr, but no GPU. Fails where a contiguous elementwise kernel does not load
and store its widest operands by 16 bytes, where it reaches memory through generic addresses, or
where any kernel spills registers to scratch memory or uses more than 64 KiB of LDS.
"""

import argparse
import concurrent.futures
import ctypes
import re
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from build_packs import import_kernels

ARCHITECTURES = ("gfx90a", "gfx942", "gfx1100")
# One program for each shape of loop; --programs all takes every one of these families.
PROGRAMS = (
    *(f"ufunc/{name}" for name in "add divide negative sqrt exp less logical_not ldexp".split()),
    *("where/where", "cast/f", "cast/b", "cast/D", "transpose/transpose"),
)
FAMILIES = ("ufunc", "where", "cast", "transpose")
MAX_LDS = 64 << 10
SIZES = dict.fromkeys("pbB", 1) | dict.fromkeys("hHeE", 2) | dict.fromkeys("fiI", 4)
SIZES |= dict.fromkeys("lLdF", 8) | {"D": 16}
_WIDE_LOAD = re.compile(r"global_load_(dwordx4|b128)\b")
_WIDE_STORE = re.compile(r"global_store_(dwordx4|b128)\b")


def unpack_message(data, at=0):
    """(value, end) of the MessagePack value at `at`; code objects carry their metadata so."""
    head = data[at]
    at += 1
    if head < 0x80 or head >= 0xE0:
        return struct.unpack("b", bytes([head]))[0], at
    if 0xA0 <= head < 0xC0:
        return data[at : at + (head & 31)].decode(), at + (head & 31)
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head], at
    numbers = {0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q", 0xD0: "b", 0xD1: "h", 0xD2: "i"}
    if head in numbers:
        (value,) = struct.unpack_from(">" + numbers[head], data, at)
        return value, at + struct.calcsize(numbers[head])
    lengths = {0xD9: "B", 0xDA: "H", 0xDB: "I", 0xDC: "H", 0xDD: "I", 0xDE: "H", 0xDF: "I"}
    if head in lengths:
        (n,) = struct.unpack_from(">" + lengths[head], data, at)
        at += struct.calcsize(lengths[head])
    else:
        n = head & 15
    if 0xD9 <= head <= 0xDB:
        return data[at : at + n].decode(), at + n
    is_map = head >> 4 == 8 or head >= 0xDE
    values = []
    for _ in range(2 * n if is_map else n):
        value, at = unpack_message(data, at)
        values.append(value)
    return (dict(zip(values[::2], values[1::2], strict=True)) if is_map else values), at


def kernels_of(code):
    """Name -> (metadata, machine code) of an AMD code object."""
    start = code.find(b"\x7fELF")
    code = code[start:]
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, table + size * i) for i in range(count)]
    metadata, functions = {}, {}
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind == 7:
            name_size, note_size, note_type = struct.unpack_from("<III", code, offset)
            if note_type == 32:
                begin = offset + 12 + (name_size + 3 & ~3)
                metadata = unpack_message(code[begin : begin + note_size])[0]
        elif kind == 11:
            names = sections[link][4]
            for at in range(offset, offset + length, 24):
                name, info, _, index, value, n_bytes = struct.unpack_from("<IBBHQQ", code, at)
                if info & 15 == 2:
                    begin = sections[index][4] + value - sections[index][3]
                    end = code.index(b"\0", names + name)
                    functions[code[names + name : end].decode()] = code[begin : begin + n_bytes]
    return {
        kernel[".name"]: (kernel, functions[kernel[".name"]])
        for kernel in metadata["amdhsa.kernels"]
    }


class Disassembler:
    """comgr's disassembler for one architecture."""

    def __init__(self, architecture):
        self.comgr = next(filter(None, map(_load, ("libamd_comgr.so.3", "libamd_comgr.so.2"))))
        self.lines, self.code = [], b""
        read = ctypes.CFUNCTYPE(
            ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p
        )(self._read)
        show = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)(
            lambda text, _: self.lines.append(text.decode().strip())
        )
        address = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p)(lambda *_: None)
        self.callbacks = read, show, address
        self.handle = ctypes.c_uint64()
        name = f"amdgcn-amd-amdhsa--{architecture}".encode()
        if self.comgr.amd_comgr_create_disassembly_info(
            name, *self.callbacks, ctypes.byref(self.handle)
        ):
            raise RuntimeError(f"comgr has no disassembler for {architecture}")

    def _read(self, begin, target, n_bytes, _):
        part = self.code[begin : begin + n_bytes]
        ctypes.memmove(target, part, len(part))
        return len(part)

    def __call__(self, code):
        """The instructions of one function, as text."""
        self.lines, self.code = [], code
        at, size = 0, ctypes.c_uint64()
        while at < len(code):
            if self.comgr.amd_comgr_disassemble_instruction(
                self.handle, ctypes.c_uint64(at), None, ctypes.byref(size)
            ):
                break
            at += size.value
        return self.lines


def _load(name):
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def findings_of(name, metadata, lines):
    """What is wrong with one kernel."""
    found = []
    # Scalar registers spill to lanes of vector registers, which costs no memory access.
    for key in (".private_segment_fixed_size", ".vgpr_spill_count"):
        if metadata.get(key, 0):
            found.append(f"{key[1:]} {metadata[key]}")
    if metadata[".group_segment_fixed_size"] > MAX_LDS:
        found.append(f"{metadata['.group_segment_fixed_size']} bytes of LDS")
    text = "\n".join(lines)
    if "flat_load" in text or "flat_store" in text:
        found.append("memory access through generic addresses")
    flat = re.fullmatch(r"[a-z]\w*__([a-zA-Z]+)_([a-zA-Z]+)", name)
    if flat is None:
        return found
    ins, outs = flat.groups()
    widest = max(SIZES[c] for c in ins + outs)
    n_loads = len(_WIDE_LOAD.findall(text))
    n_stores = len(_WIDE_STORE.findall(text))
    wanted = sum(SIZES[c] == widest for c in ins)
    if n_loads < wanted:
        found.append(f"{n_loads} loads of 16 bytes, {wanted} wanted")
    wanted = sum(SIZES[c] == widest for c in outs)
    if n_stores < wanted:
        found.append(f"{n_stores} stores of 16 bytes, {wanted} wanted")
    return found


def check_program(root, architecture, name):
    """In a worker: rows (kernel, metadata, number of instructions, wide loads, findings)."""
    _, compiler, _, programs = import_kernels(root, architecture)
    request = compiler.program_request(programs.find_program(name), architecture)
    code = compiler.compile_cached(request).code
    disassemble = Disassembler(architecture)
    rows = []
    for kernel, (metadata, machine_code) in sorted(kernels_of(code).items()):
        lines = disassemble(machine_code)
        wide = sum(bool(_WIDE_LOAD.match(line) or _WIDE_STORE.match(line)) for line in lines)
        row = {key: value for key, value in metadata.items() if isinstance(value, int)}
        rows.append((kernel, row, len(lines), wide, findings_of(kernel, metadata, lines)))
    return rows, len(code)


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--architectures", default=",".join(ARCHITECTURES))
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="names, or 'all'")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="a line for every kernel")
    options = parser.parse_args()
    n_bad = n_kernels = 0
    architectures = options.architectures.split(",")
    programs = import_kernels(root, architectures[0])[3]
    names = options.programs.split(",")
    if names == ["all"]:
        names = [n for n in programs.all_programs() if n.partition("/")[0] in FAMILIES]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        jobs = [
            (a, n, pool.submit(check_program, root, a, n)) for a in architectures for n in names
        ]
        for architecture, name, job in jobs:
            rows, n_bytes = job.result()
            n_kernels += len(rows)
            print(
                f"{architecture:8} {name:22} {len(rows):3} kernels, {n_bytes >> 10:5} KiB; at most "
                f"{max(row[1]['.vgpr_count'] for row in rows)} VGPRs, "
                f"{max(row[1]['.sgpr_count'] for row in rows)} SGPRs, "
                f"{max(row[1]['.group_segment_fixed_size'] for row in rows)} bytes of LDS"
            )
            for kernel, metadata, n_instructions, wide, findings in rows:
                n_bad += bool(findings)
                if findings or options.verbose:
                    print(
                        f"    {kernel}: {metadata['.vgpr_count']} VGPRs, {n_instructions} "
                        f"instructions, {wide} wide; {'; '.join(findings) or 'ok'}"
                    )
    print(f"{n_kernels} kernels, {n_bad} with findings")
    return n_bad > 0


if __name__ == "__main__":
    sys.exit(main())

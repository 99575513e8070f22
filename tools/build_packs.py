"""Compiles the built-in kernels ahead of time, one pack an architecture.

    python tools/build_packs.py --root build/lib --jobs 2 x86-64-v3 gfx90a

Each program goes through the same compile, with the same key, as at run time. A program whose key
stands in the pack already is not compiled again. Neither a GPU nor the package's own dependencies
are needed: only `rocarray._kernels` and `rocarray._rocm` are imported.
"""

import argparse
import hashlib
import os
import sys
import time
import types
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path


def import_kernels(root, architecture):
    """`rocarray._kernels` of the tree at `root`, without running `rocarray/__init__.py`."""
    if "rocarray" not in sys.modules:
        package = types.ModuleType("rocarray")
        package.__path__ = [str(Path(root) / "rocarray")]
        sys.modules["rocarray"] = package
    kind = architecture[:3]
    os.environ["ROCARRAY_PLATFORM"] = {"gfx": "amd", "sm_": "nvidia"}.get(kind, "cpu")
    from rocarray._kernels import architectures, compiler, packs, programs

    return architectures, compiler, packs, programs


def compile_one(root, architecture, name):
    """In a worker: (code, seconds) of one program."""
    _, compiler, _, programs = import_kernels(root, architecture)
    start = time.monotonic()
    request = compiler.program_request(programs.find_program(name), architecture)
    return compiler.compile_request(request).code, time.monotonic() - start


def toolchain_of(root, architecture):
    """A digest of our own platforms' device headers; AMD's are not ours."""
    if architecture.startswith("gfx"):
        return None
    name = "nvidia" if architecture.startswith("sm_") else "cpu"
    platform = Path(root) / "rocarray" / "_platforms" / name
    digest = hashlib.sha256()
    for path in [*sorted(platform.glob("device/**/*.h")), platform / "src" / "kernel_abi.h"]:
        if path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def open_pack(packs, path):
    try:
        return packs.Pack(path)
    except (OSError, packs.PackError):
        return None


def taken_over(pack, wanted, toolchain):
    """What an existing pack already has: {program: (key, code)}."""
    kept = {}
    if pack is None or pack.toolchain not in (None, toolchain):
        return kept
    for name, key in wanted.items():
        if pack.key(name) == key:
            code = pack.code(name)
            if code is not None:
                kept[name] = (key, code)
    return kept


def build_pack(root, folder, architecture, n_jobs):
    """Writes one pack. Returns the names of the programs that failed."""
    start = time.time()
    architectures, compiler, packs, programs = import_kernels(root, architecture)
    architectures.validate(architecture)
    failed, wanted = [], {}
    for table in dict.fromkeys(programs.FAMILIES.values()):
        try:
            for name, program in programs.table_programs(table).items():
                if program.instantiations:  # else all its kernels are made on demand
                    wanted[name] = compiler.program_request(program, architecture).key
        except Exception as error:
            failed.append(f"tables/{table}.py")
            print(f"FAILED tables/{table}.py: {error!r}", flush=True)
    path = packs.pack_path(architecture, folder)
    toolchain = toolchain_of(root, architecture)
    pack = open_pack(packs, path)
    entries = taken_over(pack, wanted, toolchain)
    missing = [name for name in wanted if name not in entries]
    if missing:
        print(f"pack {architecture}: {len(missing)} of {len(wanted)} programs", flush=True)
    failed += compile_missing(root, architecture, missing, wanted, entries, n_jobs)
    stored = None if pack is None else (set(pack.programs), pack.toolchain)
    if missing or stored != (set(entries), toolchain):
        packs.write_pack(path, architecture, entries, toolchain)
        n_bytes = path.stat().st_size
        print(f"{path}: {len(entries)} programs, {n_bytes / 2**20:.1f} MiB", flush=True)
    # Sources that change during the build are newer than the pack.
    os.utime(path, (start, start))
    return failed


def compile_missing(root, architecture, missing, wanted, entries, n_jobs):
    failed = []
    if not missing:
        return failed
    with ProcessPoolExecutor(n_jobs) as pool:
        futures = {pool.submit(compile_one, root, architecture, name): name for name in missing}
        for n_done, future in enumerate(as_completed(futures), 1):
            name = futures[future]
            try:
                code, seconds = future.result()
            except Exception as error:
                failed.append(name)
                print(f"FAILED {name}: {error}", flush=True)
                continue
            entries[name] = (wanted[name], code)
            print(f"[{n_done}/{len(missing)}] {name} {seconds:.1f} s", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", default=".", help="folder that holds the built package")
    parser.add_argument("--output", help="folder of the packs; default: the package's own")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("architectures", nargs="+")
    arguments = parser.parse_args()
    root = str(Path(arguments.root).resolve())
    folder = arguments.output or Path(root) / "rocarray" / "_kernels" / "packs"
    failed = []
    for architecture in arguments.architectures:
        failed += build_pack(root, folder, architecture, max(1, arguments.jobs))
    if failed:
        sys.exit(f"{len(failed)} program(s) failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()

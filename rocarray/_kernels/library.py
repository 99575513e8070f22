"""Finding the code object of a built-in kernel: packs first, then the disk cache, the compiler.

The tables and the compiler are imported where a pack does not serve: most processes need neither.
"""

import functools

from rocarray._kernels import packs


@functools.cache
def open_packs(architecture):
    return packs.open_packs(architecture)


def packed_code(program, architecture):
    """Code objects of the whole program that packs hold, best first."""
    for pack in open_packs(architecture):
        if pack.key(program) is not None and packs.is_current(pack, program):
            code = pack.code(program)
            if code is not None:
                yield code


def compiled_code(program_name, kernel, architecture):
    """The code object of one instantiation, from the disk cache or the compiler."""
    from rocarray._kernels import compiler, programs

    program = programs.find_program(program_name)
    found = program.instantiation_of(kernel)
    if found is None:
        raise KeyError(f"program {program_name!r} has no kernel {kernel!r}")
    request = compiler.program_request(program, architecture, found[1])
    try:
        return compiler.compile_cached(request).code
    except Exception as error:
        error.add_note(
            f"(kernel {kernel} of program {program_name} for {architecture}: no pack of this "
            "installation holds it, so a compiler was needed)"
        )
        raise

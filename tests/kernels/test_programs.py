"""Programs: their text, their kernels' names, their keys."""

import numpy as np
import pytest

from rocarray._kernels import programs
from rocarray._kernels.programs import Program

ADD = Program(
    "elementwise/add",
    ("elementwise.hpp",),
    {"add__ff_f": "MAKE(add__ff_f, float)", "add__dd_d": "MAKE(add__dd_d, double)"},
    on_demand=lambda kernel: ("add__fd_d", "MAKE(add__fd_d)") if "fd_d" in kernel else None,
)


def test_source_holds_all_lines_or_one():
    assert ADD.source().count("MAKE") == 2
    assert ADD.source("MAKE(x)").splitlines()[-1] == "MAKE(x)"
    assert '#include "elementwise.hpp"' in ADD.source("MAKE(x)")


@pytest.mark.parametrize(
    ("kernel", "stem"),
    [
        ("add__ff_f", "add__ff_f"),
        ("add__ff_f_strided", "add__ff_f"),
        ("add__dd_d_strided_small", "add__dd_d"),
        ("add__fd_d_strided", "add__fd_d"),
    ],
)
def test_the_instantiation_of_a_kernel(kernel, stem):
    assert ADD.instantiation_of(kernel)[0] == stem


@pytest.mark.parametrize("kernel", ["add__", "add__ff", "add__ff_fstrided", "sub__ff_f"])
def test_no_instantiation(kernel):
    assert ADD.instantiation_of(kernel) is None


def test_headers_are_followed_through_headers():
    headers = {
        "a.hpp": '#include "b.hpp"\n',
        "b.hpp": "  #  include <a.hpp>\n#include <cmath>\n",
        "unused.hpp": "",
    }
    assert list(programs.included_headers('#include "a.hpp"', headers)) == ["a.hpp", "b.hpp"]


@pytest.mark.parametrize(
    ("source", "headers", "options"),
    [
        ("x ", {"a.hpp": "1"}, ("-O3",)),
        ("x", {"a.hpp": "2"}, ("-O3",)),
        ("x", {"b.hpp": "1"}, ("-O3",)),
        ("x", {}, ("-O3",)),
        ("x", {"a.hpp": "1"}, ("-O2",)),
        ("x-O3", {"a.hpp": "1"}, ()),
    ],
)
def test_the_key_depends_on_everything(source, headers, options):
    key = programs.program_key("x", {"a.hpp": "1"}, ("-O3",))
    assert programs.program_key(source, headers, options) != key


def test_type_names_cover_numpys_numeric_types():
    chars = {np.dtype(name).char for name in ["?", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]}
    chars |= {np.dtype(name).char for name in ["u1", "u2", "u4", "u8", "c8", "c16"]}
    assert chars | {"E"} == set(programs.TYPE_NAMES)


def test_every_program_is_well_formed():
    seen = {}
    for name, program in programs.all_programs().items():
        assert program.instantiations or program.on_demand, name
        for header in program.includes:
            assert programs.included_headers(f'#include "{header}"'), f"{name}: no {header}"
        for stem in program.instantiations:
            assert stem.isidentifier(), f"{name}: {stem}"
            assert seen.setdefault(stem, name) == name, f"{stem} is in {seen[stem]} and {name}"


def test_unknown_program():
    with pytest.raises(KeyError, match="families: "):
        programs.find_program("nowhere/none")

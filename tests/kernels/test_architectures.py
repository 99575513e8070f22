"""Architecture names, targets and pack candidates."""

import pytest

from rocarray._kernels import architectures


@pytest.mark.parametrize(
    "name",
    ["x86-64", "x86-64-v4", "gfx90a", "gfx1100", "gfx90a:sramecc+:xnack-", "sm_90", "sm_90a"],
)
def test_known_names_pass(name):
    assert architectures.validate(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "gfx", "gfx9999", "gfx90a:", "gfx90a:xnack", "x86-64:xnack+", "sm_9", "gfx90a;rm -rf"],
)
def test_unknown_names_are_refused_with_what_is_allowed(name):
    with pytest.raises(ValueError, match="unknown architecture.*gfx1100"):
        architectures.validate(name)


def test_the_devices_own_name_is_valid_however_new():
    assert architectures.validate("gfx9999", device_architecture="gfx9999") == "gfx9999"


def test_a_name_must_be_a_string():
    with pytest.raises(TypeError, match="bytes"):
        architectures.validate(b"gfx90a")


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("x86-64-v4", ("x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64")),
        ("x86-64", ("x86-64",)),
        ("gfx1100", ("gfx1100",)),
        ("gfx90a:sramecc+:xnack-", ("gfx90a:sramecc+:xnack-", "gfx90a")),
        ("sm_89", ("sm_89", "sm_88", "sm_87", "sm_86", "sm_85", "sm_84", "sm_83", "sm_82", "sm_81",
                   "sm_80")),
        ("sm_90", ("sm_90",)),
    ],
)  # fmt: skip
def test_pack_candidates(name, candidates):
    assert architectures.pack_candidates(name) == candidates


def test_options_name_the_architecture_and_keep_results_strict():
    options = architectures.compile_options("gfx90a:xnack-")
    assert "--offload-arch=gfx90a:xnack-" in options
    assert "-ffp-contract=off" in options
    assert not any("fast-math" in option for option in options)


def test_one_work_item_a_workgroup_on_a_cpu_only():
    assert architectures.target("x86-64-v3").block == 1
    assert "-DROCARRAY_BLOCK_SIZE=1" in architectures.compile_options("x86-64-v3")
    assert architectures.target("gfx1100").block > 1
    assert "-DROCARRAY_BLOCK_SIZE=1" not in architectures.compile_options("gfx1100")

"""The pack file, and when its content may be used."""

import os

import pytest

from rocarray._kernels import packs, programs
from rocarray._kernels.packs import Pack, PackError, write_pack

ENTRIES = {
    "elementwise/add": ("a" * 64, b"code of add" * 100),
    "elementwise/sub": ("b" * 64, b""),
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x86-64-v3.pack"
    write_pack(file, "x86-64-v3", ENTRIES)
    return file


def test_round_trip(path):
    pack = Pack(path)
    assert pack.architecture == "x86-64-v3"
    assert {name: (pack.key(name), pack.code(name)) for name in pack.programs} == ENTRIES
    assert pack.key("elementwise/none") is None


def test_the_toolchain_is_kept(tmp_path):
    write_pack(tmp_path / "p.pack", "x86-64", {}, toolchain="abc")
    assert Pack(tmp_path / "p.pack").toolchain == "abc"


def test_writing_leaves_no_other_file(path):
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_empty_pack(tmp_path):
    write_pack(tmp_path / "p.pack", "gfx90a", {})
    assert Pack(tmp_path / "p.pack").programs == {}


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: b"ELF" + data, lambda data: data[:40]],
    ids=["empty", "foreign", "cut"],
)
def test_a_file_that_is_no_pack_is_refused(path, damage):
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(PackError, match=path.name):
        Pack(path)
    assert packs.open_packs("x86-64-v3", path.parent) == []


def test_a_damaged_code_object_is_none(path):
    data = bytearray(path.read_bytes())
    data[-4] ^= 0xFF
    path.write_bytes(data)
    pack = Pack(path)
    assert [pack.code(name) for name in ENTRIES].count(None) == 1


def test_packs_of_lower_levels_serve(path):
    write_pack(path.with_name("x86-64.pack"), "x86-64", {})
    found = [pack.architecture for pack in packs.open_packs("x86-64-v4", path.parent)]
    assert found == ["x86-64-v3", "x86-64"]
    assert packs.open_packs("gfx90a", path.parent) == []


def test_features_are_no_path_separator(tmp_path):
    assert packs.pack_path("gfx90a:xnack-", tmp_path).name == "gfx90a_xnack-.pack"


class TestIsCurrent:
    """A development tree, whose sources may be newer than its packs."""

    @pytest.fixture
    def program(self, monkeypatch):
        program = programs.Program("elementwise/add", (), {"add": "line"})
        monkeypatch.setattr(programs, "find_program", {program.name: program}.__getitem__)
        return program

    def pack_of(self, folder, key):
        write_pack(folder / "p.pack", "x86-64-v3", {"elementwise/add": (key, b"code")})
        os.utime(folder / "p.pack", (1000, 1000))
        return Pack(folder / "p.pack")

    def test_a_pack_newer_than_all_sources(self, tmp_path, monkeypatch):
        monkeypatch.setattr(packs, "newest_source_time", lambda: 999.0)
        assert packs.is_current(self.pack_of(tmp_path, "0" * 64), "elementwise/add")

    def test_an_older_pack_with_the_right_key(self, tmp_path, monkeypatch, program):
        monkeypatch.setattr(packs, "newest_source_time", lambda: 1001.0)
        key = packs.current_key(program, "x86-64-v3")
        assert packs.is_current(self.pack_of(tmp_path, key), "elementwise/add")

    def test_an_older_pack_with_another_key(self, tmp_path, monkeypatch, program):
        monkeypatch.setattr(packs, "newest_source_time", lambda: 1001.0)
        assert not packs.is_current(self.pack_of(tmp_path, "0" * 64), "elementwise/add")

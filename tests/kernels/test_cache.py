"""The disk cache: what is damaged, foreign or unwritable costs time, never a result."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from rocarray._kernels import cache
from rocarray._kernels.cache import Compiled, KernelCache


def key_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


KEY = key_of("kernel")
ENTRY = Compiled(b"\x7fELF code", {"scale<float>": "_Z5scaleIfEvv"})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def test_an_entry_outlives_the_process(folder):
    KernelCache(folder).put(KEY, ENTRY)
    assert KernelCache(folder).get(KEY) == ENTRY


def test_nothing_is_made_before_the_first_write(folder):
    assert KernelCache(folder).get(KEY) is None
    assert not folder.exists()


def test_entries_are_sharded_and_no_temporary_stays(folder):
    KernelCache(folder).put(KEY, ENTRY)
    assert [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()] == [
        Path(KEY[:2], KEY)
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[:-1],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"OTHER" + data[5:],
        lambda data: data + b"more",
        lambda data: data[:72] + b"\xff\xff\xff\xff" + data[76:],
    ],
    ids=["empty", "header cut", "cut", "bit flip", "magic", "longer", "lengths"],
)
def test_a_damaged_entry_is_not_trusted_and_is_removed(folder, damage):
    KernelCache(folder).put(KEY, ENTRY)
    path = folder / KEY[:2] / KEY
    path.write_bytes(damage(path.read_bytes()))
    assert KernelCache(folder).get(KEY) is None
    assert not path.exists()


def test_an_entry_under_another_key_is_not_trusted(folder):
    other = key_of("other")
    KernelCache(folder).put(KEY, ENTRY)
    wrong = folder / other[:2] / other
    wrong.parent.mkdir(exist_ok=True)
    (folder / KEY[:2] / KEY).rename(wrong)
    assert KernelCache(folder).get(other) is None


@pytest.mark.parametrize("name", ["", "\0"])
def test_no_folder_means_memory_only(name):
    memory = KernelCache(None)
    memory.put(KEY, ENTRY)
    assert memory.get(KEY) == ENTRY
    assert memory.get(key_of(name)) is None


def test_a_folder_that_cannot_be_made_means_memory_only(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    memory = KernelCache(blocked / "cache")
    memory.put(KEY, ENTRY)
    assert memory.get(KEY) == ENTRY
    assert not memory.writable
    memory.put(key_of("second"), ENTRY)


def test_a_failed_rename_leaves_no_file(folder, monkeypatch):
    def fail(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(cache.os, "replace", fail)
    memory = KernelCache(folder)
    memory.put(KEY, ENTRY)
    assert memory.get(KEY) == ENTRY
    assert not [path for path in folder.rglob("*") if path.is_file()]


def test_the_least_recently_used_go_first(folder):
    n_bytes = len(cache.pack_entry(KEY, Compiled(bytes(1000), {})))
    files = KernelCache(folder, limit=10 * n_bytes)
    for number in range(12):
        key = key_of(str(number))
        files.put(key, Compiled(bytes(1000), {}))
        os.utime(files.path(key), (number, number))
    files.evict()
    left = {path.name for path in folder.glob("*/*")}
    assert left == {key_of(str(number)) for number in range(4, 12)}


def test_reading_an_old_entry_makes_it_recent(folder):
    files = KernelCache(folder)
    files.put(KEY, ENTRY)
    os.utime(files.path(KEY), (1000, 1000))
    KernelCache(folder).get(KEY)
    assert files.path(KEY).stat().st_mtime > 1000


def test_forget(folder):
    files = KernelCache(folder)
    files.put(KEY, ENTRY)
    files.forget(KEY)
    assert files.get(KEY) is None
    files.forget(KEY)


def test_writers_do_not_disturb_readers(folder):
    wrong = []

    def work():
        for _ in range(50):
            files = KernelCache(folder)
            files.put(KEY, ENTRY)
            if KernelCache(folder).get(KEY) != ENTRY:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class TestDefaults:
    def test_own_variable_wins(self, monkeypatch, tmp_path):
        monkeypatch.setenv("ROCARRAY_CACHE_DIR", str(tmp_path / "mine"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert cache.default_folder() == tmp_path / "mine"

    def test_xdg(self, monkeypatch, tmp_path):
        monkeypatch.delenv("ROCARRAY_CACHE_DIR", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache.default_folder() == tmp_path / "rocarray"

    def test_home(self, monkeypatch, tmp_path):
        monkeypatch.delenv("ROCARRAY_CACHE_DIR", raising=False)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert cache.default_folder() == tmp_path / ".cache" / "rocarray"

    @pytest.mark.parametrize(
        ("text", "limit"), [("1000", 1000), ("much", cache.DEFAULT_LIMIT), ("", 1 << 30)]
    )
    def test_limit(self, monkeypatch, text, limit):
        monkeypatch.setenv("ROCARRAY_CACHE_MAX_BYTES", text)
        assert cache.default_limit() == limit

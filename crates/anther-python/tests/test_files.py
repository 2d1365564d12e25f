"""Files: saving, opening, mapping, and what is not a filter."""

import os
import threading

import pytest

import anther


def test_save_and_open(tmp_path):
    path = tmp_path / "seen.anther"
    filter = anther.Filter(1000)
    filter.update(["a", "b"])
    filter.save(path)
    filter.save(str(path))
    assert path.read_bytes() == filter.to_bytes()
    for opened in [anther.open(path), anther.Filter.open(str(path)), anther.open(path, map=True)]:
        assert opened == filter
        opened.add("c")
        assert "c" in opened and "c" not in anther.open(path), "a copy, even if it is mapped"
    assert os.listdir(tmp_path) == ["seen.anther"]


@pytest.mark.parametrize("map", [False, True])
def test_what_is_no_filter(tmp_path, map):
    path = tmp_path / "seen.anther"
    with pytest.raises(FileNotFoundError) as raised:
        anther.open(path, map=map)
    assert raised.value.filename == str(path) and raised.value.errno == 2
    with pytest.raises(OSError):
        anther.open(tmp_path, map=map)
    with pytest.raises(OSError):
        anther.Filter(10).save(tmp_path / "no" / "such")
    data = anther.Filter(1000).to_bytes()
    for bad, words in [
        (b"", "signature|truncated"),
        (b"text, not a filter" * 10, "signature"),
        (data[:-1], "truncated"),
        (data + b"x", "after the end"),
        (data[:20] + bytes([data[20] ^ 1]) + data[21:], "header|field|kind|version|checksum"),
    ]:
        path.write_bytes(bad)
        with pytest.raises((anther.FileError, OSError), match=words):
            anther.open(path, map=map)
        with pytest.raises(anther.FileError, match=words):
            anther.Filter.from_bytes(bad)
    with pytest.raises(TypeError):
        anther.Filter.from_bytes("text")
    with pytest.raises(TypeError):
        anther.open(5)


def test_keyed_files(tmp_path):
    path, key = tmp_path / "seen.anther", b"sixteen byte key"
    filter = anther.Filter(1000, key=key)
    filter.add("a")
    filter.save(path)
    for map in [False, True]:
        assert "a" in anther.open(path, map=map, key=key)
        with pytest.raises(anther.FileError, match="seen.anther: made with a secret key"):
            anther.open(path, map=map)
    with pytest.raises(anther.FileError, match="not the secret key"):
        anther.open(path, key=bytes(16))
    with pytest.raises(ValueError, match="16 bytes"):
        anther.open(path, key=b"short")


def test_a_mapped_file_that_is_replaced_stays_as_it_was(tmp_path):
    path = tmp_path / "seen.anther"
    anther.Filter(1000).save(path)
    mapped = anther.open(path, map=True)
    other = anther.Filter(1000)
    other.add("new")
    other.save(path)
    assert "new" not in mapped and "new" in anther.open(path, map=True)


def test_saving_waits_for_those_who_change_the_file(tmp_path):
    path = tmp_path / "seen.anther"
    anther.Filter(1000).save(path)
    filter = anther.Filter(1000)
    shared = anther.Shared.open(path)
    closing = threading.Timer(0.3, shared.close)
    closing.start()
    shared.add("lost")
    filter.save(path)
    assert not closing.is_alive() or shared.close() is False
    assert anther.open(path) == filter


def test_saving_does_not_wait_for_ever(tmp_path):
    path = tmp_path / "seen.anther"
    anther.Filter(1000).save(path)
    with anther.Shared.open(path) as shared:
        shared.add("kept")
        with pytest.raises(anther.FileError, match="try again"):
            anther.Filter(1000).save(path)
    assert "kept" in anther.open(path)


def test_errors_of_the_system_name_the_file(tmp_path):
    missing = tmp_path / "missing.anther"
    with pytest.raises(FileNotFoundError) as raised:
        anther.Shared.open(missing)
    assert raised.value.filename == str(missing)
    for mapped in [False, True]:
        with pytest.raises((IsADirectoryError, PermissionError)) as raised:
            anther.open(tmp_path, map=mapped)
        assert raised.value.filename == str(tmp_path)

"""The package with nothing but Python: `python alone.py`. It runs on the oldest and the newest Python that are there.

No pytest, no NumPy, no Arrow: what is optional must be optional.
"""

import copy
import doctest
import pickle
import secrets
import sys
import tempfile
import threading
from pathlib import Path

import anther

FPR = 0.01
KEYS = [f"https://example.org/{number}" for number in range(10_000)]
OTHERS = [f"https://example.net/{number}" for number in range(10_000)]


def nothing_else_is_imported() -> None:
    optional = {"numpy", "pyarrow", "pandas", "polars", "duckdb", "pyspark", "redis"}
    assert not optional & set(sys.modules), optional & set(sys.modules)


def every_kind_keeps_its_keys() -> None:
    for kind in anther.kinds:
        if kind == "cascade":
            filter = anther.Filter.cascade(KEYS[:1000], KEYS[1000:2000], FPR)
        elif kind == "bloomier":
            filter = anther.Filter.build(dict.fromkeys(KEYS[:1000], 1), FPR, kind)
        else:
            filter = anther.Filter.build(KEYS[:1000], FPR, kind)
        if not filter.info.may_forget:
            assert all(key in filter for key in KEYS[:1000]), kind
        found = filter.contains_many(OTHERS)
        assert isinstance(found, list), "without NumPy, a list"
        # Four standard deviations above the mean of 100 are 140; small filters differ from their mean.
        assert sum(found) < 250, (kind, sum(found))
        again = anther.Filter.from_bytes(filter.to_bytes())
        assert again == filter and again.kind == kind


def keys_are_the_same_in_every_form() -> None:
    filter = anther.Filter(1000, FPR)
    for one, other in [("ü", "ü".encode()), (1, True), (b"ab", bytearray(b"ab"))]:
        filter.add(one)
        assert other in filter
    for number in [0, -1, 2**63, -(2**63), 2**64 - 1, 2**64, -(2**127), 2**127 - 1]:
        filter.add(number)
        assert number in filter
    filter.add(("a", 1, (b"b", -1)))
    assert ("a", 1, ("b", -1)) in filter
    for refused in [1.5, None, [1], {"a"}, 2**127, -(2**127) - 1, "\ud800", (), ("a",)]:
        for call in [filter.add, filter.__contains__]:
            try:
                call(refused)
            except (TypeError, ValueError) as error:
                assert isinstance(error, anther.AntherError) and str(error), refused
            else:
                raise AssertionError(refused)


def what_is_saved_comes_back() -> None:
    filter = anther.Filter(len(KEYS), FPR)
    filter.update(KEYS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seen.anther"
        filter.save(path)
        for mapped in [False, True]:
            assert anther.open(path, map=mapped) == filter
        secret = secrets.token_bytes(16)
        keyed = anther.Filter(1000, FPR, key=secret)
        keyed.add("a")
        keyed.save(path)
        assert "a" in anther.open(path, key=secret)
        try:
            pickle.dumps(keyed)
        except TypeError:
            pass
        else:
            raise AssertionError("a secret key was pickled")
    for twin in [pickle.loads(pickle.dumps(filter)), copy.copy(filter), copy.deepcopy(filter)]:
        assert twin == filter
        twin.add("another")
        assert twin != filter
    half, rest = anther.Filter(len(KEYS), FPR), anther.Filter(len(KEYS), FPR)
    half.update(KEYS[:5000])
    rest.update(KEYS[5000:])
    assert (half | rest).to_bytes() == filter.to_bytes()


def threads_may_share() -> None:
    filter = anther.Filter(len(KEYS), FPR)
    shared = anther.Shared(anther.Filter(len(KEYS), FPR))
    parts = [KEYS[start::4] for start in range(4)]

    def work(part: list[str]) -> None:
        for key in part[:500]:
            filter.add(key)
            shared.add(key)
        filter.update(part)
        shared.update(part)

    workers = [threading.Thread(target=work, args=(part,)) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(filter.contains_many(KEYS)) and all(shared.contains_many(KEYS))


def examples_of_the_docstrings_hold() -> None:
    failed, tried = doctest.testmod(anther)
    assert tried > 0 and not failed


def main() -> None:
    nothing_else_is_imported()
    for test in [
        every_kind_keeps_its_keys,
        keys_are_the_same_in_every_form,
        what_is_saved_comes_back,
        threads_may_share,
    ]:
        test()
        print(f"{test.__name__}: ok")
    nothing_else_is_imported()


if __name__ == "__main__":
    main()

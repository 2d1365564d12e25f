"""Threads, processes, signals."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import anther


def test_many_threads_use_one_filter():
    filter = anther.Filter(200_000, kind="counting")
    stop = threading.Event()

    def query():
        while not stop.is_set():
            filter.contains_many(np.arange(20_000))
            _ = "never" in filter
            filter.copy()
            filter.estimate()

    readers = [threading.Thread(target=query) for _ in range(2)]
    for reader in readers:
        reader.start()
    with ThreadPoolExecutor(4) as pool:
        blocks = [range(start, start + 5000) for start in range(0, 100_000, 5000)]
        list(pool.map(lambda block: filter.update(np.array(block)), blocks))
        list(pool.map(lambda block: [filter.add(key) for key in block], blocks))
    stop.set()
    for reader in readers:
        reader.join()
    expected = anther.Filter(200_000, kind="counting")
    for _ in range(2):
        expected.update(range(100_000))
    assert filter.to_bytes() == expected.to_bytes(), "nothing is lost"


def test_readers_do_not_keep_a_writer_waiting():
    filter, keys = anther.Filter(2_000_000), np.arange(2_000_000)
    stop = threading.Event()

    def query():
        while not stop.is_set():
            filter.contains_many(keys, threads=1)

    readers = [threading.Thread(target=query) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(5):
        filter.add(number)
        filter.update(np.arange(10))
    stop.set()
    for reader in readers:
        reader.join()
    assert filter.info.inserted == 55


def test_two_filters_merged_into_each_other():
    a, b = anther.Filter(100_000), anther.Filter(100_000)
    a.update(range(1000))
    b.update(range(1000, 2000))

    def merge(ours, theirs):
        for _ in range(200):
            ours |= theirs
            assert (ours == theirs) in (True, False)

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(merge, a, b), pool.submit(merge, b, a)]
        for future in done:
            future.result(timeout=60)
    assert a.contains_many(range(2000)).all() and b.contains_many(range(2000)).all()


def test_an_array_that_changes_meanwhile():
    keys = np.arange(3_000_000, dtype=np.uint64)
    filter = anther.Filter(3_000_000)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            keys[:] = keys[::-1]

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(3):
        filter.update(keys)
        assert len(filter.contains_many(keys)) == 3_000_000
    stop.set()
    writer.join()


def test_others_run_while_a_column_is_inserted():
    filter, keys = anther.Filter(20_000_000), np.arange(20_000_000)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    filter.update(keys)
    filter.contains_many(keys)
    end = time.perf_counter()
    stop.set()
    ticker.join()
    assert len([tick for tick in ticks if start < tick < end]) >= 10


def test_interrupting_a_long_iterator():
    code = textwrap.dedent("""
        import anther, itertools
        filter = anther.Filter(1000)
        print("ready", flush=True)
        try:
            filter.update(itertools.count())
        except KeyboardInterrupt:
            print("interrupted", filter.info.inserted > 0)
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "interrupted True\n"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    filter = anther.Filter(1_000_000)
    filter.update(np.arange(500_000))
    child = os.fork()
    if child == 0:
        try:
            found = filter.contains_many(np.arange(500_000)).all()
            filter.update(np.arange(500_000, 1_000_000))
            os._exit(0 if found and 999_999 in filter else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert filter.info.inserted == 500_000


def part(number):
    filter = anther.Filter(10_000)
    filter.update(range(number * 1000, number * 1000 + 1000))
    return filter


def test_filters_travel_between_processes():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.map(part, range(4))
    whole = parts[0]
    whole.merge(*parts[1:])
    expected = anther.Filter(10_000)
    expected.update(range(4000))
    assert whole.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("kind", ["classic", "blocked", "split", "compressed"])
def test_shared_in_memory(kind):
    filter = anther.Filter(100_000, kind=kind)
    filter.add("before")
    shared = anther.Shared(filter)
    with ThreadPoolExecutor(4) as pool:
        blocks = [np.arange(start, start + 10_000) for start in range(0, 80_000, 10_000)]
        list(pool.map(shared.update, blocks))
        list(pool.map(shared.add, range(80_000, 90_000)))
    expected = anther.Filter(100_000, kind=kind)
    expected.add("before")
    expected.update(range(90_000))
    assert shared.filter().to_bytes() == expected.to_bytes()
    assert filter.info.inserted == 1, "the filter itself is as it was"
    assert 5 in shared and shared.contains_many(np.arange(90_000), threads=2).all()
    shared.update(iter(["x"]))
    shared.update(["y"])
    assert shared.contains_many(["x", "y", "z"]).tolist() == [True, True, False]
    assert shared.close() is False
    for use in [shared.filter, lambda: shared.add(1), lambda: 1 in shared, lambda: shared.update([1])]:
        with pytest.raises(ValueError, match="closed"):
            use()
    assert shared.close() is False


def test_not_shared():
    with pytest.raises(anther.UnsupportedError, match="counting filter"):
        anther.Shared(anther.Filter(10, kind="counting"))
    with pytest.raises(TypeError):
        anther.Shared([1])


def test_shared_file(tmp_path):
    path = tmp_path / "seen.anther"
    anther.Filter(100_000).save(path)
    code = textwrap.dedent(f"""
        import anther, numpy, sys
        with anther.Shared.open({str(path)!r}) as seen:
            start = int(sys.argv[1])
            seen.update(numpy.arange(start, start + 20_000))
            for key in range(start + 20_000, start + 21_000):
                seen.add(key)
    """)
    with anther.Shared.open(path) as seen:
        workers = [subprocess.Popen([sys.executable, "-c", code, str(start)]) for start in [0, 30_000]]
        assert [worker.wait(60) for worker in workers] == [0, 0]
        assert seen.contains_many(np.arange(21_000)).all(), "what others insert is found at once"
        assert seen.filter().contains_many(np.arange(21_000)).all()
        seen.add("last")
    expected = anther.Filter(100_000)
    expected.update([*range(21_000), *range(30_000, 51_000), "last"])
    assert anther.open(path).to_bytes() == expected.to_bytes()


def test_shared_files_that_cannot_be(tmp_path):
    with pytest.raises(FileNotFoundError):
        anther.Shared.open(tmp_path / "none")
    path = tmp_path / "counting.anther"
    anther.Filter(10, kind="counting").save(path)
    with pytest.raises(anther.UnsupportedError, match="only one process"):
        anther.Shared.open(path)
    keyed = anther.Filter(1000, key=bytes(16))
    keyed.save(path)
    with pytest.raises(anther.FileError, match="secret key"):
        anther.Shared.open(path)
    with anther.Shared.open(path, key=bytes(16)) as seen:
        seen.add("a")
        assert "a" in seen.filter()

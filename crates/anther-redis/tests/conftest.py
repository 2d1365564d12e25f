"""Fixtures: both servers, both protocols, and servers of a test's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.names import FIXED_KEY, HASH_KEY
from harness.server import Program, Server, find
from harness.wire import Wire

ROOT = Path(__file__).resolve().parents[3]


def pytest_addoption(parser: pytest.Parser) -> None:
    module = ROOT / "target/debug/libanther_redis.so"
    parser.addoption("--module", type=Path, default=module, help="the module to load")
    anther = ROOT / "target/debug/anther"
    parser.addoption("--anther", type=Path, default=anther, help="the program anther")


@pytest.fixture(scope="session", params=["redis", "valkey"])
def program(request: pytest.FixtureRequest) -> Program:
    return find(request.param, request.config.getoption("module"))


@pytest.fixture(scope="session")
def shared(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(program, tmp_path_factory.mktemp(program.name), f"--{HASH_KEY}", FIXED_KEY).start()
    yield server
    server.stop()


@pytest.fixture
def server(shared: Server) -> Iterator[Server]:
    """An empty server that many tests use; each fails for itself if it dies of it."""
    with shared.wire() as wire:
        wire.ok("FLUSHALL")
    yield shared
    if not shared.is_alive():
        log = shared.log()
        shared.start()
        pytest.fail(f"the server died:\n{log}")


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    with server.wire() as wire:
        yield wire


@pytest.fixture
def random_keys(server: Server) -> Iterator[None]:
    """Every new filter of the shared server gets a key of its own, as by default."""
    with server.wire() as wire:
        wire.ok("CONFIG", "SET", HASH_KEY, "")
        yield
        wire.ok("CONFIG", "SET", HASH_KEY, FIXED_KEY)


@pytest.fixture(params=[2, 3], ids=["resp2", "resp3"])
def protocol(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def spoken(server: Server, protocol: int) -> Iterator[Wire]:
    """A connection in each of the two protocols."""
    with server.wire(protocol) as wire:
        yield wire


@pytest.fixture
def start(program: Program, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers of the test's own, each with its options, and kills them afterwards."""
    servers: list[Server] = []

    def start_one(*options: str | int, **named) -> Server:
        folder = tmp_path / str(len(servers))
        servers.append(Server(named.pop("program", program), folder, *options, **named))
        return servers[-1].start()

    yield start_one
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def anther(request: pytest.FixtureRequest) -> Path:
    path = request.config.getoption("anther").resolve()
    if not path.is_file():
        pytest.skip(f"{path} is missing: cargo build --package anther-cli, then --anther FILE")
    return path

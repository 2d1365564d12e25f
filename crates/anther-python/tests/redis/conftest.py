"""Real servers with the real module, by the harness of the module's own tests.

ANTHER_REDIS_MODULE names the module; by default it is where `cargo xtask test server` builds it.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "crates/anther-redis/tests"))

from harness.cluster import Cluster  # noqa: E402
from harness.server import Program, Server, find  # noqa: E402

MODULE = Path(os.environ.get("ANTHER_REDIS_MODULE", ROOT / "target/debug/libanther_redis.so"))


@pytest.fixture(scope="session", params=["redis", "valkey"])
def program(request: pytest.FixtureRequest) -> Program:
    if not MODULE.is_file():
        pytest.fail(f"{MODULE} is missing; build crates/anther-redis in release mode, or set ANTHER_REDIS_MODULE")
    return find(request.param, MODULE)


@pytest.fixture(scope="session")
def shared_server(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(program, tmp_path_factory.mktemp(program.name)).start()
    yield server
    server.kill()


@pytest.fixture
def server(shared_server: Server) -> Server:
    """An empty server."""
    if not shared_server.is_alive():
        shared_server.start()
    with shared_server.wire() as wire:
        wire.ok("FLUSHALL")
    return shared_server


@pytest.fixture(scope="session")
def cluster(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three primaries with a replica each."""
    cluster = Cluster(program, tmp_path_factory.mktemp(f"cluster-{program.name}"))
    yield cluster
    cluster.kill()

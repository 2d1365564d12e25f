"""Fixtures: the program, the libraries of other systems, and the tally of all answers."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

import java
from program import Anther
from tally import Tally

ROOT = Path(__file__).resolve().parents[4]
TALLY = pytest.StashKey[Tally]()


def pytest_addoption(parser: pytest.Parser) -> None:
    anther = ROOT / "target/debug/anther"
    parser.addoption("--anther", type=Path, default=anther, help="the program anther")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TALLY] = Tally()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # What holds the page to the numbers comes after what makes them.
    items.sort(key=lambda item: item.path.name == "test_page.py")


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    tally = config.stash[TALLY]
    terminalreporter.section("answers that were compared")
    for table in tally.tables():
        terminalreporter.write_line("\n".join([*table, ""]))


@pytest.fixture(scope="session")
def tally(request: pytest.FixtureRequest) -> Tally:
    return request.config.stash[TALLY]


@pytest.fixture
def anther(request: pytest.FixtureRequest, tmp_path: Path) -> Anther:
    return Anther(request.config.getoption("anther").resolve(), tmp_path)


@pytest.fixture(scope="session")
def libraries() -> dict[str, str]:
    """Class paths: Guava of Debian, and what Spark brings."""
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    jars = Path(spec.origin).parent / "jars"
    return {
        "Guava": "/usr/share/java/guava.jar",
        "newer Guava": str(next(jars.glob("guava-*.jar"))),
        "Spark": str(next(jars.glob("spark-sketch_*.jar"))),
        "parquet-java": f"{jars}/*",
    }


@pytest.fixture(scope="session")
def with_classes(libraries: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The class path of a library, and our classes."""
    classes = java.compiled(tmp_path_factory.mktemp("classes"), libraries.values())
    return lambda library: f"{classes}:{libraries[library]}"


@pytest.fixture
def jobs(with_classes: Callable[[str], str], tmp_path: Path) -> Callable[[str, str], java.Jobs]:
    """Jobs for a class, with a library."""
    return lambda main, library: java.Jobs(main, with_classes(library), tmp_path)

"""The examples of docstrings and of the README, and the types."""

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import anther
import anther._anther

PACKAGE = Path(__file__).resolve().parents[1]


def documented():
    """Everything public that has a docstring, by name."""
    yield "anther", anther
    yield "anther.diff", anther.diff
    for module in [anther, anther.diff]:
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or callable(thing):
                yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing) and not issubclass(thing, BaseException):
                for member in vars(thing):
                    if not member.startswith("_"):
                        yield f"{module.__name__}.{name}.{member}", getattr(thing, member)


@pytest.mark.parametrize(("name", "thing"), list(documented()), ids=lambda value: value if isinstance(value, str) else "")
def test_docstrings(name, thing):
    doc = inspect.getdoc(thing)
    assert doc and len(doc) >= 9, f"{name} has no docstring"
    examples = doctest.DocTestParser().get_doctest(doc, {}, name, None, 0)
    results = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(examples)
    assert results.failed == 0


def test_there_are_examples():
    docs = [inspect.getdoc(thing) or "" for _, thing in documented()]
    assert sum(">>>" in doc for doc in docs) >= 12


def test_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = (PACKAGE / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    # What needs a cluster is run by the tests that have one.
    blocks = [block for block in blocks if "spark" not in block and "redis" not in block]
    assert len(blocks) >= 8
    names = {}
    for block in blocks:
        exec(block, names)


def test_what_pip_is_told_to_install_is_there():
    texts = [PACKAGE / "README.md", *(PACKAGE / "python" / "anther").glob("*.py")]
    told = [word for text in texts for word in re.findall(r"pip install [\"']?([^\s\[\"'`]+)", text.read_text())]
    assert told and all((PACKAGE.parents[1] / path / "pyproject.toml").is_file() for path in told), told


def test_all_is_all():
    public = {name for name in vars(anther) if not name.startswith("_")}
    optional = {"spark", "duckdb", "polars", "redis"}
    helpers = {"Mapping", "MappingProxyType"}
    assert public - optional - helpers == set(anther.__all__) - {"__version__"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", anther.__version__)


def run(*arguments, **options):
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_complete(tmp_path):
    run("mypy.stubtest", "anther._anther", "anther.diff", "anther._errors", cwd=tmp_path)


def test_types_are_strict(tmp_path):
    run("mypy", "--strict", "-p", "anther._anther", "-p", "anther.diff", "-p", "anther._errors", cwd=tmp_path)
    (tmp_path / "sample.py").write_text(
        "import anther\n"
        "from anther import diff\n"
        "\n"
        "seen: anther.Filter = anther.Filter(1_000, 0.01, kind='counting', counter_bits=8)\n"
        "new: bool = seen.add('key')\n"
        "seen.update(['a', b'b', 3, ('x', 1)])\n"
        "count: int = seen.count('key')\n"
        "rate: float = seen.info.fpr_now\n"
        "estimate: float | None = seen.estimate()\n"
        "both: anther.Filter = seen | anther.open('other.anther', map=True)\n"
        "both |= seen\n"
        "value: int | str = anther.Filter.build({'a': 1}, kind='bloomier').get('a', 'none')\n"
        "kinds: list[str] = list(anther.kinds)\n"
        "size: int = anther.plan(1_000, 0.01).bytes\n"
        "ours, theirs = diff.difference([1, 2], diff.Encoder([2, 3]))\n"
        "total: int = sum(ours)\n"
        "with anther.Shared(seen) as shared:\n"
        "    assert 'key' in shared\n"
        "try:\n"
        "    pass\n"
        "except anther.AntherError:\n"
        "    pass\n"
    )
    run("mypy", "--strict", "sample.py", cwd=tmp_path)
    (tmp_path / "wrong.py").write_text("import anther\nanther.Filter(10).add(1.5)\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "wrong.py"], capture_output=True, text=True, cwd=tmp_path)
    assert "incompatible type" in done.stdout

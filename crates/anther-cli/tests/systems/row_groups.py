"""Row groups of a Parquet file that may hold a key, by readers other than ours.

pyarrow brings Arrow's reader of filters as a library for C++, without a way to it from Python. parquet-java comes with
Spark.
"""

import subprocess
from pathlib import Path

import pyarrow

from lists import write

SOURCE = Path(__file__).parent / "arrow/filters.cc"


def compiled(folder: Path) -> Path:
    """A program with Arrow, from the headers and libraries of pyarrow's wheel."""
    program = folder / "filters"
    [libraries] = set(pyarrow.get_library_dirs())
    shared = [next(Path(libraries).glob(f"lib{name}.so.*")).name for name in ("parquet", "arrow")]
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-isystem", pyarrow.get_include()]
    links = [f"-L{libraries}", *(f"-l:{name}" for name in shared), f"-Wl,-rpath,{libraries}"]
    run(["c++", *flags, SOURCE, "-o", program, *links])
    return program


def by_arrow(program: Path, file: Path, column: str, form: str, keys: list[str]) -> list[list[int]]:
    return asked([program], file, column, form, keys)


def by_parquet_java(class_path: str, file: Path, column: str, form: str, keys: list[str]) -> list[list[int]]:
    java = ["java", "-XX:TieredStopAtLevel=1", "-cp", class_path, "ParquetGroups"]
    return asked(java, file, column, form, keys)


def asked(call: list, file: Path, column: str, form: str, keys: list[str]) -> list[list[int]]:
    """For each key, the row groups whose filters may hold it."""
    groups = run([*call, file, column, form, write(file.with_suffix(".keys"), keys)]).splitlines()
    assert all(set(group) <= {"0", "1"} for group in groups), "every row group has a filter"
    return [[at for at, group in enumerate(groups) if group[key] == "1"] for key in range(len(keys))]


def run(call: list) -> str:
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout

"""Arrow's reader of Parquet's filters. pyarrow brings it as a library for C++, without a way to it from Python."""

import subprocess
from pathlib import Path

import pyarrow

from lists import write

SOURCE = Path(__file__).parent / "arrow/filters.cc"


def compiled(folder: Path) -> Path:
    """Against the headers and libraries of the wheel, and with them at run time."""
    program = folder / "filters"
    [libraries] = set(pyarrow.get_library_dirs())
    shared = [next(Path(libraries).glob(f"lib{name}.so.*")).name for name in ("parquet", "arrow")]
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-isystem", pyarrow.get_include()]
    links = [f"-L{libraries}", *(f"-l:{name}" for name in shared), f"-Wl,-rpath,{libraries}"]
    done = subprocess.run(
        ["c++", *flags, SOURCE, "-o", program, *links], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return program


def row_groups(program: Path, file: Path, column: str, form: str, keys: list[str]) -> list[list[int]]:
    """For each key, the row groups whose filters may hold it."""
    keys_file = write(file.with_suffix(".keys"), keys)
    call = [program, file, column, form, keys_file]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    groups = done.stdout.splitlines()
    assert all(set(group) <= {"0", "1"} for group in groups), "every row group has a filter"
    return [[at for at, group in enumerate(groups) if group[key] == "1"] for key in range(len(keys))]

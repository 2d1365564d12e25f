"""Parquet: filters that we add to a file make DuckDB and Arrow skip row groups, and we read the filters of both."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import row_groups
from lists import COUNT, lists
from needs import COMPILER, JAVA, needs
from program import Anther
from tally import Tally

pytestmark = needs(*JAVA, *COMPILER)

ROWS, GROUPS = 1_000_000, 25
FORMS = {"text": pa.string(), "hex": pa.binary(), "int32": pa.int32(), "int64": pa.int64(), "double": pa.float64()}
OF: dict[str, Callable] = {"text": str, "hex": bytes.fromhex, "int32": int, "int64": int, "double": float}


@pytest.fixture(scope="module")
def arrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return row_groups.compiled(tmp_path_factory.mktemp("arrow"))


@dataclass(frozen=True)
class Data:
    """A file without filters: every value is in one row, and statistics exclude nothing."""

    file: Path
    table: pa.Table
    present: dict[str, list[str]]
    absent: dict[str, list[str]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    file = tmp_path_factory.mktemp("data") / "data.parquet"
    rng = random.Random("rows")
    numbers = rng.sample(range(1 << 40), ROWS + COUNT)
    ids, absent = numbers[:ROWS], numbers[ROWS:]
    names = [f"user{number}@exämple.org" for number in ids]
    table = pa.table({"id": pa.array(ids, pa.int64()), "name": names, "row": pa.array(range(ROWS), pa.int32())})
    pq.write_table(table, file, row_group_size=ROWS // GROUPS)
    some = rng.sample(range(ROWS), COUNT)
    return Data(
        file,
        table,
        {"id": [str(ids[at]) for at in some], "name": [names[at] for at in some]},
        {"id": [str(number) for number in absent], "name": [f"user{number}@exämple.org" for number in absent]},
    )


@pytest.fixture(scope="module")
def filtered(request: pytest.FixtureRequest, data: Data) -> Path:
    """The file with filters on two columns."""
    anther = Anther(request.config.getoption("anther").resolve(), data.file.parent)
    out = data.file.with_name("filtered.parquet")
    anther.run("build", out, data.file, "--to", "parquet", "--column", "id", "--column", "name", "--fpr", "1%")
    return out


def test_pyarrow_reads_the_same_table(filtered: Path, data: Data) -> None:
    assert pq.read_table(filtered).equals(data.table)
    metadata = pq.ParquetFile(filtered).metadata
    assert metadata.num_row_groups == GROUPS
    for group in range(GROUPS):
        chunks = {chunk.path_in_schema: chunk for chunk in map(metadata.row_group(group).column, range(3))}
        assert all(chunks[name].bloom_filter_offset and chunks[name].bloom_filter_length for name in ("id", "name"))
        assert chunks["row"].bloom_filter_offset is None


@pytest.mark.parametrize(("column", "form"), [("id", "int64"), ("name", "text")])
def test_readers_answer_as_we_do(
    anther: Anther,
    arrow: Path,
    with_classes: Callable[[str], str],
    tally: Tally,
    filtered: Path,
    data: Data,
    column: str,
    form: str,
) -> None:
    keys = data.present[column] + data.absent[column]
    ours = anther.row_groups(filtered, column, form, keys)
    for reader, theirs in [
        ("Arrow", row_groups.by_arrow(arrow, filtered, column, form, keys)),
        ("parquet-java", row_groups.by_parquet_java(with_classes("parquet-java"), filtered, column, form, keys)),
    ]:
        assert theirs == ours, "the same row groups"
        answers = anther.check(filtered, form, keys, "--entry", column)
        tally.same(f"anther writes, {reader} reads", answers, [bool(groups) for groups in theirs], COUNT)


def test_arrow_reads_only_row_groups_that_may_hold_a_key(arrow: Path, tally: Tally, filtered: Path, data: Data) -> None:
    file = pq.ParquetFile(filtered)
    for kind, names in [("present", data.present["name"][:100]), ("absent", data.absent["name"][:100])]:
        found = read = 0
        for name, groups in zip(names, row_groups.by_arrow(arrow, filtered, "name", "text", names), strict=True):
            read += len(groups)
            if groups:
                found += name in file.read_row_groups(groups, ["name"])["name"].to_pylist()
        assert found == (100 if kind == "present" else 0)
        expect_few(read, 100, found)
        tally.read("pyarrow, with Arrow's reader of filters", "name", kind, read / 100)


@pytest.mark.parametrize("column", ["id", "name"])
def test_duckdb_skips_row_groups(arrow: Path, tally: Tally, filtered: Path, data: Data, column: str) -> None:
    form = {"id": "int64", "name": "text"}[column]
    for kind, keys in [("present", data.present[column][:100]), ("absent", data.absent[column][:100])]:
        may_hold = row_groups.by_arrow(arrow, filtered, column, form, keys)
        found = read = 0
        for key, groups in zip(keys, may_hold, strict=True):
            value = int(key) if column == "id" else key
            assert probed(filtered, column, value) == groups, "DuckDB and Arrow agree"
            rows, scanned, total = looked_up(filtered, column, value)
            assert (scanned, total) == (len(groups), GROUPS)
            found, read = found + rows, read + scanned
        assert found == (100 if kind == "present" else 0)
        expect_few(read, 100, found)
        tally.read("DuckDB", column, kind, read / 100)
    rows, scanned, total = looked_up(data.file, column, value)
    assert (rows, scanned, total) == (0, GROUPS, GROUPS), "without filters it reads everything"


def expect_few(read: int, keys: int, found: int) -> None:
    """One row group for each key that is there, and others by false positives alone, at 1 % and with luck at 2 %."""
    assert found <= read <= found + 0.02 * (GROUPS * keys - found)


def probed(file: Path, column: str, value: object) -> list[int]:
    """The row groups that DuckDB does not exclude."""
    rows = duckdb.execute(
        "SELECT row_group_id FROM parquet_bloom_probe(?, ?, ?) WHERE NOT bloom_filter_excludes ORDER BY 1",
        [str(file), column, value],
    )
    return [group for [group] in rows.fetchall()]


def looked_up(file: Path, column: str, value: int | str) -> tuple[int, int, int]:
    """Rows that DuckDB finds, row groups that it read for this, and row groups in all."""
    profile = file.with_suffix(".json")
    duckdb.execute("PRAGMA enable_profiling = 'json'")
    duckdb.execute(f"PRAGMA profiling_output = '{profile}'")
    rows = duckdb.execute(f"SELECT row FROM '{file}' WHERE {column} = ?", [value]).fetchall()
    duckdb.execute("PRAGMA disable_profiling")
    query = json.loads(profile.read_text())["query"]
    return len(rows), query["total_row_groups_scanned"], query["total_row_groups_to_scan"]


def values(form: str) -> list:
    return [OF[form](key) for key in lists(form).members]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("writer", ["pyarrow", "DuckDB"])
def test_we_read_their_filters(
    anther: Anther, arrow: Path, tally: Tally, tmp_path: Path, writer: str, form: str
) -> None:
    keys = lists(form)
    file = tmp_path / "theirs.parquet"
    table = pa.table({"key": pa.array(values(form), FORMS[form])})
    if writer == "pyarrow":
        pq.write_table(table, file, bloom_filter_options={"key": {"ndv": COUNT, "fpp": 0.1}})
    else:
        # DuckDB has filters for columns with a dictionary alone, so every value comes twice.
        twice = pa.concat_tables([table, table])
        options = "FORMAT parquet, DICTIONARY_SIZE_LIMIT 200000, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.1"
        duckdb.sql(f"COPY (SELECT key FROM twice) TO '{file}' ({options})")
        assert len(twice) == 2 * COUNT
    ours = anther.check(file, form, keys.all)
    groups = row_groups.by_arrow(arrow, file, "key", form, keys.all)
    tally.same(f"{writer} writes, anther and Arrow read", ours, [bool(maybe) for maybe in groups], COUNT)


@pytest.mark.parametrize("form", FORMS)
def test_duckdb_answers_as_we_do(anther: Anther, tally: Tally, tmp_path: Path, form: str) -> None:
    """Fewer keys, since DuckDB looks up one per query."""
    keys = lists(form)
    file = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"key": pa.array(values(form), FORMS[form])}), file)
    ours = tmp_path / "ours.parquet"
    anther.run("build", ours, file, "--to", "parquet", "--column", "key", "--fpr", "10%")
    members = [key for key in keys.members if key not in ("inf", "-inf")][-500:]
    asked = members + keys.others[:500]
    theirs = [bool(probed(ours, "key", OF[form](key))) for key in asked]
    tally.same("anther writes, DuckDB reads", anther.check(ours, form, asked), theirs, len(members))

"""`cargo xtask bench python engines`: `anther_contains` in DuckDB and the Polars expression beside the engine's own semi-join.

A table of rows is reduced to those whose key is in a set; a tenth of them are. The semi-join has the set as a table, which it
hashes each time, and is exact. The filter was built before, does not need the keys, and has 1 % false positives.
"""

import argparse
from collections.abc import Callable
from functools import partial

import anther
import anther.duckdb
import anther.polars
import duckdb
import polars as pl
from rounds import Line, alternate, timed, write

FPR = 0.01
# One row in ten has a key of the set.
HITS = 10


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cargo xtask bench python engines", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--keys", type=int, default=1_000_000, help="keys of the set")
    parser.add_argument("--only", help="sections that begin like this: duckdb, polars")
    parser.add_argument("--no-record", action="store_true", help="print the table only")
    return parser.parse_args()


def tables(con: duckdb.DuckDBPyConnection, rows: int, keys: int) -> None:
    """`facts` and `wanted`, each with a number and a URL; the numbers are spread as hashes are."""
    key = "hash(i) // 2"
    url = "format('https://example.org/{{:020d}}', {})"
    con.execute(f"CREATE TABLE wanted AS SELECT ({key})::BIGINT AS n, {url.format(key)} AS s FROM range({keys}) t(i)")
    # Rows that are not wanted have numbers from `keys` on.
    con.execute(f"""
        CREATE TABLE facts AS SELECT ({key})::BIGINT AS n, {url.format(key)} AS s
        FROM (SELECT if(i % {HITS} = 0, (i // {HITS}) % {keys}, i + {keys}) AS i FROM range({rows}) t(i))""")


def checked(expected: int, rows: int, count: Callable[[], int], exact: bool) -> float:
    """Seconds of a turn, whose answer must be right."""
    found: list[int] = []
    seconds = timed(lambda: found.append(count()))
    most = expected if exact else expected + 1.5 * FPR * rows
    assert expected <= found[0] <= most, f"{found[0]} of {expected}"
    return seconds


def in_duckdb(con: duckdb.DuckDBPyConnection, filters: dict[str, anther.Filter], rows: int, rounds: int) -> list[Line]:
    anther.duckdb.register(con, **filters)

    def count(sql: str) -> int:
        ((found,),) = con.execute(sql).fetchall()
        return found

    lines = []
    for column, what in (("n", "BIGINT"), ("s", "VARCHAR, 40 bytes")):
        looked_up = partial(count, f"SELECT count(*) FROM facts WHERE anther_contains('{column}', {column})")
        joined = partial(count, f"SELECT count(*) FROM facts SEMI JOIN wanted USING ({column})")
        expected = joined()
        turns = {
            "anther_contains": partial(checked, expected, rows, looked_up, exact=False),
            "semi-join": partial(checked, expected, rows, joined, exact=True),
        }
        lines += alternate("duckdb", f"{rows:,} rows of {what}", rows, rounds, turns)
    return lines


def in_polars(facts: pl.DataFrame, wanted: pl.DataFrame, filters: dict[str, anther.Filter], rounds: int) -> list[Line]:
    lines = []
    rows = facts.height
    for column, what in (("n", "Int64"), ("s", "String, 40 bytes")):
        of_facts, of_wanted = facts.lazy().select(column), wanted.lazy().select(column)
        looked_up = of_facts.filter(anther.polars.contains(column, filters[column])).select(pl.len())
        joined = of_facts.join(of_wanted, on=column, how="semi").select(pl.len())
        expected = joined.collect().item()
        for engine in ("in-memory", "streaming"):

            def count(query: pl.LazyFrame, engine: str = engine) -> int:
                return query.collect(engine=engine).item()

            turns = {
                "contains": partial(checked, expected, rows, partial(count, looked_up), exact=False),
                "semi-join": partial(checked, expected, rows, partial(count, joined), exact=True),
            }
            lines += alternate("polars", f"{rows:,} rows of {what}, {engine}", rows, rounds, turns)
    return lines


def main() -> None:
    options = arguments()
    con = duckdb.connect()
    tables(con, options.rows, options.keys)
    filters = {
        column: anther.duckdb.build(con, f"SELECT {column} FROM wanted", FPR, items=options.keys) for column in "ns"
    }
    lines: list[Line] = []
    if "duckdb".startswith(options.only or ""):
        lines += in_duckdb(con, filters, options.rows, options.rounds)
    if "polars".startswith(options.only or ""):
        facts, wanted = (pl.from_arrow(con.table(name).to_arrow_table()) for name in ("facts", "wanted"))
        con.close()
        assert isinstance(facts, pl.DataFrame) and isinstance(wanted, pl.DataFrame)
        lines += in_polars(facts, wanted, filters, options.rounds)
    if not options.no_record:
        write("engines", lines)


if __name__ == "__main__":
    main()

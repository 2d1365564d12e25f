"""`anther.duckdb`: lookups in SQL, filters from SQL, and what DuckDB's types become."""

import doctest
import gc
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")

import anther  # noqa: E402
import anther.duckdb  # noqa: E402


@pytest.fixture
def con() -> Iterator["duckdb.DuckDBPyConnection"]:
    con = duckdb.connect()
    con.execute("SET threads = 4")
    yield con
    con.close()


def filter_of(*keys: object) -> anther.Filter:
    """Large enough for no false positive to be near."""
    made = anther.Filter(items=1000, fpr=1e-6)
    made.update(list(keys))
    return made


def one(con: "duckdb.DuckDBPyConnection", sql: str) -> object:
    ((value,),) = con.execute(sql).fetchall()
    return value


def test_many_rows_on_several_threads(con) -> None:
    """Every vector is one call, and DuckDB makes them from several threads."""
    seen = anther.Filter(items=300_000, fpr=1e-6)
    seen.update(range(0, 900_000, 3))
    callers: list[int] = []

    class Watched:
        def contains_many(self, keys, *, threads=None):
            callers.append(threading.get_ident())
            return seen.contains_many(keys, threads=threads)

    anther.duckdb.register(con, seen=Watched())
    con.execute("CREATE TABLE numbers AS SELECT range AS i, 'n' || range AS s FROM range(900_000)")
    found, wrong = con.execute(
        "SELECT count(*), count(*) FILTER (i % 3 <> 0) FROM numbers WHERE anther_contains('seen', i)"
    ).fetchone()
    assert found - wrong == 300_000
    assert wrong < 10
    assert len(callers) == -(-900_000 // 2048), "one call per vector, none per row"
    assert len(set(callers)) > 1, "on several threads"


def test_in_every_clause(con) -> None:
    anther.duckdb.register(con, seen=filter_of(1, 4))
    assert con.execute("SELECT i, anther_contains('seen', i) FROM range(3) t(i)").fetchall() == [
        (0, False),
        (1, True),
        (2, False),
    ]
    joined = "SELECT a.i FROM range(5) a(i) JOIN range(5) b(i) ON a.i = b.i AND anther_contains('seen', a.i) ORDER BY 1"
    assert con.execute(joined).fetchall() == [(1,), (4,)]
    grouped = "SELECT anther_contains('seen', i) AS found, count(*) FROM range(10) t(i) GROUP BY ALL ORDER BY 1"
    assert con.execute(grouped).fetchall() == [(False, 8), (True, 2)]
    assert con.execute("SELECT anther_contains($1, $2)", ["seen", 4]).fetchall() == [(True,)]


def test_null_gives_null(con) -> None:
    anther.duckdb.register(con, seen=filter_of(1))
    assert one(con, "SELECT anther_contains('seen', NULL)") is None
    assert one(con, "SELECT anther_contains(NULL, 1)") is None
    answers = con.execute("SELECT anther_contains('seen', i) FROM (VALUES (1), (NULL), (2)) t(i)").fetchall()
    assert answers == [(True,), (None,), (False,)]
    mixed = "SELECT anther_contains(f, i) FROM (VALUES ('seen', 1), (NULL, 1), ('seen', NULL), ('seen', 2)) t(f, i)"
    assert con.execute(mixed).fetchall() == [(True,), (None,), (None,), (False,)]


@pytest.mark.parametrize(
    ("key", "sql"),
    [
        ("a", "'a'"),
        ("é", "'é'"),
        ("a", "'a'::BLOB"),
        (b"\xff\x00", "'\\xFF\\x00'::BLOB"),
        ("yes", "'yes'::ENUM ('no', 'yes')"),
        ("0b0c7a5e-8d6f-4c8e-9a1b-2f3e4d5c6b7a", "'0b0c7a5e-8d6f-4c8e-9a1b-2f3e4d5c6b7a'::UUID"),
        (7, "7"),
        (7, "7::UTINYINT"),
        (-7, "-7::TINYINT"),
        (-7, "-7::HUGEINT"),
        (7, "7::UBIGINT"),
        (7, "7::DECIMAL(5, 0)"),
        (1, "true"),
        (2**64 - 1, "18446744073709551615::UBIGINT"),
        (2**64 - 1, "18446744073709551615::HUGEINT"),
        (2**64, "18446744073709551616::HUGEINT"),
        (-(2**63), "-9223372036854775808::HUGEINT"),
        (-(2**63) - 1, "-9223372036854775809::HUGEINT"),
        (2**127 - 1, "170141183460469231731687303715884105727::HUGEINT"),
        (2**100, "1267650600228229401496703205376::UHUGEINT"),
        ((7, "a"), "{'number': 7, 'text': 'a'}"),
        ((7, "a"), "row(7, 'a')"),
        ((7, "a"), "row(7::HUGEINT, 'a')"),
        ((2**63, "a"), "row(9223372036854775808::HUGEINT, 'a')"),
        ((2**64, -1), "row(18446744073709551616::HUGEINT, -1::HUGEINT)"),
    ],
)
def test_the_same_key_in_python_and_in_sql(con, key: object, sql: str) -> None:
    anther.duckdb.register(con, has=filter_of(key), lacks=filter_of("something else", 12345))
    assert one(con, f"SELECT anther_contains('has', {sql})") is True
    assert one(con, f"SELECT anther_contains('lacks', {sql})") is False
    con.execute(f"CREATE TABLE keys AS SELECT {sql} AS k UNION ALL SELECT NULL")
    # A column, so that nothing is folded.
    assert con.execute("SELECT anther_contains('has', k) FROM keys ORDER BY k NULLS LAST").fetchall() == [
        (True,),
        (None,),
    ]
    if "UHUGEINT" not in sql:
        built = anther.duckdb.build(con, "SELECT k FROM keys", fpr=1e-6)
        assert key in built and "something else" not in built


def test_an_integer_is_not_its_text(con) -> None:
    """DuckDB would cast for a function with a VARCHAR parameter; ours has none."""
    anther.duckdb.register(con, texts=filter_of("7"), numbers=filter_of(7))
    assert one(con, "SELECT anther_contains('texts', 7)") is False
    assert one(con, "SELECT anther_contains('texts', '7')") is True
    assert one(con, "SELECT anther_contains('numbers', '7')") is False
    assert one(con, "SELECT anther_contains('numbers', 7)") is True


def test_integers_of_all_widths_in_a_struct(con) -> None:
    numbers = [0, -1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63) - 1]
    anther.duckdb.register(con, seen=filter_of(*((number, "a") for number in numbers)))
    rows = ", ".join(f"({number}::HUGEINT)" for number in [*numbers, 5, 2**100])
    con.execute(f"CREATE TABLE wide AS SELECT * FROM (VALUES {rows}, (NULL)) t(n)")
    answers = con.execute("SELECT anther_contains('seen', row(n, 'a')) FROM wide").fetchall()
    assert answers == [(True,)] * len(numbers) + [(False,), (False,), (None,)]
    built = anther.duckdb.build(con, "SELECT row(n, 'a') FROM wide", fpr=1e-6)
    assert all((number, "a") in built for number in numbers) and (6, "a") not in built


def test_integers_of_all_widths_in_one_column(con) -> None:
    keys = [0, -1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 2**120, -(2**120)]
    anther.duckdb.register(con, wide=filter_of(*keys))
    listed = ", ".join(f"({key}::HUGEINT)" for key in keys)
    con.execute(f"CREATE TABLE wide AS SELECT * FROM (VALUES {listed}, (NULL), (5::HUGEINT)) t(k)")
    answers = dict(con.execute("SELECT k, anther_contains('wide', k) FROM wide").fetchall())
    assert answers == {**dict.fromkeys(keys, True), None: None, 5: False}
    built = anther.duckdb.build(con, "FROM wide", fpr=1e-6)
    assert all(key in built for key in keys) and 6 not in built


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("1.5::DOUBLE", "KeyTypeError: .*Float64 cannot be a key"),
        ("1.5", r"KeyTypeError: decimal128\(2, 1\) cannot be a key.*cast it to VARCHAR"),
        ("DATE '2026-11-17'", "KeyTypeError: .*Date32 cannot be a key"),
        ("TIMESTAMP '2026-11-17 00:00:00'", "KeyTypeError: .*Timestamp.* cannot be a key"),
        ("[1, 2]", "KeyTypeError: .*List.* cannot be a key"),
        ("7::VARIANT", "KeyTypeError: VARIANT cannot be a key"),
        ("7::BIGNUM", "KeyTypeError: .*bignum.* cannot be a key.*HUGEINT"),
    ],
)
def test_types_that_are_no_keys(con, sql: str, says: str) -> None:
    anther.duckdb.register(con, seen=filter_of(7))
    with pytest.raises(duckdb.Error, match=says):
        con.execute(f"SELECT anther_contains('seen', {sql})").fetchall()
    with pytest.raises((anther.KeyTypeError, duckdb.Error), match=says.removeprefix("KeyTypeError: ")):
        anther.duckdb.build(con, f"SELECT {sql}", fpr=0.01)


@pytest.mark.parametrize(
    "setting",
    ["arrow_large_buffer_size", "produce_arrow_string_view", "arrow_output_list_view", "arrow_lossless_conversion"],
)
def test_every_form_of_arrow_that_duckdb_has(con, setting: str) -> None:
    con.execute(f"SET {setting} = true")
    long = "a string that is longer than twelve bytes"
    anther.duckdb.register(con, seen=filter_of("a", long), other=filter_of("b"))
    con.execute(f"CREATE TABLE t AS FROM (VALUES ('a', 'seen'), ('b', 'other'), ('{long}', 'seen')) t(s, name)")
    assert con.execute("SELECT anther_contains('seen', s) FROM t").fetchall() == [(True,), (False,), (True,)]
    assert con.execute("SELECT anther_contains(name, s) FROM t").fetchall() == [(True,)] * 3
    assert one(con, "SELECT anther_contains(anther_build(list(s), 0.01), 'a') FROM t") is True
    assert long in anther.duckdb.build(con, "SELECT s FROM t", fpr=0.01)
    if setting == "arrow_lossless_conversion":
        with pytest.raises(duckdb.Error, match="hugeint.* cannot be a key.*arrow_lossless_conversion off"):
            con.execute("SELECT anther_contains('seen', 7::HUGEINT)").fetchall()


def test_a_stored_rule_is_applied(con) -> None:
    domains = anther.Filter(items=100, fpr=1e-6, rule="domain")
    domains.add("Example.ORG")
    anther.duckdb.register(con, domains=domains)
    assert one(con, "SELECT anther_contains('domains', 'example.org')") is True
    with pytest.raises(duckdb.Error, match=r"Key\w+Error: "):
        con.execute("SELECT anther_contains('domains', 7)").fetchall()


def test_names_per_row(con) -> None:
    anther.duckdb.register(con, even=filter_of(*range(0, 100, 2)), odd=filter_of(*range(1, 100, 2)))
    sql = """
        SELECT count(*) FILTER (found), count(*) FILTER (found = (i % 2 = (name = 'odd')::INT)), count(*) FROM (
            SELECT i, name, anther_contains(name, i) AS found
            FROM range(100) t(i), (VALUES ('even'), ('odd')) n(name), range(100)
        )"""
    assert con.execute(sql).fetchone() == (10_000, 20_000, 20_000)


def test_a_path_and_a_file_that_changes(con, tmp_path: Path) -> None:
    path = tmp_path / "seen.anther"
    filter_of("first").save(path)
    anther.duckdb.register(con)
    look = f"SELECT anther_contains('{path}', k) FROM (VALUES ('first'), ('second')) t(k)"
    assert con.execute(look).fetchall() == [(True,), (False,)]
    filter_of("second").save(path)
    assert con.execute(look).fetchall() == [(False,), (True,)]
    path.unlink()
    with pytest.raises(duckdb.Error, match="is no registered filter and no file; register it with"):
        con.execute(look).fetchall()


def test_files_that_are_no_filters(con, tmp_path: Path) -> None:
    anther.duckdb.register(con)
    path = tmp_path / "notes.txt"
    path.write_text("not a filter")
    with pytest.raises(duckdb.Error, match=f"FileError: {re.escape(str(path))}: "):
        con.execute(f"SELECT anther_contains('{path}', 1)").fetchall()
    with pytest.raises(duckdb.Error, match="(?i)directory"):
        con.execute(f"SELECT anther_contains('{tmp_path}', 1)").fetchall()


def test_paths_can_be_forbidden(con, tmp_path: Path) -> None:
    path = tmp_path / "seen.anther"
    filter_of("first").save(path)
    anther.duckdb.register(con, known=filter_of(1), paths=False)
    with pytest.raises(duckdb.Error, match=f"no filter '{path}' is registered; registered: known"):
        con.execute(f"SELECT anther_contains('{path}', 'first')").fetchall()
    locked = duckdb.connect(config={"enable_external_access": "false"})
    anther.duckdb.register(locked)
    with pytest.raises(duckdb.Error, match="is registered"):
        locked.execute(f"SELECT anther_contains('{path}', 'first')").fetchall()


def test_paths_stay_as_they_were_set(con, tmp_path: Path) -> None:
    path = tmp_path / "seen.anther"
    filter_of(1).save(path)
    query = f"SELECT anther_contains('{path}', 1)"
    anther.duckdb.register(con, paths=False, a=filter_of(1))
    anther.duckdb.register(con, b=filter_of(1))
    cursor = con.cursor()
    anther.duckdb.register(cursor, c=filter_of(1))
    anther.duckdb.unregister(con, "c")
    for one_of_them in (con, cursor):
        with pytest.raises(duckdb.Error, match="is registered; registered: a, b"):
            one_of_them.execute(query).fetchall()
    anther.duckdb.register(cursor, paths=True)
    assert one(con, query) is True


def test_paths_stay_off_when_the_connection_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "seen.anther"
    filter_of(1).save(path)
    first = duckdb.connect(str(tmp_path / "db"))
    second = duckdb.connect(str(tmp_path / "db"))
    anther.duckdb.register(first, paths=False)
    first.close()
    del first
    gc.collect()
    anther.duckdb.register(second, a=filter_of(1))
    with pytest.raises(duckdb.Error, match="is registered; registered: a"):
        second.execute(f"SELECT anther_contains('{path}', 1)").fetchall()


def test_external_access_that_is_turned_off_later(con, tmp_path: Path) -> None:
    path = tmp_path / "seen.anther"
    filter_of(1).save(path)
    anther.duckdb.register(con, known=filter_of(1))
    query = f"SELECT anther_contains('{path}', 1)"
    assert one(con, query) is True
    con.execute("SET enable_external_access = false")
    for one_of_them in (con, con.cursor()):
        with pytest.raises(duckdb.Error, match="is registered; registered: known"):
            one_of_them.execute(query).fetchall()
    anther.duckdb.register(con, paths=True)
    with pytest.raises(duckdb.Error, match="is registered; registered: known"):
        con.execute(query).fetchall()
    assert one(con, "SELECT anther_contains('known', 1)") is True


def test_paths_on_several_threads(con, tmp_path: Path) -> None:
    path = tmp_path / "seen.anther"
    filter_of(*range(500)).save(path)
    anther.duckdb.register(con)
    con.execute("CREATE TABLE numbers AS SELECT range AS i FROM range(300_000)")
    found = one(con, f"SELECT count(*) FROM numbers WHERE anther_contains('{path}', i)")
    assert 500 <= found < 510


def test_a_blob(con) -> None:
    anther.duckdb.register(con)
    small = filter_of(3)
    sql = "SELECT list(i) FROM range(10) t(i) WHERE anther_contains($1, i)"
    assert con.execute(sql, [small.to_bytes()]).fetchall() == [([3],)]
    with pytest.raises(duckdb.Error, match="FileError: "):
        con.execute(sql, [b"not a filter"]).fetchall()


def test_a_filter_per_group_in_sql(con) -> None:
    anther.duckdb.register(con)
    con.execute("""
        CREATE TABLE visits AS SELECT i % 3 AS country, 'user-' || i AS who FROM range(3000) t(i)
        UNION ALL SELECT 0, NULL""")
    con.execute(
        "CREATE TABLE filters AS SELECT country, anther_build(list(who), 1e-6) AS f FROM visits GROUP BY country"
    )
    wrong = "SELECT count(*) FROM visits JOIN filters USING (country) WHERE NOT anther_contains(f, who)"
    assert one(con, wrong) == 0
    others = "SELECT count(*) FROM visits v JOIN filters g ON v.country <> g.country WHERE anther_contains(f, who)"
    assert one(con, others) == 0
    blob = one(con, "SELECT f FROM filters WHERE country = 1")
    mine = anther.Filter.from_bytes(blob)
    assert "user-1" in mine and "user-2" not in mine
    assert one(con, "SELECT anther_build(list(who), 0.01) FROM visits WHERE false") is None


def test_build_in_sql_refuses(con) -> None:
    anther.duckdb.register(con)
    for sql, says in [
        ("anther_build(7, 0.01)", r"write anther_build\(list\(column\), fpr\)"),
        ("anther_build([7])", "takes 2 or 3 arguments, not 1"),
        ("anther_build([7], 1.5)", "SizeError"),
        ("anther_build([7], 0.01, 'nonsense')", "nonsense"),
        ("anther_build([1.5::DOUBLE], 0.01)", "KeyTypeError"),
        ("anther_contains('seen')", "takes 2 arguments, not 1"),
        ("anther_contains('seen', 1, 2)", "takes 2 arguments, not 3"),
        ("anther_contains(7, 1)", "first argument of anther_contains is a filter .* not int"),
        ("anther_contains('unknown', 1)", "'unknown' is no registered filter and no file"),
    ]:
        with pytest.raises(duckdb.Error, match=says):
            con.execute(f"SELECT {sql}").fetchall()


def test_build_streams_a_query(con) -> None:
    con.execute("CREATE TABLE t AS SELECT range AS i, 'user-' || range AS s FROM range(1_000_000)")
    numbers = anther.duckdb.build(con, "SELECT i FROM t WHERE i % 2 = 0", fpr=0.01)
    local = anther.Filter(items=500_000, fpr=0.01)
    local.update(range(0, 1_000_000, 2))
    assert numbers.to_bytes() == local.to_bytes(), "as built without DuckDB"
    texts = anther.duckdb.build(con, con.table("t").select("s"), fpr=0.01, items=1_000_000, kind="classic")
    anther.duckdb.register(con, texts=texts)
    assert one(con, "SELECT count(*) FROM t WHERE NOT anther_contains('texts', s)") == 0
    assert texts.kind == "classic"


def test_build_with_options(con) -> None:
    key = bytes(range(16))
    keyed = anther.duckdb.build(con, "FROM range(100)", fpr=0.01, key=key, kind="counting", counter_bits=8)
    assert 99 in keyed and keyed.kind == "counting"


def test_build_a_static_kind(con) -> None:
    ribbon = anther.duckdb.build(con, "SELECT range FROM range(10_000)", fpr=0.01, kind="ribbon")
    assert ribbon.kind == "ribbon" and all(ribbon.contains_many(list(range(10_000))))


def test_build_of_nothing(con) -> None:
    assert 0 not in anther.duckdb.build(con, "SELECT range FROM range(0)", fpr=0.01)
    assert 0 not in anther.duckdb.build(con, "SELECT NULL::BIGINT FROM range(5)", fpr=0.01)
    for kind in ("ribbon", "fuse"):
        assert 0 not in anther.duckdb.build(con, "SELECT 1 WHERE false", fpr=0.01, kind=kind)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE made AS SELECT 1 AS i",
        "DELETE FROM kept",
        "INSERT INTO kept VALUES (9)",
        "INSERT INTO kept VALUES (9) RETURNING i",
        "UPDATE kept SET i = 7",
        "DROP TABLE kept",
        "DELETE FROM kept; SELECT 1",
        "SELECT 1; DELETE FROM kept",
        "",
    ],
)
def test_build_runs_only_queries(con, statement: str) -> None:
    con.execute("CREATE TABLE kept AS SELECT range AS i FROM range(3)")
    with pytest.raises(TypeError, match="build takes one query, not "):
        anther.duckdb.build(con, statement, fpr=0.01)
    assert con.execute("SELECT i FROM kept ORDER BY i").fetchall() == [(0,), (1,), (2,)]
    assert con.execute("SHOW TABLES").fetchall() == [("kept",)]


def test_build_runs_no_query_that_changes_a_table(con) -> None:
    con.execute("CREATE TABLE kept AS SELECT range AS i FROM range(3)")
    for change in ("DELETE FROM kept", "INSERT INTO kept VALUES (9)", "UPDATE kept SET i = 7"):
        # DuckDB 1 does not parse them.
        with pytest.raises((TypeError, duckdb.Error)):
            anther.duckdb.build(con, f"WITH d AS ({change} RETURNING i) SELECT i FROM d", fpr=0.01)
    assert con.execute("SELECT i FROM kept ORDER BY i").fetchall() == [(0,), (1,), (2,)]


def test_build_a_static_kind_refuses(con) -> None:
    with pytest.raises(anther.UnsupportedError, match="bloomier maps keys to values; build it with Filter.build"):
        anther.duckdb.build(con, "SELECT 1", fpr=0.01, kind="bloomier")
    with pytest.raises(anther.UnsupportedError, match="build it with Filter.cascade"):
        anther.duckdb.build(con, "SELECT 1", fpr=0.01, kind="cascade")
    with pytest.raises(anther.SizeError, match="ribbon is static and counts its keys; leave items out"):
        anther.duckdb.build(con, "SELECT 1", fpr=0.01, kind="ribbon", items=1)
    anther.duckdb.register(con)
    with pytest.raises(duckdb.Error, match="bloomier maps keys to values"):
        con.execute("SELECT anther_build([1, 2], 0.01, 'bloomier')").fetchall()


def test_build_refuses(con) -> None:
    with pytest.raises(ValueError, match="one column, not 2: a, b"):
        anther.duckdb.build(con, "SELECT 1 AS a, 2 AS b", fpr=0.01)
    with pytest.raises(TypeError, match="build takes a query"):
        anther.duckdb.build(con, 7, fpr=0.01)
    with pytest.raises(anther.SizeError):
        anther.duckdb.build(con, "SELECT 1", fpr=2)
    with pytest.raises(anther.SizeError):
        anther.duckdb.build(con, "SELECT 1", fpr=0.01, items=0)
    with pytest.raises(anther.KeyTypeError, match="UHUGEINT"):
        anther.duckdb.build(con, "SELECT 1::UHUGEINT", fpr=0.01)
    with pytest.raises(duckdb.Error):
        anther.duckdb.build(con, "SELECT * FROM no_such_table", fpr=0.01)


def test_register_refuses(con) -> None:
    with pytest.raises(TypeError, match="takes a DuckDB connection, not str"):
        anther.duckdb.register("con")
    with pytest.raises(TypeError, match="seen must be a filter, not set"):
        anther.duckdb.register(con, good=filter_of(1), seen={1, 2})
    with pytest.raises(TypeError, match="paths is an option of register; give the filter another name"):
        anther.duckdb.register(con, paths=filter_of(1))
    with pytest.raises(duckdb.CatalogException):
        con.execute("SELECT anther_contains('good', 1)").fetchall()


def test_register_again_replaces_and_unregister_forgets(con) -> None:
    anther.duckdb.register(con, a=filter_of(1), b=filter_of(2))
    anther.duckdb.register(con, a=filter_of(3))
    assert con.execute(
        "SELECT anther_contains('a', 1), anther_contains('a', 3), anther_contains('b', 2)"
    ).fetchall() == [(False, True, True)]
    with pytest.raises(KeyError, match="c"):
        anther.duckdb.unregister(con, "a", "c")
    anther.duckdb.unregister(con, "a")
    with pytest.raises(duckdb.Error, match="'a' is no registered filter and no file; registered: b"):
        con.execute("SELECT anther_contains('a', 1)").fetchall()


def test_a_registered_filter_is_live(con) -> None:
    seen = filter_of("a")
    anther.duckdb.register(con, seen=seen)
    con.execute("CREATE TABLE t AS SELECT 'b' AS s")
    assert one(con, "SELECT anther_contains('seen', s) FROM t") is False
    seen.add("b")
    assert one(con, "SELECT anther_contains('seen', s) FROM t") is True


def test_a_shared_filter(con) -> None:
    shared = anther.Shared(filter_of(1))
    anther.duckdb.register(con, seen=shared)
    shared.add(2)
    assert con.execute("SELECT i FROM range(5) t(i) WHERE anther_contains('seen', i)").fetchall() == [(1,), (2,)]


def test_the_examples_of_the_docstrings() -> None:
    failed, attempted = doctest.testmod(anther.duckdb)
    assert failed == 0 and attempted > 10


def test_cursors_and_other_connections_share_the_names(con, tmp_path: Path) -> None:
    cursor = con.cursor()
    anther.duckdb.register(con, seen=filter_of(1))
    anther.duckdb.register(cursor, more=filter_of(2))
    for each in (con, cursor, con.cursor()):
        assert each.execute("SELECT anther_contains('seen', 1), anther_contains('more', 2)").fetchall() == [
            (True, True)
        ]
    other = duckdb.connect()
    anther.duckdb.register(other)
    with pytest.raises(duckdb.Error, match="'seen' is no registered filter"):
        other.execute("SELECT anther_contains('seen', 1)").fetchall()


def test_queries_of_several_threads(con) -> None:
    anther.duckdb.register(con, seen=filter_of(*range(0, 1000, 2)))
    con.execute("CREATE TABLE t AS SELECT range % 1000 AS i FROM range(200_000)")
    counts: list[object] = []

    def ask(cursor: "duckdb.DuckDBPyConnection") -> None:
        for _ in range(3):
            counts.append(one(cursor, "SELECT count(*) FROM t WHERE anther_contains('seen', i)"))

    threads = [threading.Thread(target=ask, args=(con.cursor(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [100_000] * 12


def test_register_keeps_an_open_result_and_survives_a_rollback(con) -> None:
    result = con.execute("SELECT range FROM range(5)")
    anther.duckdb.register(con, seen=filter_of(1))
    assert len(result.fetchall()) == 5
    fresh = duckdb.connect()
    fresh.begin()
    anther.duckdb.register(fresh, seen=filter_of(1))
    assert one(fresh, "SELECT anther_contains('seen', 1)") is True
    fresh.rollback()
    assert one(fresh, "SELECT anther_contains('seen', 1)") is True
    anther.duckdb.register(fresh, more=filter_of(2))
    assert one(fresh, "SELECT anther_contains('more', 2)") is True


def test_the_connection_that_registered_is_gone(con) -> None:
    """DuckDB frees a function with its connection, and would crash when another one calls it."""
    cursor = con.cursor()
    anther.duckdb.register(cursor, seen=filter_of(1))
    cursor.close()
    del cursor
    gc.collect()
    with pytest.raises(duckdb.Error, match="the connection that registered the filters is gone; register them again"):
        con.execute("SELECT anther_contains('seen', 1)").fetchall()
    anther.duckdb.register(con, seen=filter_of(2))
    assert one(con, "SELECT anther_contains('seen', 2)") is True


def test_the_connection_of_the_module() -> None:
    anther.duckdb.register(duckdb.default_connection(), seen=filter_of(3))
    gc.collect()
    assert duckdb.sql("SELECT anther_contains('seen', 3)").fetchall() == [(True,)]
    anther.duckdb.unregister(duckdb.default_connection(), "seen")
    with pytest.raises(duckdb.Error, match="no registered filter"):
        duckdb.sql("SELECT anther_contains('seen', 3)").fetchall()


def test_filters_go_with_the_connection() -> None:
    """A closed database keeps no filter in memory."""
    con = duckdb.connect()
    big = filter_of(1)
    anther.duckdb.register(con, big=big)
    references = sys.getrefcount(big)
    con.close()
    del con
    gc.collect()
    assert sys.getrefcount(big) == references - 1


def test_the_end_of_the_process_is_quiet() -> None:
    program = """
import anther, anther.duckdb, duckdb
con = duckdb.connect()
seen = anther.Filter(100, 0.01)
anther.duckdb.register(con, seen=seen)
con.execute("SELECT anther_contains('seen', 1)").fetchall()
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr

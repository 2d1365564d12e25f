"""What the server says about our commands: COMMAND INFO, DOCS, GETKEYS and the ACL categories."""

import re

import pytest

from harness.wire import Wire, as_text, fields

# Name, arity as the server counts it, one example that names its keys k, l and m.
READS = [
    ("bf.exists", 3, "k a"),
    ("bf.mexists", -3, "k a b"),
    ("bf.card", 2, "k"),
    ("bf.info", -2, "k SIZE"),
    ("bf.scandump", 3, "k 0"),
    ("bf.count", 3, "k a"),
    ("bf.get", 3, "k a"),
    ("bf.between", 4, "k a b"),
    ("bf.export", 2, "k"),
    ("cf.exists", 3, "k a"),
    ("cf.mexists", -3, "k a b"),
    ("cf.count", 3, "k a"),
    ("cf.info", 2, "k"),
    ("cf.scandump", 3, "k 0"),
]
WRITES = [
    ("bf.reserve", -4, "k 0.01 100"),
    ("bf.add", 3, "k a"),
    ("bf.madd", -3, "k a b"),
    ("bf.insert", -4, "k ITEMS l"),
    ("bf.loadchunk", 4, "k 1 x"),
    ("bf.merge", -3, "k l m"),
    ("bf.rem", 3, "k a"),
    ("bf.age", 3, "k 1"),
    ("bf.import", -3, "k x"),
    ("cf.reserve", -3, "k 100"),
    ("cf.add", 3, "k a"),
    ("cf.addnx", 3, "k a"),
    ("cf.insert", -4, "k ITEMS l"),
    ("cf.insertnx", -4, "k ITEMS l"),
    ("cf.del", 3, "k a"),
    ("cf.loadchunk", 4, "k 1 x"),
]
# What RedisBloom's own docs state: since when, how expensive, in what; the arguments after the key.
DOCS = """
bf.reserve    1.0.0  O(1)            -                           error_rate capacity expansion nonscaling
bf.add        1.0.0  O(k)            last sub-filter             item
bf.madd       1.0.0  O(k * n)        hash functions, items       item
bf.insert     1.0.0  O(k * n)        hash functions, items       capacity error expansion nocreate nonscaling items item
bf.exists     1.0.0  O(k)            last sub-filter             item
bf.mexists    1.0.0  O(k * n)        hash functions, items       item
bf.card       2.4.4  O(1)            -
bf.info       1.0.0  O(1)            -
bf.scandump   1.0.0  O(n)            capacity                    iterator
bf.loadchunk  1.0.0  O(n)            capacity                    iterator data
cf.reserve    1.0.0  O(1)            -                           capacity bucketsize maxiterations expansion
cf.add        1.0.0  O(k + i)        sub-filters, MAXITERATIONS  item
cf.addnx      1.0.0  O(k + i)        sub-filters, MAXITERATIONS  item
cf.insert     1.0.0  O(n * (k + i))  sub-filters, MAXITERATIONS  capacity nocreate items item
cf.insertnx   1.0.0  O(n * (k + i))  sub-filters, MAXITERATIONS  capacity nocreate items item
cf.exists     1.0.0  O(k)            sub-filters                 item
cf.mexists    1.0.0  O(k * n)        sub-filters, items          item
cf.count      1.0.0  O(k)            sub-filters                 item
cf.del        1.0.0  O(k)            sub-filters                 item
cf.compact    2.2.0  O(n * k)        slots, sub-filters
cf.info       1.0.0  O(1)            -
cf.debug      1.0.0  O(1)            -
cf.scandump   1.0.0  O(n)            capacity                    iterator
cf.loadchunk  1.0.0  O(n)            capacity                    iterator data
""".strip().splitlines()
# It hands out a secret.
SECRETS = [("bf.key", 2, "k")]
ALL = READS + WRITES + SECRETS
# These take no memory, so that they work when memory is full.
FREEING = {"cf.del", "bf.rem", "bf.age"}


def information(wire: Wire, name: str) -> list:
    told = wire.ok("COMMAND", "INFO", name)[0]
    assert told is not None, f"there is no {name}"
    return told


def words(reply: list) -> set[str]:
    return {as_text(word) for word in reply}


@pytest.mark.parametrize(("name", "arity", "example"), ALL, ids=[row[0] for row in ALL])
def test_arity_and_keys(wire: Wire, name: str, arity: int, example: str) -> None:
    told = information(wire, name)
    assert as_text(told[0]) == name
    first, last, step = told[3:6]
    assert (first, step) == (1, 1)
    assert last == (-1 if name == "bf.merge" else 1)
    expected = [b"k", b"l", b"m"] if name == "bf.merge" else [b"k"]
    assert wire.ok("COMMAND", "GETKEYS", name, *example.split()) == expected
    # A server that knows the arity refuses before the module is called.
    assert told[1] in (arity, -1)


@pytest.mark.parametrize(("name", "arity", "_example"), ALL, ids=[row[0] for row in ALL])
def test_docs(wire: Wire, name: str, arity: int, _example: str) -> None:
    docs = fields(wire.ok("COMMAND", "DOCS", name))
    assert name in docs, f"no docs of {name}"
    told = fields(docs[name])
    assert len(told["summary"]) > 10
    assert {"since", "complexity", "arguments"} <= set(told)
    names = [as_text(fields(argument)["name"]) for argument in told["arguments"]]
    assert len(names) >= abs(arity) - 1
    assert len(names) == len(set(names))
    assert information(wire, name)[1] == arity


@pytest.mark.parametrize("row", DOCS, ids=[row.split()[0] for row in DOCS])
def test_docs_state_what_those_of_redisbloom_state(wire: Wire, row: str) -> None:
    name, since, complexity, counted, *arguments = re.split(r"  +", row)
    told = fields(fields(wire.ok("COMMAND", "DOCS", name))[name])
    assert as_text(told["since"]) == since
    assert as_text(told["group"]) == "module"
    order, _, legend = as_text(told["complexity"]).partition(", where ")
    assert re.match(re.escape(complexity) + "($|;)", order)
    assert all(word in legend for word in counted.split(", ") if word != "-")
    names = [as_text(fields(argument)["name"]) for argument in told["arguments"]]
    theirs = ["key", *" ".join(arguments).split()]
    assert [argument for argument in names if argument in theirs] == theirs


@pytest.mark.parametrize("name", [row[0] for row in READS])
def test_reads(wire: Wire, name: str) -> None:
    told = information(wire, name)
    assert "readonly" in words(told[2])
    assert not {"write", "denyoom"} & words(told[2])
    assert has_categories(wire) <= ("@read" in words(told[6]))
    assert key_flags(told) == [{"RO", "access"}]


@pytest.mark.parametrize("name", [row[0] for row in WRITES])
def test_writes(wire: Wire, name: str) -> None:
    told = information(wire, name)
    assert "write" in words(told[2])
    assert ("denyoom" in words(told[2])) == (name not in FREEING)
    assert has_categories(wire) <= ("@write" in words(told[6]))
    first, *others = key_flags(told)
    assert {"RW", "OW"} & first
    assert others == ([{"RO", "access"}] if name == "bf.merge" else [])


def test_the_key_has_a_category_of_its_own(wire: Wire) -> None:
    told = information(wire, "bf.key")
    assert "readonly" in words(told[2])
    if has_categories(wire):
        others = [words(information(wire, row[0])[6]) for row in READS + WRITES]
        assert "@dangerous" in words(told[6])
        assert words(told[6]) - {"@dangerous", "@admin", "@slow", "@keyspace"} - set().union(*others)


@pytest.mark.parametrize("name", ["bf.exists", "bf.add", "bf.card", "cf.exists", "cf.add"])
def test_single_lookups_are_fast(wire: Wire, name: str) -> None:
    assert "fast" in words(information(wire, name)[2])


def test_no_command_of_the_module_is_untested(wire: Wire) -> None:
    listed = wire.ok("COMMAND", "LIST", "FILTERBY", "MODULE", module_name(wire))
    assert words(listed) - {"cf.compact", "bf.debug", "cf.debug", "bf.load"} == {row[0] for row in ALL}


def test_info_modules(wire: Wire) -> None:
    """One can see which version runs."""
    assert f"name={module_name(wire)},ver=" in wire.ok("INFO", "modules").decode()


def has_categories(wire: Wire) -> bool:
    """Redis 7.0 gives none to the commands of modules: there, users are allowed commands by name."""
    return "valkey_version:" in wire.ok("INFO", "server").decode()


def key_flags(told: list) -> list[set[str]]:
    return [words(fields(spec)["flags"]) for spec in told[8]]


def module_name(wire: Wire) -> str:
    modules = [fields(module) for module in wire.ok("MODULE", "LIST")]
    ours = [as_text(module["name"]) for module in modules if as_text(module["name"]) in ("bf", "anther")]
    assert len(ours) == 1, f"modules: {modules}"
    return ours[0]

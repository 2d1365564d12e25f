"""`anther.redis.Sharded` on one server: what it sends, what it answers, and what it refuses."""

from pathlib import Path
from zlib import crc32

import pytest
import redis
from harness.server import Program, Server
from harness.split import SplitFilter

import anther
from anther.redis import PartsError, Sharded


@pytest.fixture(params=[2, 3], ids=["resp2", "resp3"])
def client(request: pytest.FixtureRequest, server: Server) -> redis.Redis:
    return server.client(request.param)


@pytest.fixture
def seen(client: redis.Redis) -> Sharded:
    seen = Sharded(client, "seen", 5)
    seen.reserve(items=10_000, fpr=0.01)
    return seen


def urls(count: int, start: int = 0) -> list[str]:
    return [f"https://example.org/{number}" for number in range(start, start + count)]


def test_adds_and_finds_by_the_rule_of_the_module(seen: Sharded, client: redis.Redis) -> None:
    items = urls(1000)
    assert seen.add_many(items).count(False) <= 20, "at most a few are false positives"
    assert seen.contains_many(items) == [True] * 1000
    for item in items:
        assert client.execute_command("BF.EXISTS", f"seen:{crc32(item.encode()) % 5}/5", item)
    assert sum(seen.contains_many(urls(10_000, 1_000_000))) < 150


def test_is_the_filter_that_another_client_made(client: redis.Redis) -> None:
    theirs = SplitFilter(client, "theirs", 7)
    theirs.reserve(0.01, 1000)
    theirs.add([b"a", b"b", "é".encode()])
    ours = Sharded(client, "theirs", 7)
    assert ours.contains_many(["a", b"b", "é", "never added"]) == [True, True, True, False]
    ours.update(["c"])
    assert theirs.missing([b"a", b"c"]) == []


def test_one_at_a_time(seen: Sharded) -> None:
    assert seen.add("apple") is True
    assert seen.add(b"apple") is False
    assert "apple" in seen and b"apple" in seen and bytearray(b"apple") in seen
    assert "pear" not in seen
    assert "" not in seen
    seen.add("")
    assert "" in seen


def test_answers_come_in_the_order_of_the_items(seen: Sharded) -> None:
    items = urls(40_000)
    seen.update(items[::2])
    answers = seen.contains_many(iter(items))
    assert all(answers[::2])
    assert sum(answers[1::2]) < 2000
    assert seen.add_many(["new", "new", items[0]]) == [True, False, False]


def test_large_items_go_in_commands_of_their_own(seen: Sharded) -> None:
    items = [bytes([number]) * 700_000 for number in range(8)]
    seen.update(items)
    assert all(seen.contains_many(items))
    assert not any(seen.contains_many([item[1:] for item in items]))


def test_nothing_to_do(seen: Sharded) -> None:
    assert seen.add_many([]) == []
    assert seen.contains_many(iter(())) == []


def test_arrow_and_polars_columns(seen: Sharded) -> None:
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    seen.update(pyarrow.chunked_array([["a", "b"], ["c"]]))
    assert seen.contains_many(polars.Series(["a", "b", "c", "d"])) == [True, True, True, False]


def test_info_sums_over_the_parts(seen: Sharded) -> None:
    before = seen.info()
    assert (before.name, before.parts, before.items, before.target, before.layers) == ("seen", 5, 0, 0.01, 1)
    assert 10_000 <= before.capacity < 11_000
    seen.update(urls(10_000))
    after = seen.info()
    assert 9_900 <= after.items <= 10_000
    assert after.layers == 1, "no part has grown"
    # The first layer of a filter that grows has a tenth of the rate.
    assert 0.0003 < after.fpr <= 0.002
    assert 10_000 < after.bytes < 40_000
    assert after.kind == "scalable"


def test_info_of_a_client_that_has_used_bf(seen: Sharded, client: redis.Redis) -> None:
    client.bf()
    seen.add("x")
    assert seen.info().items == 1


def test_a_client_that_decodes(server: Server) -> None:
    seen = Sharded(server.client(decode_responses=True), "decoded", 3)
    seen.reserve(100, 0.01)
    assert seen.add("é") and "é" in seen
    assert seen.info().kind == "scalable"


def test_reserve_options(client: redis.Redis) -> None:
    key = bytes(range(16))
    Sharded(client, "keyed", 2).reserve(100, 0.01, key=key)
    assert client.execute_command("BF.KEY", "keyed:0/2") == key.hex().encode()
    Sharded(client, "forgets", 2).reserve(100, 0.01, ttl=60)
    assert Sharded(client, "forgets", 2).info().kind == "aging"
    Sharded(client, "grows", 2).reserve(100, 0.01, expansion=4)


def test_a_full_filter_says_so(client: redis.Redis) -> None:
    small = Sharded(client, "small", 2)
    small.reserve(10, 0.01, scaling=False)
    with pytest.raises(anther.FullError, match=r"small:[01]/2: .*full.*scaling=True"):
        small.update(urls(1000))


def test_reserve_twice(seen: Sharded) -> None:
    seen.add("kept")
    with pytest.raises(PartsError, match="'seen' exists already"):
        seen.reserve(10_000, 0.01)
    seen.reserve(10_000, 0.01, exist_ok=True)
    assert "kept" in seen
    with pytest.raises(PartsError, match=r"false-positive rate of 0\.01, not 0\.001"):
        seen.reserve(10_000, 0.001, exist_ok=True)


def test_reserve_completes_what_was_left_half_done(client: redis.Redis) -> None:
    client.execute_command("BF.RESERVE", "half:1/3", 0.01, 100)
    half = Sharded(client, "half", 3)
    with pytest.raises(PartsError, match="has lost 2 of its 3 parts: half:0/3, half:2/3"):
        half.info()
    half.reserve(300, 0.01, exist_ok=True)
    assert half.info().items == 0


def test_another_number_of_parts_is_refused(seen: Sharded, client: redis.Redis) -> None:
    seen.add("x")
    other = Sharded(client, "seen", 6)
    for act in (lambda: "x" in other, lambda: other.add("x"), other.info, lambda: other.reserve(100, 0.01)):
        with pytest.raises(PartsError, match=r"'seen' has 5 parts, not 6; use Sharded\(client, 'seen', 5\)"):
            act()
    assert not client.exists(*(other.key(part) for part in range(6))), "nothing was made"


def test_a_filter_that_is_not_there(client: redis.Redis) -> None:
    absent = Sharded(client, "absent", 3)
    for act in (lambda: "x" in absent, lambda: absent.add("x"), absent.info):
        with pytest.raises(PartsError, match="there is no filter 'absent' in 3 parts; make it with reserve"):
            act()
    assert client.dbsize() == 0, "nothing was made"


def test_a_lost_part_never_answers_no(seen: Sharded, client: redis.Redis) -> None:
    item = "lost"
    seen.add(item)
    client.delete(seen.key(seen.part_of(item)))
    with pytest.raises(PartsError, match="has lost 1 of its 5 parts"):
        seen.contains(item)
    with pytest.raises(PartsError, match="has lost 1 of its 5 parts"):
        seen.add(item)


def test_a_part_that_is_something_else(seen: Sharded, client: redis.Redis) -> None:
    for make in (lambda key: client.set(key, "x"), lambda key: client.execute_command("CF.RESERVE", key, 100)):
        key = seen.key(seen.part_of("x"))
        client.delete(key)
        make(key)
        with pytest.raises(PartsError, match=f"{key} holds something else"):
            seen.contains("x")
        with pytest.raises(PartsError, match=f"{key} holds something else"):
            seen.add("x")


def test_delete(seen: Sharded, client: redis.Redis) -> None:
    client.set("seen:other", "kept")
    seen.delete()
    assert client.keys() == [b"seen:other"]
    seen.delete()


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (7, r"7 is an int, and the keys of the server are byte strings; add str\(7\)"),
        (True, "not bool"),
        (1.5, "not float"),
        (None, "not NoneType"),
        (("a", "b"), "not tuple"),
    ],
)
def test_types_that_the_server_has_not(seen: Sharded, item: object, says: str) -> None:
    for act in (seen.add, seen.contains, seen.part_of):
        with pytest.raises(anther.KeyTypeError, match=says):
            act(item)  # type: ignore[arg-type]
    with pytest.raises(anther.KeyTypeError, match=says):
        seen.update(["good", item])  # type: ignore[list-item]
    assert "good" not in seen, "nothing was added"


def test_one_string_is_not_many_items(seen: Sharded) -> None:
    for items in ("abc", b"abc"):
        with pytest.raises(anther.KeyTypeError, match="put it into a list"):
            seen.update(items)  # type: ignore[arg-type]


def test_lone_surrogates(seen: Sharded) -> None:
    with pytest.raises(anther.KeyValueError, match="no UTF-8 form"):
        seen.add("\ud800")


@pytest.mark.parametrize(
    ("name", "parts", "says"),
    [
        ("", 3, "not empty"),
        (b"seen", 3, "is a str"),
        ("{tag}seen", 3, "hash tag"),
        ("seen", 0, "parts must be a whole number from 1 to 16384, not 0"),
        ("seen", 2.0, "parts must be"),
        ("seen", True, "parts must be"),
        ("seen", 20_000, "parts must be"),
    ],
)
def test_bad_names_and_numbers(client: redis.Redis, name: str, parts: int, says: str) -> None:
    with pytest.raises(anther.SizeError, match=says):
        Sharded(client, name, parts)


def test_braces_that_are_no_hash_tag(client: redis.Redis) -> None:
    for name in ("a{}b", "a{b", "a}b{"):
        Sharded(client, name, 3)


def test_something_that_is_no_client() -> None:
    with pytest.raises(TypeError, match="client must be a redis.Redis"):
        Sharded("127.0.0.1", "seen", 3)  # type: ignore[arg-type]
    asynchronous = pytest.importorskip("redis.asyncio").Redis()
    with pytest.raises(TypeError, match=r"one of redis.asyncio.*give it a redis.Redis"):
        Sharded(asynchronous, "seen", 3)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"items": 0}, "items must be"),
        ({"items": 1.5}, "items must be"),
        ({"fpr": 0}, "fpr must be above 0 and below 1"),
        ({"fpr": 1.5}, "fpr must be above 0 and below 1"),
        ({"key": b"short"}, "key must be 16 bytes"),
        ({"scaling": False, "expansion": 2}, "does not grow"),
    ],
)
def test_bad_options(client: redis.Redis, options: dict[str, object], says: str) -> None:
    with pytest.raises(anther.SizeError, match=says):
        Sharded(client, "bad", 3).reserve(**{"items": 100, "fpr": 0.01, **options})  # type: ignore[arg-type]
    assert client.dbsize() == 0


def test_what_only_the_server_refuses(client: redis.Redis) -> None:
    with pytest.raises(redis.ResponseError, match="capacity"):
        Sharded(client, "bad", 3).reserve(10**15, 0.01)
    assert client.dbsize() == 0


class WithoutModule(Server):
    def command(self) -> list[str]:
        words = super().command()
        return words[: words.index("--loadmodule")]


def test_a_server_without_the_module(program: Program, tmp_path: Path) -> None:
    server = WithoutModule(program, tmp_path).start()
    try:
        seen = Sharded(server.client(), "seen", 2)
        for act in (lambda: seen.reserve(100, 0.01), lambda: seen.add("x"), lambda: "x" in seen, seen.info):
            with pytest.raises(anther.AntherError, match="load the module anther-redis into every node"):
                act()
    finally:
        server.kill()


def test_a_user_who_may_not(server: Server) -> None:
    with server.wire() as wire:
        wire.ok("ACL", "SETUSER", "default", "-bf.insert")
        try:
            with pytest.raises(redis.exceptions.NoPermissionError, match=r"(?i)bf\.insert"):
                Sharded(server.client(), "seen", 2).add("x")
        finally:
            wire.ok("ACL", "SETUSER", "default", "+@all")


def test_a_server_that_restarts(seen: Sharded, server: Server) -> None:
    """Its data is gone, which must not look like an empty filter."""
    seen.add("x")
    server.kill()
    impatient = Sharded(seen.client, "seen", 5, patience=0.2)
    with pytest.raises(redis.exceptions.ConnectionError):
        impatient.contains("x")
    server.start()
    with pytest.raises(PartsError, match="there is no filter"):
        seen.contains("x")

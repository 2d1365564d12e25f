"""redis-py's own calls, `.bf()` and `.cf()`, and redis-cli."""

import subprocess

import pytest
import redis

from harness.keys import keys
from harness.server import Server


@pytest.fixture
def client(server: Server, protocol: int) -> redis.Redis:
    return server.client(protocol)


def test_bloom(client: redis.Redis) -> None:
    bloom = client.bf()
    assert bloom.create("f", 0.01, 1000, expansion=2)
    assert bloom.add("f", "a") == 1
    assert bloom.madd("f", "a", "b") == [0, 1]
    assert bloom.insert("g", ["a"], capacity=10, error=0.1, expansion=3) == [1]
    assert bloom.exists("f", "a") == 1
    assert bloom.mexists("f", "a", "c") == [1, 0]
    assert bloom.card("f") == 2
    assert bloom.create("n", 0.01, 10, noScale=True)
    with pytest.raises(redis.ResponseError, match="item exists"):
        bloom.create("f", 0.01, 1000)


def test_bloom_info(client: redis.Redis) -> None:
    client.bf().create("f", 0.01, 1000, expansion=4)
    told = client.bf().info("f")
    read = told.get if isinstance(told, dict) else lambda name: told[name]
    names = ("Capacity", "Expansion rate") if isinstance(told, dict) else ("capacity", "expansionRate")
    names = [name if not isinstance(told, dict) or name in told else name.encode() for name in names]
    assert [read(name) for name in names] == [1000, 4]


def test_bloom_dump(client: redis.Redis) -> None:
    client.bf().create("f", 0.01, 1000)
    client.bf().madd("f", *keys("a", 500))
    position = 0
    while True:
        position, chunk = client.bf().scandump("f", position)
        if position == 0:
            break
        assert client.bf().loadchunk("g", position, chunk)
    assert all(client.bf().mexists("g", *keys("a", 500)))
    assert client.bf().card("g") == client.bf().card("f")


def test_cuckoo(client: redis.Redis) -> None:
    cuckoo = client.cf()
    assert cuckoo.create("f", 1000, expansion=2, bucket_size=4, max_iterations=10)
    assert cuckoo.add("f", "a") == 1
    assert cuckoo.addnx("f", "a") == 0
    assert cuckoo.insert("f", ["b", "b"]) == [1, 1]
    assert cuckoo.insertnx("f", ["b", "c"]) == [0, 1]
    assert cuckoo.exists("f", "a") == 1
    assert cuckoo.mexists("f", "a", "zzz") == [1, 0]
    assert cuckoo.count("f", "b") == 2
    assert cuckoo.delete("f", "b") == 1
    with pytest.raises(redis.ResponseError, match="Not found"):
        cuckoo.delete("none", "b")


def test_cuckoo_info_and_dump(client: redis.Redis) -> None:
    cuckoo = client.cf()
    cuckoo.insert("f", ["a", "b"])
    assert cuckoo.info("f") is not None
    position = 0
    while True:
        position, chunk = cuckoo.scandump("f", position)
        if position == 0:
            assert chunk is None
            break
        assert cuckoo.loadchunk("g", position, chunk)
    assert cuckoo.mexists("g", "a", "b", "zzz") == [1, 1, 0]


def test_pipeline_and_transaction(client: redis.Redis) -> None:
    for transaction in (False, True):
        with client.pipeline(transaction=transaction) as pipeline:
            pipeline.execute_command("BF.ADD", "f", f"a{transaction}")
            pipeline.execute_command("BF.EXISTS", "f", f"a{transaction}")
            assert pipeline.execute() == [1, 1]


def test_scripts(client: redis.Redis) -> None:
    script = "redis.call('BF.ADD', KEYS[1], ARGV[1]); return redis.call('BF.EXISTS', KEYS[1], ARGV[1])"
    assert client.eval(script, 1, "f", "a") == 1
    assert client.execute_command("BF.CARD", "f") == 1


def test_redis_cli(server: Server) -> None:
    def cli(*words: str) -> str:
        call = ["redis-cli", "-p", str(server.port), *words]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout

    assert cli("BF.ADD", "f", "a") == "1\n"
    assert cli("--no-raw", "BF.EXISTS", "f", "a") == "(integer) 1\n"
    assert cli("--no-raw", "-3", "BF.EXISTS", "f", "a") == "(true)\n"
    assert "Number of items inserted\n1\n" in cli("BF.INFO", "f")

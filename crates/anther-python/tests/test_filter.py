"""The class Filter, its options, sets of filters, copies."""

import copy
import gc
import pickle
import secrets
import subprocess
import sys
import sysconfig
import weakref

import numpy as np
import pytest

import anther


def test_the_first_example():
    seen = anther.Filter(items=1_000_000, fpr=0.01)
    assert seen.add("key") and not seen.add("key")
    assert "key" in seen and "other" not in seen
    assert seen.kind == "blocked" and seen.seed == 0 and not seen.keyed and seen.rule is None
    assert repr(seen) == "<anther.Filter blocked: items=1000000, fpr=0.01; 2 inserts>"


@pytest.mark.parametrize("kind", list(anther.kinds))
def test_every_kind(kind):
    keys = [f"key {number}" for number in range(1000)]
    if kind == "cascade":
        built = anther.Filter.cascade(keys, [f"other {number}" for number in range(1000)], 0.01)
    else:
        built = anther.Filter.build(keys, 0.01, kind, **({"values": [1] * 1000} if kind == "bloomier" else {}))
    assert built.kind == kind and built.info.items_target == 1000
    if not built.info.may_forget:
        assert built.contains_many(keys).all()
    absent = [f"absent {number}" for number in range(10_000)]
    assert built.contains_many(absent).mean() < 0.02
    again = anther.Filter.from_bytes(built.to_bytes())
    assert again == built and again.to_bytes() == built.to_bytes()
    assert pickle.loads(pickle.dumps(built)) == built
    assert (kind in anther.static_kinds) == (kind in ("fuse", "ribbon", "bloomier", "cascade"))
    if kind in anther.static_kinds:
        with pytest.raises(anther.SizeError, match="static"):
            anther.Filter(1000, 0.01, kind)
        with pytest.raises(anther.UnsupportedError, match="insert"):
            built.add("key")
        with pytest.raises(anther.UnsupportedError):
            built.update(np.arange(3))


def test_false_positives_are_as_promised():
    filter = anther.Filter(100_000, 0.01)
    filter.update(np.arange(100_000))
    rate = filter.contains_many(np.arange(100_000, 1_100_000)).mean()
    assert 0.008 < rate < 0.0115
    assert abs(filter.estimate() - 100_000) < 2_000


def test_removing_counting_getting():
    counting = anther.Filter(1000, kind="counting", counter_bits=8)
    counting.update(["a", "a", "b"])
    assert counting.count("a") == 2 and counting.count("z") == 0
    counting.remove("a")
    assert counting.discard("a") and not counting.discard("a")
    with pytest.raises(KeyError, match="a"):
        counting.remove("a")
    ports = anther.Filter.build({"http": 80, "https": 443}, 1e-6, "bloomier")
    assert ports.get("http") == 80 and ports.get("ftp") is None and ports.get("ftp", 21) == 21
    same = anther.Filter.build(["http", "https"], 1e-6, "bloomier", values=np.array([80, 443]))
    assert same == ports
    blocked = anther.Filter(1000)
    for method in [blocked.remove, blocked.discard, blocked.count, blocked.get]:
        with pytest.raises(anther.UnsupportedError, match="a blocked filter cannot"):
            method("a")


def test_bad_builds():
    with pytest.raises(ValueError, match="2 keys and 1 values"):
        anther.Filter.build(["a", "b"], 0.01, "bloomier", values=[1])
    for value in [-1, 2**64, "1", 1.5, None]:
        with pytest.raises(ValueError, match="0 to 2"):
            anther.Filter.build(["a"], 0.01, "bloomier", values=[value])
    with pytest.raises(anther.UnsupportedError, match="values"):
        anther.Filter.build(["a"], 0.01, "ribbon", values=[1])
    with pytest.raises(ValueError, match="give a dict, or values="):
        anther.Filter.build(["a"], 0.01, "bloomier")
    with pytest.raises(ValueError, match="values of its own"):
        anther.Filter.build({"a": 1}, 0.01, "bloomier", values=[1])
    with pytest.raises(anther.BuildError, match="two values"):
        anther.Filter.build(["a", "a"], 0.01, "bloomier", values=[1, 2])
    with pytest.raises(anther.SizeError):
        anther.Filter.build(["a"], 2)
    empty = anther.Filter.build([], 0.01)
    assert "a" not in empty
    assert anther.Filter.build({"a": 1}, 0.01, "ribbon") == anther.Filter.build(["a"], 0.01)
    assert anther.Filter.build(["a", "a", "b"], 0.01).info.items_target == 2
    assert anther.Filter.build(["a"], 0.01, "blocked", items=1000).info.items_target == 1000


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "words"),
    [
        ((0,), {}, anther.SizeError, "0 items"),
        ((-1,), {}, anther.SizeError, "-1 items"),
        ((1.5,), {}, anther.SizeError, "1.5 items"),
        ((float("nan"),), {}, anther.SizeError, "nan items"),
        ((2**49,), {}, anther.SizeError, "items are not possible"),
        ((2**70,), {}, anther.SizeError, "items are not possible"),
        ((10**400,), {}, anther.SizeError, "items are not possible"),
        ((10**5000,), {}, anther.SizeError, "items are not possible"),
        (("many",), {}, TypeError, "items must be an int, not str"),
        ((10, 0.01, 5), {}, TypeError, "kind"),
        ((10, 0), {}, anther.SizeError, "false-positive rate"),
        ((10, 1.5), {}, anther.SizeError, "false-positive rate of 1.5"),
        ((10, float("nan")), {}, anther.SizeError, "false-positive rate"),
        ((10, "x"), {}, TypeError, "real number"),
        ((2**48, 0.01, "classic"), {}, (anther.SizeError, MemoryError), "bits|memory"),
        ((10, 0.01, "bloom"), {}, anther.SizeError, "kinds: classic, blocked"),
        ((10,), {"counter_bits": 8}, anther.SizeError, "blocked has no option counter-bits"),
        ((10,), {"colour": 8}, TypeError, "colour is no option of kind blocked; it has none"),
        ((10, 0.01, "counting"), {"colour": 8}, TypeError, "it has counter_bits"),
        ((10, 0.01, "counting"), {"counter_bits": 99}, anther.SizeError, "counter-bits of a counting"),
        ((10, 0.01, "counting"), {"counter_bits": 2**40}, anther.SizeError, "out of range"),
        ((10, 0.01, "counting"), {"counter_bits": "8"}, TypeError, "must be an int"),
        ((10, 0.01, "stable"), {"misses": "x"}, TypeError, "must be a number"),
        ((10, 0.01, "spectral"), {"method": "no"}, anther.SizeError, "minimum"),
        ((10, 0.01, "spectral"), {"method": 3}, TypeError, "must be a str"),
        ((10, 0.01, "scalable"), {"over": "cuckoo"}, anther.SizeError, "layers of kind"),
        ((10, 0.01, "variable-increment"), {"increments": "D3"}, anther.SizeError, "D2"),
        ((10,), {"key": b"short"}, ValueError, "16 bytes, not 5"),
        ((10,), {"key": "x" * 16}, TypeError, "bytes"),
        ((10,), {"key": b"k" * 16, "seed": 1}, ValueError, "not both"),
        ((10,), {"seed": -1}, OverflowError, "negative|unsigned"),
        ((10,), {"rule": "words"}, ValueError, "forms"),
        ((10,), {"rule": 5}, TypeError, "anther.Rule"),
    ],
    ids=lambda value: None,
)
def test_what_cannot_be_made(arguments, keywords, error, words):
    with pytest.raises(error, match=words):
        anther.Filter(*arguments, **keywords)


def test_options_by_name():
    for kind, options in {
        "counting": {"counter_bits": 8},
        "variable-increment": {"increments": "D4"},
        "deletable": {"regions": 100},
        "compressed": {"expansion": 1.5},
        "scalable": {"over": "classic", "growth": 4, "tightening": 0.5},
        "aging": {"window": 50},
        "stable": {"window": 50, "misses": 0.2},
        "spectral": {"method": "increase"},
        "cuckoo": {"bucket_size": 8},
    }.items():
        with_options = anther.Filter(1000, 0.01, kind, **options)
        default = anther.Filter(1000, 0.01, kind)
        assert with_options.info.parameters != default.info.parameters, kind
    assert anther.Filter(1e6).info.items_target == 1_000_000


def test_a_full_filter_says_so():
    cuckoo = anther.Filter(10, kind="cuckoo")
    with pytest.raises(anther.FullError, match="full"):
        cuckoo.update(range(10_000))


def test_merging():
    parts = [anther.Filter(3000) for _ in range(3)]
    for number, part in enumerate(parts):
        part.update(range(1000 * number, 1000 * number + 1000))
    whole = anther.Filter(3000)
    whole.update(range(3000))
    assert (parts[0] | parts[1] | parts[2]).to_bytes() == whole.to_bytes()
    merged = anther.Filter(3000)
    merged.merge(*parts)
    assert merged.to_bytes() == whole.to_bytes() and merged.info.inserted == 3000
    same = merged
    merged |= parts[0]
    assert merged is same and merged.info.inserted == 4000
    merged.merge(merged)
    merged |= merged
    merged &= merged
    assert merged.info.inserted == 16_000
    both = parts[0] & parts[1]
    assert both.info.fill < parts[0].info.fill
    whole &= parts[1]
    assert whole.contains_many(range(1000, 2000)).all()
    with pytest.raises(TypeError):
        _ = whole | {1}
    with pytest.raises(TypeError):
        whole |= [1]
    with pytest.raises(TypeError):
        whole.merge([1])
    merged.merge()


def test_merging_what_does_not_fit_changes_nothing():
    filter = anther.Filter(1000)
    filter.add("a")
    before = filter.to_bytes()
    good = anther.Filter(1000)
    good.add("b")
    for other, words in [
        (anther.Filter(1000, kind="classic"), "classic"),
        (anther.Filter(1000, seed=1), "seeds"),
        (anther.Filter(1000, 0.1), "probes"),
        (anther.Filter(1000, rule="domain"), "keys"),
    ]:
        for act in [filter.merge, lambda other: filter | other, lambda other: filter & other]:
            with pytest.raises(anther.MergeError, match=words):
                act(other)
        with pytest.raises(anther.MergeError, match=words):
            filter.merge(good, other)
    assert filter.to_bytes() == before
    cuckoo = anther.Filter(10, kind="cuckoo")
    with pytest.raises(anther.MergeError, match="cannot be merged"):
        cuckoo.merge(cuckoo.copy())
    with pytest.raises(anther.MergeError, match="intersected"):
        _ = cuckoo & cuckoo


def test_copies_are_apart():
    filter = anther.Filter(1000, rule=anther.Rule("int", trim=True))
    filter.add(1)
    for again in [
        copy.copy(filter),
        copy.deepcopy(filter),
        filter.copy(),
        pickle.loads(pickle.dumps(filter)),
        pickle.loads(pickle.dumps(filter, protocol=2)),
    ]:
        assert again == filter and again.rule == filter.rule
        again.add(2)
        assert again != filter and 2 not in filter
    assert filter != 1 and not filter == "x"
    with pytest.raises(TypeError, match="unhashable"):
        hash(filter)
    with pytest.raises(TypeError):
        len(filter)
    with pytest.raises(TypeError):
        iter(filter)
    rule = anther.Rule("domain", trim=True, ignore_case=True, parts=3)
    assert pickle.loads(pickle.dumps(rule)) == rule and hash(rule) == hash(copy.copy(rule))
    assert repr(rule) == 'Rule("domain", trim=True, ignore_case=True, parts=3)'


def test_keyed_filters():
    key = secrets.token_bytes(16)
    filter = anther.Filter(1000, key=key)
    filter.add("a")
    assert filter.keyed and filter.seed is None and filter.info.seed == "keyed"
    assert filter.hash_of("a") != anther.Filter(1000).hash_of("a")
    data = filter.to_bytes()
    assert key not in data and key.hex() not in repr(filter)
    assert anther.Filter.from_bytes(data, key) == filter
    assert anther.Filter.from_bytes(data, key=key) == filter == copy.deepcopy(filter)
    assert "a" in copy.copy(filter)
    with pytest.raises(anther.FileError, match="secret key; give the key"):
        anther.Filter.from_bytes(data)
    with pytest.raises(anther.FileError, match="not the secret key"):
        anther.Filter.from_bytes(data, bytes(16))
    with pytest.raises(anther.FileError, match="without a secret key"):
        anther.Filter.from_bytes(anther.Filter(10).to_bytes(), key)
    with pytest.raises(TypeError, match="to_bytes"):
        pickle.dumps(filter)
    with pytest.raises(anther.MergeError):
        filter.merge(anther.Filter(1000, key=bytes(16)))


def test_info():
    filter = anther.Filter(1000, kind="scalable", over="classic")
    filter.update(range(3000))
    info = filter.info
    assert info.kind == "scalable" and info.layers > 1 and info.inserted == 3000
    assert abs(info.items - 3000) < 100 and info.parameters["over"] == "classic"
    fields = info.to_dict()
    assert fields["fpr_target"] == 0.01 and fields["recipe"] is None and fields["seed"] == "fixed"
    assert repr(info).startswith("Info(kind='scalable', items=")
    assert all(getattr(info, name) == value for name, value in fields.items())
    with pytest.raises(AttributeError):
        info.kind = "x"
    assert anther.Filter(10, seed=5).info.seed == 5
    assert anther.Filter.build(["a"], kind="fuse").estimate() == 1


def test_no_references_are_kept():
    filter = anther.Filter(1000)
    keys = np.arange(1000)
    kept = weakref.ref(keys)
    filter.update(keys)
    found = filter.contains_many(keys)
    del keys
    gc.collect()
    assert kept() is None
    reference = weakref.ref(filter)
    del filter
    gc.collect()
    assert reference() is None and found.all()


def test_errors_are_a_hierarchy():
    for name, base in {
        "SizeError": ValueError,
        "KeyTypeError": TypeError,
        "KeyValueError": ValueError,
        "UnsupportedError": TypeError,
        "MergeError": ValueError,
        "BuildError": ValueError,
        "FileError": ValueError,
        "FullError": Exception,
        "RemoveError": Exception,
    }.items():
        error = getattr(anther, name)
        assert issubclass(error, anther.AntherError) and issubclass(error, base)


def test_plans():
    plan = anther.plan(1_000_000, 0.01, kind="classic")
    assert (plan.bits, plan.probes, plan.bytes) == (9_592_957, 7, 1_199_120)
    assert plan == anther.plan(items=1e6, fpr=0.01, kind="classic") != anther.plan(10, 0.01)
    assert anther.Filter(1_000_000, 0.01, "classic").info.bits == plan.bits
    most = anther.plan(fpr=0.01, bits=8 * 2**20)
    assert 800_000 < most.items < 900_000
    assert anther.plan(1000, bits=10_000, kind="classic", probes=3).fpr > 0.01
    assert anther.plan(1000, 0.01, kind="counting", counter_bits=8).bits == 2 * anther.plan(1000, 0.01, kind="counting").bits
    with pytest.raises(anther.SizeError, match="two of items"):
        anther.plan(1000)
    with pytest.raises(anther.SizeError, match="one too many"):
        anther.plan(1000, 0.01, 10_000, "cuckoo")
    with pytest.raises(anther.SizeError, match="kinds:"):
        anther.plan(1000, 0.01, kind="x")
    plans = anther.compare(1_000_000, 0.01)
    assert {plan.kind for plan in plans} == set(anther.kinds)
    assert [plan.bits for plan in plans] == sorted(plan.bits for plan in plans)
    assert len(anther.compare(1_000_000, 1e-9)) < len(plans), "some kinds cannot reach it"
    with pytest.raises(TypeError):
        anther.kinds["new"] = "x"
    assert "cache line" in anther.kinds["blocked"]


def test_keys_of_an_iterator_are_kept_when_one_is_refused():
    def keys(last):
        yield from ["a", "b"]
        if isinstance(last, Exception):
            raise last
        yield last

    for last, error in [(ZeroDivisionError(), ZeroDivisionError), (1.5, anther.KeyTypeError)]:
        filter = anther.Filter(1000)
        shared = anther.Shared(filter)
        for into in [filter, shared]:
            with pytest.raises(error):
                into.update(keys(last))
            assert "a" in into and "b" in into
        with pytest.raises(error):
            filter.contains_many(keys(last))


def test_bytes_that_can_change():
    filter = anther.Filter(1000)
    filter.add("a")
    data = filter.to_bytes()
    for same in [bytearray(data), memoryview(data), memoryview(bytearray(data))]:
        assert anther.Filter.from_bytes(same) == filter
    with pytest.raises(TypeError, match="data must be bytes, not str"):
        anther.Filter.from_bytes("a")
    ranges = anther.RangeFilter([1], span=5)
    assert anther.RangeFilter.from_bytes(bytearray(ranges.to_bytes())) == ranges


@pytest.mark.skipif(
    sys.platform != "linux" or sysconfig.get_config_var("Py_GIL_DISABLED") == 1,
    reason="limits the address space, of which a free-threaded Python reserves 1 GiB",
)
def test_bytes_without_memory_are_an_error():
    code = """if True:
        import anther, resource
        filter = anther.Filter(100_000_000)
        now = int(open("/proc/self/statm").read().split()[0]) * 4096
        for more in [50, 170]:  # Of 120 MB: one copy does not fit, and of two the second.
            resource.setrlimit(resource.RLIMIT_AS, (now + more * 2**20, -1))
            try:
                filter.to_bytes()
            except MemoryError:
                print("ok")
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "ok\nok\n", done.stderr

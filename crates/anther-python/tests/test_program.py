"""The same filters here and in the program, both ways."""

import json

import numpy as np
import pytest

import anther


def checked(program, path, *keys, key=None):
    """Which of the keys the program finds."""
    found = program("check", path, stdin="".join(f"{text}\n" for text in keys), key=key)
    return found.stdout.decode().split()


def test_lines(program, tmp_path):
    path, keys = tmp_path / "lines.anther", [f"key {number}" for number in range(1000)]
    program("build", path, "--items", 1000, stdin="".join(f"{key}\n" for key in keys))
    opened = anther.open(path)
    assert opened.contains_many(keys).all() and opened.rule == anther.Rule("text")
    with pytest.raises(anther.KeyTypeError, match="integer"):
        _ = 42 in opened
    # The same keys with the same rule, made here.
    made = anther.Filter(1000, rule="text")
    made.update(keys)
    made.save(tmp_path / "made.anther")
    assert made.contains_many(["key 1", "no"]).tolist() == [True, False]
    opened.merge(made)
    program("merge", tmp_path / "both.anther", path, tmp_path / "made.anther")
    assert anther.open(tmp_path / "both.anther").info.inserted == 2000


@pytest.mark.parametrize(
    ("form", "lines", "same", "refused"),
    [
        ("int", ["42", "-7", "+5", "18446744073709551616"], [42, -7, 5, 2**64, "042"], [b"42"]),
        ("domain", ["Example.ORG", "a.b"], ["example.org.", "A.B"], [1, "a b"]),
        ("hex", ["CAFE", "00"], ["cafe", b"\xca\xfe", b"\0"], [1, "xyz"]),
        ("email", ["Bob@Example.org"], ["bob@example.org"], [1, "bob"]),
        ("url", ["HTTP://Example.org"], ["http://example.org/"], [1, "example"]),
        ("text", ["a", "A"], ["a", b"A"], [1]),
    ],
)
def test_rules(program, tmp_path, form, lines, same, refused):
    path = tmp_path / "rule.anther"
    # Names and addresses of the program's lists stand for what is below them, unless it is told.
    exact = ["--match", "exact"] if form in ("domain", "email") else []
    lists = "".join(f"{line}\n" for line in lines)
    program("build", path, "--as", form, "--items", 100, *exact, stdin=lists)
    opened = anther.open(path)
    assert opened.rule == anther.Rule(form) and opened.info.recipe["as"] == form
    for key in [*lines, *same]:
        assert key in opened, key
    for key in refused:
        with pytest.raises(anther.AntherError):
            _ = key in opened
    # The other way round: the program reads what is made here.
    made = anther.Filter(100, rule=form)
    made.update(lines)
    made.save(tmp_path / "made.anther")
    assert checked(program, tmp_path / "made.anther", *lines) == lines
    if exact:
        opened.merge(made)
    else:
        assert made.to_bytes() == opened.to_bytes()


def test_what_is_below(program, tmp_path):
    path = tmp_path / "ads.anther"
    program("build", path, "--as", "domain", "--items", 100, stdin="ads.example\nx.spy.example\n")
    hosts = anther.open(path)
    recipe = hosts.info.recipe
    assert (recipe["match"], recipe["levels"], recipe["keys_per_entry"]) == ("below", [2, 3], 5)
    keys = ["ads.example", "A.B.ads.example", "y.x.spy.example", "spy.example", "z.example"]
    found = [True, True, True, False, False]
    assert [key in hosts for key in keys] == found
    assert hosts.contains_many(keys).tolist() == found
    assert hosts.contains_many(np.array(keys)).tolist() == found
    assert hosts.contains_many(iter(keys)).tolist() == found
    # What is added here has levels, too.
    assert hosts.add("a.b.c.d") and not hosts.add("a.b.c.d")
    hosts.update(["new.example"])
    assert hosts.contains_many(["x.a.b.c.d", "x.new.example", "b.c.d"]).tolist() == [True, True, False]
    assert hosts.info.recipe["levels"] == [2, 3, 4]
    hosts.save(path)
    assert checked(program, path, "x.a.b.c.d", "b.c.d") == ["x.a.b.c.d"]
    with anther.Shared.open(path) as shared:
        shared.add("other.example")
        assert "x.other.example" in shared and "x.none.example" not in shared
        assert shared.contains_many(["x.a.b.c.d", "b.c.d"]).tolist() == [True, False]
        with pytest.raises(anther.AntherError, match="stands for keys below it"):
            shared.add("example")
        before = shared.filter().info.inserted
        shared.update(["more.example"])
        assert shared.filter().info.inserted == before + 5

    # From an iterator, keys are inserted as they come, and what follows a refused one is not.
    def stream():
        yield from (f"k{number}.example" for number in range(20_000))
        raise LookupError

    with pytest.raises(LookupError):
        hosts.update(stream())
    assert "x.k0.example" in hosts and "x.k19999.example" in hosts
    with pytest.raises(anther.AntherError, match="cannot remove"):
        hosts.discard("none.example")
    many = ["z.example"] * 40_000
    many[39_999] = "x.ads.example"
    small = anther.open(path)
    for keys in (many, iter(many), np.array(many)):
        assert np.flatnonzero(small.contains_many(keys)).tolist() == [39_999]
    program("build", path, "--force", "--as", "domain", "--kind", "counting", stdin="ads.example\n")
    counted = anther.open(path)
    assert counted.discard("ads.example") and "x.ads.example" not in counted


def test_networks_of_exact_filters(program, tmp_path):
    path = tmp_path / "networks.anther"
    program("build", path, "--as", "ip", "--match", "exact", stdin="10.0.0.0/8\n")
    networks = anther.open(path)
    assert "10.0.0.0/8" in networks and "10.1.2.3" not in networks
    plain = anther.Filter(10, rule="ip")
    with pytest.raises(anther.AntherError, match="stands for many addresses"):
        plain.add("10.0.0.0/8")


def test_columns_are_tuples(program, tmp_path):
    path, table = tmp_path / "people.anther", tmp_path / "people.csv"
    table.write_text("name,city,age\nAda,London,36\nGrace,New York,85\n")
    program("build", path, table, "--column", "name", "--column", "age", "--items", 100)
    opened = anther.open(path)
    assert opened.rule == anther.Rule("text", parts=2)
    assert ("Ada", "36") in opened and ("Ada", "37") not in opened
    with pytest.raises(anther.KeyTypeError, match="2 parts"):
        _ = "Ada" in opened
    with pytest.raises(anther.KeyTypeError):
        _ = ("Ada", 36) in opened
    made = anther.Filter(100, rule=anther.Rule("text", parts=2))
    made.update([("Ada", "36"), ("Grace", "85")])
    assert made.hash_of(("Ada", "36")) == opened.hash_of(("Ada", "36"))
    opened.merge(made)


def test_keyed(program, tmp_path):
    path, key = tmp_path / "keyed.anther", bytes(range(16))
    program("build", path, "--keyed", "--items", 100, stdin="a\nb\n", key=key)
    assert anther.open(path, key=key).contains_many(["a", "b"]).all()
    with pytest.raises(anther.FileError, match="secret key"):
        anther.open(path)
    made = anther.Filter(100, key=key, rule="text")
    made.update(["a", "b"])
    made.save(tmp_path / "made.anther")
    assert checked(program, tmp_path / "made.anther", "a", "z", key=key) == ["a"]
    assert made.to_bytes() == anther.open(path, key=key).to_bytes()


@pytest.mark.parametrize("kind", list(anther.kinds))
def test_every_kind_and_its_info(program, tmp_path, kind):
    path = tmp_path / "kind.anther"
    values = "\t1" if kind == "bloomier" else ""
    lines = "".join(f"key {number}{values}\n" for number in range(500))
    others = tmp_path / "others.txt"
    others.write_text("".join(f"other {number}\n" for number in range(500)))
    needs = ["--never-wrong-on", others] if kind == "cascade" else []
    program("build", path, "--kind", kind, *needs, stdin=lines)
    opened = anther.open(path)
    if not opened.info.may_forget:
        assert opened.contains_many([f"key {number}" for number in range(500)]).all()
    expected = json.loads(program("info", path, "--json").stdout)
    ours = opened.info.to_dict()
    only_files = {"file", "bytes", "open", "pages"}
    if kind == "weighted":
        expected["parameters"].pop("hot.keys")
    assert ours == {name: value for name, value in expected.items() if name not in only_files}
    opened.save(tmp_path / "again.anther")
    assert (tmp_path / "again.anther").read_bytes() == path.read_bytes()


def test_static_kinds_are_the_same_bytes(program, tmp_path):
    keys = [f"key {number}" for number in range(3000)]
    for kind in ["ribbon", "fuse", "classic", "blocked"]:
        path = tmp_path / f"{kind}.anther"
        program("build", path, "--kind", kind, "--items", 3000, stdin="".join(f"{key}\n" for key in keys))
        built = anther.Filter.build(keys, 0.01, kind, rule="text")
        assert built.to_bytes() == path.read_bytes()


def test_keys_without_a_rule_are_those_of_the_library(program, tmp_path):
    """A filter made here without a rule takes keys of every type; the program knows no lines of it."""
    made = anther.Filter(100)
    made.update(np.arange(10))
    made.add("line")
    made.save(tmp_path / "made.anther")
    assert checked(program, tmp_path / "made.anther", "line", "5") == ["line"]
    assert json.loads(program("info", tmp_path / "made.anther", "--json").stdout)["recipe"] is None


def test_plan(program):
    expected = json.loads(program("plan", "--items", "1M", "--fpr", "1%", "--kind", "cuckoo", "--json").stdout)
    plan = anther.plan(1_000_000, 0.01, kind="cuckoo")
    for name in ["items", "fpr_target", "fpr", "bits", "bits_sent", "bytes", "bits_per_key", "overhead", "probes"]:
        assert getattr(plan, name) == expected[name], name

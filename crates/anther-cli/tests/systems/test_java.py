"""Filters of Guava and Spark: they read ours, we read theirs, and both write the same bytes."""

from collections.abc import Callable

import pytest

import java
from lists import lists
from needs import JAVA, needs
from program import Anther
from tally import Tally

# stringFunnel(UTF_8), unencodedCharsFunnel, integerFunnel, longFunnel and byteArrayFunnel.
GUAVA = ("Guava", "GuavaJobs", ["text", "utf16", "int32", "int64", "hex"])
# putString, putLong and putBinary.
SPARK = ("Spark", "SparkJobs", ["text", "int64", "hex"])
FPR = 0.03

pytestmark = needs(*JAVA)


@pytest.mark.parametrize(
    ("to", "library", "system"),
    [
        ("guava64", "Guava", GUAVA),
        ("guava32", "Guava", GUAVA),
        ("guava64", "newer Guava", GUAVA),
        ("guava32", "newer Guava", GUAVA),
        ("spark1", "Spark", SPARK),
        ("spark2", "Spark", SPARK),
    ],
)
def test_both_ways(
    anther: Anther,
    jobs: Callable[[str, str], java.Jobs],
    tally: Tally,
    to: str,
    library: str,
    system: tuple[str, str, list[str]],
) -> None:
    name, main, forms = system
    theirs = jobs(main, library)
    cases = []
    for form in forms:
        keys = lists(form)
        our_file = anther.build(to, form, keys.members, "--fpr", FPR)
        everything = anther.key_file(keys.all)
        their_file = theirs.write(to, form, len(keys.members), FPR, anther.key_file(keys.members))
        to_ours = theirs.answer(to, form, our_file, everything)
        to_theirs = theirs.answer(to, form, their_file, everything)
        cases.append((keys, our_file, their_file, to_ours, to_theirs))
    theirs.run()
    for keys, our_file, their_file, to_ours, to_theirs in cases:
        form, members = keys.form, len(keys.members)
        answers = anther.check(our_file, form, keys.all)
        tally.same(f"anther writes, {name} reads", answers, java.answers(to_ours), members)
        answers = anther.check(their_file, form, keys.all)
        tally.same(f"{name} writes, anther reads", answers, java.answers(to_theirs), members)
        assert our_file.read_bytes() == their_file.read_bytes(), f"{to} of {form}"

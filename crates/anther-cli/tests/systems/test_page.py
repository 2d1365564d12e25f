"""docs/formats.md has the tables of a whole run. To renew them, copy those that a run prints."""

from itertools import takewhile

from conftest import ROOT
from needs import COMPILER, JAVA, SQUID, needs
from tally import Tally

pytestmark = needs(*JAVA, *COMPILER, *SQUID)


def test_the_page_has_these_numbers(tally: Tally) -> None:
    lines = (ROOT / "docs/formats.md").read_text().splitlines()
    for table in tally.tables():
        on_page = takewhile(lambda line: line.startswith("|"), lines[lines.index(table[0]) :])
        assert list(on_page) == table, "after all other tests, in one run"

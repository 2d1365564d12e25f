"""docs/formats.md has the tables of a whole run. To renew them, copy those that a run prints."""

from conftest import ROOT
from tally import Tally


def test_the_page_has_these_numbers(tally: Tally) -> None:
    page = (ROOT / "docs/formats.md").read_text()
    for table in tally.tables():
        assert "\n".join(table) in page

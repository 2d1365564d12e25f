"""A crawler that never fetches a page twice, in a few megabytes.

A crawler meets the same links again and again. It needs one answer per link: have I queued this one already? A set of
URLs gives it, and grows by a hundred bytes and more per URL. A filter gives it in two bytes or so. The price is known
in advance: with `fpr=0.001`, one new page in a thousand looks like an old one and is skipped.

The filter has the rule "url", so that `HTTPS://Example.org:443/a/../about#team` is `https://example.org/about`. And it
is saved together with the queue: the crawl goes on after a restart as if nothing had happened.

Run it: python crawler_frontier.py
"""

import json
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import anther

PAGES = 100_000
LINKS_PER_PAGE = 8
FPR = 0.001


def number_of(url: str) -> int:
    return int(url.partition("#")[0].rsplit("/", 1)[1])


def fetch(url: str) -> list[str]:
    """The links of a page, as people write them. This stands for the network; the web has `PAGES` pages."""
    number = number_of(url)
    chance = random.Random(number)
    links = []
    for _ in range(LINKS_PER_PAGE):
        # Some pages are linked far more often than others.
        target = int(PAGES * chance.random() ** 2)
        # The next page is always there, so that every page can be reached.
        target = chance.choice([target, (number + 1) % PAGES])
        host = chance.choice(["https://example.org", "HTTPS://Example.org", "https://example.org:443"])
        path = chance.choice(["/", "/./", "/old/../"])
        links.append(f"{host}{path}pages/{target}{chance.choice(['', '#top', '#comments'])}")
    links.append(f"https://example.org/pages/{(number + 1) % PAGES}")
    return links


class Frontier:
    """What is to be fetched, and what was ever queued."""

    def __init__(self, queue: list[str], seen: anther.Filter) -> None:
        self.queue = deque(queue)
        self.seen = seen

    @classmethod
    def starting_at(cls, url: str) -> "Frontier":
        # Made for the pages that we expect. For an unknown web: kind="scalable", which grows.
        seen = anther.Filter(items=PAGES, fpr=FPR, rule="url")
        seen.add(url)
        return cls([url], seen)

    @classmethod
    def load(cls, folder: Path) -> "Frontier":
        return cls(json.loads((folder / "queue.json").read_text()), anther.open(folder / "seen.anther"))

    def save(self, folder: Path) -> None:
        # The filter first: if the crawl stops between the two, the old queue leads to pages that are known.
        self.seen.save(folder / "seen.anther")
        (folder / "queue.json").write_text(json.dumps(list(self.queue)))

    def crawl(self, most: int) -> Iterator[str]:
        """Fetches up to `most` pages."""
        while self.queue and most > 0:
            url = self.queue.popleft()
            most -= 1
            yield url
            for link in fetch(url):
                # One call looks the link up and adds it: True if it is certainly new.
                if self.seen.add(link):
                    self.queue.append(link)


def main() -> None:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = Frontier.starting_at("https://example.org/pages/0")
        fetched = list(first.crawl(most=PAGES // 2))
        first.save(folder)
        del first
        print(f"stopped after {len(fetched):,} pages, saved {(folder / 'seen.anther').stat().st_size / 1e3:,.0f} kB")
        second = Frontier.load(folder)
        fetched += second.crawl(most=sys.maxsize)
    seconds = time.perf_counter() - started

    numbers = [number_of(url) for url in fetched]
    assert len(set(numbers)) == len(numbers), "no page is fetched twice, before or after the restart"
    skipped = PAGES - len(numbers)
    links = len(numbers) * (LINKS_PER_PAGE + 1)
    print(f"{links:,} links led to {len(numbers):,} pages in {seconds:.1f} s; none was fetched twice")
    print(f"{skipped:,} of {PAGES:,} pages were skipped: {skipped / PAGES:.2%}, asked for {FPR:.2%}")
    assert skipped <= 2 * FPR * PAGES

    exact = {f"https://example.org/pages/{number}" for number in range(PAGES)}
    set_bytes = sys.getsizeof(exact) + sum(map(sys.getsizeof, exact))
    filter_bytes = len(second.seen.to_bytes())
    print(f"the filter takes {filter_bytes / 1e6:.2f} MB; a set of these URLs {set_bytes / 1e6:.1f} MB")
    assert set_bytes > 20 * filter_bytes


if __name__ == "__main__":
    main()

"""Cache digests: a Squid that holds ours asks its sibling for what we say is there, and we read a real Squid's."""

import struct
from pathlib import Path

from harness.poll import wait_until

from needs import SQUID, needs
from program import Anther
from squid import CACHE, NEIGHBOUR, Site, site, squid
from tally import Tally

# Squid 5.7 misreads masks of more than 128 bytes, and a key takes five bits.
MEMBERS, OTHERS = 150, 450

pytestmark = needs(*SQUID)


def ask_neighbour(digest: bytes, origin: Site, urls: list[str]) -> list[bool]:
    """Which of these a Squid asks its sibling for, if this is the sibling's digest. Others come from the origin."""
    with site(digest) as sibling, squid(NEIGHBOUR, origin=origin.port, sibling=sibling.port) as proxy:

        def asks_sibling(url: str) -> bool:
            sibling.asked.clear()
            proxy.fetch(url)
            return url in sibling.asked

        # Its first request makes it fetch the digest. The first page is in it.
        wait_until(lambda: asks_sibling(urls[0]), "Squid uses the digest", 30)
        return [asks_sibling(url) for url in urls]


def pages(name: str, count: int) -> list[str]:
    """URLs with escapes and queries: Squid hashes them as they were requested."""
    return [f"http://pages.example/{name}/{'%C3%A9' * (at % 3)}{at}?q={'x' * (at % 40)}" for at in range(count)]


def test_a_squid_holds_our_digest(anther: Anther, tally: Tally) -> None:
    with site() as origin:
        members, others = pages("in", MEMBERS), pages("out", OTHERS)
        ours = anther.build("squid", "text", members, "--fpr", "10%")
        assert mask_bytes(ours) <= 128, "as much as Squid 5.7 reads"
        answers = ask_neighbour(ours.read_bytes(), origin, members + others)
        tally.same("anther writes, Squid reads", anther.check(ours, "text", members + others), answers, MEMBERS)


def test_we_hold_the_digest_of_a_squid(anther: Anther, tally: Tally, tmp_path: Path) -> None:
    with site() as origin:
        members, others = pages("in", MEMBERS), pages("out", OTHERS)
        theirs = tmp_path / "store_digest"
        with squid(CACHE, origin=origin.port) as cache:
            origin.cachable = True
            for page in members:
                cache.fetch(page)
            origin.cachable = False
            wait_until(lambda: is_complete(anther, theirs, cache.digest(), members), "its digest has every page", 30)
        assert mask_bytes(theirs) <= 128, "as much as Squid 5.7 reads"
        answers = ask_neighbour(theirs.read_bytes(), origin, members + others)
        tally.same("Squid writes, anther reads", anther.check(theirs, "text", members + others), answers, MEMBERS)


def is_complete(anther: Anther, file: Path, digest: bytes, members: list[str]) -> bool:
    """Squid counts pages before they are in its store, and rebuilds its digest every second."""
    file.write_bytes(digest)
    return bool(digest) and all(anther.check(file, "text", members))


def mask_bytes(file: Path) -> int:
    return struct.unpack_from(">i", file.read_bytes(), 16)[0]

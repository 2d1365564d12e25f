"""One logical filter over a cluster, split by hash into N keys that spread over the slots.

Part i of N of the filter NAME is the key `NAME:i/N`; an item belongs to part CRC-32(item) mod N.
"""

from collections import defaultdict
from collections.abc import Iterable
from zlib import crc32

from redis.cluster import RedisCluster


class SplitFilter:
    def __init__(self, client: RedisCluster, name: str, parts: int) -> None:
        self.client, self.name, self.parts = client, name, parts

    def key(self, part: int) -> str:
        return f"{self.name}:{part}/{self.parts}"

    def part_of(self, item: bytes) -> int:
        return crc32(item) % self.parts

    def reserve(self, error: float, capacity: int) -> None:
        for part in range(self.parts):
            self.client.execute_command("BF.RESERVE", self.key(part), error, -(-capacity // self.parts))

    def add(self, items: Iterable[bytes]) -> None:
        for part, members in self.by_part(items).items():
            self.client.execute_command("BF.MADD", self.key(part), *members)

    def missing(self, items: Iterable[bytes]) -> list[bytes]:
        lost = []
        for part, members in self.by_part(items).items():
            answers = self.client.execute_command("BF.MEXISTS", self.key(part), *members)
            lost += [item for item, answer in zip(members, answers, strict=True) if not answer]
        return lost

    def by_part(self, items: Iterable[bytes]) -> dict[int, list[bytes]]:
        sorted_by_part: dict[int, list[bytes]] = defaultdict(list)
        for item in items:
            sorted_by_part[self.part_of(item)].append(item)
        return sorted_by_part

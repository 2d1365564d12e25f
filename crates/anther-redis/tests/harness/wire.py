"""A client that shows replies as they are on the wire.

redis-py takes the prefix off an error and Python takes True for 1; tests of replies to the letter need both.
"""

import socket
from collections.abc import Iterable

Argument = bytes | str | int | float


class Error(str):
    """An error reply, with its prefix if it has one."""


class Simple(str):
    """A simple string, like OK."""


OK = Simple("OK")


class Wire:
    """A connection that speaks RESP2 or RESP3."""

    def __init__(self, port: int, protocol: int = 2, seconds: float = 60) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.protocol = protocol
        if protocol == 3:
            self.call("HELLO", 3)

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def call(self, *command: Argument):
        """One command, one reply; an error is returned, not raised."""
        return self.calls([command])[0]

    def calls(self, commands: Iterable[Iterable[Argument]]) -> list:
        """Many commands at once, in a pipeline."""
        packed = [pack(command) for command in commands]
        self.socket.sendall(b"".join(packed))
        return [self.read() for _ in packed]

    def ok(self, *command: Argument):
        """A reply that is no error."""
        reply = self.call(*command)
        assert not isinstance(reply, Error), f"{command}: {reply}"
        return reply

    def yes(self, count: bool = True) -> int | bool:
        """What this protocol has for yes or no: 1 and 0, or a boolean."""
        return bool(count) if self.protocol == 3 else int(count)

    def read(self):
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        match kind:
            case b"+":
                return Simple(rest.decode())
            case b"-":
                return Error(rest.decode())
            case b":":
                return int(rest)
            case b"$" | b"=" | b"!":
                return self.bulk(kind, int(rest))
            case b"*" | b"~" | b">":
                return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
            case b"%":
                return {as_text(self.read()): self.read() for _ in range(int(rest))}
            case b"_":
                return None
            case b"#":
                return rest == b"t"
            case b",":
                return float(rest)
        raise ValueError(f"no reply begins like this: {line!r}")

    def bulk(self, kind: bytes, length: int):
        if length < 0:
            return None
        data = self.stream.read(length + 2)[:-2]
        return Error(data.decode()) if kind == b"!" else data


def pack(command: Iterable[Argument]) -> bytes:
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)


def as_text(name) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def same(left, right) -> bool:
    """Equal in type, too: True is not 1 on the wire."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


def fields(reply) -> dict:
    """The pairs of an INFO reply: a flat array in RESP2, a map in RESP3."""
    if isinstance(reply, dict):
        return reply
    return {as_text(name): value for name, value in zip(reply[::2], reply[1::2], strict=True)}

"""What is done with a forged payload: it is refused, or it answers; the server lives and takes no memory on its word."""

from .server import Server
from .wire import OK, Error, Wire

# More than any payload of these tests has reason to take.
MEMORY = 64 << 20


class Attack:
    def __init__(self, server: Server) -> None:
        self.server = server
        # Whoever waits longer for an answer waits for a size that was believed.
        self.wire = Wire(server.port, seconds=15)
        self.tried = self.accepted = 0
        server.forget_peak()
        self.before = server.resident()

    def restore(self, payload: bytes) -> None:
        self.tried += 1
        reply = self.wire.call("RESTORE", "forged", 0, payload, "REPLACE")
        if reply == OK:
            self.accepted += 1
            use(self.wire, "forged")
        else:
            assert isinstance(reply, Error)

    def assert_harmless(self) -> None:
        assert self.server.is_alive()
        assert self.wire.call("PING") == "PONG"
        peak = self.server.resident("VmHWM")
        assert peak < self.before + MEMORY, f"{peak - self.before} bytes for forged payloads"


def use(wire: Wire, name: str) -> None:
    """Every command that could trip over what was let in; any answer will do."""
    family = "CF" if wire.call("TYPE", name) == "MBbloomCF" else "BF"
    wire.calls(
        [
            (f"{family}.EXISTS", name, "a"),
            (f"{family}.INFO", name),
            (f"{family}.ADD", name, "a"),
            (f"{family}.MEXISTS", name, *"abcdefgh"),
            (f"{family}.INSERT", name, "ITEMS", *"abcdefgh"),
            (f"{family}.COUNT", name, "a"),
            ("CF.DEL" if family == "CF" else "BF.REM", name, "a"),
            (f"{family}.SCANDUMP", name, 0),
            (f"{family}.SCANDUMP", name, 1),
            ("BF.MERGE", name, name),
            ("BF.EXPORT", name),
            ("DUMP", name),
            ("COPY", name, "copy", "REPLACE"),
            ("MEMORY", "USAGE", name),
            ("DEBUG", "DIGEST-VALUE", name),
            ("DEL", name, "copy"),
        ]
    )

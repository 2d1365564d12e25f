"""Squid on the loopback: as a cache whose digest can be fetched, and as a neighbour that holds a digest."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from harness.poll import wait_until

DIGEST = "/squid-internal-periodic/store_digest"
# Where Debian has it: a folder that is on root's path alone.
PROGRAM = "/usr/sbin/squid"
# Debian's user for it: a Squid that root starts gives root up.
USER = "proxy"

CACHE = """
cache_dir ufs {folder}/store 10 4 4
# Without icons, whose URLs have its port and would be in the digest, too.
mime_table {folder}/mime.conf
digest_generation on
digest_rebuild_period 1 second
digest_rewrite_period 1 second
"""

NEIGHBOUR = """
cache_peer 127.0.0.1 sibling {sibling} 0 no-query no-netdb-exchange name=sibling
digest_generation off
"""

EVERY = """
http_port 127.0.0.1:{port}
visible_hostname squid.test
pid_filename {folder}/pid
cache_log {folder}/cache.log
access_log none
coredump_dir {folder}
netdb_filename none
pinger_enable off
http_access allow localhost
# Pages come from one site, whatever its port, so that URLs are the same in every run.
cache_peer 127.0.0.1 parent {origin} 0 no-query no-digest default name=origin
acl pages dstdomain pages.example
never_direct allow pages
shutdown_lifetime 0 seconds
"""


class Site:
    """A web server for every host, which remembers what it was asked for."""

    def __init__(self, digest: bytes = b"") -> None:
        self.asked: list[str] = []
        # Whether proxies may keep its pages.
        self.cachable = False
        here = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Headers and body in one packet: otherwise each answer waits 40 ms for an acknowledgement.
            wbufsize = -1

            def do_GET(self) -> None:
                here.asked.append(self.path)
                is_digest = self.path.endswith(DIGEST)
                body = digest if is_digest else b"page"
                self.send_response(200)
                self.send_header("Content-Type", "application/cache-digest" if is_digest else "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "max-age=86400" if here.cachable or is_digest else "no-store")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def site(digest: bytes = b"") -> Iterator[Site]:
    running = Site(digest)
    try:
        yield running
    finally:
        running.close()


class Squid:
    """A proxy to fetch pages through."""

    def __init__(self, port: int) -> None:
        self.port = port
        proxy = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{port}"})
        self.opener = urllib.request.build_opener(proxy)

    def fetch(self, url: str) -> None:
        self.opener.open(url, timeout=20).read()

    def digest(self) -> bytes:
        """Its digest; empty as long as it has none."""
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            return direct.open(f"http://127.0.0.1:{self.port}{DIGEST}", timeout=20).read()
        except OSError:
            return b""


@contextmanager
def squid(role: str, **settings: object) -> Iterator[Squid]:
    """A Squid that is gone afterwards, with its folder."""
    # Not a folder of pytest: only its user may enter those.
    folder = Path(tempfile.mkdtemp(prefix="anther-squid-"))
    port = free_port()
    as_user = ""
    if os.geteuid() == 0:
        shutil.chown(folder, USER, USER)
        as_user = f"cache_effective_user {USER}\n"
    settings |= {"folder": folder, "port": port}
    (folder / "squid.conf").write_text((EVERY + role).format(**settings) + as_user)
    (folder / "mime.conf").touch()
    call = [PROGRAM, "-N", "-f", str(folder / "squid.conf")]
    process = None
    try:
        if role == CACHE:
            subprocess.run([*call, "-z"], check=True, capture_output=True, timeout=30)
        with open(folder / "output", "wb") as output:
            process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_until(lambda: answers(process, port, folder), "Squid answers", 30)
        yield Squid(port)
    finally:
        if process is not None:
            stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def stop(process: subprocess.Popen) -> None:
    """As an administrator has it: Squid closes its store. What has not ended after 15 seconds is killed."""
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(30)


def answers(process: subprocess.Popen, port: int, folder: Path) -> bool:
    if process.poll() is not None:
        raise RuntimeError(f"Squid did not start: {(folder / 'output').read_text(errors='replace')}")
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

"""Programs and libraries of Debian that tests need. Where one is missing, its tests are skipped by name."""

import shutil
from pathlib import Path

import pytest

JAVA = ("javac", "/usr/share/java/guava.jar")
COMPILER = ("c++",)
SQUID = ("/usr/sbin/squid",)


def needs(*known_by: str) -> pytest.MarkDecorator:
    """Each is known by its file, or by its name on the path."""
    missing = [name for name in known_by if shutil.which(name) is None and not Path(name).exists()]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")

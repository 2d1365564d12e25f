"""A Spark cluster on this machine whose executors are processes of their own: `local-cluster`.

Needs Java 17 or later. Without it these tests fail; the stage that runs them says so before.
"""

import os
import pathlib
import sys
from collections.abc import Iterator

import pyspark
import pytest
from pyspark.sql import SparkSession


def spark_home(folder: pathlib.Path) -> pathlib.Path:
    """The package as Spark's home, but with a folder for the executors' logs and files of its own:
    `local-cluster` writes them to `work` in its home."""
    package = pathlib.Path(pyspark.__file__).parent
    folder.mkdir()
    for name in ("bin", "jars", "python", "sbin"):
        (folder / name).symlink_to(package / name)
    return folder


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    folder = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_HOME"] = str(spark_home(folder / "home"))
    os.environ["SPARK_LOCAL_HOSTNAME"] = "localhost"
    os.environ["SPARK_LOCAL_DIRS"] = str(folder / "local")
    # The executors would take `python3` of the path, which has neither Arrow nor this package.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Half of the time would go to Java's second compiler, which pays in longer runs only.
    java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("anther")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.memory", "512m")
        .config("spark.driver.extraJavaOptions", java)
        .config("spark.executor.extraJavaOptions", java)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    # Without this Java's exit starts executors that die at once, and logs each of them.
    session.stop()

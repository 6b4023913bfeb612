"""Spark as tests of engines need it: a session in this process, bound to loopback; where there is none, a skip."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

#: tests are short: code that is compiled soon, not well
SOON = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def start_session(master: str, **settings: str) -> Any:
    """A session as small as it can be; its workers run this Python."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java is installed here, which Spark needs")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    said = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": SOON,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        **settings,
    }
    builder = sql.SparkSession.builder.master(master).appName("tests of Lookalike")
    for name, value in said.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark session in this process."""
    session = start_session("local[2]")
    yield session
    session.stop()

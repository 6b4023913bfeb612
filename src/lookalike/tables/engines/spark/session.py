"""A Spark session for those who bring none, and what it reads: files, folders and patterns of them, tables.

Texts are read as texts, a broken line being an error; parquet with its types. An address is Spark's to understand
(`hdfs://`, `s3a://`, a path that all workers see).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from lookalike.base.errors import MissingExtra, RequestError
from lookalike.tables.engines.spark.writing import asking

_TEXT = re.compile(r"\.(csv|tsv|txt)(\.gz|\.zst|\.zstd)?$", re.IGNORECASE)
_NEEDS = "Spark needs Java 17 or 21"
_HOW = "Install one (on Debian: apt install openjdk-17-jre-headless), or set JAVA_HOME to where it is."


def open_session(master: str | None = None) -> Any:
    """The session that runs already, or a new one; on this machine alone unless a master is named."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark", "the engine spark") from None
    running = SparkSession.getActiveSession()
    if running is not None and master in (None, running.sparkContext.master):
        return running
    if running is not None:
        raise RequestError(f"a Spark session runs already, on {running.sparkContext.master}.")
    _refuse_java()
    builder = SparkSession.builder.appName("Lookalike").master(master or "local[*]")
    if (master or "local").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        alone = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        builder = builder.config(map={**alone, "spark.ui.enabled": "false"})
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = builder.config(map={"spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"})
    with asking(f"Spark cannot be started with --master {master or 'local[*]'}"):
        return builder.getOrCreate()


def read_frame(
    address: str,
    *,
    master: str | None = None,
    table: bool = False,
    delimiter: str | None = None,
    quote: str | None = '"',
) -> Any:
    """The rows at an address as a Spark frame: texts by their ending, else parquet; or a table of the catalogue."""
    read = open_session(master).read
    with asking():
        if table:
            return read.table(address)
        if delimiter is None and not _TEXT.search(address):
            return read.parquet(address)
        if delimiter is None:
            delimiter = "\t" if ".tsv" in address.lower() else ","
        return read.csv(
            address,
            sep=delimiter,
            quote=quote or "",
            escape=quote or "",
            header=True,
            multiLine=True,
            enforceSchema=False,
            mode="FAILFAST",
        )


def _refuse_java() -> None:
    """Refuse to start Spark where there is no Java, or one that is too old; its own message is a page of traces."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise RequestError(f"{_NEEDS}, and none was found. {_HOW}")
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        raise RequestError(f"{_NEEDS}, and the one that was found does not run. {_HOW}") from None
    version = re.search(r'version "(\d+)', told.stderr + told.stdout)
    if version is not None and int(version[1]) < 17:
        raise RequestError(f"{_NEEDS}, and Java {version[1]} was found. {_HOW}")

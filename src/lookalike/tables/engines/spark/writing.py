"""Where Spark writes rows, whole or not at all, and what goes wrong in Spark, in words.

A folder is written beside and renamed. Spark's own messages quote values, so only their kind is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from lookalike.base.errors import FileError


def write_rows(session: Any, rows: Any, table: str) -> None:
    """Write a frame to a new table of the catalogue, or to a new folder of parquet files if there is a `/`."""
    if "/" not in table:
        with asking():
            if session.catalog.tableExists(table):
                raise FileError(f"there is a table {table!r} already. Choose another name.")
        try:
            with asking():
                rows.write.saveAsTable(table)
        except BaseException:
            _drop_if_there(session, table)
            raise
        return
    write_folder(session, table, lambda beside: rows.write.parquet(beside))


def write_folder(session: Any, table: str, write: Callable[[str], None]) -> None:
    """Make a new folder: it is written beside and renamed."""
    beside = f"{table.rstrip('/')}.{uuid4().hex}"
    files, target = _path(session, table)
    with asking():
        if files.exists(target):
            raise FileError(f"{table}: exists already. Choose another place.")
    try:
        with asking():
            write(beside)
            if not files.rename(_path(session, beside)[1], target):
                raise FileError(f"{table}: cannot be written. Nothing was released.")
    except BaseException:
        _drop_if_there(session, beside)
        raise


def local_folder(session: Any, table: str) -> Callable[[str], str] | None:
    """How a folder is called in Python, made there, where it is on a file system that everybody sees; else None."""
    if "/" not in table:
        return None
    files, target = _path(session, table)
    if files.getUri().getScheme() != "file" or target.toUri().getScheme() not in (None, "file"):
        return None

    def make(address: str) -> str:
        folder = Path(_path(session, address)[1].toUri().getPath())
        folder.mkdir(parents=True)
        return str(folder)

    return make


def drop_rows(session: Any, table: str) -> None:
    """Take a table or a folder away."""
    with asking():
        if "/" in table:
            files, path = _path(session, table)
            files.delete(path, True)
        else:
            session.sql(f"DROP TABLE IF EXISTS {'.'.join(map(_quoted, table.split('.')))}")


def _drop_if_there(session: Any, table: str) -> None:
    with suppress(FileError):  # where Spark is gone, what went wrong first is told
        drop_rows(session, table)


def _path(session: Any, address: str) -> tuple[Any, Any]:
    """The file system of an address, and the address as it knows it."""
    with asking():
        path = session._jvm.org.apache.hadoop.fs.Path(address)
        return path.getFileSystem(session._jsc.hadoopConfiguration()), path


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def asking(what: str | None = None) -> Iterator[None]:
    """What goes wrong in Spark is told by its kind, without the values that Spark's own messages quote."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as problem:
        raise FileError(f"{what or _in_words(problem)}. Nothing was released.") from None


def _in_words(problem: Exception) -> str:
    text = str(problem)
    for sign, words in _SIGNS.items():
        if sign in text:
            return words
    condition = getattr(problem, "getCondition", lambda: None)()
    return f"Spark could not do it ({condition or type(problem).__name__})"


_SIGNS = {
    "spark.driver.maxResultSize": "the tuples are larger than Spark's driver may collect. Coarsen a column that has "
    "many values, or allow more with spark.driver.maxResultSize",
    "No module named 'pyarrow'": "Spark's workers run a Python without pyarrow. Name one that has it in PYSPARK_PYTHON",
    "No module named 'lookalike'": "Spark's workers run a Python without Lookalike. Install it there too, or name one "
    "that has it in PYSPARK_PYTHON",
    "PATH_NOT_FOUND": "Spark finds no such file or folder",
    "FileNotFoundException": "a file of the table is gone since its rows were counted",
    "FAILED_READ_FILE": "a file of the table cannot be read, or changed since its rows were counted",
    "No space left on device": "the disk of a worker is full",
    "OutOfMemoryError": "Spark ran out of memory. Allow it more with spark.driver.memory and spark.executor.memory",
}  #: what Spark says somewhere in its message, in plainer words

"""Every error Lookalike raises, as one tree.

    LookalikeError
     ├─ RequestError (ValueError)       the request is wrong; nothing was done        exit code 2
     │   ├─ ColumnError                 a column is unknown, doubled, or in two roles
     │   │   └─ UnknownColumn           the table has no column of this name
     │   ├─ FileError                   a file cannot be read as asked
     │   ├─ HierarchyError              a generalisation hierarchy does not fit
     │   │   └─ UnseenValues            it does not cover all values of its column
     │   ├─ NothingToFollow             a column is to follow a quasi-identifier, and is linked to none
     │   └─ MissingExtra (ImportError)  an optional library is not installed
     └─ GuaranteeError                  the promise cannot be kept, or a check failed  exit code 1
         └─ LinkedColumnError           columns that would be published undo it
    LookalikeWarning (UserWarning)      worth a look; the work goes on

A message says what was found, what is allowed and what to do. It names files, rows and columns, and never shows
a cell of private data. An argument stands in backticks, such as `quasi`; the command line shows its option instead.
"""

from __future__ import annotations

import errno
import re
import sys
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

#: what a system says in few words, in plainer ones
_WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk can only be read",
    errno.EACCES: "not permitted",
    errno.EPERM: "not permitted",
    errno.ENAMETOOLONG: "the name is too long",
}


class LookalikeError(Exception):
    """Base of all errors raised on purpose.

    Examples:
        >>> import lookalike as la
        >>> issubclass(la.RequestError, la.LookalikeError), issubclass(la.GuaranteeError, la.LookalikeError)
        (True, True)
    """

    exit_code = 2


class RequestError(LookalikeError, ValueError):
    """What was asked for cannot be understood or does not fit the table.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> try:
        ...     la.anonymize(people, la.KAnonymity(3), suppression=2)
        ... except la.RequestError as error:
        ...     print(error)
        ...
        `suppression` must be a number from 0 to 1, found 2.
    """


class ColumnError(RequestError):
    """A column is unknown, appears twice, or was given two roles.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> try:
        ...     la.table(frame, quasi=["postcode"])
        ... except la.ColumnError as error:
        ...     print(error)
        ...
        quasi: there is no column 'postcode'. The table has: age, sex, disease.
    """


class UnknownColumn(ColumnError):
    """There is no such column; `where` is the argument that named it, `columns` are those there are."""

    def __init__(self, message: str, column: str = "", columns: Sequence[str] = (), where: str = "") -> None:
        super().__init__(message)
        self.column, self.columns, self.where = column, tuple(columns), where


class FileError(RequestError):
    """A file cannot be read or written as asked.

    Examples:
        >>> import lookalike as la
        >>> try:
        ...     la.read("absent.csv")
        ... except la.FileError as error:
        ...     print(error)
        ...
        absent.csv: no such file.
    """


class HierarchyError(RequestError):
    """A generalisation hierarchy is malformed or does not cover its column.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> tree = la.Hierarchy.intervals(5, 7)
        >>> people = la.table(pl.DataFrame({"age": [31, 38]}), quasi=["age"], hierarchies={"age": tree})
        >>> try:
        ...     la.anonymize(people, la.KAnonymity(2))
        ... except la.HierarchyError as error:
        ...     print(error)
        ...
        column 'age': interval widths must nest: 7 is not a multiple of 5. Give widths such as 5, 10, 20.
    """


class UnseenValues(HierarchyError):
    """Some values of a column are not in its hierarchy; `codes` are their positions among the column's values.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> tree = la.Hierarchy.groups({"woman": ["f"]})
        >>> people = la.table(frame, quasi=["sex"], hierarchies={"sex": tree}, others=[])
        >>> try:
        ...     la.anonymize(people, la.KAnonymity(3))
        ... except la.UnseenValues as error:
        ...     print(error.codes)
        ...
        [1]
    """

    def __init__(self, message: str, codes: Sequence[int]) -> None:
        super().__init__(message)
        self.codes = list(codes)


class NothingToFollow(RequestError):
    """A column was to follow a quasi-identifier, and is linked to none."""

    def __init__(self, message: str, column: str = "") -> None:
        super().__init__(message)
        self.column = column


class MissingExtra(RequestError, ImportError):
    """An optional library is needed.

    Examples:
        >>> import lookalike as la
        >>> issubclass(la.MissingExtra, ImportError)
        True
    """

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}. Install it with: {how_to_install(extra, library)}")


class GuaranteeError(LookalikeError):
    """The requested guarantee cannot be met, or a check of one failed.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, illnesses = [31, 32, 33, 71, 72, 73], ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "disease": illnesses})
        >>> people = la.table(frame, quasi=["age"], sensitive=["disease"])
        >>> try:
        ...     la.anonymize(people, la.LDiversity("disease", 3))
        ... except la.GuaranteeError as error:
        ...     print(type(error).__name__)
        ...
        GuaranteeError
    """

    exit_code = 1


class LinkedColumnError(GuaranteeError):
    """Columns that would be published beside the blurred ones undo the guarantee; somebody must say what to do.

    found: what undoes it. columns: what could be done about each column.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> zips = ["8010", "8020", "8030", "8040"] * 25
        >>> frame = pl.DataFrame({"zip": zips, "town": [f"Graz {code}" for code in zips]})
        >>> people = la.table(frame, quasi=["zip"], others=["town"])
        >>> try:
        ...     la.anonymize(people, la.KAnonymity(30))
        ... except la.LinkedColumnError as error:
        ...     print(error.columns)
        ...
        {'town': 'follow'}
    """

    def __init__(self, message: str, found: str = "", columns: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.found, self.columns = found, dict(columns or {})


class LookalikeWarning(UserWarning):
    """Something a person should look at; the work goes on.

    Examples:
        >>> import polars as pl
        >>> import lookalike as la
        >>> ages, sexes = [31, 32, 33, 71, 72, 73], ["f", "m", "f", "m", "f", "m"]
        >>> illnesses = ["flu", "flu", "cold", "flu", "cold", "cold"]
        >>> frame = pl.DataFrame({"age": ages, "sex": sexes, "disease": illnesses})
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as told:
        ...     warnings.simplefilter("always")
        ...     people = la.table(frame, quasi=["age", "sex"])
        ...
        >>> told[0].category.__name__
        'LookalikeWarning'
    """


def how_to_install(extra: str, library: str) -> str:
    """The command that adds an extra to this copy of Lookalike.

    A checkout is installed again with the extra. Any other copy gets the libraries themselves: they do not depend on
    which project the name Lookalike stands for on a package index.
    """
    import json
    import sys
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        copy = distribution("lookalike")
        origin = json.loads(copy.read_text("direct_url.json") or "{}")
        listed = [one.replace("'", '"').partition(";") for one in copy.requires or ()]
        needed = [one.strip() for one, _, when in listed if f'extra == "{extra}"' in when]
        installer = (copy.read_text("INSTALLER") or "").strip()
    except (PackageNotFoundError, ValueError):
        origin, needed, installer = {}, [], ""
    pip = "uv pip install" if installer == "uv" else "python -m pip install"
    if origin.get("dir_info", {}).get("editable"):
        folder = origin["url"].removeprefix("file://")
        return f"{pip} -e '{folder}[{extra}]'"
    wanted = " ".join(f"'{one}'" for one in needed or [library])
    if "pipx" in sys.prefix.replace("\\", "/").split("/"):
        return f"pipx inject lookalike {wanted}"
    return f"{pip} {wanted}"


def unknown_column(name: str, columns: Iterable[str], where: str) -> UnknownColumn:
    """The error for a column that is not there, with the nearest name that is."""
    columns = list(columns)
    if any(_looks_like_data(column) for column in columns):
        hint = " The names of the columns look like data: if the file has no header, say so with `header`."
    else:
        close = get_close_matches(str(name), columns, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        shown = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
        hint = f"{meant} The table has: {shown}."
    return UnknownColumn(f"{where}: there is no column {name!r}.{hint}", name, columns, where)


def warn(message: str) -> None:
    """Warn whoever called into Lookalike, at the line where they did."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "lookalike":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, LookalikeWarning, stacklevel=level)


def in_words(problem: OSError) -> str:
    """What went wrong, as a person would say it."""
    known = _WORDS.get(problem.errno or 0)
    return known or problem.strerror or type(problem).__name__


def is_out_of_memory(problem: BaseException) -> bool:
    """Whether memory has run out, in Python or in compiled code, which panics: no rows, or no thread, fit any more."""
    panic = type(problem).__name__ == "PanicException"
    words = ("memory", "Resource temporarily unavailable")  # the latter where a thread gets no stack
    return isinstance(problem, MemoryError) or (panic and any(word in str(problem) for word in words))


def amount(n: int, one: str, many: str = "") -> str:
    """`1 record`, `1,234 records`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """`12.3%`; a little is never shown as nothing, nor almost all as everything."""
    if 0 < share < 0.001:
        return "under 0.1%"
    return "over 99.9%" if 0.999 < share < 1 else f"{share:.1%}"


def plain_number(value: float, sign: str = "") -> str:
    """`27,690`, `0.0517`: four digits, or all before the point, and no powers of ten; sign "+" shows that of a gain."""
    if 1_000 <= abs(value) < 1e15:
        return f"{value:{sign},.0f}"
    return f"{value:{sign}.4g}"


def shown_names(names: Iterable[str], values: Collection[str | None] = ()) -> str:
    """Names of columns in a message; those that are values or look like data, as in damaged files, are only counted."""
    names = list(names)
    shown = [name for name in names if name not in values and not _looks_like_data(name)]
    rest = len(names) - len(shown)
    return ", ".join([*shown[:20], *([amount(rest, "name") + " that looks like data"] if rest else [])])


_QUOTED_FIELDS = re.compile(r'^"|"\W+"|"\s*[,;:|]|[,;:|]\s*"')  # a quoted field, or a line of them


def _looks_like_data(column: str) -> bool:
    """A header made of numbers, or of a whole line, is a row somebody took for a header: not to be shown."""
    try:
        float(column)
    except ValueError:
        odd = bool(set(column) & set("{}[]")) or _QUOTED_FIELDS.search(column) is not None
        return odd or column.count('"') % 2 == 1 or len(column) > 60 or not column.isprintable()
    return True

"""Ten public tables at k=5 and 11: one rule for all rows, the default once, beside the default of today.

Prints the Markdown of docs/before-after.md after its introduction. The tables are not ours and lie outside this
repository (LOOKALIKE_DATA names their folder); released rows are shown, never original ones.
"""

from __future__ import annotations

import warnings

import polars as pl

import lookalike as la
from benchmarks.data import data_folder
from lookalike.releases.outcomes import GONE

MOST = 2_000  # rows; of larger tables every n-th is taken
LONGEST = 40  # characters of a cell shown
# the quasi-identifiers are those of recognition/truths.toml; education-num says education again
TABLES = {
    "adult": "age|workclass|education|marital-status|occupation|relationship|race|sex|native-country",
    "adult_arx": "sex|age|race|marital-status|education|native-country|workclass|occupation",
    "cmc": "age|Weducation|Heducation|children|working|occupation",
    "german_credit": "age|foreign_worker|personal_status|residence_since|employment|job|property_magnitude|housing",
    "heart_cleveland": "age|sex",
    "heart_disease_qidlib": "age|sex",
    "hospital_sparcs_2016_random1000": "Age Group|Race|Gender|Ethnicity|Zip Code - 3 digits",
    "informs": "DOBMM|DOBYY|SEX|marry|EDUCYEAR",
    "smartnoise_linkage/demographic": "Gender|Age|Zip",
    "smartnoise_linkage/medical": "Gender|Age|Zip",
}
WAYS = ({"method": "optimal"}, {}, {"method": "local", "output": "sets"})


def read(name: str) -> tuple[la.Table, int]:
    """The quasi-identifiers of a table, of every n-th row where there are many, and how many rows there were.

    Values that `inspect` takes for spellings of missing are read so.
    """
    folder, _, file = name.partition("/")
    frame = pl.read_csv(data_folder() / folder / f"{file or folder}.csv", infer_schema_length=None)
    quasi = TABLES[name].split("|")
    few = frame.select(quasi).gather_every(-(-len(frame) // MOST))
    given = {"hierarchies": data_folder() / folder / "hierarchies"} if name == "adult_arx" else {}
    return la.table(few, quasi=quasi, na=la.inspect(few).na, **given), len(frame)


def gone(release: la.Release) -> str:
    names = [outcome.column for outcome in release.outcomes if (outcome.kept or 0) <= GONE]
    return ", ".join(names) or "none"


def line(cells: list[object]) -> str:
    """A line of a Markdown table; long cells are cut."""
    texts = ["" if cell is None else str(cell) for cell in cells]
    return "| " + " | ".join(t if len(t) < LONGEST else f"{t[:LONGEST]}…" for t in texts) + " |"


def rows(people: la.Table, release: la.Release) -> str:
    """Five released rows, none of which is somebody's as it was."""
    texts = people.rows.select(pl.all().cast(pl.String))
    frame = release.rows.join(texts, on=texts.columns, how="anti", maintain_order="left").head(5)
    return "\n".join(map(line, [frame.columns, ["---"] * frame.width, *frame.rows()]))


def main() -> None:
    warnings.simplefilter("ignore")
    samples = []
    print(line(["table", "rows", "k", "loss before", "after", "in pure sets", "left out", "columns gone"]))
    print(line(["---"] * 8))
    for name in TABLES:
        people, all_rows = read(name)
        size = f"{len(people):,}" + (f" of {all_rows:,}" if all_rows > len(people) else "")
        for k in (5, 11):
            before, after, sets = (la.anonymize(people, la.KAnonymity(k), **way) for way in WAYS)
            losses = [f"{made.loss:.3f}" for made in (before, after, sets)]
            left_out = f"{before.suppressed:,} → {after.suppressed:,}"
            print(
                "|",
                " | ".join([name, size, str(k), *losses, left_out, f"{gone(before)} → {gone(after)}"]),
                "|",
            )
            if k == 5:
                samples.append(
                    f"### {name}\n\nk=5 before, one rule for all rows:\n\n{rows(people, before)}\n"
                )
            samples.append(f"k={k} after:\n\n{rows(people, after)}\n")
    print("\n## Rows that go out\n")
    print("\n".join(samples))


if __name__ == "__main__":
    main()

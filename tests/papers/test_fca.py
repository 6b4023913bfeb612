"""`lookalike paper fca` prints what the paper prints beside what we compute, and says where they differ."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from lookalike.papers import fca as paper

AGREE = {
    ("Fig. 1", "risk of record 14"),
    ("Fig. 1", "risk of record 27"),
    ("Fig. 1", "maximum risk"),
    ("Fig. 1", "average risk"),
    ("Table 1", "{} -> River: confidence, support"),
    ("Fig. 3", "stem basis"),
    ("Fig. 8 top", "stem basis, rules that somebody meets"),
    ("Fig. 8 top", "stem basis, premises that nobody meets"),
    ("Fig. 9", "Luxenburger basis at .75, supports"),
    ("Fig. 9", "rules in all"),
}


def test_exactly_the_known_lines_agree_and_every_difference_has_a_remark(capsys):
    paper.run(output=None, full=False, seed=0, json=True)
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert {(line["where"], line["what"]) for line in lines if line["agrees"] == "yes"} == AGREE
    assert all(line["remark"] for line in lines if line["agrees"] in ("no", "partly"))


def test_pictures_and_table_are_written(tmp_path, capsys):
    paper.run(output=tmp_path / "out", full=False, seed=0, json=False)
    assert "printed and computed" in capsys.readouterr().out
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "fca.csv",
        "figure5_lattice.svg",
        "figure6_step1.svg",
        "figure6_step2.svg",
        "figure6_step3.svg",
        "figure7_risk.svg",
    ]
    for path in (tmp_path / "out").glob("*.svg"):
        ElementTree.parse(path)

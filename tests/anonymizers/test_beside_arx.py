"""The benchmark that runs ARX where a jar is given: its driver and what is read from it, against a stand-in for ARX."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from benchmarks.peers import arx

#: The names of ARX that the driver calls. It "finds" level 1 for every column whose hierarchy has more than k levels.
STAND_IN = {
    "Data": """public class Data {
        static String header;
        final DataDefinition definition = new DataDefinition();
        public static Data create(String path, java.nio.charset.Charset set, char mark) throws java.io.IOException {
            header = java.nio.file.Files.readAllLines(java.nio.file.Path.of(path), set).get(0);
            return new Data();
        }
        public DataDefinition getDefinition() { return definition; }
    }""",
    "DataDefinition": """public class DataDefinition {
        final java.util.Map<String, AttributeType> types = new java.util.HashMap<>();
        public void setAttributeType(String name, AttributeType type) { types.put(name, type); }
    }""",
    "AttributeType": """public class AttributeType {
        public static class Hierarchy extends AttributeType {
            int height;
            public static Hierarchy create(String path, java.nio.charset.Charset set, char mark)
                    throws java.io.IOException {
                Hierarchy out = new Hierarchy();
                String first = java.nio.file.Files.readAllLines(java.nio.file.Path.of(path), set).get(0);
                out.height = first.split(String.valueOf(mark)).length;
                return out;
            }
        }
    }""",
    "ARXConfiguration": """public class ARXConfiguration {
        int k; double limit;
        public static ARXConfiguration create() { return new ARXConfiguration(); }
        public ARXConfiguration addPrivacyModel(org.deidentifier.arx.criteria.KAnonymity m) { k = m.k; return this; }
        public void setSuppressionLimit(double limit) { this.limit = limit; }
        public void setQualityModel(org.deidentifier.arx.metric.Metric<?> metric) { }
    }""",
    "ARXAnonymizer": """public class ARXAnonymizer {
        public ARXResult anonymize(Data data, ARXConfiguration asked) {
            System.out.println("something of its own");
            return new ARXResult(data, asked);
        }
    }""",
    "ARXResult": """public class ARXResult {
        final Data data; final ARXConfiguration asked;
        ARXResult(Data data, ARXConfiguration asked) { this.data = data; this.asked = asked; }
        public ARXLattice.ARXNode getGlobalOptimum() { return new ARXLattice.ARXNode(this); }
    }""",
    "ARXLattice": """public class ARXLattice {
        public static class ARXNode {
            final ARXResult result;
            ARXNode(ARXResult result) { this.result = result; }
            public int getGeneralization(String name) {
                if (!java.util.Arrays.asList(Data.header.split(";")).contains(name)) throw new RuntimeException();
                int height = ((AttributeType.Hierarchy) result.data.definition.types.get(name)).height;
                return height > result.asked.k ? 1 : 0;
            }
        }
    }""",
    "criteria.KAnonymity": """public class KAnonymity {
        public final int k;
        public KAnonymity(int k) { this.k = k; }
    }""",
    "metric.Metric": """public class Metric<T> {
        public enum AggregateFunction { ARITHMETIC_MEAN }
        public static Metric<Object> createLossMetric(AggregateFunction how) { return new Metric<>(); }
    }""",
}


def test_what_the_driver_prints_is_read_and_other_lines_are_not() -> None:
    runs = arx.parse_runs("Hello\nARX;5;0.05;1.25;age=2;a=b=0\nARX;10;1.0;3e-1;age=0;a=b=1\n")
    assert [tuple(run) for run in runs] == [
        (5, 0.05, 1.25, {"age": 2, "a=b": 0}),
        (10, 1.0, 0.3, {"age": 0, "a=b": 1}),
    ]


@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a Java compiler")
def test_the_driver_runs_every_k_and_limit_with_every_hierarchy(tmp_path: Path) -> None:
    sources = []
    for name, text in STAND_IN.items():
        package = ".".join(["org.deidentifier.arx", *name.split(".")[:-1]])
        source = tmp_path / "src" / Path(*package.split(".")) / f"{name.split('.')[-1]}.java"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(f"package {package};\n{text}", "utf-8")
        sources.append(str(source))
    classes = tmp_path / "classes"
    subprocess.run(["javac", "-d", str(classes), *sources], check=True)
    trees = tmp_path / "hierarchies"
    trees.mkdir()
    (trees / "age.csv").write_text("20;2*;*;**\n30;3*;*;**\n", "utf-8")
    (trees / "sex.csv").write_text("m;*\nw;*\n", "utf-8")
    frame = pl.DataFrame({"age": [20, 30], "sex": ["m", "w"]})
    runs = arx.run_arx(classes, frame, trees, (1, 3), (0.0, 0.5))
    assert [(run.k, run.limit, run.levels) for run in runs] == [
        (1, 0.0, {"age": 1, "sex": 1}),
        (1, 0.5, {"age": 1, "sex": 1}),
        (3, 0.0, {"age": 1, "sex": 0}),
        (3, 0.5, {"age": 1, "sex": 0}),
    ]
    assert all(run.seconds >= 0 for run in runs)
    with pytest.raises(SystemExit, match="ARX did not run"):
        arx.run_arx(tmp_path, frame, trees, (1,), (0.0,))

"""What the QID paper prints: its ten patients, Tables 4 to 7 and the correlations of Figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MEDICAL: dict[str, list[Any]] = {
    "Age": [34, 28, 45, 34, 29, 60, 34, 41, 54, 39],
    "Gender": list("MFFMMFMFFM"),
    "Diagnosis": ["Hypertension" if c == "H" else "Diabetes" for c in "HDHDHHDHDH"],
    "Treatment": ["A" if c == "H" else "B" for c in "HDHDHHDHDH"],
    "Outcome": ["Improved" if c == "I" else "Not Improved" for c in "INIINIININ"],
}
#: Table 4 as printed: set of columns -> k, separation, distinction, accuracy, covariate shift, fitness
TABLE_4 = {
    ("Age", "Gender"): (1, 0.80, 0.75, 0.40, 0.60, 0.45),
    ("Age", "Diagnosis"): (1, 0.75, 0.80, 0.50, 0.65, 0.43),
    ("Gender", "Diagnosis"): (1, 0.65, 0.90, 0.35, 0.55, 0.40),
    ("Age", "Treatment"): (1, 0.70, 0.85, 0.60, 0.70, 0.35),
    ("Gender", "Treatment"): (1, 0.68, 0.88, 0.45, 0.62, 0.39),
    ("Age", "Gender", "Treatment"): (1, 0.60, 0.90, 0.65, 0.75, 0.33),
    ("Age", "Diagnosis", "Treatment"): (1, 0.50, 0.92, 0.75, 0.80, 0.30),
    ("Gender", "Diagnosis", "Treatment"): (1, 0.55, 0.95, 0.80, 0.85, 0.28),
}
#: Table 5: the best sets, under the names of our files
TABLE_5 = {
    "adult": [
        *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
        *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
    ],
    "car": ["buying", "maint", "lug_boot", "eval"],
    "diabetes_aim94": ["time", "value"],
    "heart_disease_qidlib": ["sex", "thalach", "exang", "oldpeak", "slope", "ca", "thal", "num"],
    "nursery": ["parents", "has_nurs", "form", "housing", "social", "health"],
}
#: the header of the source of nursery names 8 of its 9 columns, so that read as it is the first column is left without
#: a name and each name stands over the next column: what the printed names of that set mean
MEANT = {
    "nursery": dict(
        zip(
            ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health"),
            ("has_nurs", "form", "children", "housing", "finance", "social", "health", "class"),
            strict=True,
        )
    )
}
#: Table 6: distinction, separation, mean class size, length penalty
TABLE_6 = {
    "adult": (0.99, 1.00, 1.00, 0.88),
    "car": (0.06, 0.99, 16.78, 0.51),
    "diabetes_aim94": (0.51, 1.00, 1.94, 0.50),
    "heart_disease_qidlib": (0.75, 0.99, 1.33, 0.51),
    "nursery": (0.06, 1.00, 16.13, 0.63),
}
#: Table 6: the fitness printed for these
TABLE_6_F = {
    "adult": 8.99,
    "car": 90.24,
    "diabetes_aim94": 82.47,
    "heart_disease_qidlib": 2.22,
    "nursery": 691.11,
}
#: Table 7, last row
TABLE_7_ACCURACY = {
    "adult": 0.88,
    "car": 0.50,
    "diabetes_aim94": 0.50,
    "heart_disease_qidlib": 0.50,
    "nursery": 0.50,
}
#: Table 7: specificity, FPR, precision, recall, F1, F2, Jaccard, Dice
TABLE_7 = {
    "adult": (0.11, 0.89, 0.47, 0.88, 0.61, 0.74, 0.44, 0.61),
    "car": (0.50, 0.50, 0.50, 0.50, 0.50, 0.50, 0.33, 0.50),
    "diabetes_aim94": (0.50, 0.50, 0.50, 0.50, 0.50, 0.50, 0.33, 0.50),
    "heart_disease_qidlib": (0.13, 0.88, 0.13, 0.50, 0.20, 0.31, 0.11, 0.20),
    "nursery": (0.33, 0.67, 0.33, 0.50, 0.40, 0.45, 0.25, 0.40),
}
#: Figure 1: correlations over all sets of four columns, as printed
FIGURE_1 = {
    ("k_anonymity.mean", "separation"): -1.00,
    ("k_anonymity.mean", "distinction"): -0.73,
    ("distinction", "separation"): 0.74,
    ("gini", "range_utility"): 0.99,
    ("gini", "information_gain"): -0.92,
    ("range_utility", "information_gain"): -0.96,
}
CAUSAL_MOST = 0.31  #: Figure 1: the largest correlation of causal importance, with range utility


def best_set(name: str) -> list[str]:
    """The printed best set under the names of our file."""
    meant = MEANT.get(name, {})
    return [meant.get(column, column) for column in TABLE_5[name]]


def columns_as_read(name: str, columns: Sequence[str]) -> list[str]:
    """The columns that the paper's code saw of a set."""
    return (
        [column for column in columns if column in MEANT[name].values()] if name in MEANT else list(columns)
    )

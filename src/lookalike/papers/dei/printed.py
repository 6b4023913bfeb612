"""What the de-identification study prints: its steps, Tables 1 to 3, the k it chose, the ratio of entropies."""

from __future__ import annotations

from itertools import pairwise

#: the study's order of generalisation, with the classes and unique records it prints after each step
STEPS = {
    "": (97_358, 95_426),
    "area": (81_432, 71_623),
    "age": (39_622, 21_572),
    "marital_status": (36_850, 18_455),
    "num_children": (22_472, 7_485),
    "qualifications": (12_827, 3_489),
    "occupation": (9_911, 2_561),
}
DROPPED_K = dict(
    zip(range(2, 12), (2561, 4925, 6911, 8751, 10761, 12723, 14767, 17039, 19658, 22428), strict=True)
)
DROPPED_L = dict(zip(range(2, 12), (6852, 6294, 5949, 5681, 5351, 5074, 4683, 4185, 3844, 3434), strict=True))
DROPPED_L_IN_TEXT = 4_195  #: at k = 9
CLASSES = 9_911
PLAIN_AT_9 = 49_353
CHOSEN_K = 9
IMPACT_FROM = 10  #: the smallest k with a significant impact in Table 1, on the second use case
#: Table 2: share of people on benefits with lower education, by region, in the study's original and release
SHARES = {
    "East Midlands": (0.809191, 0.955514),
    "West Midlands": (0.808411, 0.919218),
    "North East": (0.804627, 0.957627),
    "Yorkshire and the Humber": (0.80107, 0.885235),
    "Wales": (0.798287, 0.973846),
    "North West": (0.794777, 0.9087),
    "South West": (0.785903, 0.887486),
    "East of England": (0.767637, 0.936929),
    "South East": (0.743353, 0.795799),
    "London": (0.683931, 0.72681),
}
#: Table 3: p-values of income between men and women by occupation
P_VALUES = {
    "1": (0.766, 0.172),
    "2": (0.698, 0.268),
    "3": (0.581, 0.784),
    "4 and 5": (0.029, 0.018),
    "6 and 7": (0.157, 0.067),
    "8 and 9": (0.982, 0.528),
    "10": (0.985, 0.359),
}
ENTROPY_RATIO = 0.683
NOT_PUBLIC = "the study's table is not public; ours are invented people"


def class_sizes() -> dict[int, int]:
    """Classes of each size 1 to 10 that follow from the printed Table 1.

    Raising k by one drops the classes of size k-1, so every increment of "dropped for k" must be divisible by k-1.
    """
    sizes = {1: DROPPED_K[2]}
    for (_, before), (k, after) in pairwise(DROPPED_K.items()):
        classes, rest = divmod(after - before, k - 1)
        if rest:
            raise ArithmeticError(f"the printed increment at k={k} is not a multiple of {k - 1}")
        sizes[k - 1] = classes
    return sizes

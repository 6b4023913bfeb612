"""Draw a lattice as a Hasse diagram in SVG: layers, reduced labels, risk as shade, the threshold as a ring.

Layers are longest paths from the top; the order inside a layer comes from barycentre sweeps (Sugiyama et al., 1981,
doi:10.1109/TSMC.1981.4308636). An attribute is written once, above the largest concept that has it, a record once,
below the smallest. Cost: O(sweeps x edges); meant for up to about 60 concepts at a time.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.fca.contexts import Context, unpack
from lookalike.fca.lattices import Lattice, concept_lattice

DRAWING_LIMIT = 120
_RADIUS, _FONT, _LINE, _CHAR, _GAP = 11, 11, 13, 6.3, 26
_LIGHT, _DARK, _RING, _INK = (255, 250, 240), (196, 52, 22), "#7a0c02", "#44505c"
_SWEEPS = 24

Floats = NDArray[np.float64]
_Near = tuple[list[list[int]], list[list[int]]]  # neighbours of each node above and below


def concept_risk(lattice: Lattice) -> Floats:
    """One over the fewest objects that separate a concept from a lower neighbour; 0 for an empty extent.

    At the concept of a record this is the record's basic risk r_BS.
    """
    context = lattice.context
    crosses = unpack(context.rows, len(context.attributes)) * context.weights[:, None]
    risks = np.zeros(len(lattice))
    for c in np.flatnonzero(lattice.supports):
        shared = crosses[context.rows_with(lattice.intents[c])].sum(axis=0)
        # Attributes of the intent are shared by all; the others leave somebody out.
        risks[c] = 1.0 / (lattice.supports[c] - shared[shared < lattice.supports[c]].max(initial=0))
    return risks


def draw_lattice(
    lattice: Lattice, *, threshold: float | None = None, title: str = "", limit: int = DRAWING_LIMIT
) -> str:
    """The lattice as SVG text, concepts shaded by risk, those above the threshold ringed.

    A lattice of more than `limit` concepts is refused: draw `surroundings(context, attributes)` of one concept instead.
    """
    if len(lattice) > limit:
        raise RequestError(
            f"a diagram of {len(lattice):,} concepts cannot be read. Draw the surroundings of one concept with "
            f"`surroundings(context, attributes)`, an iceberg with minimum_support=, or raise limit= ({limit})."
        )
    above, below = _labels(lattice)
    layers, paths = _routed(lattice)
    near = _neighbours(len(layers), paths)
    blank: list[list[str]] = [[] for _ in range(len(layers) - len(lattice))]
    widths = np.array([_width(a + b) for a, b in zip(above + blank, below + blank, strict=True)])
    widths[len(lattice) :] = 4
    order = _order(layers, near)
    x = _spread(order, near, widths)
    x += 16 - (x - widths / 2).min()
    width = max(float((x + widths / 2).max()) + 16, 380.0)
    y, height = _rows(order, above + blank, below + blank, 34.0 if title else 14.0, width)
    risk = concept_risk(lattice)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height + 44:.0f}" '
        f'viewBox="0 0 {width:.0f} {height + 44:.0f}" role="img" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="{_FONT}">',
        f"<title>{escape(title or repr(lattice))}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if title:
        parts.append(
            f'<text x="16" y="22" font-size="14" font-weight="bold" fill="{_INK}">{escape(title)}</text>'
        )
    for path in paths:
        points = " ".join(f"{x[c]:.1f},{y[c]:.1f}" for c in path)
        parts.append(f'<polyline points="{points}" fill="none" stroke="#9aa5b1"/>')
    for c in range(len(lattice)):
        parts += _node(lattice, c, x[c], y[c], risk[c], threshold)
    for c in range(len(lattice)):
        top = y[c] - _RADIUS - 5 - _LINE * (len(above[c]) - 1)
        parts += [_text(x[c], top + _LINE * i, line, "#1d4f91") for i, line in enumerate(above[c])]
        low = y[c] + _RADIUS + 12
        parts += [_text(x[c], low + _LINE * i, line, "#333") for i, line in enumerate(below[c])]
    parts += _legend(height + 16, threshold)
    return "\n".join([*parts, "</svg>", ""])


def draw_most_frequent(context: Context, *, threshold: float | None = None, most: int = 60) -> str:
    """The whole lattice where it is small; else the concepts of the largest groups, as many as can be read."""
    try:
        return draw_lattice(concept_lattice(context, limit=most), threshold=threshold)
    except RequestError:
        pass
    low, high = (
        0,
        context.size,
    )  # objects a concept must have: too few for `low`, few enough concepts for `high`
    best = concept_lattice(context, minimum_support=1.0)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            best = concept_lattice(context, minimum_support=middle / context.size, limit=most)
            high = middle
        except RequestError:
            low = middle
    title = f"The {len(best)} concepts of at least {high:,} of {context.size:,} records"
    return draw_lattice(best, threshold=threshold, title=title)


def _routed(lattice: Lattice) -> tuple[NDArray[np.int64], list[list[int]]]:
    """The layer of each concept, then of the bends that lead long edges past other layers; the path of each edge."""
    layers = [0] * len(lattice)
    edges = list(zip(lattice.upper.tolist(), lattice.lower.tolist(), strict=True))
    for a, b in edges:  # uppers ascend, so a layer is final before it is read
        layers[b] = max(layers[b], layers[a] + 1)
    paths = []
    for a, b in edges:
        between = range(layers[a] + 1, layers[b])
        paths.append([a, *range(len(layers), len(layers) + len(between)), b])
        layers.extend(between)
    return np.array(layers, dtype=np.int64), paths


def _neighbours(nodes: int, paths: list[list[int]]) -> _Near:
    """For each node the nodes it meets in the layer above and below."""
    up: list[list[int]] = [[] for _ in range(nodes)]
    down: list[list[int]] = [[] for _ in range(nodes)]
    for path in paths:
        for a, b in pairwise(path):
            up[b].append(a)
            down[a].append(b)
    return up, down


def _labels(lattice: Lattice) -> tuple[list[list[str]], list[list[str]]]:
    """Lines above (attributes) and below (objects) each concept."""
    context = lattice.context
    above: list[list[str]] = [[] for _ in range(len(lattice))]
    below: list[list[str]] = [[] for _ in range(len(lattice))]
    for concept in range(len(lattice)):
        # What the concepts above already say is not repeated; in a whole lattice this is the reduced labelling.
        said = np.bitwise_or.reduce(lattice.intents[lattice.upper_of(concept)], axis=0)
        above[concept] = list(context.decode(lattice.intents[concept] & ~said))
    for row, concept in enumerate(lattice.object_concepts):
        if concept >= 0:
            shown = np.flatnonzero(context.number == row)[:7]
            texts = [str(context.objects[i]) for i in shown]
            more = int(context.weights[row]) - len(texts)
            below[concept] = _wrap([*texts, *([f"+{more:,} more"] if more > 0 else [])])
    return [_shorten(lines) for lines in above], below


def _wrap(words: list[str], room: int = 18) -> list[str]:
    lines = [""]
    for i, word in enumerate(words):
        item = word + ("," if i < len(words) - 1 else "")
        if lines[-1] and len(lines[-1]) + len(item) > room:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + item
    return lines


def _shorten(lines: list[str], most: int = 4) -> list[str]:
    cut = [line if len(line) <= 34 else line[:33] + "…" for line in lines]
    return cut if len(cut) <= most else [*cut[: most - 1], f"+{len(cut) - most + 1} more"]


def _width(lines: list[str]) -> float:
    return max([2.0 * _RADIUS, *(_CHAR * len(line) for line in lines)])


def _order(layers: NDArray[np.int64], near: _Near) -> list[list[int]]:
    """Nodes per layer, left to right, after sweeping down and up by the mean place of neighbours."""
    order = [[int(c) for c in np.flatnonzero(layers == depth)] for depth in range(int(layers.max()) + 1)]
    place = np.zeros(len(layers))
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for layer in order if down else order[::-1]:
            sides = near[0] if down else near[1]
            means = {c: place[sides[c]].mean() if sides[c] else place[c] for c in layer}
            layer.sort(key=lambda c: (means[c], place[c]))
            for i, c in enumerate(layer):
                place[c] = i - (len(layer) - 1) / 2
    return order


def _spread(order: list[list[int]], near: _Near, widths: Floats) -> Floats:
    """Horizontal places: near the mean of all neighbours, in order, labels never overlapping inside a layer."""
    x = np.zeros(len(widths))
    for layer in order:
        _separate(x, layer, widths)
    for sweep in range(_SWEEPS):
        for layer in order if sweep % 2 == 0 else order[::-1]:
            for c in layer:
                both = near[0][c] + near[1][c]
                if both:
                    x[c] = x[both].mean()
            _separate(x, layer, widths)
    return x


def _separate(x: Floats, layer: list[int], widths: Floats) -> None:
    """Push the concepts of a layer apart as little as needed, half from each side."""
    wanted = x[layer]
    right, left = wanted.copy(), wanted.copy()
    space = [(widths[a] + widths[b]) / 2 + _GAP for a, b in pairwise(layer)]
    for i, room in enumerate(space):
        right[i + 1] = max(right[i + 1], right[i] + room)
    for i in range(len(space) - 1, -1, -1):
        left[i] = min(left[i], left[i + 1] - space[i])
    x[layer] = (right + left) / 2


def _rows(
    order: list[list[int]], above: list[list[str]], below: list[list[str]], start: float, width: float
) -> tuple[Floats, float]:
    """Vertical places: each layer leaves room for its labels and for edges to spread; and the total height."""
    y = np.zeros(sum(map(len, order)))
    at = start
    for layer in order:
        at += _LINE * max(len(above[c]) for c in layer) + _RADIUS + 8
        y[layer] = at
        at += _RADIUS + 8 + _LINE * max(len(below[c]) for c in layer) + 26 + 0.05 * width
    return y, at - 20 - 0.05 * width


def _node(lattice: Lattice, c: int, x: float, y: float, risk: float, threshold: float | None) -> list[str]:
    risky = threshold is not None and risk > threshold
    stroke = f'stroke="{_RING}" stroke-width="3"' if risky else f'stroke="{_INK}" stroke-width="1.2"'
    words = ", ".join(lattice.context.decode(lattice.intents[c])) or "no common attribute"
    note = f"{int(lattice.supports[c]):,} objects: {words}; risk {risk:.3g}"
    return [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{_shade(risk)}" {stroke}>'
        f"<title>{escape(note)}</title></circle>",
        f'<text x="{x:.1f}" y="{y + 3.5:.1f}" text-anchor="middle" font-size="9" '
        f'fill="{"white" if risk > 0.6 else "#222"}">{_short(int(lattice.supports[c]))}</text>',
    ]


def _short(count: int) -> str:
    """A count that fits into a circle: 12, 950, 34k, 2M."""
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count // size}{letter}"
    return str(count)


def _shade(risk: float) -> str:
    return "#" + "".join(f"{round(a + (b - a) * risk):02x}" for a, b in zip(_LIGHT, _DARK, strict=True))


def _text(x: float, y: float, line: str, colour: str) -> str:
    """A label with a white halo, so that edges do not run through it; drawn twice, as not every viewer can layer it."""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="middle"'
    halo = f'<text {place} fill="none" stroke="white" stroke-width="3.5" stroke-linejoin="round" aria-hidden="true">'
    return f'{halo}{escape(line)}</text><text {place} fill="{colour}">{escape(line)}</text>'


def _legend(y: float, threshold: float | None) -> list[str]:
    steps = 20
    parts = [
        f'<rect x="{16 + 6 * i}" y="{y:.0f}" width="6" height="10" fill="{_shade(i / (steps - 1))}"/>'
        for i in range(steps)
    ]
    words = "risk 0 to 1"
    if threshold is not None:
        at = 16 + 6 * steps * threshold
        parts.append(
            f'<line x1="{at:.1f}" y1="{y - 3:.0f}" x2="{at:.1f}" y2="{y + 13:.0f}" stroke="{_RING}" stroke-width="2"/>'
        )
        words += f", ringed above {threshold:g}"
    parts.append(f'<text x="{16 + 6 * steps + 8}" y="{y + 9:.0f}" fill="{_INK}">{words}</text>')
    return parts

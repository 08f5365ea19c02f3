"""Outlines written as short path strings, the way a drawing program writes them.

Only absolute commands are known: M, L, C (cubic), Q (quadratic) and Z. Numbers are free of unit; the drawings of
`calibration.art.symbols` use a box from -100 to 100 with y down.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""(n, 2) points, x right, y down."""

_TOKEN = re.compile(r"[MLCQZ]|-?\d+(?:\.\d+)?")
_TAKES = {"M": 1, "L": 1, "Q": 2, "C": 3}


def path(text: str, steps: int = 20) -> list[Points]:
    """Turn a path string into polylines, one for every M.

    Parameters
    ----------
    text
        For example ``"M 0,-90 C 40,-40 60,0 0,90 Z"``.
    steps
        Points along each curve.

    Returns
    -------
    list of (n, 2) arrays; a path that ends with Z repeats its first point.

    Raises
    ------
    ValueError
        If the text does not start with M or a command lacks numbers.
    """
    tokens = _TOKEN.findall(text)
    lines: list[list[Points]] = []
    command = ""
    i = 0
    while i < len(tokens):
        if tokens[i] in "MLCQZ":
            command = tokens[i]
            i += 1
            if command == "Z":
                lines[-1].append(lines[-1][0][:1])
                continue
        if command not in _TAKES or (command != "M" and not lines):
            raise ValueError(f"a path starts with M: {text!r}")
        need = 2 * _TAKES[command]
        numbers = [float(t) for t in tokens[i : i + need]]
        if len(numbers) < need:
            raise ValueError(f"numbers are missing after {command}: {text!r}")
        i += need
        p = np.array(numbers).reshape(-1, 2)
        if command == "M":
            lines.append([p])
            command = "L"
        elif command == "L":
            lines[-1].append(p)
        else:
            lines[-1].append(_curve(np.vstack([lines[-1][-1][-1:], p]), steps))
    return [np.vstack(line) for line in lines]


def _curve(control: Points, steps: int) -> Points:
    """Points on a Bezier curve without its first one (de Casteljau)."""
    t = np.linspace(0, 1, steps + 1)[1:, None]
    levels = [np.broadcast_to(c, (steps, 2)) for c in control]
    while len(levels) > 1:
        levels = [a * (1 - t) + b * t for a, b in itertools.pairwise(levels)]
    return np.asarray(levels[0])


def smooth(points: Sequence[tuple[float, float]] | Points, steps: int = 8, closed: bool = True) -> Points:
    """A Catmull-Rom curve through the points."""
    p = np.asarray(points, dtype=np.float64)
    # an open line is lengthened at both ends, so that it reaches its first and last point
    p = np.vstack([p[-1:], p, p[:2]] if closed else [2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    out = []
    for a, b, c, d in zip(p, p[1:], p[2:], p[3:], strict=False):
        out.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))
    if not closed:
        out.append(p[-2:-1])
    return np.vstack(out)


def circle(x: float, y: float, r: float, n: int = 64) -> Points:
    """A circle as a polygon."""
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([x + r * np.cos(a), y + r * np.sin(a)])


def regular(n: int, r: float, turn: float = 0.0, inner: float | None = None) -> Points:
    """A regular polygon with a corner on top, or a star when `inner` (radius of the notches) is given."""
    k = n if inner is None else 2 * n
    a = np.arange(k) * 2 * np.pi / k - np.pi / 2 + turn
    radius = np.full(k, r)
    if inner is not None:
        radius[1::2] = inner
    return np.column_stack([radius * np.cos(a), radius * np.sin(a)])


def box(x0: float, y0: float, x1: float, y1: float, radius: float = 0.0) -> Points:
    """A rectangle with rounded corners, clockwise from the top left."""
    if radius <= 0:
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float64)
    q = np.linspace(0, np.pi / 2, 12)
    out = []
    for cx, cy, start in (
        (x1 - radius, y0 + radius, -np.pi / 2),
        (x1 - radius, y1 - radius, 0.0),
        (x0 + radius, y1 - radius, np.pi / 2),
        (x0 + radius, y0 + radius, np.pi),
    ):
        out.append(np.column_stack([cx + radius * np.cos(start + q), cy + radius * np.sin(start + q)]))
    return np.vstack(out)


def spiral(turns: float, r0: float, r1: float, start: float = 0.0, n: int = 120) -> Points:
    """A spiral from radius r0 outwards to r1."""
    t = np.linspace(0, 1, n)
    a = start + t * turns * 2 * np.pi
    r = r0 + (r1 - r0) * t
    return np.column_stack([r * np.cos(a), r * np.sin(a)])


def moved(points: Points, x: float = 0.0, y: float = 0.0, scale: float = 1.0, turn: float = 0.0) -> Points:
    """The points scaled, turned (clockwise, y down) and moved."""
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(points @ np.array([[c, s], [-s, c]]) * scale + np.array([x, y]))

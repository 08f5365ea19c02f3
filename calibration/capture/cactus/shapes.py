"""Shapes of flat pieces, whichever way they lie and whichever side is up: which are alike."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SIDE = 40  # rows and columns in which shapes are compared
_TURNS = 60
_ALIKE = 0.9  # likeness of two outlines of one shape, at least
_SURELY = 0.93  # likeness to its kind from which a piece surely is of it
_TWIN = 0.97  # likeness from which another of its colour is the same piece
_MAIMED = 0.55  # likeness from which a piece may be one of a kind that was badly seen
_FEWEST = 3  # pieces of a basic shape that must have been found


def likeness(outlines: Sequence[Array]) -> Array:
    """(n, n) overlap of each two outlines, turned and mirrored to fit best and brought to one area: 1 with itself.

    Soft rims make even one and the same outline overlap itself by less than all, thin ones most: that is made up for.
    """
    upright = np.stack([_mask(o, 0.0, False) for o in outlines]).reshape(len(outlines), -1)
    area = upright.sum(1)
    out = np.zeros((len(outlines), len(outlines)))
    for i, o in enumerate(outlines):
        every = np.stack(
            [_mask(o, 2 * np.pi * k / _TURNS, mirrored).ravel() for k in range(_TURNS) for mirrored in (False, True)]
        )
        common = every @ upright.T
        union = every.sum(1)[:, None] + area[None] - common
        out[i] = (common / np.maximum(union, 1e-6)).max(0)
    own = np.sqrt(np.maximum(np.diagonal(out), 1e-6))
    return np.asarray((out + out.T) / 2 / (own[:, None] * own[None]))


def _mask(outline: Array, turn: float, mirrored: bool) -> NDArray[np.float32]:
    centred = _centred(outline)
    if mirrored:
        centred = centred * [-1, 1]
    c, s = np.cos(turn), np.sin(turn)
    at = centred @ np.array([[c, s], [-s, c]]) * _SIDE * 0.2 + (_SIDE - 1) / 2
    canvas = np.zeros((_SIDE, _SIDE), np.uint8)
    cv2.fillPoly(canvas, [np.round(at * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return np.asarray(canvas / np.float32(255), np.float32)


def _centred(outline: Array) -> Array:
    """The outline about its centre of area, as large as a square of side 2."""
    m = cv2.moments(outline.astype(np.float32))
    area = max(m["m00"], 1e-6)
    return np.asarray((outline - [m["m10"] / area, m["m01"] / area]) * 2 / np.sqrt(area))


def sort_shapes(
    outlines: Sequence[Array], colours: Sequence[int], shapes: int, photos: Sequence[int] | None = None
) -> tuple[NDArray[np.intp], Array]:
    """Number of each piece's basic shape, -1 for a special piece, and how doubtful that is, 0 to 1.

    Of a basic shape there is a piece in every colour; a special piece is alone. What is of one colour and one outline
    on two photos is the same piece; a special one that was seen so has a number from `shapes` on. A piece whose colour
    is doubtful has a number of its own for it.
    """
    like = likeness(outlines)
    n = len(outlines)
    groups = _twins(like, colours, range(n) if photos is None else photos)
    while True:
        best: tuple[float, int, int] | None = None
        for a in range(len(groups)):
            for b in range(a):
                if {colours[i] for i in groups[a]} & {colours[i] for i in groups[b]}:
                    continue
                mean = float(like[np.ix_(groups[a], groups[b])].mean())
                if mean > _ALIKE and (best is None or mean > best[0]):
                    best = (mean, a, b)
        if best is None:
            break
        _, a, b = best
        groups[b] += groups[a]
        del groups[a]
    many = [len({colours[i] for i in g}) for g in groups]
    order = sorted(range(len(groups)), key=lambda k: (-many[k], -float(like[np.ix_(groups[k], groups[k])].mean())))
    basic = [groups[k] for k in order[:shapes] if many[k] >= _FEWEST]
    kinds = np.full(n, -1)
    for k, g in enumerate(basic):
        kinds[g] = k
    again = [g for g in groups if len(g) > 1 and len({colours[i] for i in g}) == 1 and kinds[g[0]] < 0]
    for k, g in enumerate(again, shapes):
        kinds[g] = k
    return kinds, _doubt(like, colours, kinds, basic)


def _doubt(like: Array, colours: Sequence[int], kinds: NDArray[np.intp], basic: Sequence[Sequence[int]]) -> Array:
    """(n,) how doubtful each piece's kind is, 0 to 1.

    A special piece must be unlike all basic shapes, another unlike the others. A kind of which no piece of a colour was
    found may have that piece among those of this colour that are like no other, badly seen.
    """
    doubt = np.zeros(len(kinds))
    for i, kind in enumerate(kinds):
        likes = [float(like[i, [j for j in g if j != i]].mean()) if len(g) > 1 else 0.0 for g in basic]
        own = likes[kind] if 0 <= kind < len(basic) else 0.0
        other = max((one for k, one in enumerate(likes) if k != kind), default=0.0)
        doubt[i] = min(1.0, other / max(own, _ALIKE))
        lacking = [one for one, g in zip(likes, basic, strict=True) if colours[i] not in {colours[j] for j in g}]
        if 0 < own < _SURELY or (not own and max(lacking, default=0.0) > _MAIMED):
            doubt[i] = 1.0
    return doubt


def _twins(like: Array, colours: Sequence[int], photos: Sequence[int]) -> list[list[int]]:
    """Pieces by numbers, those together that are the same seen on several photos."""
    groups = [[i] for i in range(len(like))]
    pairs = [(float(like[a, b]), a, b) for a in range(len(like)) for b in range(a) if like[a, b] > _TWIN]
    for _, a, b in sorted(pairs, reverse=True):
        one, other = (next(g for g in groups if i in g) for i in (a, b))
        apart = not {photos[i] for i in one} & {photos[i] for i in other}
        if one is not other and apart and colours[a] == colours[b]:
            one += other
            groups.remove(other)
    return groups

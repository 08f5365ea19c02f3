"""Names of the colours and basic shapes of a copy, by pieces that a person pointed at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.capture.cactus.pieces import LaidPiece
from calibration.capture.deck import Example

Array = NDArray[np.float64]
Kinds = NDArray[np.intp]

_BESIDE_PX = 3.0  # by which a person may point beside a piece
_NEVER = 1000.0
_WORD, _COLOUR, _SHAPE = 0.0, 1.0, 0.8  # costs of a colour's everyday name, of another word for a colour, for a shape
_ORDER = 0.5  # more, for the second of two names as a colour, for the first as a shape
_MISREAD, _NOTHING = 3.0, 6.0  # costs of a shape whose piece was read as special, of pointing where nothing was found
_CLEAR = 0.3  # by which the next best way to understand the names must be worse
_KNOWN_COLOURS = frozenset(
    (
        *("red", "green", "blue", "yellow", "orange", "pink", "purple", "violet", "white", "black", "brown", "grey"),
        *("gray", "cream", "turquoise", "cyan", "teal", "beige", "gold", "silver", "lilac", "magenta", "navy", "olive"),
        *("rot", "grün", "blau", "gelb", "rosa", "lila", "weiß", "schwarz", "braun", "grau", "creme", "türkis"),
    )
)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of kinds, by their numbers, and which of them nobody gave though somebody gave names.

    Parameters
    ----------
    colours, shapes
        Each kind's name; a made-up one where it has none.
    unsure_colours, unsure_shapes
        Numbers of the kinds whose names must be asked about.
    unplaced
        The examples that point where no piece was found.
    misread
        Numbers of pieces that were read as special but have, as was said, a shape: with that shape's number.
    """

    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    unsure_colours: frozenset[int]
    unsure_shapes: frozenset[int]
    unplaced: tuple[Example, ...]
    misread: Mapping[int, int]


def name_kinds(
    examples: Sequence[Example],
    pieces: Sequence[LaidPiece],
    colours: Kinds,
    shapes: Kinds,
    of_colours: int,
    of_shapes: int,
) -> Names:
    """Names of the colours and of the basic shapes.

    An example points at a piece, which has a colour and a shape. Which of both it names follows from all together: no
    two colours or shapes have one name, a word that is a colour's name in everyday speech names a colour, and of two
    names for one piece the first is its colour. What could be understood otherwise nearly as well is unsure.
    """
    if not examples:
        return Names(
            tuple(f"kind-{k + 1}" for k in range(of_colours)),
            tuple(f"shape-{k + 1}" for k in range(of_shapes)),
            frozenset(),
            frozenset(),
            (),
            {},
        )
    at = [_pointed(e, pieces) for e in examples]
    cost = np.stack([_costs(examples, at, row, colours, shapes, of_colours, of_shapes) for row in range(len(examples))])
    rows, columns = linear_sum_assignment(cost)
    best = float(cost[rows, columns].sum())
    given: dict[int, str] = {}
    misread: dict[int, int] = {}
    unsure = set(range(of_colours + of_shapes))
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if cost[row, column] < _NEVER:
            given[column] = examples[row].name
            piece = at[row]
            if piece is not None and column >= of_colours and shapes[piece] != column - of_colours:
                misread[piece] = column - of_colours
            other = cost.copy()
            other[row, column] = _NEVER
            if float(other[linear_sum_assignment(other)].sum()) > best + _CLEAR:
                unsure.discard(column)
    return Names(
        tuple(given.get(k, f"kind-{k + 1}") for k in range(of_colours)),
        tuple(given.get(of_colours + k, f"shape-{k + 1}") for k in range(of_shapes)),
        frozenset(k for k in unsure if k < of_colours),
        frozenset(k - of_colours for k in unsure if k >= of_colours),
        tuple(e for e, i in zip(examples, at, strict=True) if i is None),
        misread,
    )


def _pointed(example: Example, pieces: Sequence[LaidPiece]) -> int | None:
    """Number of the piece at which an example points, None where there is none."""
    inside = [
        cv2.pointPolygonTest(p.outline_px.astype(np.float32), example.at_px, True)
        if p.photo == example.photo
        else -np.inf
        for p in pieces
    ]
    best = int(np.argmax(inside))
    return best if inside[best] > -_BESIDE_PX else None


def _costs(
    examples: Sequence[Example],
    at: Sequence[int | None],
    row: int,
    colours: Kinds,
    shapes: Kinds,
    of_colours: int,
    of_shapes: int,
) -> Array:
    """(colours + shapes,) how unlikely it is that an example names each of them."""
    i = at[row]
    if i is None:
        return np.full(of_colours + of_shapes, _NOTHING)
    cost = np.full(of_colours + of_shapes, _NEVER)
    word = examples[row].name.lower() in _KNOWN_COLOURS
    second, first = i in at[:row], i in at[row + 1 :]
    cost[colours[i]] = (_WORD if word else _COLOUR) + _ORDER * second
    shape = (_COLOUR if word else _SHAPE) + _ORDER * first
    if 0 <= shapes[i] < of_shapes:
        cost[of_colours + shapes[i]] = shape
    elif second:
        cost[of_colours:] = _MISREAD + shape
    return cost

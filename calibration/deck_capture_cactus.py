"""A copy of Cactus from photographs of its pieces laid flat: outlines, colours and shapes, and the cacti."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.capture_grounds import Grounds, sort_grounds
from calibration.capture_pieces import LaidPiece
from calibration.capture_shapes import sort_shapes
from calibration.deck_capture import Enrolled, Example, Json, Part, Photo, Said, Wishes, pieces_on, sighting

COLOURS, SHAPES, PIECES, CACTI = 5, 5, 35, 5
"""What the game has."""

Array = NDArray[np.float64]

_ONE_HUE = 38.0  # difference in a* and b* within which the cacti of a photo are of one colour
_LIGHTNESS = 0.6
_COLOUR_DOUBTFUL, _SHAPE_DOUBTFUL = 0.62, 0.97
_USUAL_PIECE_MM = 38.0
"""Longer side of a middling piece where nothing tells the scale."""
_BASE_MM = {"width_mm": 40.0, "height_mm": 8.0, "depth_mm": 14.0}
_THICKNESS_MM = 3.5
_CUT_SHARE = 0.05  # of a cactus' length: shorter straight ends are not where it stands
_KNOWN_COLOURS = frozenset(
    (
        *("red", "green", "blue", "yellow", "orange", "pink", "purple", "violet", "white", "black", "brown", "grey"),
        *("gray", "cream", "turquoise", "cyan", "teal", "beige", "gold", "silver", "lilac", "magenta", "navy", "olive"),
        *("rot", "grün", "blau", "gelb", "rosa", "lila", "weiß", "schwarz", "braun", "grau", "creme", "türkis"),
    )
)


def enroll_cactus(photos: Sequence[Photo], wishes: Wishes, said: Said) -> Enrolled:
    """Read a copy of Cactus; see the contract of `referee enroll`."""
    pieces: list[LaidPiece] = []
    cacti: list[LaidPiece] = []
    for n, photo in enumerate(photos):
        found = pieces_on(photo, n)
        (cacti if _are_cacti(found) else pieces).extend(found)
        said(photo.name)
    if len(pieces) < COLOURS:
        return Enrolled({}, (), {}, (f"only {len(pieces)} pieces found; lay them apart on plain paper",))
    colours = sort_grounds([p.lab for p in pieces], [p.photo for p in pieces], COLOURS, _LIGHTNESS, PIECES // COLOURS)
    said("colours")
    shapes, doubt = sort_shapes([p.outline_px for p in pieces], colours.kinds.tolist(), SHAPES)
    said("shapes")
    colour_names, shape_names = _names(wishes.examples, pieces, colours.kinds, shapes)
    scales = _scales(photos, pieces, cacti, shapes, wishes)
    parts = _pieces(photos, pieces, colours, shapes, doubt, colour_names, shape_names, scales)
    parts += _cacti(photos, cacti, scales)
    parts = [p.answered(wishes.answers) for p in parts]
    said("outlines")
    remarks = []
    if len(pieces) != PIECES:
        remarks.append(f"{len(pieces)} pieces found, the game has {PIECES}")
    if len(cacti) != CACTI:
        remarks.append(f"{len(cacti)} cacti found, the game has {CACTI}")
    if wishes.cactus_height_mm is None:
        remarks.append("the scale is a guess: state the height of the tallest cactus with --cactus-height MM")
    elif {p.photo for p in pieces} - {c.photo for c in cacti}:
        remarks.append("pieces on other photos than the cacti have a guessed scale: lay a piece beside the cacti")
    deck: Json = {
        "format": 1,
        "game": "cactus",
        "name": "my-cactus",
        "colors": {n: _hex(c) for n, c in zip(colour_names, colours.lab, strict=True)},
        "thickness_mm": _THICKNESS_MM,
        "base": dict(_BASE_MM),
        "pieces": [p.fields for p in parts if p.group == "pieces"],
        "cacti": [p.fields for p in parts if p.group == "cacti"],
    }
    return Enrolled(deck, tuple(parts), {}, tuple(remarks))


def _are_cacti(found: Sequence[LaidPiece]) -> bool:
    """Whether all that lies on a photo is of one hue, as cacti are and pieces are not."""
    if len(found) < 3:
        return False
    ab = np.array([p.lab[1:] for p in found])
    return float(np.linalg.norm(ab[:, None] - ab[None], axis=2).max()) < _ONE_HUE


def _names(
    examples: Sequence[Example], pieces: Sequence[LaidPiece], colours: NDArray[np.intp], shapes: NDArray[np.intp]
) -> tuple[list[str], list[str]]:
    """Names of the five colours and of the five shapes.

    An example points at a piece, which has a colour and a shape. Which of both it names follows from all together: no
    two colours or shapes have one name, and a word that is a colour's name in everyday speech names a colour.
    """
    colour_names: list[str | None] = [None] * COLOURS
    shape_names: list[str | None] = [None] * SHAPES
    cost = np.full((len(examples), COLOURS + SHAPES), 100.0)
    for row, example in enumerate(examples):
        for i, p in enumerate(pieces):
            near = p.photo == example.photo and (
                cv2.pointPolygonTest(p.outline_px.astype(np.float32), example.at_px, True) > -3
            )
            if near:
                word = example.name.lower() in _KNOWN_COLOURS
                # of two names for one piece the first is its colour
                cost[row, colours[i]] = (0.0 if word else 1.0) + 1e-3 * row
                if shapes[i] >= 0:
                    cost[row, COLOURS + shapes[i]] = 1.0 if word else 0.5
    if len(examples):
        for row, column in zip(*linear_sum_assignment(cost), strict=True):
            if cost[row, column] < 50:
                if column < COLOURS:
                    colour_names[column] = examples[row].name
                else:
                    shape_names[column - COLOURS] = examples[row].name
    return (
        [n or f"kind-{k + 1}" for k, n in enumerate(colour_names)],
        [n or f"shape-{k + 1}" for k, n in enumerate(shape_names)],
    )


def _scales(
    photos: Sequence[Photo],
    pieces: Sequence[LaidPiece],
    cacti: Sequence[LaidPiece],
    shapes: NDArray[np.intp],
    wishes: Wishes,
) -> list[float]:
    """Pixels per mm of each photo."""
    known: dict[int, float] = {}
    if wishes.cactus_height_mm is not None and cacti:
        tallest = max(cacti, key=lambda c: float(np.ptp(_standing(c.outline_px)[:, 1])))
        height = float(np.ptp(_standing(tallest.outline_px)[:, 1]))
        for c in cacti:
            known[c.photo] = height / wishes.cactus_height_mm
    size = {n: [_extent(p.outline_px) for p in pieces if p.photo == n] for n in range(len(photos))}
    # photos that show the same shapes are brought to one scale by them
    means: dict[int, float] = {}
    usual = {
        k: float(np.median([_extent(p.outline_px) for p, s in zip(pieces, shapes, strict=True) if s == k]))
        for k in range(SHAPES)
        if (shapes == k).any()
    }
    for n in size:
        ratios = [
            _extent(p.outline_px) / usual[int(s)]
            for p, s in zip(pieces, shapes, strict=True)
            if p.photo == n and s >= 0
        ]
        means[n] = float(np.median(ratios)) if ratios else 1.0
    told = [known[n] / means[n] for n in known if size[n]]
    every = [_extent(p.outline_px) / means[p.photo] for p in pieces]
    base = float(np.median(told)) if told else float(np.median(every)) / _USUAL_PIECE_MM
    return [known.get(n, base * means[n]) for n in range(len(photos))]


def _extent(outline: Array) -> float:
    return float(max(cv2.minAreaRect(outline.astype(np.float32))[1]))


def _pieces(
    photos: Sequence[Photo],
    pieces: Sequence[LaidPiece],
    colours: Grounds,
    shapes: NDArray[np.intp],
    doubt: Array,
    colour_names: Sequence[str],
    shape_names: Sequence[str],
    scales: Sequence[float],
) -> list[Part]:
    out = []
    used: Counter[str] = Counter()
    for i, p in enumerate(pieces):
        colour = colour_names[int(colours.kinds[i])]
        shape = shape_names[int(shapes[i])] if shapes[i] >= 0 else None
        name = f"{shape or 'special'}-{colour}"
        used[name] += 1
        if used[name] > 1 or shape is None:
            name = f"{name}-{used[name]}"
        asks = []
        if colours.doubt[i] > _COLOUR_DOUBTFUL:
            asks.append("color")
        if doubt[i] > _SHAPE_DOUBTFUL:
            asks.append("shape")
        fields: Json = {
            "id": name,
            "color": colour,
            "shape": shape,
            "special": shape is None,
            "outline": _in_mm(p.outline_px, scales[p.photo]),
        }
        seen = (sighting(photos[p.photo], p.outline_px, "outline"),)
        out.append(Part(name, "pieces", fields, seen, tuple(asks)))
    return out


def _cacti(photos: Sequence[Photo], cacti: Sequence[LaidPiece], scales: Sequence[float]) -> list[Part]:
    out = []
    for n, c in enumerate(cacti, 1):
        outline = np.round(_standing(c.outline_px) / scales[c.photo], 2)
        fields: Json = {"id": f"K{n}", "color": _hex(c.lab), "outline": outline.tolist()}
        out.append(Part(f"K{n}", "cacti", fields, (sighting(photos[c.photo], c.outline_px, "outline"),)))
    return out


def _in_mm(outline: Array, scale: float) -> list[list[float]]:
    """The outline about its middle in mm, y upward."""
    middle = (outline.min(0) + outline.max(0)) / 2
    flat = (outline - middle) / scale * [1, -1]
    few = cv2.approxPolyDP(flat.astype(np.float32)[:, None], 0.12, True)[:, 0].astype(float)
    return np.round(few, 2).tolist()  # type: ignore[no-any-return]


def _standing(outline: Array) -> Array:
    """A cactus on its cut end: y upward from it, x from the end's middle, in px.

    The end is the longest straight piece of the outline that has all the rest on one side.
    """
    few = cv2.approxPolyDP(outline.astype(np.float32)[:, None], 2.0, True)[:, 0].astype(float)
    length = _extent(outline)
    best: tuple[float, Array, Array] | None = None
    for p, q in zip(few, np.roll(few, -1, 0), strict=True):
        side = float(np.hypot(*(q - p)))
        if side < _CUT_SHARE * length:
            continue
        along = (q - p) / side
        up = np.array([-along[1], along[0]])
        heights = (outline - p) @ up
        if abs(heights.min()) > abs(heights.max()):
            up, heights = -up, -heights
        if heights.min() < -0.03 * length or heights.max() < 0.55 * length:
            continue
        score = side * float(heights.max())
        if best is None or score > best[0]:
            best = (score, (p + q) / 2, up)
    if best is None:
        middle, up = outline.max(0), np.array([0.0, -1.0])
    else:
        _, middle, up = best
    right = np.array([-up[1], up[0]])
    flat = outline - middle
    return np.stack([flat @ right, np.maximum(flat @ up, 0.0)], 1)


def _hex(lab: Array) -> str:
    one = np.asarray(lab, np.float32).reshape(1, 1, 3)
    r, g, b = np.clip(np.round(cv2.cvtColor(one, cv2.COLOR_Lab2RGB)[0, 0] * 255), 0, 255).astype(int).tolist()
    return f"#{r:02x}{g:02x}{b:02x}"

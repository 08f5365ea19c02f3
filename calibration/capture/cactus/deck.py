"""A copy of Cactus from photographs of its pieces laid flat: outlines, colours and shapes, and the cacti."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.foot import standing
from calibration.capture.cactus.lamps import common_paint, even_paints, lab_of_light
from calibration.capture.cactus.names import Names, name_kinds
from calibration.capture.cactus.outlines import (
    USUAL_THICKNESS_MM,
    Outlined,
    StandingCacti,
    outline_cacti,
    outline_pieces,
)
from calibration.capture.cactus.paints import sort_paints
from calibration.capture.cactus.pieces import LaidPiece
from calibration.capture.cactus.plate_forms import few_points
from calibration.capture.cactus.scale import (
    USUAL_CACTUS_MM,
    cacti_on,
    known_growth,
    known_heights,
    settle_scale,
    without_crumbs,
)
from calibration.capture.cactus.shapes import sort_shapes
from calibration.capture.cactus.sizes import (
    BASE,
    THICKNESS,
    asked_sizes,
    asked_whole,
    contradictions,
    measured,
    row_of,
    stated_height,
)
from calibration.capture.cactus.spots import without_pattern, without_unlikely
from calibration.capture.deck import Enrolled, Json, Part, Photo, Said, Wishes, pieces_on, sighting
from calibration.capture.grounds import Grounds

COLOURS, SHAPES, PIECES, CACTI = 5, 5, 35, 5
"""What the game has."""

Array = NDArray[np.float64]

_COLOUR_DOUBTFUL, _SHAPE_DOUBTFUL = 0.8, 0.97
_SIMPLE_MM = 0.06  # by which an outline may be simplified
_SHRED = 0.07  # of the usual piece's area: what is smaller is a gleam or a crumb
_BASE_MM = {"width_mm": 40.0, "height_mm": 8.0, "depth_mm": 14.0}


def enroll_cactus(photos: Sequence[Photo], wishes: Wishes, said: Said) -> Enrolled:
    """Read a copy of Cactus; see the contract of `referee enroll`."""
    looks = []
    for photo in photos:
        looks.append(pieces_on(photo))
        said(photo.name)
    looks = without_crumbs(looks, cacti_on(looks, CACTI, PIECES), CACTI)
    standing_on = cacti_on(looks, CACTI, PIECES)
    apart = [f.only([i for i in range(len(f)) if i not in c]) for f, c in zip(looks, standing_on, strict=True)]
    apart, printed = without_pattern(apart)
    apart, spots = without_unlikely(apart, PIECES)
    others = [n for n, f in enumerate(apart) if len(f)]
    labs = [lab for n in others for lab in apart[n].labs]
    if len(labs) < COLOURS:
        return Enrolled({}, (), {}, (f"only {len(labs)} pieces found; lay them apart on plain paper",))
    whose = [n for n in others for _ in apart[n].labs]
    most = PIECES // COLOURS + max(0, len(labs) - PIECES)
    colours = sort_paints(labs, whose, COLOURS, most)
    said("colours")
    photographs = tuple(p.name for p in photos)
    if photographs not in wishes.known:
        sure = colours.doubt <= _COLOUR_DOUBTFUL
        numbers = np.where(sure, colours.kinds, COLOURS + np.arange(len(labs))).tolist()
        wishes.known[photographs] = outline_pieces(
            [apart[n] for n in others], others, lambda o: sort_shapes(o, numbers, SHAPES, whose)
        )
    read: Outlined = wishes.known[photographs]
    said("shapes")
    pieces = read.pieces
    names = name_kinds(wishes.examples, pieces, colours.kinds, read.kinds, COLOURS, SHAPES)
    if names.misread:
        kinds = read.kinds.copy()
        kinds[list(names.misread)] = list(names.misread.values())
        read = replace(read, kinds=kinds)
    guess = wishes.cactus_height_mm or USUAL_CACTUS_MM
    grown = known_growth(read, _pieces(photos, read, 1.0, colours, names), wishes.answers)
    stands: list[StandingCacti] = []
    telling: list[str] = []
    for n, c in enumerate(standing_on):
        if c:
            first = sum(len(s.laid) for s in stands) + 1
            heights = known_heights(wishes.answers, [f"K{first + i}" for i, _ in enumerate(c)])
            stands.append(outline_cacti(looks[n].only(c), n, guess, standing, read, grown, heights))
            telling += [] if stands[-1].telling is None else [f"K{first + stands[-1].telling}"]
    cacti = [one for s in stands for one in s.laid]
    scale = settle_scale(read, stands, wishes.cactus_height_mm)
    parts = _pieces(photos, read, scale.grown, colours, names)
    paints, cactus_paints = _paints(pieces, colours.kinds, cacti)
    upright = [u * mm for s, mm in zip(stands, scale.mm_per_px, strict=True) for u in s.upright_px]
    parts += _cacti(photos, cacti, upright, cactus_paints)
    if wishes.cactus_height_mm is not None:
        parts = stated_height(parts, wishes.cactus_height_mm)
    contrary = contradictions(parts, wishes.answers)
    parts = asked_sizes(asked_whole(parts), (*scale.asks, BASE, THICKNESS), telling)
    parts = [_answered(p, wishes.answers) for p in parts]
    fields, sizes = measured(
        [(p.group, p.fields) for p in parts],
        [wishes.answers.get(p.id, {}) for p in parts],
        [row_of(p.sightings) for p in parts],
    )
    parts = [replace(p, fields=f) for p, f in zip(parts, fields, strict=True)]
    said("outlines")
    remarks = []
    if printed:
        remarks.append(f"{printed} spots that are there again and again, all alike, are left out: no piece is")
    if spots:
        remarks.append(f"{spots} spots that look least like pieces are left out, as there would be more than {PIECES}")
    seen = Counter(p.group for p in parts)
    if seen["pieces"] != PIECES:
        remarks.append(f"{seen['pieces']} pieces found, the game has {PIECES}")
    if seen["cacti"] != CACTI:
        remarks.append(f"{seen['cacti']} cacti found, the game has {CACTI}")
    remarks += [f"{photos[e.photo].name}: where {e.name} points no piece was found" for e in names.unplaced]
    remarks += [*scale.remarks, *contrary]
    deck: Json = {
        "format": 1,
        "game": "cactus",
        "name": "my-cactus",
        "colors": {n: _hex(c) for n, c in zip(names.colours, paints, strict=True)},
        THICKNESS: USUAL_THICKNESS_MM,
        BASE: dict(_BASE_MM),
        **sizes,
        "pieces": [p.fields for p in parts if p.group == "pieces"],
        "cacti": [p.fields for p in parts if p.group == "cacti"],
    }
    return Enrolled(deck, tuple(parts), {}, tuple(remarks))


def _pieces(photos: Sequence[Photo], read: Outlined, grown: float, colours: Grounds, names: Names) -> list[Part]:
    out: list[Part] = []
    used: Counter[str] = Counter()
    known: dict[tuple[int, int], int] = {}
    areas = [cv2.contourArea(np.asarray(f, np.float32)) for f in read.flat]
    double = _double(read.kinds, colours.kinds)
    for i, p in enumerate(read.pieces):
        if areas[i] < _SHRED * float(np.median(areas)):
            continue
        kind, ground = int(read.kinds[i]), int(colours.kinds[i])
        doubtful = bool(colours.doubt[i] > _COLOUR_DOUBTFUL) or i in double
        seen = sighting(photos[p.photo], p.outline_px, "outline")
        if kind >= 0 and (kind, ground) in known and not doubtful:
            same = out[known[kind, ground]]
            out[known[kind, ground]] = replace(same, sightings=(*same.sightings, seen))
            continue
        if not doubtful:
            known[kind, ground] = len(out)
        colour = names.colours[ground]
        shape = names.shapes[kind] if 0 <= kind < SHAPES else None
        name = f"{shape or 'special'}-{colour}"
        used[name] += 1
        if used[name] > 1 or shape is None:
            name = f"{name}-{used[name]}"
        asks = []
        if doubtful or ground in names.unsure_colours:
            asks.append("color")
        if read.doubt[i] > _SHAPE_DOUBTFUL or kind in names.unsure_shapes:
            asks.append("shape")
        fields: Json = {
            "id": name,
            "color": colour,
            "shape": shape,
            "special": shape is None,
            "outline": _in_mm(read.flat[i] * grown),
        }
        out.append(Part(name, "pieces", fields, (seen,), tuple(asks)))
    return out


def _double(kinds: NDArray[np.intp], colours: NDArray[np.intp]) -> set[int]:
    """Numbers of pieces that are of one basic shape and colour while another colour of that shape is missing.

    Either one piece was seen twice, or one of them is the missing one in an odd light.
    """
    out: set[int] = set()
    for kind in range(SHAPES):
        own = Counter(colours[kinds == kind].tolist())
        if len(own) < COLOURS:
            out |= {i for i in np.flatnonzero(kinds == kind).tolist() if own[int(colours[i])] > 1}
    return out


def _answered(part: Part, answers: Mapping[str, Json]) -> Part:
    """The part with what a person said of it; a special piece is one that has no shape."""
    part = part.answered(answers)
    return (
        replace(part, fields={**part.fields, "special": part.fields["shape"] is None})
        if part.group == "pieces"
        else part
    )


def _paints(pieces: Sequence[LaidPiece], kinds: NDArray[np.intp], cacti: Sequence[LaidPiece]) -> tuple[Array, Array]:
    """(5, 3) the colours of pieces and (cacti, 3) those of cacti, Lab, in one light."""
    laid = [*pieces, *cacti]
    every = np.r_[kinds, np.full(len(cacti), -1)]
    labs, tables = np.array([p.lab for p in laid]), np.array([p.table for p in laid])
    light, sure = even_paints(labs, tables, np.array([p.photo for p in laid]), every)
    paints = np.stack([common_paint(light[every == k], sure[every == k]) for k in range(COLOURS)])
    return lab_of_light(paints), lab_of_light(light[every < 0])


def _cacti(photos: Sequence[Photo], cacti: Sequence[LaidPiece], upright: Sequence[Array], paints: Array) -> list[Part]:
    out = []
    for n, (c, outline, paint) in enumerate(zip(cacti, upright, paints, strict=True), 1):
        few = np.round(few_points(outline, _SIMPLE_MM), 2).tolist()
        fields: Json = {"id": f"K{n}", "color": _hex(paint), "outline": few}
        out.append(Part(f"K{n}", "cacti", fields, (sighting(photos[c.photo], c.outline_px, "outline"),)))
    return out


def _in_mm(outline: Array) -> list[list[float]]:
    """The outline about its middle in mm, y upward."""
    middle = (outline.min(0) + outline.max(0)) / 2
    flat = (outline - middle) * [1, -1]
    return np.round(few_points(flat, _SIMPLE_MM), 2).tolist()  # type: ignore[no-any-return]


def _hex(lab: Array) -> str:
    one = np.asarray(lab, np.float32).reshape(1, 1, 3)
    r, g, b = np.clip(np.round(cv2.cvtColor(one, cv2.COLOR_Lab2RGB)[0, 0] * 255), 0, 255).astype(int).tolist()
    return f"#{r:02x}{g:02x}{b:02x}"

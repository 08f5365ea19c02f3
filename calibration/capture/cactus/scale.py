"""How large the pieces and cacti of a copy are: by what lies beside them, or by a person's ruler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.outlines import USUAL_THICKNESS_MM, Outlined, StandingCacti
from calibration.capture.cactus.pieces import Found
from calibration.capture.cactus.sizes import HEIGHT, LENGTH, SECOND, longest_mm, stated_mm
from calibration.capture.deck import Json, Part

Array = NDArray[np.float64]

_ONE_HUE = 38.0  # difference in a* and b* within which the cacti of a photo are of one colour
_FEWEST = 3
USUAL_CACTUS_MM = 85.0
"""Height of the tallest cactus where nothing tells it."""
_LARGER = 1.4  # times as long as any piece that lies beside it: what a cactus is
_PAPER_MM = 1.0  # thinner pieces show nothing of their sides
_BY_THICKNESS = 0.6  # how much the thickness tells of the scale; the rest is the usual size's
_APART = 0.02  # by which what tells the scale may disagree before it is remarked


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of a copy.

    Parameters
    ----------
    grown
        By how much the pieces are larger than they were taken to be.
    mm_per_px
        For each photo of cacti, of its flat picture.
    asks
        What a person must state.
    remarks
        What the scale is told by, and how far that agrees.
    """

    grown: float
    mm_per_px: tuple[float, ...]
    asks: tuple[str, ...]
    remarks: tuple[str, ...]


def cacti_among(found: Found) -> list[int]:
    """The numbers of what lies on a photo that are cacti: all of one hue, and larger than pieces beside them."""
    if len(found) < _FEWEST:
        return []
    long = np.array([longest_mm(o.tolist()) for o in found.traced.outer])
    order = np.argsort(-long)
    ab = np.array(found.labs)[order, 1:]
    apart = np.linalg.norm(ab[:, None] - ab[None], axis=2)
    best: list[int] = []
    for count in range(_FEWEST, len(found) + 1):
        of_one_hue = float(apart[:count, :count].max()) < _ONE_HUE
        larger = count == len(found) or long[order[count - 1]] > _LARGER * long[order[count]]
        if of_one_hue and larger:
            best = sorted(order[:count].tolist())
    return best


_CRUMB = 0.3  # of the usual cactus' area in a picture: what is smaller is none


def cacti_on(looks: Sequence[Found], cacti: int, pieces: int) -> list[list[int]]:
    """Of each photo the numbers of what lies there that are cacti.

    Where no hue tells, under a coloured lamp or on a coloured table, counting does: all parts of the game are there,
    and one photo alone shows as many as there are cacti.
    """
    found = [cacti_among(f) for f in looks]
    alone = [n for n, f in enumerate(looks) if len(f) == cacti]
    if not any(found) and len(alone) == 1 and sum(len(f) for f in looks) == cacti + pieces:
        found[alone[0]] = list(range(cacti))
    return found


def without_crumbs(looks: Sequence[Found], standing: Sequence[Sequence[int]], cacti: int) -> list[Found]:
    """What lies on each photo without what is far too small for the cacti `standing` there, if they are too many.

    Between a cactus' arms its shadow is of its colour.
    """
    areas = [
        [cv2.contourArea(np.asarray(f.traced.outer[i], np.float32)) for i in c]
        for f, c in zip(looks, standing, strict=True)
    ]
    every = [a for own in areas for a in own]
    if len(every) <= cacti:
        return list(looks)
    least = _CRUMB * float(np.median(every))
    return [
        f.only([i for i in range(len(f)) if i not in {k for k, a in zip(c, own, strict=True) if a < least}])
        for f, c, own in zip(looks, standing, areas, strict=True)
    ]


def known_growth(read: Outlined, parts: Sequence[Part], answers: Mapping[str, Json]) -> float | None:
    """By how much pieces are larger than `parts` says, where a person or what lies beside them tells it."""
    stated = [
        stated_mm(answers[p.id][LENGTH]) / longest_mm(p.fields["outline"])
        for p in parts
        if LENGTH in answers.get(p.id, {})
    ]
    told = stated or [grown for _, grown in read.grown]
    return float(np.median(told)) if told else None


def known_heights(answers: Mapping[str, Json], names: Sequence[str]) -> dict[int, float]:
    """The heights in mm that a person stated of cacti, by their numbers in a row."""
    return {i: stated_mm(answers[n][HEIGHT]) for i, n in enumerate(names) if HEIGHT in answers.get(n, {})}


def settle_scale(read: Outlined, stands: Sequence[StandingCacti], height_mm: float | None) -> Scale:
    """Sizes by all that tells them: what of known size lies there, the stated height, pieces beside the cacti."""
    by = [*read.grown, *((name, mm * s.scale) for s in stands if s.scale is not None for name, mm in s.mm_per_px)]
    lying = [grown for _, grown in by]
    tall = [s.tallest_px / s.scale for s in stands if s.scale is not None]
    beside = [height_mm / max(tall)] if height_mm is not None and len(tall) == len(stands) > 0 else []
    told = lying or beside
    remarks = []
    if told:
        sources = [*dict.fromkeys(name for name, _ in by), *(["pieces beside the cacti"] if beside else [])]
        off = max(abs(float(np.log(a / b))) for a in (*lying, *beside) for b in (*lying, *beside))
        agree = f"; they agree to {off:.1%}" if len(lying) + len(beside) > 1 else ""
        remarks.append(f"the pieces' scale is told by {' and '.join(sources)}{agree}")
        if off > _APART:
            remarks.append("that is much: measure the tallest cactus again, and lay all flat")
    grown = float(np.median(told)) if told else _by_thickness(read, stands)
    mm_per_px = []
    sure = True
    for s in stands:
        if s.mm_per_px:
            mm_per_px.append(float(np.median([mm for _, mm in s.mm_per_px])))
        elif s.scale is not None and told:
            mm_per_px.append(grown / s.scale)
        else:
            sure = False
            mm_per_px.append((height_mm or USUAL_CACTUS_MM) / s.tallest_px)
    asks = [] if told else [LENGTH]
    if not told:
        remarks.append("the pieces' sizes are a guess until the longest is measured, or lies beside the cacti again")
    if height_mm is None and not sure:
        asks.append(HEIGHT)
    if not all(s.flat for s in stands):
        asks.append(SECOND)
    if height_mm is not None and stands:
        tallest = max(mm * s.tallest_px for mm, s in zip(mm_per_px, stands, strict=True))
        if abs(np.log(tallest / height_mm)) > _APART:
            remarks.append(f"the photos tell {tallest:.0f} mm for the tallest cactus, {height_mm:g} mm were stated")
        mm_per_px = [mm * height_mm / tallest for mm in mm_per_px]
    return Scale(grown, tuple(mm_per_px), tuple(asks), tuple(remarks))


def _by_thickness(read: Outlined, stands: Sequence[StandingCacti]) -> float:
    """By how much the pieces are larger than usual: cacti are of the pieces' thickness, as far as that is seen."""
    thick = [s.thickness_mm for s in stands if s.thickness_mm is not None]
    told = [t for t in (*thick, read.thickness_mm) if t > _PAPER_MM]
    if len(told) < 1 + len(thick):
        return 1.0
    by_thickness = (float(np.median(thick)) if thick else USUAL_THICKNESS_MM) / read.thickness_mm
    return float(by_thickness**_BY_THICKNESS)

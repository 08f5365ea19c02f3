"""Sizes of a learned set of Cactus that a person states with a ruler, where no photograph tells them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import cv2
import numpy as np

from calibration.capture.deck import Json, Part
from scoring.errors import RefereeError

LENGTH, HEIGHT = "length_mm", "height_mm"
"""Fields of a piece, the longest basic one as a rule, and of the tallest cactus: from end to end, and over the base."""
BASE, THICKNESS = "base", "thickness_mm"
"""Fields of a cactus that all have in common."""
SECOND = "second"
"""Stands for the height of another cactus, far from the tallest one on its photo: both tell how the photo was taken."""
WHOLE = "whole"
"""Field of a cactus that is far smaller than the others: whether it is a whole one, and no part of one."""
BASE_SIDES = ("width_mm", "height_mm", "depth_mm")
_LEAST_MM, _MOST_MM = 0.2, 1000.0

_SMALL = 0.65  # of the others' height, as a rule: of 19 sets none has a cactus below 0.84
_RULER_MM = 0.5  # to which a ruler is read
_APART_PX = 60.0  # down a photo: nearer to each other two cacti tell nothing of how it was taken
Outline = Sequence[Sequence[float]]
Row = tuple[str, float]


def longest_mm(outline: Outline) -> float:
    """How far the two points of an outline are from each other that are farthest apart."""
    hull = cv2.convexHull(np.asarray(outline, np.float32))[:, 0].astype(float)
    return float(np.hypot(*(hull[:, None] - hull[None]).transpose(2, 0, 1)).max())


def height_mm(outline: Outline) -> float:
    """How high a cactus is over its base."""
    return max(float(y) for _, y in outline)


_SIZES: Mapping[str, tuple[str, Callable[[Outline], float]]] = {
    LENGTH: ("pieces", longest_mm),
    HEIGHT: ("cacti", height_mm),
}


_MEASURED = {LENGTH: "lengths", HEIGHT: "heights"}


def asked_sizes(parts: Sequence[Part], fields: Sequence[str], telling: Sequence[str] = ()) -> list[Part]:
    """The parts, of which the longest piece asks for its length, the tallest cactus for all else.

    A basic piece, if there is one: its outline is known from several. `telling` are the ids of cacti whose height
    tells most beside the tallest one's; where none is, it is the farthest one.
    """
    out = list(parts)
    for field in fields:
        if field == SECOND:
            out = _second_height(out, telling)
            continue
        group, size = _SIZES[LENGTH if field == LENGTH else HEIGHT]
        own = [i for i, p in enumerate(out) if p.group == group]
        if own:
            basic = [i for i in own if out[i].fields.get("shape") is not None]
            one = max(basic or own, key=lambda i: size(out[i].fields["outline"]))
            out[one] = replace(out[one], asks=(*out[one].asks, field))
    return out


def asked_whole(parts: Sequence[Part]) -> list[Part]:
    """The parts, of which each cactus that is far smaller than the others asks whether it is a whole one."""
    heights = {i: height_mm(p.fields["outline"]) for i, p in enumerate(parts) if p.group == "cacti"}
    out = list(parts)
    for i, height in heights.items():
        others = [h for j, h in heights.items() if j != i]
        if others and height < _SMALL * float(np.median(others)):
            out[i] = replace(out[i], asks=(*out[i].asks, WHOLE))
    return out


def _second_height(parts: list[Part], telling: Sequence[str]) -> list[Part]:
    own = [i for i, p in enumerate(parts) if p.group == "cacti" and WHOLE not in p.asks]
    if len(own) < 2:
        return parts
    tallest = max(own, key=lambda i: height_mm(parts[i].fields["outline"]))
    photo, row = row_of(parts[tallest].sightings)
    beside = [i for i in own if i != tallest and row_of(parts[i].sightings)[0] == photo]
    if not beside:
        return parts
    told = [i for i in beside if parts[i].id in telling]
    far = told[0] if told else max(beside, key=lambda i: abs(row_of(parts[i].sightings)[1] - row))
    out = list(parts)
    out[far] = replace(parts[far], asks=(*parts[far].asks, HEIGHT))
    return out


def stated_height(parts: Sequence[Part], mm: float) -> list[Part]:
    """The parts, the tallest cactus of which is known to be so high."""
    out = list(parts)
    own = [i for i, p in enumerate(out) if p.group == "cacti"]
    if own:
        one = max(own, key=lambda i: height_mm(out[i].fields["outline"]))
        out[one] = replace(out[one], fields={**out[one].fields, HEIGHT: mm})
    return out


def contradictions(parts: Sequence[Part], answers: Mapping[str, Json]) -> list[str]:
    """Of the heights that were stated the two that contradict each other most, if so, in words; and of the lengths.

    What two rulers say of things of known proportion differs by no more than either is read to.

    Parameters
    ----------
    parts
        With the height that was stated of the tallest cactus before, where one was.
    answers
        What else was stated, by the ids of the parts.
    """
    out = []
    for field, (group, size) in _SIZES.items():
        own = [(p, s) for p in parts if p.group == group for s in (p.fields, answers.get(p.id, {})) if field in s]
        told = [(p.id, stated_mm(s[field]), stated_mm(s[field]) / size(p.fields["outline"])) for p, s in own]
        pairs = [
            (abs(float(np.log(grown / more))) - _RULER_MM / mm - _RULER_MM / other, (a, mm, grown), (b, other, more))
            for (a, mm, grown), (b, other, more) in combinations(told, 2)
        ]
        beyond, (a, mm, grown), (b, other, more) = max(pairs, default=(0.0, ("", 0.0, 1.0), ("", 0.0, 1.0)))
        if beyond > 0 and a == b:
            why = f"{mm:g} mm were stated for the tallest cactus, and {other:g} mm for {a}, which is"
            out.append(f"{why}: measure again")
        elif beyond > 0:
            off = abs(float(np.log(grown / more)))
            why = f"the {_MEASURED[field]} stated of {a} and {b} contradict each other by {off:.1%}"
            out.append(f"{why}: measure again")
    return out


def row_of(sightings: Sequence[Json]) -> Row:
    """The photo on which something was first seen, and how far down in it, in px."""
    if not sightings or "outline" not in sightings[0]:
        return "", 0.0
    return str(sightings[0]["photo"]), float(np.mean(np.asarray(sightings[0]["outline"], float)[:, 1]))


def measured(
    parts: Sequence[tuple[str, Json]], said: Sequence[Mapping[str, Any]], rows: Sequence[Row]
) -> tuple[list[Json], dict[str, Any]]:
    """The fields of all parts in the sizes that were stated of some of them, and what the deck says of all cacti.

    Parameters
    ----------
    parts
        Group and fields of each.
    said
        What was stated of each; outlines that were stated keep their size. A height that is known stands in its fields.
    rows
        Where each was seen, see `row_of`.

    Raises
    ------
    RefereeError
        Where no size is stated.
    """
    own: dict[str, Any] = {}
    out = [{k: v for k, v in f.items() if k not in (LENGTH, HEIGHT, BASE, THICKNESS, WHOLE)} for _, f in parts]
    for field, (group, size) in _SIZES.items():
        mine = [i for i, (g, _) in enumerate(parts) if g == group]
        known = {i: {**parts[i][1], **said[i]} for i in mine}
        told = {i: np.log(stated_mm(k[field]) / size(out[i]["outline"])) for i, k in known.items() if field in k}
        mean = float(np.mean(list(told.values()))) if told else 0.0
        for i in mine if told else ():
            if "outline" not in said[i]:
                grown = np.asarray(out[i]["outline"], float) * np.exp(
                    mean if field == LENGTH else _told_at(rows[i], told, rows)
                )
                out[i] = {**out[i], "outline": np.round(grown, 2).tolist()}
    for one in said:
        if BASE in one:
            sides = one[BASE] if isinstance(one[BASE], Mapping) else {}
            own[BASE] = {side: stated_mm(sides.get(side)) for side in BASE_SIDES}
        if THICKNESS in one:
            own[THICKNESS] = stated_mm(one[THICKNESS])
    return out, own


def _told_at(row: Row, told: Mapping[int, float], rows: Sequence[Row]) -> float:
    """By how much what was seen there is larger, in logarithms: across a photo that grows by steps alike."""
    down = np.array([rows[i][1] for i in told])
    off = np.array(list(told.values()))
    if {rows[i][0] for i in told} != {row[0]} or float(np.ptp(down)) < _APART_PX:
        return float(off.mean())
    slope, start = np.polyfit(down, off, 1)
    return float(start + slope * row[1])


def stated_mm(value: Any) -> float:
    """A size that a person stated; raises RefereeError where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _LEAST_MM <= value <= _MOST_MM:
        raise RefereeError(f"{value!r} is no size; give it in mm")
    return float(value)

"""Sizes and outlines of a copy's parts that a person stated, laid over those that were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calibration.capture.cactus.sizes import (
    BASE,
    HEIGHT,
    LENGTH,
    THICKNESS,
    Outline,
    height_mm,
    longest_mm,
    measured,
    row_of,
)
from webui.owncopy.own_copy import CopyPart
from webui.sight.copies.found import Reading, part_of

Json = dict[str, Any]

SHARES = "outline_shares"
"""An outline that a person stated, in shares of how long the one is that was read.

So it grows with all others when a ruler tells their sizes later. One that an earlier release kept in mm, as "outline",
keeps its size.
"""


def in_shares(outline: Outline, shown: Outline) -> list[list[float]]:
    """An outline that a person stated where what was read of it was shown so, in the same unit."""
    return np.round(np.asarray(outline, float) / longest_mm(shown), 6).tolist()  # type: ignore[no-any-return]


def outlined(read: Json, said: Json) -> Json:
    """What was said of a piece or cactus, its outline in the unit of the reading."""
    if SHARES not in said:
        return said
    outline = np.asarray(said[SHARES], float) * longest_mm(read["outline"])
    return {k: v for k, v in said.items() if k != SHARES} | {"outline": np.round(outline, 3).tolist()}


def sized(reading: Reading, parts: Sequence[CopyPart], said: Mapping[int, Json]) -> tuple[CopyPart, ...]:
    """The pieces and cacti in the sizes that a person stated; what is so of all cacti stays where it was stated."""
    stated = [said.get(p.number, {}) for p in parts]
    rows = [row_of(part["sightings"]) for part in reading.parts]
    known = [dict(p.fields) for p in parts]
    cacti = [p.number for p in parts if p.group == "cacti"]
    tallest = max(cacti, key=lambda n: height_mm(known[n]["outline"]), default=None)
    if tallest is not None and HEIGHT not in reading.parts[tallest]["asks"]:
        known[tallest][HEIGHT] = height_mm(known[tallest]["outline"])
    fields, _ = measured([(p.group, f) for p, f in zip(parts, known, strict=True)], stated, rows)
    common = [{k: own[k] for k in (BASE, THICKNESS) if k in own} for own in stated]
    return tuple(replace(p, fields={**f, **c}) for p, f, c in zip(parts, fields, common, strict=True))


def board_in_mm(read: Json, said: Json) -> Json:
    """Fields of the board in mm: its size is as it was said, and all that was read of it is larger or smaller by that.

    Its track was said in shares of the board's side. Where nobody measured it, the cards tell its size in play.
    """
    side = float(said.get("size_mm") or read["size_mm"])
    scale = side / float(read["size_mm"])
    spaces = [{**s, "region": np.round(np.multiply(s["region"], scale), 2).tolist()} for s in read["spaces"]]
    out = {**said, "size_mm": side, "spaces": spaces}
    if "size_taken" in read:
        out["size_taken"] = not said.get("size_mm")
    if "track" in said or "track" in read:
        track = np.multiply(said["track"], side) if "track" in said else np.multiply(read["track"], scale)
        out |= {"track": np.round(track, 1).tolist(), "goal": len(track) - 1}
    return out


def sizes_said(reading: Reading, answers: Sequence[Json]) -> dict[str, Json]:
    """Lengths and heights that a person stated, by the ids that the reading gives to pieces and cacti."""
    out: dict[str, Json] = {}
    for said in answers:
        sizes = {k: said["fields"][k] for k in (LENGTH, HEIGHT) if k in said["fields"]}
        n = part_of(reading, said) if sizes else None
        if n is not None:
            out[reading.parts[n]["id"]] = sizes
    return out


def heights_in(sizes: Mapping[str, Json]) -> dict[str, Any]:
    """The heights among such sizes: how the outlines of all cacti are measured follows from them."""
    return {name: own[HEIGHT] for name, own in sizes.items() if HEIGHT in own}

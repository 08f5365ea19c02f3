"""What is found of a copy, in the reader's words."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from webui.cactus import texts as cactus_texts
from webui.owncopy.copying import FIELDS, GROUPS
from webui.owncopy.own_copy import CopyPart, OwnCopy
from webui.services import words
from webui.texts import mark

SIGNS = {"plus2": mark("+2 cards"), "die": mark("the die")}
BESIDE_MM, TEXT_MM = 5.0, 6.0


def sign_word(value: object) -> str:
    """A sign of a card of CONEX in words; anything else as a kind."""
    return words().gettext(SIGNS[str(value)]) if str(value) in SIGNS else kind_word(value)


def part_word(part: CopyPart) -> str:
    """What a face or piece is called, as a match calls it."""
    t = words()
    match part.group:
        case "board":
            return t.gettext(GROUPS["board"])
        case "cacti" if part.id[1:].isdigit():
            return t.gettext(cactus_texts.CACTUS) % {"n": int(part.id[1:])}
        case "pieces":
            shape = kind_word(part.fields["shape"]) or cactus_texts.shape(part.id, t)
            form = cactus_texts.SPECIAL if part.fields["special"] else cactus_texts.BASIC
            return t.gettext(form) % {"shape": shape, "color": kind_word(part.fields["color"])}
        case "scoring":
            return t.gettext(mark("Scoring card %(name)s")) % {"name": part.id}
        case "faces":
            return t.gettext(mark("Card %(name)s")) % {"name": part.id}
        case _:
            return part.id


def numbered_word(part: CopyPart) -> str:
    """How a special piece is told while nobody named it."""
    return cactus_texts.shape("special-" + part.id.rpartition("-")[2], words())


def game_word(game: str) -> str:
    """A game as it is written on its box."""
    return game.upper() if game == "conex" else game.capitalize()


def beside(region: Sequence[Sequence[float]], size_mm: tuple[float, float]) -> tuple[float, float]:
    """Where the middle of a corner's letter stands: beside the card, over the edge that the corner is at."""
    x, y = (sum(p[i] for p in region) / len(region) for i in (0, 1))
    width, height = size_mm
    _, at = min(
        (x, (-BESIDE_MM, y)),
        (width - x, (width + BESIDE_MM, y)),
        (y, (x, -BESIDE_MM)),
        (height - y, (x, height + BESIDE_MM)),
    )
    return (at[0], at[1] + TEXT_MM / 3)


def upright_deg(corner: Mapping[str, Any], size_mm: tuple[float, float]) -> float:
    """By how much a corner's picture is turned, in degrees clockwise, so that its number stands upright.

    Where the number's head was not seen, most copies print it out over the edge that the corner is at.
    """
    if corner.get("head_deg") is not None:
        return -float(corner["head_deg"])
    region, (width, height) = corner["region"], size_mm
    x, y = beside(region, size_mm)
    return 90.0 if x < 0 else -90.0 if x > width else 180.0 if y > height else 0.0


def kind_word(name: object) -> str:
    """A kind's name in the reader's language where it is a usual one; as a person wrote it otherwise."""
    return words().gettext(str(name)) if name else ""


def fault_word(one: OwnCopy) -> str:
    """What is wrong with the part for which no match can be played, so that it can be put right."""
    assert one.fault is not None
    number, field = one.fault
    part, t = one.parts[number], words()
    edge = part.fields.get("edge", {}) if field == "edge" else {}
    facts: dict[str, object] = {"part": part_word(part)}
    if field != "edge":
        if field not in FIELDS:
            return t.gettext(mark("%(part)s: please look at it again.")) % facts
        facts["field"] = t.gettext(FIELDS[field])
        return t.gettext(mark("%(part)s, %(field)s: please look at it again.")) % facts
    if not any(edge.values()):
        return t.gettext(mark("%(part)s: no symbols are counted round its edge.")) % facts
    others = [sum(p.fields["edge"].values()) for p in one.parts if p.group == "faces" and not p.out and p is not part]
    counted, usual = sum(edge.values()), statistics.mode(others) if others else 0
    if others and counted != usual:
        facts |= {"n": counted, "usual": usual}
        return (
            t.gettext(mark("%(part)s: %(n)d symbols are counted round its edge, the other cards have %(usual)d."))
            % facts
        )
    most = max(edge.values())
    facts |= {"n": most, "names": ", ".join(kind_word(k) for k, n in edge.items() if n == most)}
    return t.gettext(mark("%(part)s: these are there equally often, %(n)d each: %(names)s.")) % facts

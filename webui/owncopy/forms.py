"""Forms of a copy: what a person states of a face or piece, checked."""

from __future__ import annotations

import math
from typing import Any

from scoring.deck_conex import PAWN_COLOURS, SYMBOLS
from scoring.errors import RefereeError
from webui.inputs import BadInputError, Form, choice, whole
from webui.owncopy.naming import NO_NAME, SAME_NAME, checked_name
from webui.owncopy.own_copy import CopyPart, OwnCopy
from webui.owncopy.sizes import size_mm
from webui.texts import mark

COUNT_MAX = 99
NO_NUMBER = mark("A corner has a number: write it, or say that there is none.")
NO_REGION = mark("One more corner needs its outline, too, as points in mm from the top-left corner of the card.")
NO_PAWN = mark("Every player has a pawn: tick the colours of those in your box.")
STARS = ("so", "swapped")
"""Whether the stars beside the board are as they were read, or the one is the other."""


def parse_part(form: Form, one: OwnCopy, part: CopyPart) -> dict[str, Any]:
    """The fields of a part that a form states; raises BadInputError for what cannot be."""
    stated: dict[str, Any] = {}
    if "out" in form:
        return {"out": choice(form, "out", ("yes", "no")) == "yes"}
    if "center" in form and part.group == "faces":
        stated["center"] = choice(form, "center", one.names("elements"))
    if any(k.startswith("edge-") for k in form) and part.group == "faces":
        elements = [k for k in one.kinds if k.sort == "elements"]
        edge = {k.name or k.key: whole_count(form.get(f"edge-{k.number}", "0") or "0", "edge") for k in elements}
        stated["edge"] = {name: n for name, n in edge.items() if n}
        if not stated["edge"]:
            raise BadInputError("A card has symbols round its edge.")
    if "value" in form and part.group == "scoring":
        stated["value"] = whole_count(form["value"], "value")
    if "color" in form and part.group in ("faces", "pieces"):
        stated["color"] = choice(form, "color", one.names("colors"))
    if "symbol" in form and part.group == "faces":
        stated["symbol"] = choice(form, "symbol", ("", *SYMBOLS)) or None
    if "shape" in form and part.group == "pieces":
        stated["shape"] = choice(form, "shape", ("", *one.names("shapes"))) or None
    if "called" in form and part.group == "pieces":
        stated["called"] = special_name(form["called"], one, part)
    if "corner-0-color" in form and "corners" in part.fields:
        stated["corners"] = _corners(form, one, part)
    if "outline" in form and part.group in ("pieces", "cacti"):
        stated["outline"] = _points(form["outline"], "outline")
    if "length" in form and part.group == "pieces":
        stated["length_mm"] = size_mm(form, "length")
    if "whole" in form and part.group == "cacti":
        stated["whole"] = choice(form, "whole", ("yes",)) == "yes"
    if "height" in form and part.group == "cacti":
        stated["height_mm"] = size_mm(form, "height")
    if "base-width" in form and part.group == "cacti":
        stated["base"] = {f"{side}_mm": size_mm(form, f"base-{side}") for side in ("width", "height", "depth")}
    if "thickness" in form and part.group == "cacti":
        stated["thickness_mm"] = size_mm(form, "thickness")
    if part.group == "board":
        stated |= _board(form, part)
    if not stated:
        raise BadInputError("Nothing was stated.")
    return stated


def special_names(form: Form, one: OwnCopy) -> dict[int, dict[str, Any]]:
    """The names that a form gives to special pieces, by the pieces' numbers; raises BadInputError."""
    stated: dict[int, dict[str, Any]] = {}
    for part in one.specials:
        sent = form.get(f"special-{part.number}")
        if sent is not None and (name := special_name(sent, one, part)) != part.fields.get("called"):
            stated[part.number] = {"called": name}
    names = [said["called"].casefold() for said in stated.values() if said["called"]]
    if len(set(names)) < len(names):
        raise BadInputError(SAME_NAME)
    return stated


def special_name(sent: str, one: OwnCopy, part: CopyPart) -> str | None:
    """What a special piece is to be called, None where it is only numbered; raises BadInputError."""
    name = " ".join(sent.split())
    if any(p.id.casefold() == name.casefold() for p in one.parts if p is not part):
        raise BadInputError(SAME_NAME)
    if name and not name.strip("."):
        raise BadInputError(NO_NAME)
    return checked_name(name) or None


def parse_signs(form: Form, one: OwnCopy) -> dict[int, dict[str, Any]]:
    """Edges and stones of all cards of which a form names what is doubtful, by their numbers; raises BadInputError.

    A symbol or stone stands there as the number of its kind, or empty where it cannot be told. None is stated where
    nothing of it is asked any more.
    """
    names = {str(k.number): k.name or k.key for k in one.kinds if k.sort == "elements"}
    stated: dict[int, dict[str, Any]] = {}
    for part in one.parts:
        if not part.signs or any(f"sign-{s.number}" not in form for s in part.signs):
            continue
        said = [choice(form, f"sign-{s.number}", ("", *names)) for s in part.signs]
        if "" in said:
            stated[part.number] = {"alone": True}
            continue
        own: dict[str, Any] = {}
        edge = dict(part.fields["edge"])
        for sign, kind in zip(part.signs, said, strict=True):
            if sign.field == "center":
                own["center"] = names[kind]
                continue
            edge[sign.kind] -= 1
            edge[names[kind]] = edge.get(names[kind], 0) + 1
            own["edge"] = edge
        if "edge" in own:
            own["edge"] = {name: edge[name] for name in names.values() if edge.get(name)}
        stated[part.number] = own
    if not any(k.startswith("sign-") for k in form):
        raise BadInputError("Nothing was stated.")
    return stated


def _board(form: Form, part: CopyPart) -> dict[str, Any]:
    """What is said of the board: its size in mm, or None where play is to tell it, its track in its sides, stars."""
    stated: dict[str, Any] = {}
    side = float(part.fields["size_mm"])
    if "track" in form:
        points = _points(form["track"], "track")
        if any(not 0 <= v <= side for p in points for v in p):
            raise BadInputError("The track lies on the board.")
        stated["track"] = [[round(v / side, 5) for v in p] for p in points]
    if "size" in form:
        stated["size_mm"] = size_mm(form, "size") if form["size"].strip() else None
    if "stars" in form:
        stated["stars"] = choice(form, "stars", STARS)
    if "pawns" in form:
        offered = pawns_offered(part)
        stated["pawns"] = {name: offered[name] for name in offered if f"pawn-{name}" in form}
        if not stated["pawns"]:
            raise RefereeError(NO_PAWN)
    return stated


def pawns_offered(part: CopyPart) -> dict[str, str]:
    """Colours that a copy's pawns may have: the usual ones, and those that were said of its own."""
    return {**PAWN_COLOURS, **part.fields.get("pawns", {})}


def _corners(form: Form, one: OwnCopy, part: CopyPart) -> list[dict[str, Any]]:
    """The corners that a form states; which way a number stands is as it was read."""
    heads = [{k: c[k] for k in ("head_deg",) if k in c} for c in part.fields["corners"]]
    out = []
    for i in range(4):
        if f"corner-{i}-color" not in form or form.get(f"corner-{i}-out"):
            continue
        color = form[f"corner-{i}-color"]
        region, number = (form.get(f"corner-{i}-{field}", "").strip() for field in ("region", "value"))
        if not region and not number:
            continue
        if not region or not number:
            raise RefereeError(NO_REGION if number else NO_NUMBER)
        if color not in one.names("colors"):
            raise BadInputError("The colour of a corner is one of the copy's.")
        value = whole_count(number, "value")
        own = {"color": color, "value": value, "region": _points(region, "region")}
        out.append(own | (heads[i] if i < len(heads) else {}))
    return out


def _points(sent: str, field: str) -> list[list[float]]:
    """Points "x,y x,y …" in mm."""
    wrong = BadInputError(f"The field {field} must hold 3 to 500 points: x,y x,y …")
    if len(sent) > 12_000:
        raise wrong
    out = []
    for pair in sent.split():
        try:
            x, y = (float(v) for v in pair.split(","))
        except ValueError:
            raise wrong from None
        if not (math.isfinite(x) and math.isfinite(y)) or max(abs(x), abs(y)) > 1000:
            raise wrong
        out.append([round(x, 2), round(y, 2)])
    if not 3 <= len(out) <= 500:
        raise wrong
    return out


def whole_count(sent: str, field: str) -> int:
    """A count, of symbols or points."""
    n = whole(sent.strip(), field)
    if n > COUNT_MAX:
        raise BadInputError(f"The field {field} must be at most {COUNT_MAX}.")
    return n

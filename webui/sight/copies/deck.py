"""What a person said of a copy, laid over what was read of its photographs: the view for the page, and the deck."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.capture.cactus.deck import CACTI, PIECES
from calibration.capture.cactus.sizes import BASE, HEIGHT, LENGTH, THICKNESS, height_mm, measured, row_of
from calibration.capture.conex.deck import BOARD
from calibration.capture.conex.deck import CARDS as CONEX_CARDS
from calibration.capture.conex.deck import USUAL as USUAL_STARS
from calibration.capture.rox.deck import CARDS, SCORING_CARDS
from scoring.deck import parse_deck
from scoring.errors import DeckError
from webui.owncopy.copying import CopyPart, Count, Kind, OwnCopy, Sign, Twins
from webui.sight.copies.colour_words import colour_words
from webui.sight.copies.reading import STARS, leader, sorts_of
from webui.sight.copies.sound import is_read, load_json

Json = dict[str, Any]

WANTED: Mapping[str, Mapping[str, int]] = {
    "rox": {"faces": CARDS, "scoring": SCORING_CARDS},
    "conex": {"faces": CONEX_CARDS},
    "cactus": {"pieces": PIECES, "cacti": CACTI},
}
"""What each game has."""
OUT, SWAPPED = "out", "swapped"
ALONE = "alone"
"""Said of a part whose symbols could not be told beside others: it is asked about by itself."""
_ENTRY = re.compile(r"(?P<scoring>scoring_cards\.)?(?P<group>faces|pieces|cacti)\[(?P<n>\d+)\]\.(?P<field>\w+)")
DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What comes of a reading that was changed by hand."""
_NEAR = 0.35  # of its extent: how far a part may be found from where it was when something was said of it


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What was read: the raw deck, `parts.json`, and a name that another reading has not."""

    deck: Json
    parts: Sequence[Json]
    kinds: Sequence[Json]
    twins: Sequence[Json]
    matrices: int = 0
    name: str = ""


def load_reading(folder: Path) -> Reading | None:
    """What was kept of a reading; None where there is none, or where it is damaged."""
    try:
        data, deck = load_json(folder / "parts.json"), load_json(folder / "deck.json")
        if not is_read(deck, data):
            return None
        return Reading(
            deck,
            data["parts"],
            data["kinds"],
            data["twins"],
            int(data.get("matrices", 0)),
            _name((folder / "parts.json").read_bytes()),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _name(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:8]


def place_of(part: Json) -> Json:
    """Where a part was seen first, and all other places, so that it is known again when photos come and go."""
    first, *more = seen_at(part)
    return {**first, "more": more} if more else first


def seen_at(part: Json) -> list[Json]:
    """All places where a part was seen."""
    middles = [(s["photo"], np.mean(np.asarray(s.get("quad", s.get("outline")), float), 0)) for s in part["sightings"]]
    return [{"photo": photo, "at": [round(float(v), 1) for v in middle]} for photo, middle in middles]


def part_at(reading: Reading, place: Json) -> int | None:
    """The number of the part that was seen at a place."""
    best: tuple[float, int] | None = None
    for n, part in enumerate(reading.parts):
        for seen in part["sightings"]:
            if seen["photo"] != place["photo"]:
                continue
            outline = np.asarray(seen.get("quad", seen.get("outline")), float)
            off = float(np.hypot(*(outline.mean(0) - place["at"])))
            if off < _NEAR * float(np.ptp(outline, axis=0).min()) and (best is None or off < best[0]):
                best = (off, n)
    return None if best is None else best[1]


def part_of(reading: Reading, answer: Json) -> int | None:
    """The number of the part that an answer is of: the one at the first of its places that is on a photo."""
    found = (part_at(reading, place) for place in (answer, *answer.get("more", ())))
    return next((n for n in found if n is not None), None)


def kinds_of(game: str, reading: Reading, names: Sequence[Json]) -> tuple[Kind, ...]:
    """The kinds, called as a person called them; the last one of a sort by what is left over."""
    fields = dict(sorts_of(game))
    called: dict[tuple[str, str], str] = {}
    claims = [(*kind_at(reading, said, fields[said["sort"]]), said) for said in names]
    for key, _, said in sorted(claims, key=lambda claim: claim[1]):  # the name with most places has the last word
        if key is not None:
            called[said["sort"], key] = said["name"]
    hints = {("colors", key): word for key, word in colour_words(reading.deck.get("colors", {})).items()}
    shapes = [k["key"] for k in reading.kinds if k["sort"] == "shapes"]
    hints |= {("shapes", key): f"shape-{n}" for n, key in enumerate(shapes, 1)}
    out = []
    for n, kind in enumerate(reading.kinds):
        known = (kind["sort"], kind["key"])
        out.append(Kind(n, *known, called.get(known, ""), hints.get(known, ""), kind.get("part", -1)))
    return tuple(out)


def kind_at(reading: Reading, said: Json, field: str) -> tuple[str | None, int]:
    """The kind that a name was given to, by the places where it was seen, and how many of them show it."""
    parts = {part_at(reading, place) for place in (said, *said.get("more", ()))} - {None}
    shown = Counter(raw_kind(reading.parts[n], field, said["leader"]) for n in parts if n is not None)
    return shown.most_common(1)[0] if shown else (None, 0)


def raw_kind(part: Json, field: str, by_leader: bool) -> str:
    """The kind that a part shows, as it was read."""
    return leader(part["fields"]) if by_leader else str(part["fields"].get(field))


def parts_of(game: str, reading: Reading, kinds: Sequence[Kind], answers: Sequence[Json]) -> tuple[CopyPart, ...]:
    """The parts with everything that a person said."""
    said: dict[int, Json] = {}
    for answer in answers:
        n = part_of(reading, answer)
        if n is not None:
            said.setdefault(n, {}).update(answer["fields"])
    called = {(k.sort, k.key): k.name or k.key for k in kinds}
    used: Counter[str] = Counter()
    out = []
    for n, part in enumerate(reading.parts):
        own = said.get(n, {})
        stated: Json = {k: v for k, v in own.items() if k not in (OUT, ALONE)}
        if part["group"] == BOARD:
            stated = _board(part["fields"], stated)
        fields = _renamed({**part["fields"], **stated}, called)
        # no track can be confirmed where none was found: the deck tells that no match can be played with it
        asks = tuple(a for a in part["asks"] if a not in own and (a != "track" or "track" in fields))
        name = part["id"]
        if part["group"] == "pieces":
            fields["special"] = fields["shape"] is None
            name = f"{fields['shape'] or 'special'}-{fields['color']}"
            used[name] += not own.get(OUT)
            if used[name] > 1 or fields["special"]:
                name = f"{name}-{used[name]}"
            fields["id"] = name
        seen = len(part["sightings"])
        signs = [
            Sign(s["number"], called.get(("elements", s["kind"]), s["kind"]), s.get("field", "edge"))
            for s in part.get("signs", ())
        ]
        together = not own.get(ALONE) and not own.get(OUT)
        shown = tuple(s for s in signs if together and s.field in asks)
        out.append(CopyPart(n, name, part["group"], fields, asks, seen, bool(own.get(OUT)), bool(own), shown))
    return _sized(reading, out, said) if game == "cactus" else tuple(out)


def _sized(reading: Reading, parts: Sequence[CopyPart], said: Mapping[int, Json]) -> tuple[CopyPart, ...]:
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


def _board(read: Json, said: Json) -> Json:
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


def _renamed(fields: Json, called: Mapping[tuple[str, str], str]) -> Json:
    def name(sort: str, key: Any) -> Any:
        return called.get((sort, key), key)

    out = dict(fields)
    if "center" in out:
        out["center"] = name("elements", out["center"])
    if "edge" in out:
        out["edge"] = {name("elements", k): v for k, v in out["edge"].items()}
    if "color" in out:
        out["color"] = name("colors", out["color"])
    if "shape" in out:
        out["shape"] = name("shapes", out["shape"])
    if "corners" in out:
        out["corners"] = [{**c, "color": name("colors", c["color"])} for c in out["corners"]]
    if "spaces" in out:
        out["spaces"] = [{**s, "color": name("colors", s["color"])} for s in out["spaces"]]
    return out


def stated(
    game: str, reading: Reading, names: Sequence[Json], answers: Sequence[Json], part: int, fields: Json
) -> list[Json]:
    """The answers with fields that a person states of a part, in the reading's words: kinds may be named anew later."""
    before: Json = {}
    out = []
    for said in answers:
        if part_of(reading, said) == part:
            before.update(said["fields"])
        else:
            out.append(said)
    keys = {(k.sort, k.name): k.key for k in kinds_of(game, reading, names)}
    out.append({**place_of(reading.parts[part]), "fields": {**before, **_renamed(fields, keys)}})
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


def counts_of(game: str, parts: Sequence[CopyPart]) -> tuple[Count, ...]:
    """What was found of each group, against what the game has."""
    found = Counter(p.group for p in parts if not p.out)
    return tuple(Count(group, found[group], wanted) for group, wanted in WANTED[game].items())


def missing_of(game: str, parts: Sequence[CopyPart], kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Pieces of a colour and a basic shape that were not found."""
    if game != "cactus":
        return ()
    have = {(p.fields["shape"], p.fields["color"]) for p in parts if p.group == "pieces" and not p.out}
    colours, shapes = ([k.name or k.key for k in kinds if k.sort == s] for s in ("colors", "shapes"))
    return tuple(f"{s}-{c}" for s, c in itertools.product(shapes, colours) if (s, c) not in have)


def twins_of(reading: Reading, parts: Sequence[CopyPart]) -> tuple[Twins, ...]:
    """The pairs that look most alike, of those that count."""
    return tuple(
        Twins(t["a"], t["b"], t["similarity"], t["same"])
        for t in reading.twins
        if not parts[t["a"]].out and not parts[t["b"]].out
    )


def deck_of(name: str, game: str, reading: Reading, kinds: Sequence[Kind], parts: Sequence[CopyPart]) -> Json:
    """The content of `deck.json` as everything is now."""
    called = {(k.sort, k.key): k.name or k.key for k in kinds}
    deck = {**reading.deck, "name": name}
    groups: dict[str, list[Json]] = {}
    for part in parts:
        if not part.out:
            groups.setdefault(part.group, []).append(dict(part.fields))
    for group in ("faces", "pieces", "cacti"):
        if group in deck:
            deck[group] = groups.get(group, [])
    for cactus in groups.get("cacti", []):
        deck |= {k: cactus.pop(k) for k in (BASE, THICKNESS) if k in cactus}
    if "scoring_cards" in deck:
        deck["scoring_cards"] = {**deck["scoring_cards"], "faces": groups.get("scoring", [])}
        if not groups.get("scoring"):
            del deck["scoring_cards"]
    if "elements" in deck:
        deck["elements"] = [called.get(("elements", k), k) for k in deck["elements"]]
    if "colors" in deck:
        deck["colors"] = {called.get(("colors", k), k): v for k, v in deck["colors"].items()}
    if BOARD in groups:
        own = groups[BOARD][0]
        deck[BOARD] = {k: v for k, v in own.items() if k not in ("id", "stars", USUAL_STARS)}
        if own.get("stars") == SWAPPED:
            one, other = STARS
            deck["stars"] = {**deck["stars"], one: deck["stars"][other], other: deck["stars"][one]}
    elif any(p.group == BOARD for p in parts):
        deck.pop(BOARD, None)
    elif BOARD in deck:
        spaces = deck["board"].get("spaces", [])
        named = [{**s, "color": called.get(("colors", s.get("color")), s.get("color"))} for s in spaces]
        deck["board"] = {**deck["board"], "spaces": named}
    return deck


def unplayable(deck: Json, parts: Sequence[CopyPart]) -> tuple[str, tuple[int, str] | None]:
    """Why no match can be played with a deck, or empty; and the number of the part and the field that are at fault."""
    try:
        parse_deck(deck, "deck.json")
    except DeckError as error:
        return str(error).removeprefix("deck.json: "), _at_fault(error.key, parts)
    return "", None


def _at_fault(key: str, parts: Sequence[CopyPart]) -> tuple[int, str] | None:
    """Which part and field a key of `deck.json` speaks of, such as ``faces[6].edge``."""
    at = _ENTRY.match(key)
    if at is None:
        return None
    group = "scoring" if at["scoring"] else at["group"]
    own = [p.number for p in parts if p.group == group and not p.out]
    return (own[int(at["n"])], at["field"]) if int(at["n"]) < len(own) else None


def laid_over(one: OwnCopy, reading: Reading, said: Json) -> OwnCopy:
    """A copy with what was read of it, and what a person said of that: its names and answers."""
    kinds = kinds_of(one.game, reading, said["names"])
    parts = parts_of(one.game, reading, kinds, said["answers"])
    why, fault = unplayable(deck_of(one.name, one.game, reading, kinds, parts), parts)
    return replace(
        one,
        parts=parts,
        kinds=kinds,
        counts=counts_of(one.game, parts),
        twins=twins_of(reading, parts),
        matrices=reading.matrices,
        reading=reading.name,
        missing=missing_of(one.game, parts, kinds),
        unplayable=why,
        fault=fault,
        saved=said["saved"],
    )

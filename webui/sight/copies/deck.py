"""What a person said of a copy, laid over what was read of its photographs: the view for the page, and the deck."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.capture.cactus.deck import CACTI, PIECES
from calibration.capture.cactus.sizes import BASE, THICKNESS
from calibration.capture.conex.deck import BOARD, PAWNS, STARS, SWAPPED, exchanged
from calibration.capture.conex.deck import CARDS as CONEX_CARDS
from calibration.capture.conex.deck import USUAL as USUAL_STARS
from calibration.capture.rox.deck import CARDS, SCORING_CARDS
from scoring.deck import parse_deck
from scoring.errors import DeckError
from webui.owncopy.own_copy import CopyPart, Count, Kind, OwnCopy, Sign, Twins
from webui.sight.copies.colour_words import colour_words
from webui.sight.copies.found import Reading, kind_at, part_of, place_of
from webui.sight.copies.reading import sorts_of
from webui.sight.copies.sizes import SHARES, board_in_mm, in_shares, outlined, sized

Json = dict[str, Any]

WANTED: Mapping[str, Mapping[str, int]] = {
    "rox": {"faces": CARDS, "scoring": SCORING_CARDS},
    "conex": {"faces": CONEX_CARDS},
    "cactus": {"pieces": PIECES, "cacti": CACTI},
}
"""What each game has."""
OUT = "out"
CALLED = "called"
"""What a person calls a special piece."""
ALONE = "alone"
"""Said of a part whose symbols could not be told beside others: it is asked about by itself."""
_ENTRY = re.compile(r"(?P<scoring>scoring_cards\.)?(?P<group>faces|pieces|cacti)\[(?P<n>\d+)\]\.(?P<field>\w+)")


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


def parts_of(game: str, reading: Reading, kinds: Sequence[Kind], answers: Sequence[Json]) -> tuple[CopyPart, ...]:
    """The parts with everything that a person said."""
    said: dict[int, Json] = {}
    for answer in answers:
        n = part_of(reading, answer)
        if n is not None:
            said.setdefault(n, {}).update(answer["fields"])
    called = {(k.sort, k.key): k.name or k.key for k in kinds}
    of_all = {field for own in said.values() for field in (BASE, THICKNESS) if field in own}
    used: Counter[str] = Counter()
    out = []
    for n, part in enumerate(reading.parts):
        own = said.get(n, {})
        stated: Json = {k: v for k, v in own.items() if k not in (OUT, ALONE)}
        if part["group"] == BOARD:
            stated = {PAWNS: reading.deck[PAWNS], **board_in_mm(part["fields"], stated)}
        stated = outlined(part["fields"], stated)
        fields = _renamed({**part["fields"], **stated}, called)
        # no track can be confirmed where none was found: the deck tells that no match can be played with it
        answered = own.keys() | of_all
        asks = tuple(a for a in part["asks"] if a not in answered and (a != "track" or "track" in fields))
        name = part["id"]
        if part["group"] == "pieces":
            fields["special"] = fields["shape"] is None
            called_so = fields.get(CALLED) if fields["special"] else None
            name = called_so or f"{fields['shape'] or 'special'}-{fields['color']}"
            used[name] += not own.get(OUT)
            if used[name] > 1 or (fields["special"] and not called_so):
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
    return sized(reading, out, said) if game == "cactus" else tuple(out)


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
    kinds = kinds_of(game, reading, names)
    if "outline" in fields:
        before = {k: v for k, v in before.items() if k not in ("outline", SHARES)}
        place = place_of(reading.parts[part])
        shown = parts_of(game, reading, kinds, [*out, {**place, "fields": before}])[part].fields["outline"]
        fields = {k: v for k, v in fields.items() if k != "outline"} | {SHARES: in_shares(fields["outline"], shown)}
    keys = {(k.sort, k.name): k.key for k in kinds}
    out.append({**place_of(reading.parts[part]), "fields": {**before, **_renamed(fields, keys)}})
    return out


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
            groups.setdefault(part.group, []).append({k: v for k, v in part.fields.items() if k != CALLED})
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
        deck[BOARD] = {k: v for k, v in own.items() if k not in ("id", STARS, USUAL_STARS, PAWNS)}
        deck[PAWNS] = own[PAWNS]
        if own.get(STARS) == SWAPPED:
            deck[STARS] = exchanged(deck[STARS])
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
        remarks=reading.remarks,
    )

"""A copy of CONEX from photographs: grounds, corners, numbers and signs of the cards, and the board."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.capture.cards import LaidCard
from calibration.capture.conex.board import read_board
from calibration.capture.conex.corners import PX_PER_MM, ReadCorner, inks_of, read_corners
from calibration.capture.conex.framed import drawn_round_frames
from calibration.capture.conex.frames import on_the_frame
from calibration.capture.conex.numbers import Number, read_numbers, settled
from calibration.capture.conex.sign import Sign, read_sign
from calibration.capture.conex.stars import SeenStar, find_stars, usual_stars
from calibration.capture.conex.ways import Way, ways_of
from calibration.capture.deck import (
    Enrolled,
    Json,
    Part,
    Photo,
    Said,
    Wishes,
    all_cards,
    faces_of,
    pointed_at,
    px_per_mm,
    sighting,
)
from calibration.capture.grounds import COLOURS, Grounds, ground_of, rgb_of, sort_under_lamps
from calibration.capture.light import averaged
from scoring.deck import MOST_CORNERS, PAWN_COLOURS, is_face
from vision.cards.quads import overlap

BOARD = "board"
"""Id of the board."""
USUAL = "usual_stars"
"""Field of a board that was read: the kinds of stars that were not seen beside it."""
STARS, SWAPPED = "stars", "swapped"
"""What a person may say of the stars beside the board: that the one is the other."""
PAWNS = "pawns"
"""What a person may say beside the board: the colours of the pawns, which no photo of it shows."""
USUAL_PAWNS = {name: PAWN_COLOURS[name] for name in ("white", "black", "green", "blue")}
"""Those of a copy of which nobody said anything else."""
CARDS = 52
"""What the game has."""

Array = NDArray[np.float64]

_DOUBTFUL = 0.6  # distance from the own colour as a share of that from the next from which a colour is asked about
_SAME_REGION = 0.6  # overlap from which two outlines are one corner


def enroll_conex(photos: Sequence[Photo], wishes: Wishes, said: Said) -> Enrolled:
    """Read a copy of CONEX; see the contract of `referee enroll`."""
    cards, frame = drawn_round_frames(photos, all_cards(photos, wishes, said))
    if len(cards) < COLOURS:
        return Enrolled({}, (), {}, (f"only {len(cards)} cards of {wishes.card_mm[0]:g} mm width found",))
    faces = faces_of(photos, cards, PX_PER_MM)
    grounds = sort_under_lamps([ground_of(f) for f in faces], [c.photo for c in cards])
    names = _names(wishes, cards, faces, grounds)
    palettes = [grounds.palette(c.photo) for c in cards]
    size = wishes.card_mm
    found = [read_corners(f, size, int(k), p, frame) for f, k, p in zip(faces, grounds.kinds, palettes, strict=True)]
    regions = on_the_frame(faces, [c.photo for c in cards], [[c.region_mm for c in f] for f in found], size, PX_PER_MM)
    found = [
        [replace(c, region_mm=r) for c, r in zip(f, some, strict=True)] for f, some in zip(found, regions, strict=True)
    ]
    signs = [read_sign(f) for f in faces]
    said("corners")
    looks = [
        read_numbers([inks_of(f, c, size, roughly) for f, c in zip(faces, found, strict=True)])
        for roughly in (False, True)
    ]
    numbers = settled(looks[0], looks[1])
    ways = ways_of(signs, faces, numbers.head, [c.photo for c in cards])
    said("numbers")
    parts = _parts(photos, cards, grounds, found, signs, ways, numbers.of_card, names)
    parts = [p.answered(wishes.answers) for p in parts]
    said("faces")
    remarks = [] if len(parts) == CARDS else [f"{len(parts)} cards found, the game has {CARDS}"]
    colours = {n: _hex(c) for n, c in zip(names, grounds.lab, strict=True)}
    known, unknown = known_faces(parts, size, colours)
    if unknown:
        remarks.append(f"left out of the deck until their corners are known: {', '.join(unknown)}")
    deck: Json = {
        "format": 1,
        "game": "conex",
        "name": "my-conex",
        "card_mm": list(size),
        "corner_radius_mm": round(0.05 * min(size), 1),
        "colors": colours,
        PAWNS: dict(wishes.answers.get(BOARD, {}).get(PAWNS, USUAL_PAWNS)),
        "faces": known,
    }
    pictures: dict[str, NDArray[np.uint8]] = {}
    board = None
    if wishes.board is None:
        remarks.append("without a photo of the board no match can be played: give one with --board")
    else:
        side = wishes.answers.get(BOARD, {}).get("size_mm")
        stated = float(side) if isinstance(side, int | float) and side > 0 else None
        seen = read_board(wishes.board.rgb, grounds.lab, names, size, stated)
        if seen is None:
            remarks.append(f"{wishes.board.name}: no square board with four coloured spaces found")
        else:
            where = sighting(wishes.board, seen.quad_px)
            stars = find_stars(wishes.board.rgb, seen.quad_px, float(seen.fields["size_mm"]))
            asks = (*seen.asks, *([STARS] if any(not s.sure for s in stars) else []))
            board = answered_board(Part(BOARD, BOARD, {"id": BOARD, **seen.fields}, (where,), asks), wishes.answers)
            deck["board"] = {k: v for k, v in board.fields.items() if k not in ("id", STARS, PAWNS)}
            pictures["board.png"] = seen.picture
            missing = _with_stars(deck, pictures, stars)
            if board.fields.get(STARS) == SWAPPED:
                deck[STARS] = exchanged(deck[STARS])
            if missing:
                board = replace(board, fields={**board.fields, USUAL: missing})
                remarks.append(
                    f"no {' and no '.join(missing)} star beside the board, a usual one is taken: photograph it there"
                )
    return Enrolled(deck, tuple(parts), pictures, tuple(remarks), board)


def known_faces(
    parts: Sequence[Part], card_mm: tuple[float, float], colours: Mapping[str, str]
) -> tuple[list[Json], list[str]]:
    """The faces of which a deck can be made, and the ids of the others: what is in no deck is judged by nobody."""
    known = {p.id: p.fields for p in parts if is_face(p.fields, card_mm, colours)}
    return list(known.values()), [p.id for p in parts if p.id not in known]


def answered_board(board: Part, answers: Mapping[str, Json]) -> Part:
    """The board with what a person said of it; a stated track ends at its last square, unless that is stated, too."""
    said = answers.get(board.id, {})
    board = board.answered(answers)
    if "track" in said and "goal" not in said:
        return replace(board, fields={**board.fields, "goal": len(said["track"]) - 1})
    return board


def exchanged(stars: Json) -> Json:
    """The two kinds of stars of a deck, each with the look of the other."""
    return dict(zip(stars, reversed([*stars.values()]), strict=True))


def _with_stars(deck: Json, pictures: dict[str, NDArray[np.uint8]], seen: Sequence[SeenStar]) -> list[str]:
    """Add the stars to the deck, usual ones for those that were not seen, whose kinds it gives."""
    looks = usual_stars()
    missing = [k for k in looks if all(s.kind != k for s in seen)]
    looks.update({s.kind: [(s.size_mm, s.picture)] for s in seen})
    deck["stars"] = {}
    for kind, some in looks.items():
        entries = []
        for n, (side, picture) in enumerate(some):
            name = f"star-{kind}.png" if not n else f"star-{kind}-{n}.png"
            entries.append({"image": name, "size_mm": side})
            pictures[name] = picture
        deck["stars"][kind] = entries[0] | ({"alike": entries[1:]} if entries[1:] else {})
    return missing


def _names(
    wishes: Wishes, cards: Sequence[LaidCard], faces: Sequence[NDArray[np.uint8]], grounds: Grounds
) -> list[str]:
    """The name of each colour: as the examples say, or made up."""
    votes: list[Counter[str]] = [Counter() for _ in range(COLOURS)]
    for example in wishes.examples:
        i = pointed_at(example, cards)
        if i is not None:
            votes[int(grounds.kinds[i])][example.name] += 1
    names: list[str | None] = [None] * COLOURS
    for kind in sorted(range(COLOURS), key=lambda k: -max(votes[k].values(), default=0)):
        for name, _ in votes[kind].most_common():
            if name not in names:
                names[kind] = name
                break
    left = sorted({e.name for e in wishes.examples} - set(names))
    if names.count(None) == 1 and len(left) == 1:
        names[names.index(None)] = left[0]
    return [n if n is not None else f"kind-{k + 1}" for k, n in enumerate(names)]


def _parts(
    photos: Sequence[Photo],
    cards: Sequence[LaidCard],
    grounds: Grounds,
    found: Sequence[Sequence[ReadCorner]],
    signs: Sequence[Sign],
    ways: Sequence[Way],
    numbers: Sequence[Sequence[Number | None]],
    names: Sequence[str],
) -> list[Part]:
    """The faces; a card that lies on its head is turned, and one that was seen twice is one face."""
    scale = px_per_mm(cards)
    pictures = faces_of(photos, cards, scale)
    seen: list[tuple[Json, list[int], set[str]]] = []
    for i, card in enumerate(cards):
        turned = ways[i].turned
        corners: list[Json] = [
            {
                "color": names[c.kind],
                "value": n.value if n is not None else None,
                "region": _turned(c.region_mm, card.size_mm, turned).tolist(),
                "head_deg": _head_deg(n, turned),
            }
            for c, n in zip(found[i], numbers[i], strict=True)
        ]
        asks = set()
        if grounds.doubt[i] > _DOUBTFUL:
            asks.add("color")
        if not signs[i].sure:
            asks.add("symbol")
        if not 0 < len(corners) <= MOST_CORNERS or any(n is None or not n.sure for n in numbers[i]):
            asks.add("corners")
        if any(c.colour_doubt > _DOUBTFUL for c in found[i]):
            asks.add("corners")
        fields: Json = {"color": names[int(grounds.kinds[i])], "symbol": signs[i].name, "corners": corners}
        same = next(
            (
                k
                for k, (f, where, _) in enumerate(seen)
                if cards[where[0]].photo != card.photo and _same(f, fields, card.size_mm)
            ),
            None,
        )
        if same is None:
            seen.append((fields, [i], asks))
        else:
            seen[same][1].append(i)
            seen[same][2].intersection_update(asks)
    parts = []
    for number, (fields, where, asks) in enumerate(seen, 1):
        name = f"C{number:02d}"
        shown = []
        sightings = []
        for i in where:
            half = ways[i].turned or (i != where[0] and not _alike(seen[number - 1][0], found[i], cards[i].size_mm))
            quad = np.roll(cards[i].quad_px, 2, 0) if half else cards[i].quad_px
            sightings.append(sighting(photos[cards[i].photo], quad))
            picture = np.ascontiguousarray(pictures[i][::-1, ::-1]) if half else pictures[i]
            shown.append(_in_usual_light(picture, grounds, i, cards[i].photo))
        whole: Json = {"id": name, "image": f"faces/{name}.png", **fields}
        taken = ("corners",) if fields["corners"] and not any(ways[i].told for i in where) else ()
        parts.append(Part(name, "faces", whole, tuple(sightings), tuple(sorted(asks)), averaged(shown), taken))
    return parts


def _head_deg(number: Number | None, turned: bool) -> int | None:
    """Where the head of a corner's number points on its face: degrees clockwise from up; None where that is unknown."""
    if number is None or number.head_rad is None:
        return None
    return round(math.degrees(number.head_rad) + 180 * turned) % 360


def _turned(region: Array, size_mm: tuple[float, float], turned: bool) -> Array:
    return np.round(np.array(size_mm) - region, 2) if turned else region


def _same(a: Json, b: Json, size_mm: tuple[float, float]) -> bool:
    """Whether two readings are of one card, the one perhaps on its head."""
    if (a["color"], a["symbol"]) != (b["color"], b["symbol"]) or len(a["corners"]) != len(b["corners"]):
        return False

    def fits(turned: bool) -> bool:
        for c in b["corners"]:
            region = _turned(np.array(c["region"]), size_mm, turned)
            if not any(
                o["color"] == c["color"]
                and o["value"] == c["value"]
                and overlap(np.array(o["region"]), region) > _SAME_REGION
                for o in a["corners"]
            ):
                return False
        return True

    return bool(a["corners"]) and (fits(False) or (a["symbol"] is None and fits(True)))


def _alike(fields: Json, corners: Sequence[ReadCorner], size_mm: tuple[float, float]) -> bool:
    """Whether a card lies as its face was first seen."""
    return all(
        any(overlap(np.array(o["region"]), c.region_mm) > _SAME_REGION for o in fields["corners"]) for c in corners
    )


def _in_usual_light(face: NDArray[np.uint8], grounds: Grounds, card: int, photo: int) -> NDArray[np.float32]:
    """The face as if its ground were of the colour that this ground has in the usual photo."""
    seen = ground_of(face)
    want = grounds.lab[grounds.kinds[card]]
    a, b = (rgb_of(v) for v in (seen, want))
    return np.asarray(face * ((b + 4) / (a + 4)), np.float32)


def _hex(lab: Array) -> str:
    r, g, b = (round(float(v)) for v in rgb_of(lab))
    return f"#{r:02x}{g:02x}{b:02x}"

"""A deck learned from photographs of one's own copy: what every game shares.

The games' own readers stand in modules `deck_capture_rox`, `deck_capture_conex` and `deck_capture_cactus`; each gives
an `Enrolled`, which `save_enrolled` makes a deck folder of.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.pieces import Found, find_pieces
from calibration.capture.cactus.plate_forms import few_points
from calibration.capture.cards import LaidCard, cut_out, find_laid_cards
from scoring.errors import DeckError
from vision.deck_file import inside
from vision.types import Rgb

Json = dict[str, Any]
Array = NDArray[np.float64]
Said = Callable[[str], None]
"""Is told each step that is done."""

ALL, TOP, AS_LAID = "all", "top", "as laid"
"""What is answered for all parts together: that those on which no top is to be seen are right as they were laid."""
EDGE, CENTER, AS_READ = "edge", "center", "as read"
"""... and that every doubtful symbol round an edge, or stone, is what it was read as."""
_TOLD_PX = 0.08
_SAME_SIZE = 0.02
_MOST, _ONE_PROPORTION = 0.5, 0.04  # share of the cards that tell their proportion, and how far it may scatter
_SQUARE = 0.03  # how much longer than wide a square card may seem
MOST_PX = 640
"""Shorter side of a face's picture, at most: no camera shows more of a card that lies among others."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """One photograph.

    Parameters
    ----------
    name
        As the person gave it.
    rgb
        The picture.
    found
        What was found on it, kept so that whoever reads it again with further photographs need not look twice.
    """

    name: str
    rgb: Rgb
    found: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """A pixel of a photograph that shows something of the name."""

    name: str
    photo: int
    at_px: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Wishes:
    """What a person says of their copy.

    Parameters
    ----------
    card_mm
        Width and height of a card.
    examples
        Names of kinds.
    answers
        Id of a face or piece to fields that are so.
    cactus_height_mm
        Height of the tallest cactus above its base.
    board
        A photograph of the board.
    known
        What an earlier reading found on all of its photographs together, by their names: it does not change with what
        a person states, so whoever reads them again need not look for it twice.
    """

    card_mm: tuple[float, float]
    examples: tuple[Example, ...] = ()
    answers: Mapping[str, Json] = field(default_factory=dict)
    cactus_height_mm: float | None = None
    board: Photo | None = None
    known: dict[tuple[str, ...], Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Sign:
    """A symbol or stone that is of a kind, but not clearly: its picture, to be looked at beside others of that kind.

    `field` is what it tells of its card: `EDGE` or `CENTER`.
    """

    kind: str
    picture: Rgb
    field: str = EDGE


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A face or piece as read.

    Parameters
    ----------
    id
        Its name.
    group
        Under which list of the deck it stands: "faces", "scoring", "pieces", "cacti".
    fields
        What `deck.json` says of it.
    sightings
        Photo and outline in pixels of each time it was seen.
    asks
        Fields that a person must confirm.
    picture
        Its face, where it has one.
    taken
        Fields that nothing on it settles and that make no difference in play: told among what is asked, answered for
        all parts together by `answers[ALL]`, and never asked one by one.
    signs
        The doubtful symbols round its edge and its doubtful stone, where those alone are why it is asked about.
    """

    id: str
    group: str
    fields: Json
    sightings: tuple[Json, ...]
    asks: tuple[str, ...] = ()
    picture: Rgb | None = None
    taken: tuple[str, ...] = ()
    signs: tuple[Sign, ...] = ()

    def told(self) -> Json:
        """What the command prints of it; a number of a corner that could not be read is 0, and asked about."""
        shown = {k: v for k, v in self.fields.items() if k not in ("image", "outline")}
        if "corners" in shown:
            shown["corners"] = [{**c, "value": c["value"] or 0} for c in shown["corners"]]
        asks = sorted({*self.asks, *self.taken})
        return {"id": self.id, **shown, "sightings": list(self.sightings), "sure": not asks, "asks": asks}

    def answered(self, answers: Mapping[str, Json]) -> Part:
        """The same with what a person said of it."""
        said = answers.get(self.id, {})
        asks, taken = (tuple(a for a in fields if a not in said) for fields in (self.asks, self.taken))
        if ALL in answers and answers[ALL].get(TOP) == AS_LAID:
            taken = ()
        confirmed = {s.field for s in self.signs if answers.get(ALL, {}).get(s.field) == AS_READ}
        asks = tuple(a for a in asks if a not in confirmed)
        return replace(self, fields={**self.fields, **said}, asks=asks, taken=taken)


@dataclass(frozen=True, slots=True, eq=False)
class Enrolled:
    """A copy as read: the deck's own keys, its parts, further pictures by file name, remarks, and the board if any."""

    deck: Json
    parts: tuple[Part, ...]
    pictures: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    board: Part | None = None


def cards_on(photo: Photo, number: int, card_mm: tuple[float, float]) -> list[LaidCard]:
    """The cards of a photograph, which carry its number among all; looked for once."""
    key = f"cards {card_mm}"
    if key not in photo.found:
        photo.found[key] = find_laid_cards(photo.rgb, number, [card_mm])
    return [replace(card, photo=number) for card in photo.found[key]]


def all_cards(photos: Sequence[Photo], wishes: Wishes, said: Said) -> list[LaidCard]:
    """The cards that lie on photos; each photo is said once it is looked through."""
    cards: list[LaidCard] = []
    for n, photo in enumerate(photos):
        cards += cards_on(photo, n, wishes.card_mm)
        said(photo.name)
    return cards


def cards_as_seen(photos: Sequence[Photo], wishes: Wishes, said: Said) -> tuple[Wishes, list[LaidCard]]:
    """The cards that lie on photos; and the wishes with the proportion that most cards have, if it is not the stated.

    The stated shorter side stays: no picture tells how large a card is.
    """
    cards = all_cards(photos, wishes, said)
    size = _seen_size(cards, wishes.card_mm)
    if size == wishes.card_mm:
        return wishes, cards
    own = replace(wishes, card_mm=size)
    return own, all_cards(photos, own, lambda _: None)


def _seen_size(cards: Sequence[LaidCard], stated: tuple[float, float]) -> tuple[float, float]:
    """The size of most cards, where they are of one proportion and hardly any of the stated size."""
    longer = np.array([max(c.size_mm) / min(c.size_mm) for c in cards])
    odd = np.array([not same_size(c.size_mm, stated) for c in cards], bool)
    if odd.sum() <= _MOST * len(cards):
        return stated
    usual = float(np.median(longer[odd]))
    if (np.abs(longer[odd] / usual - 1) < _ONE_PROPORTION).sum() <= _MOST * len(cards):
        return stated
    usual = 1.0 if usual < 1 + _SQUARE else usual
    return min(stated), round(min(stated) * usual, 1)


def same_size(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether two cards are of one size, as far as photos tell."""
    return max(abs(x - y) / y for x, y in zip(a, b, strict=True)) < _SAME_SIZE


def pieces_on(photo: Photo) -> Found:
    """The pieces of a photograph; looked for once."""
    if "pieces" not in photo.found:
        photo.found["pieces"] = find_pieces(photo.rgb)
    found: Found = photo.found["pieces"]
    return found


def sighting(photo: Photo, outline: Array, key: str = "quad") -> Json:
    """Where something was seen, as the command prints it: without points that tell no more than those beside them."""
    told = few_points(outline, _TOLD_PX) if key == "outline" else outline
    return {"photo": photo.name, key: np.round(told, 2).tolist()}


def px_per_mm(cards: Sequence[LaidCard]) -> float:
    """The scale at which faces are kept: finer than any photo shows them, within reason."""
    seen = [
        float(np.sqrt(cv2.contourArea(c.quad_px.astype(np.float32)) / (c.size_mm[0] * c.size_mm[1]))) for c in cards
    ]
    short = min(cards[0].size_mm)
    return float(min(1.6 * float(np.percentile(seen, 90)), MOST_PX / short)) if seen else 4.0


def faces_of(photos: Sequence[Photo], cards: Sequence[LaidCard], scale: float) -> list[NDArray[np.uint8]]:
    """Every card cut out upright at one scale."""
    return [cut_out(photos[c.photo].rgb, c, scale) for c in cards]


def pointed_at(example: Example, cards: Sequence[LaidCard]) -> int | None:
    """The number of the card that an example's pixel lies on."""
    for i, c in enumerate(cards):
        if c.photo == example.photo and cv2.pointPolygonTest(c.quad_px.astype(np.float32), example.at_px, False) >= 0:
            return i
    return None


def save_enrolled(enrolled: Enrolled, folder: Path) -> None:
    """Write the deck folder, `deck.json` last; raises DeckError, before anything is written, for a way out of it."""
    where = str(folder / "deck.json")
    pictures = [
        *((inside(p.fields.get("image"), where, "image"), p.picture) for p in enrolled.parts if p.picture is not None),
        *((inside(name, where, "image"), picture) for name, picture in enrolled.pictures.items()),
    ]
    for name, _ in pictures:
        if Path(name).suffix.lower() not in (".jpg", ".jpeg", ".png") or not name.isprintable():
            raise DeckError(where, "image", f"{name!r} must end in .jpg or .png")
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures:
        _write(folder / name, picture)
    (folder / "deck.json").write_text(_laid_out(enrolled.deck), encoding="utf-8")


def _write(path: Path, picture: NDArray[np.uint8]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    code = cv2.COLOR_RGBA2BGRA if picture.shape[2] == 4 else cv2.COLOR_RGB2BGR
    how = [cv2.IMWRITE_JPEG_QUALITY, 93] if path.suffix == ".jpg" else []
    done, data = cv2.imencode(path.suffix, cv2.cvtColor(picture, code), how)
    if not done:
        raise OSError(f"{path}: the picture cannot be written")
    path.write_bytes(data.tobytes())


def _laid_out(deck: Json) -> str:
    """JSON with one line a face or piece, so that a person can read and edit it."""

    def value(v: Any, depth: int) -> str:
        if isinstance(v, list) and v and isinstance(v[0], dict):
            pad = " " * (depth + 1)
            return "[\n" + ",\n".join(pad + json.dumps(e, ensure_ascii=False) for e in v) + "\n" + " " * depth + "]"
        if isinstance(v, dict) and any(isinstance(e, list) and e and isinstance(e[0], dict) for e in v.values()):
            pad = " " * (depth + 1)
            rows = [f"{pad}{json.dumps(k)}: {value(e, depth + 1)}" for k, e in v.items()]
            return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"
        return json.dumps(v, ensure_ascii=False)

    return value(deck, 0) + "\n" if deck else "{}\n"

"""Tables of Cactus for tests: pieces by id on cacti by id, and what touches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from scoring.deck import CactusDeck, parse_deck
from scoring.table import Contact, ContactKind, Placement, Pose, TableState

FILE = Path(__file__).parent / "playthroughs" / "cactus" / "deck.json"
VIEW = ((-500.0, -400.0), (500.0, -400.0), (500.0, 100.0), (-500.0, 100.0))
KINDS = {
    "color": ContactKind.SAME_COLOR,
    "shape": ContactKind.SAME_SHAPE,
    "base": ContactKind.BASE,
    "table": ContactKind.TABLE,
}


def set_of() -> CactusDeck:
    """Five colours, five shapes, ten special pieces, five cacti K1 to K5."""
    deck = parse_deck(json.loads(FILE.read_text(encoding="utf-8")), FILE.name)
    assert isinstance(deck, CactusDeck)
    return deck


def piece(name: str, plane: str, at: tuple[float, float] | None = None, confidence: float = 1.0) -> Placement:
    """A piece as it hangs on that cactus, or lies on the plane ``table``; each has a place of its own."""
    order = list(_IDS)
    n = order.index(name) if name in order else len(order)
    x, y = at if at is not None else (12.0 * (n % 6) - 30.0, -15.0 * (n // 6) - 10.0)
    return Placement(name, name if name in order else None, Pose(x, y, 0.0, plane), (20.0, 16.0), 0.3, confidence)


def table(
    hanging: Mapping[str, str],
    contacts: Iterable[Contact] = (),
    lying: Iterable[str] = (),
    cacti: Iterable[str] = ("K1", "K2", "K3", "K4", "K5"),
) -> TableState:
    """The table on which each piece hangs on its cactus, and these lie."""
    pieces = [piece(p, cactus) for p, cactus in hanging.items()] + [piece(p, "table") for p in lying]
    return TableState(tuple(pieces), VIEW, cacti=tuple(cacti), contacts=tuple(contacts))


def contact(a: str, b: str | None, kind: str, touching: float = 1.0) -> Contact:
    """Two pieces that come near each other (``color``, ``shape``), or one to ``base`` or ``table``."""
    return Contact(kind_of(kind), a, b, 0.0 if touching > 0.5 else 2.0, 0.3, touching)


def kind_of(word: str) -> ContactKind:
    """The kind of contact that a word means."""
    return KINDS[word]


_IDS = tuple(p["id"] for p in json.loads(FILE.read_text(encoding="utf-8"))["pieces"])

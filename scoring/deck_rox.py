"""A deck of Rox: what stands on the element cards and the scoring cards.

Besides the keys of the common format a Rox deck may say ``"tied_leaders": "either"``: then a card on which two elements
tie for most symbols may be followed by either. Without that key such a card is refused as a reading error, because the
rules speak of *the* most frequent symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.deck_check import Check, show


@dataclass(frozen=True, slots=True)
class RoxFace:
    """One element card.

    Parameters
    ----------
    id
        Unique name within the deck.
    image
        Path of its picture, relative to the deck folder.
    center
        Element on the stone.
    edge
        Element to number of symbols round the edge; an absent element has none.
    leaders
        The elements with most symbols, in the order of the deck's elements: one, unless the deck allows ties.
    """

    id: str
    image: str
    center: str
    edge: Mapping[str, int]
    leaders: tuple[str, ...]

    @property
    def leader(self) -> str:
        """The element that the next card must show at its centre (the first one where the deck allows ties)."""
        return self.leaders[0]


@dataclass(frozen=True, slots=True)
class ScoringCard:
    """One scoring card and the points on it."""

    id: str
    image: str
    value: int


@dataclass(frozen=True, slots=True)
class RoxDeck:
    """One copy of Rox.

    Parameters
    ----------
    name
        Name of the deck.
    card_mm
        Width and height of an element card as printed.
    corner_radius_mm
        Radius of its corners.
    elements
        The five elements.
    faces
        Element cards by id.
    scoring_cards
        Scoring cards by id.
    scoring_card_mm
        Width and height of a scoring card, or None where the deck has none.
    back
        Path of the picture of the back, or None.
    tied_leaders
        Whether the deck allows several elements to tie for most symbols.
    """

    name: str
    card_mm: tuple[float, float]
    corner_radius_mm: float
    elements: tuple[str, ...]
    faces: Mapping[str, RoxFace]
    scoring_cards: Mapping[str, ScoringCard]
    scoring_card_mm: tuple[float, float] | None = None
    back: str | None = None
    tied_leaders: bool = False
    game: str = "rox"

    @property
    def scoring_values(self) -> Mapping[str, int]:
        """Points of each scoring card, by id."""
        return {i: card.value for i, card in self.scoring_cards.items()}

    def size_mm(self, face: str | None) -> tuple[float, float]:
        """Width and height of a face of this deck; an unknown card counts as an element card."""
        if face in self.scoring_cards and self.scoring_card_mm is not None:
            return self.scoring_card_mm
        return self.card_mm


def parse_rox(check: Check, top: Mapping[str, Any]) -> RoxDeck:
    """The deck that a ``deck.json`` of Rox describes; raises DeckError for the first thing that is wrong."""
    name = check.text("name", top.get("name"))
    card_mm = check.size("card_mm", top.get("card_mm"))
    radius = check.radius("corner_radius_mm", top.get("corner_radius_mm"), card_mm)
    elements = _parse_elements(check, top.get("elements"))
    tied = top.get("tied_leaders")
    if tied not in (None, "either"):
        check.fail("tied_leaders", f'must be "either" or left out, this deck says {show(tied)}')
    used: dict[str, str] = {}
    faces: dict[str, RoxFace] = {}
    for i, item in enumerate(check.items("faces", top.get("faces"))):
        at = f"faces[{i}]"
        face = _parse_rox_face(check, at, check.mapping(at, item), elements, tied == "either")
        check.unique(f"{at}.id", face.id, used)
        faces[face.id] = face
    totals = {sum(f.edge.values()) for f in faces.values()}
    if len(totals) > 1:
        _refuse_odd_total(check, list(faces.values()))
    scoring: dict[str, ScoringCard] = {}
    scoring_mm = None
    if top.get("scoring_cards") is not None:
        block = check.mapping("scoring_cards", top["scoring_cards"])
        scoring_mm = check.size("scoring_cards.card_mm", block.get("card_mm"))
        for i, item in enumerate(check.items("scoring_cards.faces", block.get("faces"))):
            at = f"scoring_cards.faces[{i}]"
            entry = check.mapping(at, item)
            card = ScoringCard(
                check.text(f"{at}.id", entry.get("id")),
                check.image(f"{at}.image", entry.get("image")),
                check.whole(f"{at}.value", entry.get("value"), least=0),
            )
            check.unique(f"{at}.id", card.id, used)
            scoring[card.id] = card
    back = None if top.get("back") is None else check.image("back", top["back"])
    return RoxDeck(name, card_mm, radius, elements, faces, scoring, scoring_mm, back, tied == "either")


def _parse_elements(check: Check, value: object) -> tuple[str, ...]:
    elements = tuple(check.text(f"elements[{i}]", e) for i, e in enumerate(check.items("elements", value)))
    if len(set(elements)) != len(elements):
        check.fail("elements", "names an element twice; each element has its own name")
    if len(elements) != 5:
        check.fail("elements", f"must name the five elements, this deck names {len(elements)}")
    return elements


def _parse_rox_face(
    check: Check, at: str, entry: Mapping[str, Any], elements: tuple[str, ...], allow_ties: bool
) -> RoxFace:
    face_id = check.text(f"{at}.id", entry.get("id"))
    image = check.image(f"{at}.image", entry.get("image"))
    center = check.text(f"{at}.center", entry.get("center"))
    if center not in elements:
        check.fail(f"{at}.center", f"{show(center)} of card {face_id} is none of {', '.join(elements)}")
    edge: dict[str, int] = {}
    for element, count in check.mapping(f"{at}.edge", entry.get("edge")).items():
        if element not in elements:
            check.fail(f"{at}.edge", f"{show(element)} of card {face_id} is none of {', '.join(elements)}")
        number = check.whole(f"{at}.edge.{element}", count, least=0)
        if number:
            edge[element] = number
    if not edge:
        check.fail(f"{at}.edge", f"card {face_id} has no symbols; write how many of each element its edge shows")
    most = max(edge.values())
    leaders = tuple(e for e in elements if edge.get(e) == most)
    if len(leaders) > 1 and not allow_ties:
        check.fail(
            f"{at}.edge",
            f"{' and '.join(leaders)} tie with {most} symbols on card {face_id}: count its edge again"
            ' (a deck that really has such cards says "tied_leaders": "either")',
        )
    return RoxFace(face_id, image, center, edge, leaders)


def _refuse_odd_total(check: Check, faces: list[RoxFace]) -> NoReturn:
    totals = [sum(f.edge.values()) for f in faces]
    usual = max(set(totals), key=lambda t: (totals.count(t), t))
    i = next(i for i, t in enumerate(totals) if t != usual)
    check.fail(
        f"faces[{i}].edge",
        f"counts {totals[i]} symbols on card {faces[i].id} where the other cards have {usual}: count its edge again",
    )

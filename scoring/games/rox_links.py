"""Links and rows of Rox: which card may follow which, and how far each row is valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scoring.beliefs import beliefs
from scoring.deck import RoxDeck
from scoring.errors import RefereeError
from scoring.events import OptionValue
from scoring.measure import likely
from scoring.moves import Declaration, DeclaredFace, DeclaredLink, DeclaredRow
from scoring.options import check_name, plain
from scoring.rows import Layout
from scoring.table import Placement, Side, TableState
from scoring.verdicts import Call, CardRuling, RowRuling

ROW_CARDS = 6
"""The start card and five more."""


@dataclass(frozen=True, slots=True)
class RoxOptions:
    """House rules of a match.

    Parameters
    ----------
    min_row
        Cards that a valid row needs to count: 3 (German printing) or 2 (English printing).
    rounds
        Rounds of a match; the rules say five.
    sure
        Probability from which on a link is called valid or broken.
    """

    min_row: int = 3
    rounds: int = 5
    sure: float = 0.9

    @classmethod
    def of(cls, values: Mapping[str, OptionValue]) -> RoxOptions:
        """The options of a match, checked; raises RefereeError naming the option at fault."""
        known = {"min_row": (2, 3), "rounds": (1, 2, 3, 4, 5)}
        for name, value in values.items():
            if name in known and (isinstance(value, bool) or value not in known[name]):
                allowed = ", ".join(map(str, known[name]))
                raise RefereeError(f"The option {name} can be {allowed}, not {value}.")
            if name == "sure" and (isinstance(value, str) or not 0.5 < value < 1):
                raise RefereeError(f"The option sure must lie between 0.5 and 1, not {value}.")
            check_name("Rox", cls, name)
        return cls(int(values.get("min_row", 3)), int(values.get("rounds", 5)), float(values.get("sure", 0.9)))

    def as_mapping(self) -> dict[str, OptionValue]:
        """The options as plain values."""
        return plain(self)


def judge_rows(
    table: TableState,
    layout: Layout,
    deck: RoxDeck,
    options: RoxOptions | None = None,
    declarations: Sequence[Declaration] = (),
) -> tuple[RowRuling, ...]:
    """Judge every row of a layout.

    Parameters
    ----------
    table
        The settled table.
    layout
        Its rows, from `rows.find_rows`.
    deck
        The deck that lies on the table.
    options
        House rules; None plays the defaults.
    declarations
        What people stated; the last word on a card, link or row counts.

    Returns
    -------
    tuple of RowRuling
        In the order of the layout; seats with a declared row come last where the layout had none for them.
    """
    options = options or RoxOptions()
    table = corrected(table, declarations)
    believed = beliefs(table, deck.faces)
    named = {p.key: p.face for p in table.placements if p.face in deck.faces}
    links = {d.key: d.call for d in declarations if isinstance(d, DeclaredLink)}
    faces = {d.key for d in declarations if isinstance(d, DeclaredFace)}
    rulings = []
    for seat, cards in _declared_rows(table, layout, declarations).items():
        rulings.append(_judge_row(seat, cards, believed, named, links, faces, deck, options))
    return tuple(rulings)


def corrected(table: TableState, declarations: Sequence[Declaration]) -> TableState:
    """The table with the faces that people stated."""
    said = {d.key: d.face for d in declarations if isinstance(d, DeclaredFace)}
    if not said:
        return table
    return replace(table, placements=tuple(_restated(p, said) for p in table.placements))


def _restated(piece: Placement, said: Mapping[str, str | None]) -> Placement:
    if piece.key not in said:
        return piece
    face = said[piece.key]
    return replace(piece, face=face, confidence=0.0 if face is None else 1.0, candidates=(), side=Side.FACE)


@dataclass(frozen=True, slots=True)
class _Card:
    """A card of a row: a placement's key, or a made-up key and the face that a person stated."""

    key: str
    stated: str | None = None
    after_hole: bool = False


def _declared_rows(
    table: TableState, layout: Layout, declarations: Sequence[Declaration]
) -> dict[str, tuple[_Card, ...]]:
    rows: dict[str, tuple[_Card, ...]] = {
        r.seat: tuple(_Card(k, after_hole=i in r.holes) for i, k in enumerate(r.keys)) for r in layout.rows
    }
    for d in declarations:
        if isinstance(d, DeclaredRow):
            cards = tuple(_Card(c.key or f"+{d.seat}-{i}", c.face) for i, c in enumerate(d.cards))
            taken = {c.key for c in cards}
            rows = {s: tuple(c for c in row if c.key not in taken) for s, row in rows.items()}
            rows[d.seat] = cards
    seen = {p.key for p in table.placements}
    return {s: tuple(c for c in row if c.stated or c.key in seen) for s, row in rows.items()}


def _judge_row(
    seat: str,
    cards: Sequence[_Card],
    believed: Mapping[str, Mapping[str, float]],
    named: Mapping[str, str | None],
    links: Mapping[str, Call],
    faces: set[str],
    deck: RoxDeck,
    options: RoxOptions,
) -> RowRuling:
    judged: list[CardRuling] = []
    before: Mapping[str, float] | None = None
    for card in cards:
        belief = {card.stated: 1.0} if card.stated else believed.get(card.key, {})
        face = card.stated or named.get(card.key)
        link = probability = None
        if before is not None:
            # Where a card may have been missed in between, the link between its neighbours says nothing.
            probability, broken = (0.0, 0.0) if card.after_hole else link_probability(before, belief, deck)
            link = links.get(card.key) or likely(probability, broken, options.sure)
        judged.append(
            CardRuling(
                card.key,
                face,
                link,
                probability,
                belief.get(face, 0.0) if face else 0.0,
                bool(card.stated) or card.key in faces,
                card.key in links and link is not None,
            )
        )
        before = belief
    possible = _possible_lengths([c.link for c in judged[1:ROW_CARDS] if c.link], bool(judged))
    doubt = len(possible) > 1
    length = possible[0]
    call = Call.UNCERTAIN if doubt else Call.VIOLATION if length < min(len(judged), ROW_CARDS) else Call.LEGAL
    break_at = length if call is Call.VIOLATION else None
    return RowRuling(seat, tuple(judged), call, length, break_at, length >= options.min_row, possible)


def link_probability(before: Mapping[str, float], after: Mapping[str, float], deck: RoxDeck) -> tuple[float, float]:
    """Probabilities that a link is valid and that it is broken; what is missing to 1 is unread.

    Parameters
    ----------
    before, after
        Face id to probability of the two cards.
    deck
        Leaders and centres of the faces.
    """
    valid = broken = 0.0
    for a, p in before.items():
        for b, q in after.items():
            if deck.faces[b].center in deck.faces[a].leaders:
                valid += p * q
            else:
                broken += p * q
    return min(valid, 1.0), min(broken, 1.0)


def _possible_lengths(links: Sequence[Call], any_card: bool) -> tuple[int, ...]:
    if not any_card:
        return (0,)
    lengths = []
    for i, link in enumerate(links, start=1):
        if link is not Call.LEGAL:
            lengths.append(i)
        if link is Call.VIOLATION:
            return tuple(lengths)
    return (*lengths, len(links) + 1)

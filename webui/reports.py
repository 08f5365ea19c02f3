"""What the command line prints of a table: plain data in the shapes of the public contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.deck import Deck
from scoring.errors import RefereeError
from scoring.events import OptionValue
from scoring.games.rox import RoxOptions, judge_rows
from scoring.rows import find_rows
from scoring.table import Placement, TableState
from scoring.verdicts import Call, CardRuling, RowRuling

Json = dict[str, Any]
Outline = Sequence[Sequence[float]] | Any
"""Corners in pixels: nested sequences or an array of (n, 2)."""

ROW_WORDS = {Call.LEGAL: "valid", Call.VIOLATION: "broken", Call.UNCERTAIN: "unsure"}
"""The three words of row links."""

OUTLINE_SURE = 0.5
"""An outline that has no name is told only where it is rather a card than not."""


def quad(outline: Outline) -> list[list[float]]:
    """Corners rounded to a hundredth of a pixel."""
    return [[round(float(x), 2), round(float(y), 2)] for x, y in outline]


def card_list(placements: Iterable[Placement], quads: Mapping[str, Outline]) -> list[Json]:
    """Every card by itself, without any rule."""
    return [
        {
            "quad": quad(quads[p.key]),
            "id": p.face,
            "confidence": round(p.confidence, 4),
            "visible": round(p.visible, 3),
        }
        for p in placements
    ]


def rox_table(
    table: TableState, quads: Mapping[str, Outline], deck: Deck, options: Mapping[str, OptionValue] | None = None
) -> Json:
    """Rows, pool and scoring cards of a table of Rox.

    Parameters
    ----------
    table
        The settled table.
    quads
        Outline of each placement in pixels, by key.
    deck
        The deck that lies on it.
    options
        House rules, see `scoring.games.rox.RoxOptions`.
    """
    layout = find_rows(table, deck)
    rows = judge_rows(table, layout, deck, RoxOptions.of(options or {}))
    pieces = {p.key: p for p in table.placements}
    loose = [pieces[key] for key in layout.pool]
    loose += [p for key in layout.other if (p := pieces[key]).confidence >= OUTLINE_SURE]
    return {
        "rows": [_rox_row(row, quads, deck) for row in rows],
        "pool": [{"id": p.face, "quad": quad(quads[p.key])} for p in loose],
        "scoring_cards": [
            {"id": p.face, "value": deck.scoring_values[p.face], "quad": quad(quads[p.key])}
            for key in layout.scoring
            if (p := pieces[key]).face is not None
        ],
    }


def _rox_row(row: RowRuling, quads: Mapping[str, Outline], deck: Deck) -> Json:
    return {
        "seat": row.seat,
        "verdict": ROW_WORDS[row.call],
        "valid_length": row.valid_length,
        "counts": row.counts,
        "break_at": row.break_at,
        "cards": [_rox_card(card, quads, deck) for card in row.cards],
    }


def _rox_card(card: CardRuling, quads: Mapping[str, Outline], deck: Deck) -> Json:
    face = deck.faces.get(card.face) if card.face is not None else None
    return {
        "id": card.face,
        "quad": quad(quads[card.key]),
        "center": face.center if face else None,
        "edge": {element: count for element, count in face.edge.items() if count} if face else {},
        "next": face.leader if face else None,
        "link": None if card.link is None else ROW_WORDS[card.link],
        "confidence": round(card.confidence, 4),
    }


@dataclass(frozen=True, slots=True)
class Report:
    """How a game's table is told.

    Parameters
    ----------
    table
        The whole table as plain data.
    event, key
        Name of the event that tells a change of the table, and the key of `table` that it carries.
    """

    table: Callable[[TableState, Mapping[str, Outline], Deck, Mapping[str, OptionValue] | None], Json]
    event: str
    key: str


REPORTS: Mapping[str, Report] = {"rox": Report(rox_table, "rows", "rows")}
"""One entry a game of `scoring.rules.GAMES`."""


def report_of(game: str) -> Report:
    """How that game is told; raises RefereeError where this version cannot."""
    if game not in REPORTS:
        raise RefereeError(f"{game}: not yet in this version, which plays {', '.join(REPORTS)}")
    return REPORTS[game]


def subject(table: Json, key: str) -> Any:
    """What a change of the table is told for: the cards and their verdicts, without pixels and shades of certainty."""
    return [
        (
            row["seat"],
            row["verdict"],
            row["valid_length"],
            row["break_at"],
            [(card["id"], card["link"]) for card in row["cards"]],
        )
        for row in table[key]
    ]

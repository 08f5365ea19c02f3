"""How tables of Rox are told: rows, pool and scoring cards, each table by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.deck import RoxDeck
from scoring.events import OptionValue
from scoring.games.rox import RoxOptions, judge_rows
from scoring.rows import find_rows
from scoring.table import TableState
from scoring.verdicts import Call, CardRuling, RowRuling
from webui.reports import Json, Outline, Seen, Told, quad

ROW_WORDS = {Call.LEGAL: "valid", Call.VIOLATION: "broken", Call.UNCERTAIN: "unsure"}
"""The three words of row links."""

OUTLINE_SURE = 0.5
"""An outline that has no name is told only where it is rather a card than not."""


class RoxReport:
    """Rox behind the `reports.Report` protocol; a change of the rows is the event ``rows``."""

    sequence = False

    def __init__(self, deck: RoxDeck, options: Mapping[str, OptionValue] | None = None) -> None:
        self._deck = deck
        self._options = options or {}
        self._said: Any = None

    def tell(self, seen: Seen) -> Told:
        """Rows, pool and scoring cards."""
        table = rox_table(seen.table, seen.quads, self._deck, self._options)
        now = subject(table)
        news = now != self._said and (now or self._said)
        return Told(table, now, (("rows", {"rows": table["rows"]}),) if news else ())

    def accept(self, seen: Seen, told: Told) -> None:
        """These rows are told."""
        self._said = told.subject


def rox_table(
    table: TableState, quads: Mapping[str, Outline], deck: RoxDeck, options: Mapping[str, OptionValue] | None = None
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
        "rows": [_row(row, quads, deck) for row in rows],
        "pool": [{"id": p.face, "quad": quad(quads[p.key])} for p in loose],
        "scoring_cards": [
            {"id": p.face, "value": deck.scoring_values[p.face], "quad": quad(quads[p.key])}
            for key in layout.scoring
            if (p := pieces[key]).face is not None
        ],
    }


def subject(table: Json) -> Any:
    """What a change of the table is told for: the cards and their verdicts, without pixels and shades of certainty."""
    return [
        (
            row["seat"],
            row["verdict"],
            row["valid_length"],
            row["break_at"],
            [(card["id"], card["link"]) for card in row["cards"]],
        )
        for row in table["rows"]
    ]


def _row(row: RowRuling, quads: Mapping[str, Outline], deck: RoxDeck) -> Json:
    return {
        "seat": row.seat,
        "verdict": ROW_WORDS[row.call],
        "valid_length": row.valid_length,
        "counts": row.counts,
        "break_at": row.break_at,
        "cards": [_card(card, quads, deck) for card in row.cards],
    }


def _card(card: CardRuling, quads: Mapping[str, Outline], deck: RoxDeck) -> Json:
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

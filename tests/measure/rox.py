"""How well tables of Rox are read: case folders judged by the command's own code and held against their truth.

    python -m tests.measure.rox CASES

`CASES` is what ``python -m tests.render.rox_table CASES --decks DECK ...`` has drawn. Prints a table in Markdown.
A wrong answer and an unsure one are counted apart: wrong is worse.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from vision.cards.quads import overlap
from webui.cli import DONE, main

Json = dict[str, Any]

SAME = 0.75
"""Overlap (IoU) from which two outlines are the same card."""
TOUCHED = 0.3
"""Overlap with any card on the table below which an outline is invented."""
READABLE = 0.9
"""Visible share from which the name of a card in the heap is asked for."""


@dataclass(slots=True)
class Share:
    """So many of so many."""

    hits: int = 0
    total: int = 0

    def count(self, hit: bool) -> None:
        self.hits += hit
        self.total += 1

    def __str__(self) -> str:
        return f"{self.hits / self.total:.3f} ({self.hits} of {self.total})" if self.total else "–"


@dataclass(slots=True)
class Figures:
    """What was counted over all photos so far."""

    photos: int = 0
    found: Share = field(default_factory=Share)
    named: Share = field(default_factory=Share)
    misnamed: Share = field(default_factory=Share)
    pool: Share = field(default_factory=Share)
    scoring: Share = field(default_factory=Share)
    rows: Share = field(default_factory=Share)
    right: Share = field(default_factory=Share)
    unsure: Share = field(default_factory=Share)
    wrong: Share = field(default_factory=Share)
    invented: int = 0
    corners_px: list[float] = field(default_factory=list)

    def add(self, truth: Json, told: Json) -> None:
        """Count one photo: the labels, and what the command said of it."""
        self.photos += 1
        drawn = [*_row_cards(truth), *truth["pool"], *truth["scoring_cards"], *truth.get("face_down", [])]
        seen = [*_row_cards(told), *told["pool"], *told["scoring_cards"]]
        for card in _row_cards(truth):
            self._add_row_card(card, seen)
        for card in truth["pool"]:
            if card["visible"] >= READABLE:
                self.pool.count(_same(card, seen).get("id") == card["id"])
        for card in truth["scoring_cards"]:
            if card["visible"] >= READABLE:
                self.scoring.count(_same(card, told["scoring_cards"]).get("value") == card["value"])
        for card in seen:
            nearest = max(drawn, key=lambda d, c=card: _overlap(c, d), default=None)  # type: ignore[misc]
            if nearest is None or _overlap(card, nearest) < TOUCHED:
                self.invented += 1
            elif card["id"] is not None:
                self.misnamed.count(_same(card, drawn).get("id", card["id"]) != card["id"])
        for row in truth["rows"]:
            self._add_row(row, told["rows"])

    def _add_row_card(self, card: Json, seen: Sequence[Json]) -> None:
        same = _same(card, seen)
        self.found.count(bool(same))
        self.named.count(same.get("id") == card["id"])
        if same.get("id") == card["id"]:
            self.corners_px += np.linalg.norm(np.subtract(same["quad"], card["quad"]), axis=1).tolist()

    def _add_row(self, row: Json, told: Sequence[Json]) -> None:
        near = max(told, key=lambda r: sum(bool(_same(c, r["cards"])) for c in row["cards"]), default=None)
        if near is None or not any(_same(c, near["cards"]) for c in row["cards"]):
            near = {"seat": None, "verdict": "unsure", "valid_length": 0, "cards": []}
        self.rows.count(near["seat"] == row["seat"] and _ids(near) == _ids(row))
        right = (near["verdict"], near["valid_length"]) == (row["verdict"], row["valid_length"])
        unsure = near["verdict"] == "unsure"
        self.right.count(right)
        self.unsure.count(unsure)
        self.wrong.count(not right and not unsure)

    def lines(self) -> Iterable[str]:
        """The figures as a table in Markdown."""
        errors = self.corners_px
        corners = "–"
        if errors:
            corners = f"{statistics.median(errors):.2f} px / {np.percentile(errors, 95):.2f} px"
        yield "| figure | measured |"
        yield "|---|---|"
        yield f"| row cards found | {self.found} |"
        yield f"| row cards named | {self.named} |"
        yield f"| heap cards named, of those seen to {READABLE:.0%} | {self.pool} |"
        yield f"| scoring cards read | {self.scoring} |"
        yield f"| names that are wrong | {self.misnamed} |"
        yield f"| outlines where no card lies | {self.invented} in {self.photos} photos |"
        yield f"| corner error, median / 95th percentile | {corners} |"
        yield f"| seats and rows read exactly | {self.rows} |"
        yield f"| row verdict right | {self.right} |"
        yield f"| row verdict unsure | {self.unsure} |"
        yield f"| row verdict wrong | {self.wrong} |"


def _row_cards(photo: Json) -> list[Json]:
    return [card for row in photo["rows"] for card in row["cards"]]


def _ids(row: Json) -> list[str | None]:
    return [card["id"] for card in row["cards"]]


def _overlap(a: Json, b: Json) -> float:
    return float(overlap(np.asarray(a["quad"], np.float64), np.asarray(b["quad"], np.float64)))


def _same(card: Json, cards: Sequence[Json]) -> Json:
    """The one of `cards` that is this card by its outline; empty where there is none."""
    best = max(cards, key=lambda c: _overlap(card, c), default=None)
    return best if best is not None and _overlap(card, best) >= SAME else {}


def judge(case: Path, truth: Json) -> Json:
    """What `referee judge` says of a case's photo."""
    deck = case.parents[1] / "decks" / Path(truth["deck"]).name
    area = " ".join(f"{x},{y}" for x, y in truth["area"])
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = main(["judge", "rox", "--deck", str(deck), "--area", area, str(case / truth["photos"][0]["photo"])])
    if status != DONE:
        raise SystemExit(f"{case}: could not be judged")
    told: Json = json.loads(out.getvalue())
    return told


def run() -> None:
    """Judge every case and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", default="*", help="names of cases to take, with * for anything")
    options = parser.parse_args()
    cases = sorted(p.parent for p in (options.cases / "rox").glob(f"{options.only}/truth.json"))
    if not cases:
        parser.error(f"no cases in {options.cases / 'rox'}")
    figures, began = Figures(), time.monotonic()
    for case in tqdm(cases, unit="photo"):
        truth = json.loads((case / "truth.json").read_text(encoding="utf-8"))
        before = figures.wrong.hits, figures.invented, figures.rows.total - figures.rows.hits
        figures.add(truth["photos"][0], judge(case, truth))
        if before != (figures.wrong.hits, figures.invented, figures.rows.total - figures.rows.hits):
            tqdm.write(f"worth a look: {case}")
    print("\n".join(figures.lines()))
    print(f"\n{(time.monotonic() - began) / len(cases):.1f} s a photo, loading the deck included")


if __name__ == "__main__":
    run()

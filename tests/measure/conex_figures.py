"""What is counted when answers about CONEX tables are held against their truth.

A wrong verdict and an unsure one are counted apart. What the truth calls close may be answered either way.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.measure.rox import READABLE, SAME, Share
from vision.cards.quads import overlap

Json = dict[str, Any]

MATCHED = 0.5
"""Overlap (IoU) from which an outline means a card, if badly."""
BAND = 1.96
"""Sigmas to each side that hold 95 % of what is normal."""


NEAR_MM = 12.0
"""Gaps within this are those that a call may hang on."""


@dataclass(frozen=True, slots=True)
class StatedGap:
    """A gap as the ruling states it, and what it is in truth (mm)."""

    rule: str
    value: float
    sigma: float
    truth: float
    what: str = ""

    @property
    def held(self) -> bool:
        return abs(self.value - self.truth) <= BAND * self.sigma


@dataclass(slots=True)
class Figures:
    """What was counted over all photos so far, and what was missed: pairs of a figure's name and the place."""

    photos: int = 0
    found: Share = field(default_factory=Share)
    named: Share = field(default_factory=Share)
    board: Share = field(default_factory=Share)
    invented: int = 0
    corners_px: list[float] = field(default_factory=list)
    board_px: list[float] = field(default_factory=list)
    nothing: Share = field(default_factory=Share)
    card: Share = field(default_factory=Share)
    onto: Share = field(default_factory=Share)
    corner: Share = field(default_factory=Share)
    right: Share = field(default_factory=Share)
    unsure: Share = field(default_factory=Share)
    wrong: Share = field(default_factory=Share)
    penalty: Share = field(default_factory=Share)
    violations: Share = field(default_factory=Share)
    points: Share = field(default_factory=Share)
    removals: Share = field(default_factory=Share)
    pawns: Share = field(default_factory=Share)
    stars: Share = field(default_factory=Share)
    gaps: list[StatedGap] = field(default_factory=list)
    by_step: dict[str, Share] = field(default_factory=dict)
    missed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, truth: Json, told: Json, place: str = "", step: str = "") -> None:
        """Count one photo: the labels, what was said of it, where it is from and by what step it came to be."""
        self.photos += 1
        self._add_cards(truth["cards"], told.get("cards", []), place)
        if truth.get("board"):
            mine, yours = truth["board"], told.get("board") or {}
            hit = bool(yours) and _overlap(mine, yours) >= SAME
            self._count(self.board, "board", hit, place)
            if hit:
                self.board_px += np.linalg.norm(np.subtract(mine["quad"], yours["quad"]), axis=1).tolist()
        want, got = sorted(truth.get("removed", [])), sorted(told.get("removed", []))
        self._count(self.removals, "removals", want == got, f"{place} {step}: {want} told {got}")
        self._add_tokens(truth, told, place)
        self._add_placement(truth.get("placement"), told.get("placement"), place, step)

    def _count(self, share: Share, name: str, hit: bool, place: str) -> None:
        share.count(hit)
        if not hit:
            self.missed.append((name, place))

    def _add_cards(self, truth: Sequence[Json], told: Sequence[Json], place: str) -> None:
        pairs, extra = paired(truth, told)
        for card, same in pairs:
            if card.get("visible", 1) < READABLE:
                continue
            hit = same is not None and _overlap(card, same) >= SAME
            self._count(self.found, "found", hit, f"{place} {card['id']}")
            name = same["id"] if same is not None else None
            self._count(self.named, "named", hit and name == card["id"], f"{place} {card['id']} as {name}")
            if same is not None and hit and name == card["id"]:
                off = np.linalg.norm(np.subtract(card["quad"], same["quad"]), axis=1)
                self.corners_px += off.tolist()
                if off.max() > 3:
                    self.missed.append(("corner px", f"{place} {card['id']} {off.max():.1f} px"))
        self.invented += len(extra)
        self.missed += [("invented", f"{place} {e.get('id')}") for e in extra]

    def _add_tokens(self, truth: Json, told: Json, place: str) -> None:
        if truth.get("pawns"):
            faint = {p["color"] for p in truth["pawns"] if p.get("faint")}
            want, got = (
                sorted(
                    (str(p.get("color")), _number(p.get("square")))
                    for p in t.get("pawns", [])
                    if p.get("color") not in faint
                )
                for t in (truth, told)
            )
            self._count(self.pawns, "pawns", want == got, f"{place}: {want} told {got}")
        if truth.get("stars"):
            stars, seen = (
                sorted((str(s.get("kind")), s.get("on") or "") for s in t.get("stars", [])) for t in (truth, told)
            )
            self._count(self.stars, "stars", stars == seen, f"{place}: {stars} told {seen}")
        elif told.get("stars"):
            self.missed.append(("stars invented", place))

    def _add_placement(self, p: Json | None, q: Json | None, place: str, step: str) -> None:
        if p is None:
            self._count(self.nothing, "placement invented", q is None, f"{place} {step}: {_brief(q)}")
            return
        said: Json = q or {}
        place = f"{place} {step}"
        told = f"{place}: {_brief(p)} told {_brief(q)}"
        self._count(self.card, "placement: card", said.get("card") == p["card"], told)
        if p["onto"] is not None:
            self._count(self.onto, "placement: onto", said.get("onto") == p["onto"], told)
            self._count(self.corner, "placement: corner", said.get("corner") == p["corner"], told)
        word = said.get("verdict")
        close = bool(p.get("close"))
        right = word == p["verdict"] or (close and word is not None)
        unsure = not right and word in ("unsure", None)
        self._count(self.right, "verdict right", right, told)
        self.by_step.setdefault(step.removesuffix("+hand"), Share()).count(right)
        self.unsure.count(unsure)
        self.wrong.count(not right and not unsure)
        if not right and not unsure:
            self.missed.append(("verdict WRONG", told))
        if p["verdict"] == "legal" and not close:
            self.penalty.count(word == "illegal")
            if word == "illegal":
                self.missed.append(("WRONG PENALTY", told))
            self._count(self.points, "points", said.get("points") == p["points"], told)
        if p["verdict"] == "illegal" and not close:
            rules = {v["rule"] for v in p["violations"] if not v.get("close")}
            named = q is not None and {v.get("rule") for v in q.get("violations", [])} == rules
            self._count(self.violations, "violations", named, told)

    def lines(self) -> Iterable[str]:
        """The figures as a table in Markdown."""
        yield "| figure | measured |"
        yield "|---|---|"
        yield f"| cards found, of those seen to {READABLE:.0%} | {self.found} |"
        yield f"| cards named | {self.named} |"
        yield f"| cards invented | {self.invented} in {self.photos} photos |"
        yield f"| corner error, median / 95th percentile | {_spread(self.corners_px)} |"
        yield f"| board found; its corner error | {self.board}; {_spread(self.board_px)} |"
        yield f"| nothing laid: nothing told | {self.nothing} |"
        yield f"| placement: card | {self.card} |"
        yield f"| placement: onto | {self.onto} |"
        yield f"| placement: corner | {self.corner} |"
        yield f"| placement verdict right | {self.right} |"
        yield f"| placement verdict unsure | {self.unsure} |"
        yield f"| placement verdict wrong | {self.wrong} |"
        yield f"| wrong penalty | {self.penalty} |"
        yield f"| violations named | {self.violations} |"
        yield f"| points | {self.points} |"
        yield f"| removals read | {self.removals} |"
        yield f"| pawns read | {self.pawns} |"
        yield f"| stars read | {self.stars} |"
        yield f"| stated 95 % band holds | {self._band(self.gaps)} |"
        yield f"| – of gaps within {NEAR_MM:.0f} mm | {self._band([g for g in self.gaps if abs(g.truth) < NEAR_MM])} |"
        for rule in sorted({g.rule for g in self.gaps}):
            yield f"| – of {rule} | {self._band([g for g in self.gaps if g.rule == rule])} |"
        for step, share in sorted(self.by_step.items()):
            yield f"| verdict right, step {step or '–'} | {share} |"

    @staticmethod
    def _band(gaps: Sequence[StatedGap]) -> str:
        if not gaps:
            return "–"
        off = np.array([g.value - g.truth for g in gaps])
        z = off / np.maximum([g.sigma for g in gaps], 1e-6)
        held = Share(sum(g.held for g in gaps), len(gaps))
        return (
            f"{held}; error median {np.median(np.abs(off)):.2f} mm, 95 % {np.percentile(np.abs(off), 95):.2f} mm, "
            f"mean {off.mean():+.2f} mm; sigma median {statistics.median(g.sigma for g in gaps):.2f} mm; "
            f"error/sigma spread {np.percentile(np.abs(z), 68):.2f}"
        )


def paired(truth: Sequence[Json], told: Sequence[Json]) -> tuple[list[tuple[Json, Json | None]], list[Json]]:
    """Each true outline with the best of those told, and the told ones that are left over."""
    scores = sorted(
        ((_overlap(t, s), i, j) for i, t in enumerate(truth) for j, s in enumerate(told)), key=lambda x: -x[0]
    )
    mine: dict[int, int] = {}
    for score, i, j in scores:
        if score >= MATCHED and i not in mine and j not in mine.values():
            mine[i] = j
    pairs = [(t, told[mine[i]] if i in mine else None) for i, t in enumerate(truth)]
    return pairs, [s for j, s in enumerate(told) if j not in mine.values()]


def _overlap(a: Json, b: Json) -> float:
    p, q = np.asarray(a["quad"], np.float64), np.asarray(b.get("quad") or [], np.float64)
    if q.shape != (4, 2) or (p.min(0) > q.max(0)).any() or (q.min(0) > p.max(0)).any():
        return 0.0
    return float(overlap(p, q))


def _number(square: Any) -> int:
    return square if isinstance(square, int) else -1


def _spread(errors: Sequence[float]) -> str:
    return f"{statistics.median(errors):.2f} px / {np.percentile(errors, 95):.2f} px" if errors else "–"


def _brief(p: Json | None) -> str:
    if p is None:
        return "nothing"
    rules = ",".join(
        f"{v['rule']}{'' if v.get('gap_mm') is None else format(v['gap_mm'], '+.1f')}" for v in p["violations"]
    )
    onto = p["onto"] or {}
    ground = onto.get("card", f"space {onto['space']}" if "space" in onto else "nothing")
    close = " (close)" if p.get("close") else ""
    return f"{p['card']}/{p['corner']} on {ground} {p['verdict']}{close} [{rules}] {p['points']}"

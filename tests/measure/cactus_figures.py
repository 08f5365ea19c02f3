"""What is counted when answers about games of Cactus are held against their truth.

A wrong verdict and an unsure one are counted apart. What the truth calls close may be answered either way, and where
two plates cross in the picture but are clear in depth, unsure is right too.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from shapely.geometry import Polygon

from tests.measure.rox import Share

Json = dict[str, Any]

SEEN = 0.6
"""Visible share from which a hung piece is asked for."""


@dataclass(slots=True)
class Verdicts:
    """Right, unsure and wrong over the same contacts."""

    right: Share = field(default_factory=Share)
    unsure: Share = field(default_factory=Share)
    wrong: Share = field(default_factory=Share)

    def count(self, truth: str, said: str | None, close: bool) -> bool:
        """Count one verdict; whether it was wrong."""
        right = said == truth or (close and said is not None)
        unsure = not right and said in ("unsure", None)
        self.right.count(right)
        self.unsure.count(unsure)
        self.wrong.count(not right and not unsure)
        return not right and not unsure

    def __str__(self) -> str:
        return f"{self.right}; unsure {self.unsure.hits}; wrong {self.wrong}"


@dataclass(slots=True)
class Figures:
    """What was counted over all photos so far, and what was missed: pairs of a figure's name and the place."""

    photos: int = 0
    cacti: Share = field(default_factory=Share)
    cactus_iou: list[float] = field(default_factory=list)
    named: Share = field(default_factory=Share)
    by_shown: dict[str, Share] = field(default_factory=dict)
    iou: list[float] = field(default_factory=list)
    invented: int = 0
    placed: Share = field(default_factory=Share)
    fallen: Share = field(default_factory=Share)
    contact: Verdicts = field(default_factory=Verdicts)
    by_kind: dict[str, Verdicts] = field(default_factory=dict)
    second: Verdicts = field(default_factory=Verdicts)
    gaps: list[tuple[float, float, float]] = field(default_factory=list)
    """Stated gap, its sigma and the true one, where a gap was stated of two things that do not cross in view."""
    touching_invented: int = 0
    violations: Share = field(default_factory=Share)
    penalised: Share = field(default_factory=Share)
    flowers: Share = field(default_factory=Share)
    penalty: Share = field(default_factory=Share)
    by_event: dict[str, Share] = field(default_factory=dict)
    missed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, truth: Json, told: Json, place: str = "") -> None:
        """Count one photo: the labels, what was said of it, where it is from."""
        self.photos += 1
        self._add_cacti(truth, told, place)
        self._add_pieces(truth, told, place)
        event = truth.get("event") or "start"
        same = told.get("placed") == truth.get("placed")
        self._count(self.placed, "placed", same, f"{place} {event}: {truth.get('placed')} told {told.get('placed')}")
        want, got = sorted(truth.get("fallen", [])), sorted(told.get("fallen", []))
        self._count(self.fallen, "fallen", want == got, f"{place} {event}: {want} told {got}")
        self._add_contacts(truth, told, place)
        self._add_turn(truth, told, f"{place} {event}", event)

    def add_second(self, truth: Json, told: Json, place: str = "") -> None:
        """Count the contacts of a photo that was judged with a second view."""
        for contact, said, crossing in _contacts(truth, told):
            close = bool(contact.get("close"))
            if self.second.count(contact["verdict"], "clear" if crossing and said == "unsure" else said, close):
                self.missed.append(("second view WRONG", f"{place} {_brief(contact)} told {said}"))

    def _count(self, share: Share, name: str, hit: bool, place: str) -> None:
        share.count(hit)
        if not hit:
            self.missed.append((name, place))

    def _add_cacti(self, truth: Json, told: Json, place: str) -> None:
        mine = {c.get("id"): c for c in told.get("cacti", [])}
        for cactus in truth["cacti"]:
            said = mine.get(cactus["id"])
            base = overlap(cactus["base"], said.get("base", [])) if said else 0.0
            self._count(self.cacti, "cactus", base > 0.5, f"{place} {cactus['id']}: IoU of its base {base:.2f}")
            if said:
                self.cactus_iou.append(base)

    def _add_pieces(self, truth: Json, told: Json, place: str) -> None:
        mine = {p.get("id"): p for p in told.get("pieces", [])}
        for piece in truth["pieces"]:
            said = mine.get(piece["id"])
            hit = said is not None and said.get("cactus") == piece["cactus"]
            shown = float(piece.get("visible", 1))
            band = "over 0.9" if shown >= 0.9 else "0.6 to 0.9" if shown >= SEEN else "below 0.6"
            self.by_shown.setdefault(band, Share()).count(hit)
            if shown < SEEN:
                continue
            where = said.get("cactus") if said else None
            self._count(self.named, "piece", hit, f"{place} {piece['id']} on {piece['cactus']} told on {where}")
            if said is not None and hit:
                share = overlap(piece["outline"], said.get("outline", []))
                self.iou.append(share)
                if share < 0.8:
                    self.missed.append(("outline", f"{place} {piece['id']} IoU {share:.2f}"))
        extra = sorted(set(mine) - {p["id"] for p in truth["pieces"]}, key=str)
        self.invented += len(extra)
        self.missed += [("invented", f"{place} {e}") for e in extra]

    def _add_contacts(self, truth: Json, told: Json, place: str) -> None:
        for contact, said, crossing in _contacts(truth, told):
            verdict = "clear" if crossing and said == "unsure" else said
            close = bool(contact.get("close"))
            kind = "crossing" if crossing else "close" if close else f"{contact['kind']} {contact['verdict']}"
            self.by_kind.setdefault(kind, Verdicts()).count(contact["verdict"], verdict, close)
            if self.contact.count(contact["verdict"], verdict, close):
                self.missed.append(("contact WRONG", f"{place} {_brief(contact)} told {said}"))
            elif verdict in ("unsure", None) and not close:
                self.missed.append(("contact unsure", f"{place} {_brief(contact)} told {said}"))
        known = {_key(c) for c in truth.get("contacts", [])}
        for c in told.get("contacts", []):
            if c.get("verdict") == "touching" and _key(c) not in known:
                self.touching_invented += 1
                self.missed.append(("touching invented", f"{place} {c.get('a')} {c.get('b')} {c.get('kind')}"))
        mine = {_key(c): c for c in told.get("contacts", [])}
        for c in truth.get("contacts", []):
            s = mine.get(_key(c), {})
            value, sigma = s.get("gap_mm"), s.get("sigma_mm")
            if not c["overlap_in_view"] and isinstance(value, int | float) and isinstance(sigma, int | float):
                self.gaps.append((float(value), float(sigma), float(c["gap_mm"])))

    def _add_turn(self, truth: Json, told: Json, place: str, event: str) -> None:
        if not any(c.get("close") for c in truth.get("contacts", [])):
            want, got = _rules(truth), _rules(told)
            hit = want == got
            self._count(self.violations, "violations", hit, f"{place}: {want} told {got}")
            self.by_event.setdefault(event, Share()).count(hit)
            if not want:
                self.penalised.count(bool(got))
        for share, name in ((self.flowers, "claims"), (self.penalty, "penalties")):
            want_n, got_n = (sum(c.get("flowers", 0) for c in t.get(name, [])) for t in (truth, told))
            self._count(share, name, want_n == got_n, f"{place}: {want_n} told {got_n}")

    def lines(self) -> Iterable[str]:
        """The figures as a table in Markdown."""
        yield "| figure | measured |"
        yield "|---|---|"
        yield f"| cacti found and named; IoU of their bases, median | {self.cacti}; {_middle(self.cactus_iou)} |"
        yield f"| hung pieces named, on the right cactus, of those seen to {SEEN:.0%} | {self.named} |"
        for band, share in sorted(self.by_shown.items()):
            yield f"| – visible {band} | {share} |"
        yield f"| hung pieces invented | {self.invented / max(1, self.photos):.3f} a photo ({self.invented}) |"
        yield f"| outline IoU, median / 5th percentile | {_middle(self.iou)} / {_low(self.iou)} |"
        yield f"| placed piece | {self.placed} |"
        yield f"| fallen pieces | {self.fallen} |"
        yield f"| contact verdict right | {self.contact} |"
        for kind, verdicts in sorted(self.by_kind.items()):
            yield f"| – {kind} | {verdicts} |"
        yield f"| touching invented | {self.touching_invented} in {self.photos} photos |"
        yield f"| stated gap: error, 95 % band | {self._band()} |"
        yield f"| violations of the turn | {self.violations} |"
        yield f"| a violation stated where there is none | {self.penalised} |"
        for event, share in sorted(self.by_event.items()):
            yield f"| – violations, event {event} | {share} |"
        yield f"| flowers earned | {self.flowers} |"
        yield f"| penalty | {self.penalty} |"
        yield f"| with a second view: contact verdict right | {self.second} |"

    def _band(self) -> str:
        if not self.gaps:
            return "–"
        value, sigma, true = np.array(self.gaps).T
        held = Share(int((np.abs(value - true) <= 1.96 * sigma).sum()), len(value))
        return f"median {np.median(np.abs(value - true)):.2f} mm, mean {(value - true).mean():+.2f} mm; holds {held}"


def overlap(a: Sequence[Any], b: Sequence[Any]) -> float:
    """Intersection over union of two outlines; 0 where one of them is none."""
    if len(a) < 3 or len(b) < 3:
        return 0.0
    p, q = Polygon(a).buffer(0), Polygon(b).buffer(0)
    union = p.union(q).area
    return float(p.intersection(q).area / union) if union else 0.0


def _key(c: Mapping[str, Any]) -> tuple[frozenset[str], str]:
    return frozenset((str(c.get("a")), str(c.get("b") or c.get("kind")))), str(c.get("kind"))


def _contacts(truth: Json, told: Json) -> Iterable[tuple[Json, str | None, bool]]:
    """Each true contact, what was said of it, and whether it only crosses in view. Unnamed and clear is clear."""
    mine = {_key(c): c for c in told.get("contacts", [])}
    for c in truth.get("contacts", []):
        said = mine.get(_key(c), {}).get("verdict", "clear" if c["verdict"] == "clear" else None)
        yield c, said, bool(c.get("overlap_in_view")) and c["verdict"] == "clear"


def _rules(t: Json) -> list[tuple[str, tuple[str, ...]]]:
    return sorted((str(v.get("rule")), tuple(sorted(v.get("pieces", [])))) for v in t.get("violations", []))


def _brief(c: Json) -> str:
    crosses = ", crosses in view" if c.get("overlap_in_view") else ""
    return f"{c['a']} {c['b']} {c['kind']} {c['verdict']} {c['gap_mm']:.2f} mm{crosses}"


def _middle(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.3f}" if values else "–"


def _low(values: Sequence[float]) -> str:
    return f"{np.percentile(values, 5):.3f}" if values else "–"

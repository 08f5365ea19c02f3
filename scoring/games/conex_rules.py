"""The rules of laying, each held against one reading of a placement. Their wording stands in `conex_place`."""

from __future__ import annotations

import math

from scoring import geometry
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_readings import Reading, same_color
from scoring.games.conex_scene import NEAR_MM, SCALE_SIGMA, Gap, Scene, Thing, faces_of
from scoring.geometry import Grown
from scoring.measure import Measurement, above, below, likely
from scoring.verdicts import Call, Fact, Verdict

COLOR = "conex.color"
SINGLE_CONTACT = "conex.single-contact"
CORNER_COVERED = "conex.corner-covered"
OUT_OF_BOUNDS = "conex.out-of-bounds"
NOT_ATTACHED = "conex.not-attached"
EXACT = "conex.exact"
CONEX_RULES = (COLOR, SINGLE_CONTACT, CORNER_COVERED, OUT_OF_BOUNDS, NOT_ATTACHED, EXACT)

AREA = "area"
"""What a verdict on the border is about, besides the card."""


class Judge:
    """Holds the rules against readings of one placement.

    Attributes
    ----------
    touched
        Things that the card certainly or possibly touches, deepest overlap first.
    """

    def __init__(self, scene: Scene, options: ConexOptions) -> None:
        self.scene = scene
        self.options = options
        self._near = scene.near()
        self._gaps = {t.key: scene.gap_to(t) for t in self._near}
        meeting = [t for t in self._near if self._gaps[t.key].call is not Call.LEGAL]
        self.touched: tuple[Thing, ...] = tuple(sorted(meeting, key=lambda t: (self._gaps[t.key].gap_mm, t.key)))
        self._corners: dict[str, tuple[Verdict, ...]] = {}
        self._loose: dict[str, float | None] = {}
        self._bounds = self._out_of_bounds()

    def verdicts(self, reading: Reading) -> tuple[Verdict, ...]:
        """Every rule, for one reading of what was laid where."""
        found = [self._attached(reading)]
        if reading.spot is not None and not self.is_loose(reading):
            found.append(self._color(reading))
            if self.options.exact == "on" and reading.fit is not None:
                found.append(self._exact(reading))
        found += self._single_contact(reading)
        for t in self._near:
            found += self._corners_of(t)
        return (*found, *self._bounds)

    def is_loose(self, reading: Reading) -> bool:
        """Whether no corner of the card lies on anything, beyond doubt."""
        if reading.stated:
            return False
        return not self.touched or self._free_mm(reading) is not None

    def _free_mm(self, reading: Reading) -> float | None:
        """Least gap of the card's own corners to what it touches; None where one may lie on something."""
        if reading.face is None:
            return None
        if reading.face.id not in self._loose:
            card = self.scene.card
            least: float | None = None
            for thing in self.touched:
                for k in range(len(reading.face.corners)):
                    region = self.scene.region(card, reading.face, k)
                    gap = geometry.grown_gap_mm(Grown(region), thing.shape) if len(region) > 2 else 0.0
                    if gap <= self.scene.half_mm(thing):
                        self._loose[reading.face.id] = None
                        return None
                    least = gap if least is None else min(least, gap)
            self._loose[reading.face.id] = least
        return self._loose[reading.face.id]

    def _attached(self, reading: Reading) -> Verdict:
        """A corner lies on something, as well as hands lay it."""
        key = self.scene.card.key
        if reading.stated:
            return Verdict(NOT_ATTACHED, Call.LEGAL, (key,), facts={"why": "stated"})
        # Without the board a card that seems to lie alone may lie on it.
        broken = Call.VIOLATION if self.scene.board_known else Call.UNCERTAIN
        if not self.touched:
            return self._alone(broken)
        free = self._free_mm(reading)
        deepest = self.touched[0]
        gap = self._gaps[deepest.key]
        facts: dict[str, Fact] = {"nearest": deepest.key, "gap_mm": _mm(gap.gap_mm), "sigma_mm": _mm(gap.sigma_mm)}
        if free is not None:
            facts |= {"why": "no-corner", "gap_mm": _mm(free)}
            return Verdict(NOT_ATTACHED, broken, (key,), facts=facts, where=gap.where)
        if gap.call is not Call.VIOLATION:
            return Verdict(NOT_ATTACHED, Call.UNCERTAIN, (key,), facts=facts | {"why": "gap"}, where=gap.where)
        if reading.fit is None:
            return Verdict(NOT_ATTACHED, Call.UNCERTAIN, (key,), facts=facts | {"why": "face"}, where=gap.where)
        fit = reading.fit
        facts = {"reach_mm": _mm(fit.reach_mm), "miss_mm": _mm(fit.miss_mm), "share": round(fit.share, 3)}
        call = Call.LEGAL if self.fits(reading) else Call.UNCERTAIN
        why: dict[str, Fact] = {} if call is Call.LEGAL else {"why": "fit"}
        return Verdict(NOT_ATTACHED, call, (key,), facts=facts | why, where=fit.overlap)

    def _alone(self, call: Call) -> Verdict:
        scene = self.scene
        gaps = [(geometry.grown_gap_mm(scene.card.shape, t.shape), t.key, t) for t in scene.others]
        if not gaps:
            return Verdict(NOT_ATTACHED, call, (scene.card.key,), facts={"why": "alone"})
        gap, key, thing = min(gaps, key=lambda g: g[:2])
        facts: dict[str, Fact] = {
            "why": "alone",
            "nearest": key,
            "gap_mm": _mm(gap),
            "sigma_mm": _mm(scene.sigma_mm(thing)),
        }
        where = geometry.nearest(scene.card.shape, thing.shape) if gap > 0 else ()
        return Verdict(NOT_ATTACHED, call, (scene.card.key,), facts=facts, where=where)

    def fits(self, reading: Reading) -> bool:
        """Whether the overlap is the corner's region, as well as hands lay it.

        The band widens what is allowed by a fixed measure: more doubt about a pose never makes a placement better.
        """
        if reading.fit is None or reading.spot is None:
            return False
        allowed = self.options.tolerance_mm + self.options.touch_band_mm
        worst = max(reading.fit.reach_mm, reading.fit.miss_mm)
        return worst <= allowed and self.scene.half_mm(reading.spot.thing) <= allowed

    def _color(self, reading: Reading) -> Verdict:
        scene, options = self.scene, self.options
        assert reading.spot is not None
        spot = reading.spot
        about = (scene.card.key, spot.thing.key)
        ground = spot.color
        if ground is None:
            faces = faces_of(spot.thing.belief, scene.deck)
            ground = faces[0][0].color if faces and faces[0][0] is not None else None
        if reading.face is None or reading.corner is None or reading.fit is None:
            return Verdict(COLOR, Call.UNCERTAIN, about, facts={"ground": ground})
        fit = reading.fit
        color = reading.face.corners[reading.corner].color
        call = likely(*same_color(scene, spot, color), options.sure)
        if spot.region is not None and fit.stray_mm > options.tolerance_mm + options.touch_band_mm:
            # Beside its space a corner lies on no colour; where most of it lies on the space, hands decide.
            beside = fit.stray_mm > options.tolerance_mm + scene.half_mm(spot.thing) and fit.share < 0.5
            sure = spot.thing.sure >= options.sure
            call = Call.VIOLATION if sure and (beside or call is Call.VIOLATION) else Call.UNCERTAIN
        if call is Call.VIOLATION and not (reading.stated or self.fits(reading)):
            call = Call.UNCERTAIN
        facts: dict[str, Fact] = {
            "color": color,
            "ground": ground,
            "share": round(fit.share, 3),
            "stray_mm": _mm(fit.stray_mm),
        }
        if spot.ground.space is not None:
            facts["space"] = spot.ground.space
        return Verdict(COLOR, call, about, facts=facts, where=fit.overlap)

    def _exact(self, reading: Reading) -> Verdict:
        assert reading.spot is not None
        assert reading.fit is not None
        fit, thing = reading.fit, reading.spot.thing
        sigma = self.scene.sigma_mm(thing)
        call = below(Measurement(fit.worst_mm, sigma), self.options.tolerance_mm, band=self.options.touch_band_mm)
        facts: dict[str, Fact] = {
            "reach_mm": _mm(fit.reach_mm),
            "miss_mm": _mm(fit.miss_mm),
            "stray_mm": _mm(fit.stray_mm),
            "tolerance_mm": self.options.tolerance_mm,
            "sigma_mm": _mm(sigma),
        }
        return Verdict(EXACT, call, (self.scene.card.key, thing.key), facts=facts, where=fit.overlap)

    def _single_contact(self, reading: Reading) -> list[Verdict]:
        ground = reading.spot.thing if reading.spot is not None else None
        # Where it is not clear what was laid on what, the rule is broken only if it is broken on every ground.
        clear = reading.stated or self.fits(reading)
        sure = [t for t in self.touched if self._gaps[t.key].call is Call.VIOLATION]
        broken = clear or all(any(not self._may_touch(g, t) for t in sure) for g in sure)
        found = []
        for t in self._near:
            gap = self._gaps[t.key]
            if gap.gap_mm <= NEAR_MM and (ground is None or not self._may_touch(ground, t)):
                told = self._gap_verdict(SINGLE_CONTACT, t, gap, {})
                found.append(told if broken or told.call is not Call.VIOLATION else _unsure(told))
        return found

    def _may_touch(self, ground: Thing, other: Thing) -> bool:
        """Whether a card laid on that ground may touch that thing."""
        return other is ground or (other.is_board and not ground.is_board and self.options.contact == "board-too")

    def _corners_of(self, t: Thing) -> tuple[Verdict, ...]:
        if t.is_board:
            return ()
        if t.key not in self._corners:
            self._corners[t.key] = tuple(self._judge_corners(t))
        return self._corners[t.key]

    def _judge_corners(self, t: Thing) -> list[Verdict]:
        """No corner of a card is touched, whatever face the card may have."""
        judged: list[tuple[float, list[Verdict]]] = []
        for face, p in faces_of(t.belief, self.scene.deck):
            if face is None:
                continue
            gaps = [(k, self.scene.gap_to_corner(t, face, k)) for k in range(len(face.corners))]
            judged.append((p, [self._gap_verdict(CORNER_COVERED, t, g, {"corner": k}) for k, g in gaps if g]))
        clear = self._gaps[t.key].call is Call.LEGAL
        if not judged:
            return [] if clear else [Verdict(CORNER_COVERED, Call.UNCERTAIN, (self.scene.card.key, t.key))]
        first = judged[0][1]
        if clear:
            return first
        broken = sum(p for p, found in judged if any(v.call is Call.VIOLATION for v in found))
        kept = sum(p for p, found in judged if all(v.call is Call.LEGAL for v in found))
        sure = self.options.sure
        told = []
        for v in first:
            unsure = (v.call is Call.VIOLATION and broken < sure) or (v.call is Call.LEGAL and broken > 1 - sure)
            told.append(_unsure(v) if unsure and not (v.call is Call.LEGAL and _any_broken(first)) else v)
        if kept < sure and all(v.call is Call.LEGAL for v in told):
            told.append(Verdict(CORNER_COVERED, Call.UNCERTAIN, (self.scene.card.key, t.key)))
        return told

    def _gap_verdict(self, rule: str, t: Thing, gap: Gap, more: dict[str, Fact]) -> Verdict:
        # What may be no card of the game at all is touched in vain.
        call = Call.UNCERTAIN if gap.call is Call.VIOLATION and t.sure < self.options.sure else gap.call
        facts = {"gap_mm": _mm(gap.gap_mm), "sigma_mm": _mm(gap.sigma_mm), **more}
        return Verdict(rule, call, (self.scene.card.key, t.key), facts=facts, where=gap.where)

    def _out_of_bounds(self) -> tuple[Verdict, ...]:
        if len(self.scene.area) < 3:
            return ()
        try:
            clear, where = geometry.clearance_mm(self.scene.card.shape, self.scene.area)
        except ValueError:  # an area without an area bounds nothing
            return ()
        sigma = math.hypot(self.scene.sigma_mm(), self.scene.area_sigma_mm, SCALE_SIGMA * clear)
        call = above(Measurement(clear, sigma), 0.0, band=self.options.touch_band_mm)
        facts: dict[str, Fact] = {"gap_mm": _mm(clear), "sigma_mm": _mm(sigma)}
        return (Verdict(OUT_OF_BOUNDS, call, (self.scene.card.key, AREA), facts=facts, where=where),)


def _any_broken(verdicts: list[Verdict]) -> bool:
    return any(v.call is Call.VIOLATION for v in verdicts)


def _unsure(v: Verdict) -> Verdict:
    return Verdict(v.rule, Call.UNCERTAIN, v.about, v.seat, v.facts, v.where)


def _mm(value: float) -> float:
    return round(value, 3)

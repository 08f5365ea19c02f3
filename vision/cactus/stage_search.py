"""The search for the cacti of one picture: figures first, then the table, then what was not found at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.cactus.cactus_set import CactusSet
from vision.cactus.stage_backs import with_backs
from vision.cactus.stage_choose import choose, first_rig, guessed_lens
from vision.cactus.stage_edges import Soft, brighten
from vision.cactus.stage_fit import Fitted, fit_rig
from vision.cactus.stage_marks import marks_of
from vision.cactus.stage_propose import Proposal, propose_cacti
from vision.cactus.stage_rig import Prior, Rig
from vision.cactus.stage_sketch import Sketch, sketch
from vision.camera import CameraModel
from vision.paint import doubts
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FIRST_MM = (1.8, 1.8, 1.2, 1.2, 1.0)  # how far an edge is looked for, pass by pass
_ADDED_MM = (4.0, 2.5, 1.5, 1.2)
_SLID_MM = (3.0, 1.8, 1.2)
_SKETCHED = 2  # proposals of a cactus that are looked at closely
_TRIED = 5  # ... where the table is known
_STEPPED = 2  # ... and looked at from other starts too
_STEPS = np.array([[-6, 0, 0], [6, 0, 0], [0, -16, 0], [0, 16, 0], [0, 0, -0.4], [0, 0, 0.4]])
"""To the right and away in mm, and turned, rad."""
_ROUNDS = 2  # of looking for what is missing: each cactus tells more of the table
_BESIDE = 1.2  # a missing cactus may be nearer or farther than the others by this much
_OTHER_SIZE = 0.12  # a figure whose logarithmic size is farther off than this does not stand on the table
_DOUBTFUL = 0.7  # where less than this of an outline is open, other places and other cacti are tried
_POOR = 0.7  # worth of a cactus that is looked at again in any case
_JUMPS_MM = (0.0, -7.0, 7.0)  # a cactus whose arms are hidden may have slid along its stem by so much
_BETTER = 0.06  # by how much another reading must be worth more
_LEAST_SUPPORT = 0.45  # share of an outline's open part that must lie on edges
_LEAST_OPEN = 0.3  # share of an outline that must not be hidden
_LEAST_VISIBLE = 0.25  # share of a face that must show one paint
_LEAST_WORTH = 0.58
_LEAST_MERIT = 0.64
_TOGETHER = (0.85, 0.76, 0.71)  # least mean merit of one cactus, of two, of more
_TRY_WORTH = 0.45  # ... before the camera is fitted to it
_TWICE = 0.3  # share of a cactus's open face that another one may claim


class Search:
    """The state of one search: `who` are the indices of the cacti of `fitted`, in its order.

    The set has the backs of its cacti after the `fronts` first.
    """

    def __init__(self, rgb: Rgb, cactus_set: CactusSet, camera: CameraModel | None) -> None:
        self.rgb = brighten(rgb)
        self.soft, self.set = Soft(self.rgb), with_backs(cactus_set)
        self.fronts = len(cactus_set.cacti)
        self.marks = marks_of(self.set)
        height, self.width = rgb.shape[:2]
        self.lens = camera if camera is not None else guessed_lens(self.width, height)
        focal, k1 = float(self.lens.K[0, 0]), float(self.lens.dist[0])
        self.prior = Prior(focal, 0.3, 0.0, 0.06) if camera is None else Prior(focal, 1e-6, k1, 1e-6)
        self.who: list[int] = []
        self.fitted: Fitted | None = None
        self.proposals: list[Proposal] = []

    def run(self) -> None:
        """Look for the cacti that are not there yet."""
        if self.fitted is None:
            self.proposals = propose_cacti(self.rgb, self.set, only=range(self.fronts))
            self.begin(choose(self.sketches(self.proposals), self.width))
        self.reconsider()
        for _ in range(_ROUNDS):
            missing = self.missing()
            if self.fitted is None or not missing or not self.add(self.fitted, missing):
                return
            self.reconsider()

    def merits(self) -> Array:
        """(m,) how well edges and colours of the picture bear each cactus out; 0.5 is little and 1 is much."""
        if self.fitted is None:
            return np.zeros(0)
        deck = np.array([self.set.cacti[k].rgb for k in self.who])
        return np.asarray(self.fitted.worth - doubts(self.fitted.paints, deck), np.float64)

    def cull(self) -> None:
        """Let go of what is too weak to be told, and of all where they are no table with cacti together."""
        while self.fitted is not None:
            merits = self.merits()
            if merits.mean() < _TOGETHER[min(len(merits), len(_TOGETHER)) - 1]:
                self.fitted, self.who = None, []
            elif merits.min() >= _LEAST_MERIT:
                return
            else:
                keep = [i for i in range(len(merits)) if i != int(merits.argmin())]
                self.settle(self.fitted.rig.only(keep), [self.who[i] for i in keep], _SLID_MM[-1:])

    def missing(self) -> list[int]:
        """Indices of the cacti that are not there, as fronts."""
        there = {self.name(k) for k in self.who}
        return [k for k in range(self.fronts) if self.name(k) not in there]

    def name(self, k: int) -> str:
        """The name of a cactus, which its front and its back share."""
        return self.set.cacti[k].id

    def others(self, of: list[int]) -> list[int]:
        """Indices of the other sides of these cacti."""
        names = {self.name(k) for k in of}
        return [k for k in range(len(self.set.cacti)) if self.name(k) in names and k not in of]

    def begin(self, chosen: list[Sketch]) -> None:
        """Fit camera and cacti, starting from figures; fit again without those that stand on no edges."""
        while chosen:
            who = [s.cactus for s in chosen]
            marks = [self.marks[k] for k in who]
            fitted = fit_rig(self.soft, first_rig(chosen, marks, self.lens, self.prior), marks, self.prior, _FIRST_MM)
            good = self.stands(fitted, who)
            if good.all():
                self.fitted, self.who = fitted, who
                return
            chosen.pop(_worst(fitted, good))

    def settle(self, rig: Rig, who: list[int], reaches_mm: Sequence[float] = _FIRST_MM) -> None:
        """Fit, and fit again without those that stand on no edges."""
        while who:
            fitted = fit_rig(self.soft, rig, [self.marks[k] for k in who], self.prior, reaches_mm)
            good = self.stands(fitted, who)
            if good.all():
                self.fitted, self.who = fitted, who
                return
            keep = [k for k in range(len(who)) if k != _worst(fitted, good)]
            who = [who[k] for k in keep]
            rig = rig.only(keep)
        self.fitted, self.who = None, []

    def stands(self, f: Fitted, who: list[int], least: float = _LEAST_WORTH) -> Mask:
        """(m,) whether what was fitted is seen well enough to be a cactus, and is no part of another."""
        good = (f.worth > least) & (f.support > _LEAST_SUPPORT) & (f.open > _LEAST_OPEN) & (f.visible > _LEAST_VISIBLE)
        for i in np.argsort(f.worth):
            if good[i] and any(self.claimed(f, who, int(i), int(j)) > _TWICE for j in np.nonzero(good)[0] if j != i):
                good[i] = False
        return np.asarray(good)

    def claimed(self, f: Fitted, who: list[int], i: int, j: int) -> float:
        """Share of the face of one cactus that lies behind or before the face of another."""
        feet = f.rig.spots[[i, j], :2]
        if np.hypot(*(feet[0] - feet[1])) > self.set.base_mm[0] + self.set.base_mm[2]:
            return 0.0
        face = self.marks[who[i]].face
        px = f.rig.project(face, np.full(len(face), i))
        look = self.set.cacti[who[j]].outline_mm
        outline = np.c_[look, np.full(len(look), self.set.thickness_mm / 2)]
        contour = f.rig.project(outline, np.full(len(look), j)).astype(np.float32).reshape(-1, 1, 2)
        inside = [cv2.pointPolygonTest(contour, (float(x), float(y)), False) > 0 for x, y in px]
        return float(np.mean(inside)) / max(_LEAST_VISIBLE, float(f.visible[i]))

    def sketches(self, proposals: list[Proposal]) -> list[Sketch]:
        """The likeliest proposals of each cactus, laid onto their edges."""
        some = [p for k in range(len(self.set.cacti)) for p in [p for p in proposals if p.cactus == k][:_SKETCHED]]
        return sketch(self.soft, some, self.marks)

    def add(self, known: Fitted, missing: list[int]) -> bool:
        """Look for cacti on the table, and in the paint, that are known by now; whether any was found."""
        rig, missing = known.rig, missing + self.others(missing)
        sizes = [rig.focal_px / float(rig.to_camera(k).t[2]) for k in range(len(self.who))]
        low, high = min(sizes) / _BESIDE, max(sizes) * _BESIDE
        deck = np.array([c.rgb for c in self.set.cacti])
        gain = np.exp(np.median(np.log(known.paints + 1.0) - np.log(deck[self.who] + 1.0), axis=0))
        paints = np.asarray(deck * gain, np.float32)
        camera = rig.camera()

        def fits(feet_px: Array, px_per_mm: float) -> Mask:
            return np.asarray(np.isfinite(self.spots(rig, camera, feet_px, px_per_mm)).all(axis=1))

        found = [
            (p, np.r_[self.spots(rig, camera, np.array([[p.x, p.y]]), p.px_per_mm)[0], 0.0])
            for p in propose_cacti(self.rgb, self.set, (low, high), missing, paints, fits)
        ]
        starts: list[tuple[int, Array]] = []
        for k in missing:
            best = [spot for p, spot in found if p.cactus == k][:_TRIED]
            starts += [(k, spot) for spot in best]
            starts += [(k, spot + step) for spot in best[:_STEPPED] for step in _STEPS]
        if not starts:
            return False
        who = [k for k, _ in starts]
        rough = replace(rig, spots=np.array([spot for _, spot in starts]))
        tried = fit_rig(self.soft, rough, [self.marks[k] for k in who], None, _ADDED_MM)
        good = (tried.worth > _TRY_WORTH) & (tried.support > _LEAST_SUPPORT) & (tried.visible > _LEAST_VISIBLE)
        taken: list[int] = []
        for i in np.argsort(_BETTER * (np.array(who) >= self.fronts) - tried.worth):
            spots = np.r_[rig.spots, tried.rig.spots[taken]]
            apart = np.hypot(*(spots[:, :2] - tried.rig.spots[i, :2]).T) > self.set.base_mm[2]
            if good[i] and apart.all() and self.name(who[i]) not in [self.name(who[j]) for j in taken]:
                taken.append(int(i))
        before = {self.name(k) for k in self.who}
        if taken:
            whole = replace(rig, spots=np.r_[rig.spots, tried.rig.spots[taken]])
            self.settle(whole, self.who + [who[i] for i in taken])
        return not {self.name(k) for k in self.who} <= before

    def reconsider(self, sure: bool = False) -> None:
        """Try cacti that are not seen well a little higher and lower, and others in their place.

        A stem fits anywhere along itself, and where pieces hide what tells two cacti apart, one passes for the other.
        With `sure`, only those that are hardly worth anything.
        """
        f = self.fitted
        if f is None:
            return
        places = [i for i, w in enumerate(f.worth) if w < _POOR or (f.open[i] < _DOUBTFUL and not sure)]
        if not places:
            return
        names = [self.who[i] for i in places]
        names += self.missing() + self.others(names)
        rig, camera = f.rig, f.rig.camera()
        feet = rig.project(np.zeros((len(self.who), 3)), np.arange(len(self.who)))
        starts: list[tuple[int, int, Array]] = []
        for n, i in enumerate(places):
            px = rig.focal_px / float(rig.to_camera(i).t[2])
            jumped = self.ground(rig, camera, feet[i] + np.array([[0.0, jump * px] for jump in _JUMPS_MM]))
            for at in jumped[np.isfinite(jumped).all(axis=1)]:
                starts += [(n, c, np.r_[at, rig.spots[i, 2]]) for c in range(len(names))]
        spots = np.array([s for _, _, s in starts])
        marks = [self.marks[names[c]] for _, c, _ in starts]
        tried = fit_rig(self.soft, replace(rig, spots=spots), marks, None, _SLID_MM)
        worth = np.full((len(places), len(names)), -1.0)
        best = np.zeros((len(places), len(names)), int)
        for s, (n, c, _) in enumerate(starts):
            value = tried.worth[s] + (_BETTER if n == c else 0.0)
            if value > worth[n, c]:
                worth[n, c], best[n, c] = value, s
        spots, who = rig.spots.copy(), list(self.who)
        better = False
        for n, c in zip(*linear_sum_assignment(-worth), strict=True):
            if c != n or worth[n, c] > f.worth[places[n]] + 2 * _BETTER:
                spots[places[n]], who[places[n]] = tried.rig.spots[best[n, c]], names[c]
                better = True
        if better and len({self.name(k) for k in who}) == len(who):
            self.settle(replace(rig, spots=spots), who)

    def spots(self, rig: Rig, camera: CameraModel, feet_px: Array, px_per_mm: float) -> Array:
        """Where on the table figures of one size stand, (n, 2) mm; NaN where they are too large or small for that."""
        at = self.ground(rig, camera, feet_px)
        depth = (np.c_[at, np.full(len(at), -rig.height_mm)] @ rig.table().T)[:, 2]
        with np.errstate(invalid="ignore"):
            good = np.abs(np.log(rig.focal_px / np.maximum(depth, 1e-6) / px_per_mm)) <= _OTHER_SIZE
        apart = np.linalg.norm(rig.spots[None, :, :2] - at[:, None], axis=2) > self.set.base_mm[2]
        at[~(good & apart.all(axis=1))] = np.nan
        return at

    def ground(self, rig: Rig, camera: CameraModel, feet_px: Array) -> Array:
        """The places on the table that are seen there, (n, 2) mm; NaN above the horizon."""
        foot = (camera.undistort(feet_px) - camera.K[:2, 2]) / np.diag(camera.K)[:2]
        ray = np.c_[foot, np.ones(len(foot))] @ rig.table()
        down = np.where(ray[:, 2:] < -1e-3, -ray[:, 2:], np.nan)
        return np.asarray(ray[:, :2] * (rig.height_mm / down), np.float64)


def _worst(f: Fitted, good: Mask) -> int:
    return int(np.argmin(np.where(good, np.inf, f.worth)))

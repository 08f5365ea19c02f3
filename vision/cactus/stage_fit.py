"""Where exactly the cacti stand: their edges laid onto the edges of the picture, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cactus.stage_edges import Soft, find_steps, paint_behind, paints_at, weighted_median
from vision.cactus.stage_marks import Marks
from vision.cactus.stage_rig import EACH, SHARED, Prior, Rig, add_own, add_prior, normal, spread

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_BASE = 0.8  # weight of an edge of the base against one of the cactus
_BASE_MM = 1.5  # edges of the base, which are near each other, are looked for no farther than this
_TURNS = 4  # of reweighting
_INDEPENDENT = 3.0  # about one point in so many is independent
_SCATTER_PX = 0.2  # least scatter of edges, at 720 lines
_TIGHT_MM = 0.8  # from its place within which an edge supports a cactus
_INSETS = (0.3, 0.2, 0.1, 0.3)
"""Deviations of how far inside its place an edge is seen: mm of the paint, mm of its lit top, mm of the block, and how
much of a plate's rim looks like its paint."""
_SYSTEMATIC_MM = 0.1  # bevels, rims and shadows shift edges that have no scatter
_LAST_MM = 1.4  # how far an edge is looked for when all is done
_LONG = 5  # most rounds of stretched steps for a camera that is not known
_STRETCHED = 3.0
_STEADY = 1e-3  # change of the logarithmic focal length at which they end
_WORSE = 0.02  # loss of worth that tells that they led astray
_KNOWN = 1e-3  # deviation of the logarithmic focal length of a camera that is known
_STILL_PX = 0.05  # a step that moves no cactus farther is the last
_FACING = 0.3  # rad by which cacti are turned
_BASE_WORTH = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The rig that the edges agree on.

    Parameters
    ----------
    rig
        Camera and spots.
    support
        (m,) share of that part of each cactus's edge that lies on an edge of the picture.
    visible
        (m,) share of each cactus's face that shows its paint.
    open
        (m,) share of each cactus's edge behind which its paint is seen.
    base
        (m,) share of the edges of each base that lie on edges of the picture.
    paints
        (m, 3) RGB of each.
    sigma_px
        (m,) standard deviation of a point of each outline.
    """

    rig: Rig
    support: Array
    visible: Array
    open: Array
    base: Array
    paints: Floats
    sigma_px: Array

    @property
    def worth(self) -> Array:
        """(m,) how well the picture bears each cactus out."""
        return np.asarray(self.support * np.sqrt(self.open) + _BASE_WORTH * self.base, np.float64)


def fit_rig(soft: Soft, rig: Rig, marks: Sequence[Marks], prior: Prior | None, reaches_mm: Sequence[float]) -> Fitted:
    """Move camera and cacti to where their edges are.

    Parameters
    ----------
    soft
        The picture.
    rig
        First guess.
    marks
        Of each cactus of the rig.
    prior
        What is known of the camera; None: all of it, and only the cacti move.
    reaches_mm
        How far from its place an edge is looked for, pass by pass.
    """
    work = _Work(soft, rig, marks, prior)
    known = prior is None or prior.focal <= _KNOWN
    for reach in reaches_mm:
        work.step(reach)
        if known and work.moved_px < _STILL_PX:
            break
    before = work.result()
    if prior is not None and not known:
        for turn in range(_LONG):
            if turn and abs(work.step(reaches_mm[-1])) < _STEADY:
                break
            work.step(reaches_mm[-1], _STRETCHED)
            work.step(reaches_mm[-1])
        after = work.result()
        return after if after.worth.mean() > before.worth.mean() - _WORSE else before
    return before


class _Work:
    """The state of one call; arrays run over the points of all cacti."""

    def __init__(self, soft: Soft, rig: Rig, marks: Sequence[Marks], prior: Prior | None) -> None:
        self.soft, self.rig, self.prior, self.m = soft, rig, prior, len(marks)
        counts = [len(k.at) for k in marks]
        self.of = np.repeat(np.arange(self.m), counts)
        self.first = np.cumsum([0, *counts[:-1]])
        self.at = np.concatenate([k.at for k in marks])
        self.along = np.concatenate([k.along for k in marks])
        self.out = np.concatenate([k.out for k in marks])
        self.painted = np.concatenate([k.painted for k in marks])
        self.faces = np.concatenate([k.face for k in marks])
        self.face_of = np.repeat(np.arange(self.m), [len(k.face) for k in marks])
        self.least = _SCATTER_PX * soft.height / 720
        self.inset = np.zeros(len(_INSETS))
        self.shared = SHARED + len(_INSETS)
        self.doubt: Array = np.zeros((0, 0))
        self.moved_px = np.inf
        self.last: Array = np.zeros((0, 0))
        self.paints, self.visible = self.read_paints()

    def read_paints(self) -> tuple[Floats, Array]:
        """The paint of each cactus and how much of its face shows it."""
        return paints_at(self.soft, self.rig.project(self.faces, self.face_of), self.face_of, self.m)

    def look(self, reach_mm: float) -> tuple[Array, Array, Array, Array, Array]:
        """Every edge: where it should be, its normal in the picture, px per mm across, how far off it is, trust."""
        there = np.concatenate([self.at, self.at + 0.5 * self.along, self.at + 0.5 * self.out])
        p, t, o = self.rig.project(there, np.tile(self.of, 3)).reshape(3, -1, 2)
        t, o = t - p, o - p
        n = np.c_[t[:, 1], -t[:, 0]] / np.maximum(np.hypot(t[:, 0], t[:, 1]), 1e-9)[:, None]
        per_mm = 2 * (n * o).sum(axis=1)
        n *= np.where(per_mm < 0, -1.0, 1.0)[:, None]
        reach = reach_mm * float(np.median(np.abs(per_mm[self.painted])))
        off, trust = find_steps(self.soft, p, n, reach, self.paints[self.of], self.painted)
        base = _BASE if reach_mm < _BASE_MM else 0.0
        return p, n, np.abs(per_mm), off, trust * np.where(self.painted, 1.0, base)

    def slopes(self, p: Array, n: Array, per_mm: Array) -> Array:
        """(n, 12) change of each edge across itself: by the shared unknowns, the insets, those of its cactus."""
        J = (n[:, None] @ self.rig.slopes(self.at, self.of))[:, 0]
        inset = -per_mm * self.painted
        block = -per_mm * (~self.painted & (self.out[:, 1] >= 0))  # its lower edge meets the table: no rim there
        behind = (
            self.rig.project(self.at * [1, 1, -1], self.of) - p
        )  # a plate's other side is as far back as this front
        rim = np.maximum(0.0, (n * behind).sum(axis=1)) * self.painted
        insets = np.c_[inset, inset * np.maximum(0.0, -n[:, 1]), block, rim]
        return np.asarray(np.c_[J[:, :SHARED], insets, J[:, SHARED:]], np.float64)

    def step(self, reach_mm: float, stretch: float = 1.0) -> float:
        """One pass: look for every edge within reach, then move everything to where the edges are.

        Returns the change of the logarithmic focal length. Points of an edge follow the model a little, so that the
        camera, which only many edges together tell, creeps to its place: a stretched step goes farther that way.
        """
        p, n, per_mm, off, trust = self.look(reach_mm)
        J = self.slopes(p, n, per_mm)
        off = off - J[:, SHARED : self.shared] @ self.inset
        fit = self.each_alone if self.prior is None else self.all_together
        change = fit(J, off, trust)
        self.last, self.moved_px = J, self.farthest(J, change)
        self.inset = self.inset + change[SHARED : self.shared]
        self.rig = self.rig.moved(stretch * change[:SHARED], stretch * change[self.shared :].reshape(-1, EACH))
        if self.moved_px >= _STILL_PX:
            self.paints, self.visible = self.read_paints()
        return float(change[0])

    def all_together(self, J: Array, off: Array, trust: Array) -> Array:
        """The change of all unknowns that brings the edges to where they are."""
        assert self.prior is not None
        J = spread(J, self.of, self.m)
        change: Array = np.zeros(J.shape[1])
        extra = np.arange(SHARED, self.shared)
        for turn in range(_TURNS):
            N, b = normal(J, off, self.weight(off - J @ change, trust, alike=turn == 0))
            add_prior(N, b, self.rig, self.prior, _FACING)
            N[extra, extra] += np.array(_INSETS) ** -2.0
            b[extra] -= self.inset * np.array(_INSETS) ** -2.0
            change = np.asarray(np.linalg.solve(N, b), np.float64)
        self.doubt = np.asarray(np.linalg.pinv(N), np.float64)
        return change

    def each_alone(self, J: Array, off: Array, trust: Array) -> Array:
        """The same where only the cacti move, none of them for the sake of another."""
        J = J[:, self.shared :]
        pairs = J[:, :, None] * J[:, None]
        each: Array = np.zeros((self.m, EACH))
        for turn in range(_TURNS):
            weight = self.weight(off - (J * each[self.of]).sum(axis=1), trust, alike=turn == 0)
            N = np.add.reduceat(pairs * weight[:, None, None], self.first)
            b = np.add.reduceat(J * (weight * off)[:, None], self.first)
            add_own(N, b, self.rig, _FACING)
            each = np.asarray(np.linalg.solve(N, b[..., None])[..., 0], np.float64)
        self.doubt = np.linalg.inv(N)
        return np.concatenate([np.zeros(self.shared), each.ravel()])

    def farthest(self, J: Array, change: Array) -> float:
        """How far a change moves the edge of the cactus that it moves most, as a mean over that edge, px."""
        k = self.shared
        by = np.abs(J[:, :SHARED] @ change[:SHARED] + (J[:, k:] * change[k:].reshape(-1, EACH)[self.of]).sum(axis=1))
        return float((np.add.reduceat(by, self.first) / np.bincount(self.of, minlength=self.m)).max())

    def weight(self, residual: Array, trust: Array, *, alike: bool) -> Array:
        """(n,) what each edge counts: all that are trusted alike, or less those that are far off."""
        scale = max(self.least, 1.4826 * weighted_median(np.abs(residual), trust))
        weight = trust if alike else trust * np.maximum(0.0, 1 - (residual / (4.0 * scale)) ** 2) ** 2
        return np.asarray(weight / (scale**2 * _INDEPENDENT), np.float64)

    def variance(self, J: Array) -> Array:
        """(n,) variance of the place of each edge, px2."""
        if self.prior is None:
            own = J[:, self.shared :]
            return np.asarray(((own[:, None] @ self.doubt[self.of])[:, 0] * own).sum(axis=1), np.float64)
        J = spread(J, self.of, self.m)
        return np.asarray(((J @ self.doubt) * J).sum(axis=1), np.float64)

    def result(self) -> Fitted:
        """What the last pass left, looked at once more."""
        p, n, per_mm, off, trust = self.look(_LAST_MM)
        J = self.last
        off = off - J[:, SHARED : self.shared] @ self.inset
        J[:, SHARED : self.shared] = 0
        good = trust * (np.abs(off) < _TIGHT_MM * per_mm)
        shown = paint_behind(self.soft, p, n, per_mm, self.paints[self.of])
        variance = self.variance(J)
        support, sigma, opened, base = (np.zeros(self.m) for _ in range(4))
        for k in range(self.m):
            mine = np.nonzero((self.of == k) & self.painted)[0]
            base[k] = good[(self.of == k) & ~self.painted].mean() / _BASE
            opened[k] = shown[mine].mean()
            support[k] = good[mine].sum() / max(1.0, shown[mine].sum())
            own_mm = _SYSTEMATIC_MM * float(np.median(per_mm[mine]))
            sigma[k] = float(np.sqrt(max(0.0, float(variance[mine].mean())) + own_mm**2))
        return Fitted(self.rig, np.minimum(support, 1.0), self.visible, opened, base, self.paints, sigma)

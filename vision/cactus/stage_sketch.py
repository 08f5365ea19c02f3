"""Each proposed cactus by itself: its outline laid onto the picture as a flat, stretched figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cactus.stage_edges import Soft, find_steps, paint_behind, paints_at, weighted_median
from vision.cactus.stage_marks import Marks
from vision.cactus.stage_propose import Proposal

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_REACHES_MM = (5.0, 4.0, 2.5, 1.5)  # how far an edge is looked for, pass by pass
_TURNS = 3  # of reweighting
_STRETCH = 0.04  # deviation of the figure's own change of shape in one pass
_SHAPE = 0.12  # ... and from an upright figure, in all
_TIGHT_MM = 0.8  # from its place within which an edge supports an outline
_SCATTER_PX = 0.4
_EVERY = 2  # every second point of an outline will do


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A proposal laid onto the edges of the picture.

    Parameters
    ----------
    cactus
        Its index in the set.
    A, t
        (2, 2) and (2,): from mm of the cactus (y upward) to px, `points @ A.T + t`.
    support
        Share of the outline's open part that lies on an edge of the picture.
    open
        Share of the outline behind which its paint is seen.
    paint
        (3,) RGB.
    """

    cactus: int
    A: Array
    t: Array
    support: float
    open: float
    paint: Floats

    @property
    def px_per_mm(self) -> float:
        """Its size in the picture, measured upward."""
        return float(np.hypot(self.A[0, 1], self.A[1, 1]))


def sketch(soft: Soft, proposals: Sequence[Proposal], marks: Sequence[Marks]) -> list[Sketch]:
    """Lay every proposal onto the edges near it.

    Parameters
    ----------
    soft
        The picture.
    proposals
        Rough places.
    marks
        Of every cactus of the set.
    """
    if not proposals:
        return []
    work = _Work(soft, proposals, marks)
    for reach in _REACHES_MM:
        work.step(reach)
    return work.result()


class _Work:
    """All sketches of one call; arrays run over the points of all of them."""

    def __init__(self, soft: Soft, proposals: Sequence[Proposal], marks: Sequence[Marks]) -> None:
        self.soft, self.proposals, self.m = soft, proposals, len(proposals)
        mine = [marks[p.cactus] for p in proposals]
        edges = [np.nonzero(k.painted)[0][::_EVERY] for k in mine]
        self.at = np.concatenate([k.at[e, :2] for k, e in zip(mine, edges, strict=True)])
        self.along = np.concatenate([k.along[e, :2] for k, e in zip(mine, edges, strict=True)])
        self.out = np.concatenate([k.out[e, :2] for k, e in zip(mine, edges, strict=True)])
        self.of = np.repeat(np.arange(self.m), [len(e) for e in edges])
        self.faces = np.concatenate([k.face[:, :2] for k in mine])
        self.face_of = np.repeat(np.arange(self.m), [len(k.face) for k in mine])
        size = np.array([p.px_per_mm for p in proposals])
        c, s = np.cos([p.slant_rad for p in proposals]), np.sin([p.slant_rad for p in proposals])
        self.A = np.stack([np.c_[c, s], np.c_[s, -c]], axis=1) * size[:, None, None]
        self.t = np.array([[p.x, p.y] for p in proposals])
        self.paints = self.read_paints()

    def read_paints(self) -> Floats:
        return paints_at(self.soft, self.mapped(self.faces, self.face_of), self.face_of, self.m)[0]

    def mapped(self, points: Array, of: NDArray[np.intp]) -> Array:
        return np.asarray(np.einsum("nij,nj->ni", self.A[of], points) + self.t[of], np.float64)

    def look(self, reach_mm: float) -> tuple[Array, Array, Array, Array]:
        """Normals, offsets and trust of every point, and px per mm across its edge."""
        A = self.A[self.of]
        along = np.einsum("nij,nj->ni", A, self.along)
        out = np.einsum("nij,nj->ni", A, self.out)
        n = np.c_[along[:, 1], -along[:, 0]] / np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
        per_mm = (n * out).sum(axis=1)
        n *= np.where(per_mm < 0, -1.0, 1.0)[:, None]
        reach = reach_mm * float(np.median(np.abs(per_mm)))
        everywhere = np.ones(len(n), bool)
        off, trust = find_steps(self.soft, self.mapped(self.at, self.of), n, reach, self.paints[self.of], everywhere)
        return n, off, trust, np.abs(per_mm)

    def step(self, reach_mm: float) -> None:
        """One pass: look for every edge within reach, then move every figure."""
        n, off, trust, _ = self.look(reach_mm)
        for k in range(self.m):
            mine = self.of == k
            self.move(k, self.at[mine], n[mine], off[mine], trust[mine])
        self.paints = self.read_paints()

    def move(self, k: int, at: Array, n: Array, off: Array, trust: Array) -> None:
        size = float(np.hypot(*self.A[k, :, 1]))
        # change of the figure in its own axes: shift (px), turn, growth, and what is no turn and no growth
        x, y = self.A[k] @ at.T
        J = np.stack([n[:, 0], n[:, 1], n[:, 1] * x - n[:, 0] * y, n[:, 0] * x + n[:, 1] * y], axis=1)
        J = np.c_[J, n[:, 0] * x - n[:, 1] * y, n[:, 0] * y + n[:, 1] * x]
        # what the shape is by now, against an upright figure
        U, _, V = np.linalg.svd(self.A[k] @ np.diag([1.0, -1.0]))
        R = U @ V
        shape = R.T @ self.A[k] @ np.diag([1.0, -1.0]) / size
        odd = np.array([(shape[0, 0] - shape[1, 1]) / 2, (shape[0, 1] + shape[1, 0]) / 2])
        turned = np.arctan2(R[1, 0], R[0, 0])
        c, s = np.cos(2 * turned), np.sin(2 * turned)
        odd = np.array([c * odd[0] - s * odd[1], s * odd[0] + c * odd[1]])
        change = np.zeros(6)
        prior = np.diag([0.0, 0.0, 0.1**-2, 0.1**-2, _STRETCH**-2 + _SHAPE**-2, _STRETCH**-2 + _SHAPE**-2])
        pull = np.r_[np.zeros(4), -odd * _SHAPE**-2]
        for turn in range(_TURNS):
            r = off - J @ change
            scale = max(_SCATTER_PX, 1.4826 * weighted_median(np.abs(r), trust))
            w = trust if turn == 0 else trust * np.maximum(0.0, 1 - (r / (4 * scale)) ** 2) ** 2
            w = w / (3 * scale**2)
            N = J.T @ (J * w[:, None]) + prior + np.diag([1e-3] * 2 + [0.0] * 4)
            change = np.linalg.solve(N, J.T @ (off * w) + pull)
        turn_, grow, stretch, shear = change[2:]
        D = np.array([[1 + grow + stretch, shear - turn_], [shear + turn_, 1 + grow - stretch]])
        self.A[k] = D @ self.A[k]
        self.t[k] += change[:2]

    def result(self) -> list[Sketch]:
        n, off, trust, per_mm = self.look(3 * _TIGHT_MM)
        good = trust * (np.abs(off) < _TIGHT_MM * per_mm)
        shown = paint_behind(self.soft, self.mapped(self.at, self.of), n, per_mm, self.paints[self.of])
        out = []
        for k, p in enumerate(self.proposals):
            mine = self.of == k
            support = min(1.0, float(good[mine].sum() / max(1.0, shown[mine].sum())))
            seen = float(shown[mine].mean())
            out.append(Sketch(p.cactus, self.A[k].copy(), self.t[k].copy(), support, seen, self.paints[k]))
        return out

"""Which figures stand on one table (they agree on how size changes over the picture), and the camera that sees them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.cactus.stage_marks import Marks
from vision.cactus.stage_rig import EACH, SHARED, Prior, Rig, add_prior, normal, spread
from vision.cactus.stage_sketch import Sketch
from vision.camera import CameraModel

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_SEEDS = 2  # figures of a cactus that a hypothesis may start from
_AGREE = 0.05  # standard deviation of a figure's logarithmic size
_DOWN = (0.35, 0.45)  # growth of the logarithmic size over a fifth of the width downwards: mean and deviation
_ACROSS = 0.12  # ... over the whole width across, about none
_TRIED = 12  # hypotheses that are looked at closely
_PLACE_MM = 20.0  # two cacti stand farther apart than this
_LEAST = 0.4  # support times agreement of a figure that is taken
_POINTS = 16  # of an outline, for the camera
_SPREAD_PX = 1.0  # deviation of such a point
_TURNS = 8
_FACING = 0.06  # rad by which the cacti turn at first: which way, only the fit can tell
_FOCAL = 0.85  # focal length of a common camera as a share of the picture's width


def choose(sketches: Sequence[Sketch], width: int) -> list[Sketch]:
    """At most one figure a cactus, at most one a place, such that all stand on one table."""
    if not sketches:
        return []
    u, v = (np.array([s.t[i] for s in sketches]) / width for i in (0, 1))
    size = np.log([s.px_per_mm for s in sketches])
    score = np.array([s.support * np.sqrt(s.open) for s in sketches])
    of = np.array([s.cactus for s in sketches])
    laws = _laws(_seeds(of, score), u, v, size)
    agree = np.exp(-0.5 * ((laws @ np.stack([np.ones_like(u), u, v]) - size) / _AGREE) ** 2)
    worth = score * agree
    total = np.sum([worth[:, of == k].max(axis=1) for k in np.unique(of)], axis=0)
    best: list[int] = []
    most = 0.0
    for h in np.argsort(-total)[:_TRIED]:
        taken, value = _assign(sketches, worth[h])
        if value > most:
            best, most = taken, value
    return [sketches[i] for i in best]


def _seeds(of: Index, score: Array) -> list[tuple[int, ...]]:
    """Sets of up to three figures of different cacti."""
    ranked = np.argsort(-score)
    top = [i for k in np.unique(of) for i in ranked[of[ranked] == k][:_SEEDS]]
    return [c for n in (1, 2, 3) for c in combinations(top, n) if len({int(of[i]) for i in c}) == n]


def _laws(seeds: list[tuple[int, ...]], u: Array, v: Array, size: Array) -> Array:
    """(n, 3) constant, growth across and growth down of the logarithmic size that each set of seeds asks for."""
    A = np.zeros((len(seeds), 3, 3))
    b = np.zeros((len(seeds), 3))
    down, spread = _DOWN[0] * 5, _DOWN[1] * 5
    A[:, 1, 1] += (_AGREE / _ACROSS) ** 2
    A[:, 2, 2] += (_AGREE / spread) ** 2
    b[:, 2] += down * (_AGREE / spread) ** 2
    for j, seed in enumerate(seeds):
        for i in seed:
            row = np.array([1.0, u[i], v[i]])
            A[j] += np.outer(row, row)
            b[j] += row * size[i]
    return np.asarray(np.linalg.solve(A, b[..., None])[..., 0], np.float64)


def _assign(sketches: Sequence[Sketch], worth: Array) -> tuple[list[int], float]:
    """The best choice of one figure a cactus and a place, and its value."""
    places: list[Sketch] = []
    best: dict[tuple[int, int], int] = {}
    for i in (int(i) for i in np.argsort(-worth) if worth[i] > _LEAST):
        s = sketches[i]
        near = next((n for n, q in enumerate(places) if same_place(s, q)), len(places))
        if near == len(places):
            places.append(s)
        best.setdefault((s.cactus, near), i)
    if not best:
        return [], 0.0
    rows = sorted({c for c, _ in best})
    value = np.zeros((len(rows), len(places)))
    for (c, n), i in best.items():
        value[rows.index(c), n] = worth[i]
    picked = [best[(rows[r], n)] for r, n in zip(*linear_sum_assignment(-value), strict=True) if value[r, n] > 0]
    return picked, float(worth[picked].sum())


def same_place(p: Sketch, q: Sketch) -> bool:
    """Whether two figures cannot both stand there."""
    return bool(np.hypot(*(p.t - q.t)) < _PLACE_MM * min(p.px_per_mm, q.px_per_mm))


def first_rig(chosen: Sequence[Sketch], marks: Sequence[Marks], lens: CameraModel, prior: Prior) -> Rig:
    """The rig that shows the figures as they are.

    Parameters
    ----------
    chosen
        At least one figure.
    marks
        Of each of them.
    lens
        The camera, or a guess of it.
    prior
        What is known of the camera.
    """
    m = len(chosen)
    size = np.array([s.px_per_mm for s in chosen])
    focal, pitch = float(lens.K[0, 0]), prior.pitch_rad
    feet = lens.undistort(np.array([s.t for s in chosen]))
    P = np.c_[(feet - lens.K[:2, 2]) / np.diag(lens.K)[:2], np.ones(m)] * (focal / size)[:, None]
    height = max(20.0, float(np.mean(P[:, 1] * np.cos(pitch) + P[:, 2] * np.sin(pitch))))
    away = np.cos(pitch) * P[:, 2] - np.sin(pitch) * P[:, 1]
    rig = Rig(lens, focal, float(lens.dist[0]), pitch, 0.0, height, np.c_[P[:, 0], away, np.zeros(m)])
    points, wanted = [], []
    for s, k in zip(chosen, marks, strict=True):
        edge = k.at[k.painted]
        some = edge[np.linspace(0, len(edge) - 1, _POINTS).astype(int)]
        points.append(some)
        wanted.append(some[:, :2] @ s.A.T + s.t)
    at, target = np.concatenate(points), np.concatenate(wanted)
    of = np.repeat(np.arange(m), _POINTS)
    weight = np.full(2 * len(at), _SPREAD_PX**-2.0)
    for _ in range(_TURNS):
        here = rig.project(at, of)
        J = spread(rig.slopes(at, of).reshape(-1, SHARED + EACH), np.repeat(of, 2), m)
        N, b = normal(J, (target - here).ravel(), weight)
        add_prior(N, b, rig, prior, _FACING)
        change = np.asarray(np.linalg.solve(N, b), np.float64)
        rig = rig.moved(change[:SHARED], change[SHARED:].reshape(-1, EACH))
    return rig


def guessed_lens(width: int, height: int) -> CameraModel:
    """A common camera without distortion."""
    f = _FOCAL * width
    K = np.array([[f, 0.0, (width - 1) / 2], [0.0, f, (height - 1) / 2], [0.0, 0.0, 1.0]])
    return CameraModel((width, height), K, np.zeros(5))

"""Outlines of cards proposed by a small network: which pixels show a card, and where that card's centre and sides are.

Every cell of `STRIDE` pixels that shows a card votes for the centre, the half sides and the direction of *its*
card, hidden
parts included. Votes that agree are one card, so neighbours that touch and heaps come apart without any line
between them.
The network has never seen a deck that anyone plays with: `tests/training` draws a new one for every picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from vision.cards.quads import FittedQuad, fit_quad
from vision.network import session
from vision.types import Quad, Rgb

STRIDE = 4
UNIT_PX = 32.0
MODEL = Path(__file__).parents[1] / "models" / "outlines.onnx"

WHOLE = 0.8
"""Visible share from which a card counts as seen entirely."""

_MIN_CARD = 0.5  # probability from which a cell votes
_MIN_VISIBLE = 0.12  # share of a card that must have voted for it
_SAME_CENTRE = 0.22  # votes within this share of the card's size are one card
_SAME_TURN = np.radians(16)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A card that the network believes in.

    Parameters
    ----------
    quad_px
        (4, 2) corners in pixels of the picture, clockwise; which of them is the printed top-left is not known.
    visible
        Share of the outline's area that voted for it, 0 to about 1.
    belief
        Mean certainty of the votes, 0 to 1.
    cells
        (n, 2) centres of the cells that voted for it, in pixels of the picture.
    """

    quad_px: Array
    visible: float
    belief: float
    cells: Array


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The network's answer for one picture: maps of (h, w) cells and the cell size in pixels of the picture."""

    card: NDArray[np.float32]
    edge: NDArray[np.float32]
    field: NDArray[np.float32]
    cell_px: tuple[float, float]

    def on_map(self, points_px: Array) -> Array:
        """(n, 2) pixels of the picture -> (n, 2) column and row on the maps, cell centres at integers."""
        return np.asarray((points_px + 0.5) / np.array(self.cell_px) - 0.5)

    def nearest(self, points_px: Array, margin: int = 0) -> NDArray[np.intp]:
        """(n, 2) column and row of the cell nearest to each point, at least `margin` cells off the maps' rim."""
        last = np.array(self.card.shape[::-1]) - 1 - margin
        return np.asarray(np.clip(np.round(self.on_map(points_px)).astype(np.intp), margin, last))


def estimate_cells(rgb: Rgb, long_side: int, model: Path = MODEL) -> Cells:
    """Run the network on the picture, its long side made `long_side` pixels long."""
    h, w = rgb.shape[:2]
    scale = long_side / max(h, w)
    nh, nw = (max(64, round(v * scale / 32) * 32) for v in (h, w))
    shrink = cv2.INTER_AREA if nw < w else cv2.INTER_LINEAR
    small = cv2.resize(rgb, (nw, nh), interpolation=shrink)
    x = small.astype(np.float32).transpose(2, 0, 1)[None] / np.float32(255)
    out = session(model).run(None, {"rgb": x})[0][0]
    with np.errstate(over="ignore"):
        card, edge = (1 / (1 + np.exp(-out[i])) for i in (0, 1))
    return Cells(card, edge, out[2:], (w / nw * STRIDE, h / nh * STRIDE))


@dataclass(frozen=True, slots=True, eq=False)
class _Votes:
    """What the cells say that show a card: (n, …) arrays in network pixels."""

    at: NDArray[np.intp]
    centre: Array
    shape: Array
    turn: Array
    half: Array  # (n, 2) half the sides along the direction and across it
    weight: Array

    @property
    def size(self) -> Array:
        return np.asarray(np.sqrt(self.half[:, 0] * self.half[:, 1]))


def _votes(cells: Cells) -> _Votes:
    ys, xs = np.nonzero(cells.card > _MIN_CARD)
    f = cells.field[:, ys, xs].astype(np.float64)
    at = np.stack([xs, ys], 1) * STRIDE + STRIDE // 2
    mxx, mxy, myy = f[2:5] * UNIT_PX
    turn = np.arctan2(f[6], f[5]) / 4
    c, s = np.cos(turn), np.sin(turn)
    a = np.maximum(mxx * c * c + 2 * mxy * c * s + myy * s * s, 1.0)
    b = np.maximum(mxx * s * s - 2 * mxy * c * s + myy * c * c, 1.0)
    weight = cells.card[ys, xs] * np.exp(-np.clip(f[7], -4, 3))
    return _Votes(
        at,
        at + f[0:2].T * UNIT_PX,
        np.stack([mxx, mxy, myy], 1),
        turn,
        np.stack([a, b], 1),
        weight / (weight.mean() + 1e-9) if len(at) else weight,
    )


def typical_short_side(cells: Cells) -> float | None:
    """Short side of the cards that fill most of the picture, in network pixels; None where there is no card."""
    votes = _votes(cells)
    if len(votes.at) < 6:
        return None
    # symbols and stones that look like cards are smaller than the cards: the larger half decides
    return float(2 * np.percentile(votes.half.min(1), 70))


def find_outlines(cells: Cells) -> list[Proposal]:
    """Group the cells' votes into cards, best supported first."""
    votes = _votes(cells)
    if len(votes.at) < 6:
        return []
    peaks = _peaks(votes, cells.card.shape)
    return _proposals(_grow(peaks, votes), votes, cells)


def _peaks(votes: _Votes, shape: tuple[int, ...]) -> Array:
    """Places where many votes meet, (n, 2) in network pixels, strongest first."""
    size = float(np.median(votes.size))
    centre, weight = votes.centre, votes.weight
    step = max(2.0, size * 0.06)
    pad = 2 * size
    gw = int((shape[1] * STRIDE + 2 * pad) / step) + 1
    gh = int((shape[0] * STRIDE + 2 * pad) / step) + 1
    g = np.floor((centre + pad) / step).astype(int)
    ok = (g[:, 0] >= 0) & (g[:, 1] >= 0) & (g[:, 0] < gw) & (g[:, 1] < gh)
    grid = np.bincount(g[ok, 1] * gw + g[ok, 0], weight[ok], gw * gh).reshape(gh, gw).astype(np.float32)
    grid = np.asarray(cv2.GaussianBlur(grid, (0, 0), 1.2), np.float32)
    top = (grid >= cv2.dilate(grid, np.ones((5, 5), np.uint8))) & (grid > 0.25 * np.sqrt(weight.mean()))
    py, px = np.nonzero(top)
    order = np.argsort(-grid[py, px])[:400]
    return np.asarray(np.stack([px[order], py[order]], 1) * step + step / 2 - pad, np.float64)


def _grow(peaks: Array, votes: _Votes) -> NDArray[np.intp]:
    """Group number of every vote (-1: none), by agreement in centre and direction."""
    centre, size, weight = votes.centre, votes.size, votes.weight
    q4 = np.exp(4j * votes.turn)
    tree = cKDTree(centre)
    reach = _SAME_CENTRE * float(np.percentile(size, 98))
    group = np.full(len(centre), -1)
    number = 0
    for p in peaks:
        around = np.asarray(tree.query_ball_point(p, 1.5 * reach), np.intp)
        while len(around):
            around = around[group[around] < 0]
            i = around[np.hypot(*(centre[around] - p).T) < _SAME_CENTRE * size[around]]
            if len(i) < 4:
                break
            # two cards may share a centre and differ in direction: take the commoner direction first
            q, w = q4[i], weight[i]
            hist = np.bincount(((np.angle(q) + np.pi) / (2 * np.pi) * 12).astype(int) % 12, w, 12)
            k = int(np.argmax(hist + np.roll(hist, 1) + np.roll(hist, -1)))
            mean = np.exp(1j * ((k + 0.5) / 12 * 2 * np.pi - np.pi))
            for _ in range(2):
                same = np.abs(np.angle(q * np.conj(mean))) < 4 * _SAME_TURN
                if not same.any():
                    break
                mean = (q[same] * w[same]).sum()
            core = i[same]
            if len(core) < 4:
                break
            m = np.average(centre[core], 0, weights=weight[core])
            s = float(np.median(size[core]))
            mine = (np.hypot(*(centre[around] - m).T) < _SAME_CENTRE * s) & (
                np.abs(np.angle(q4[around] * np.conj(mean))) < 4 * _SAME_TURN
            )
            mine &= (size[around] > 0.6 * s) & (size[around] < 1.6 * s)
            if mine.sum() < 4:
                break
            group[around[mine]] = number
            number += 1
            if len(i) - len(core) < 0.3 * mine.sum():
                break
    return group


def _weighted_median(v: Array, w: Array) -> Array:
    out = np.empty(v.shape[1])
    for k in range(v.shape[1]):
        o = np.argsort(v[:, k])
        cum = np.cumsum(w[o])
        out[k] = v[o[int(np.searchsorted(cum, cum[-1] / 2))], k]
    return out


def _proposals(group: NDArray[np.intp], votes: _Votes, cells: Cells) -> list[Proposal]:
    centre, shape, turn, weight, at = votes.centre, votes.shape, votes.turn, votes.weight, votes.at
    out: list[tuple[float, Proposal]] = []
    scale = np.array(cells.cell_px) / STRIDE
    for k in range(int(group.max(initial=-1)) + 1):
        i = np.nonzero(group == k)[0]
        w = weight[i]
        m = _weighted_median(np.c_[centre[i], shape[i]], w)
        q = (np.exp(4j * turn[i]) * w).sum()
        t = np.angle(q) / 4
        u, v = np.array([np.cos(t), np.sin(t)]), np.array([-np.sin(t), np.cos(t)])
        M = np.array([[m[2], m[3]], [m[3], m[4]]])
        a, b = max(float(u @ M @ u), 2.0), max(float(v @ M @ v), 2.0)
        visible = len(i) * STRIDE * STRIDE / (4 * a * b)
        if visible < _MIN_VISIBLE:
            continue
        quad = m[:2] + np.array([-a * u - b * v, a * u - b * v, a * u + b * v, -a * u + b * v])
        belief = float(
            np.clip(np.average(cells.card[at[i, 1] // STRIDE, at[i, 0] // STRIDE]), 0, 1)
            * min(1.0, abs(q) / (w.sum() + 1e-9))
        )
        # network pixels to pixels of the picture: pixel centres at integers in both
        out.append(
            (len(i) * belief, Proposal((quad + 0.5) * scale - 0.5, float(visible), belief, (at[i] + 0.5) * scale - 0.5))
        )
    return [p for _, p in sorted(out, key=lambda e: -e[0])]


@dataclass(frozen=True, eq=False)
class Outline:
    """A proposal, and its sides fitted to the picture's edges where they are asked for.

    `outwards` (3,) is the colour direction in which the picture changes from its cards to the table, where that is
    known; `twice` fits the sides from farther away and once more, for pictures of which nothing else is known.
    """

    proposal: Proposal
    rgb: Rgb
    cells: Cells
    outwards: Array | None = None
    twice: bool = False

    @cached_property
    def fitted(self) -> FittedQuad:
        """The proposal's sides moved onto edges."""
        edge, cell = self.cells.edge, self.cells.cell_px
        if not self.twice:
            return fit_quad(self.rgb, self.proposal.quad_px, edge, cell, 0.12, 0.05, self.outwards)
        first = fit_quad(self.rgb, self.proposal.quad_px, edge, cell, 0.16, 0.06, self.outwards)
        # once more from there: sides that were far off were searched along the wrong direction
        again = fit_quad(self.rgb, first.quad_px, edge, cell, 0.06, 0.03, self.outwards)
        return again if again.support.min() >= first.support.min() else first

    @property
    def whole(self) -> bool:
        """Whether the card can be seen entirely and its four sides are edges of the picture."""
        return self.proposal.visible > WHOLE and float(self.fitted.support.min()) > 0.45

    @property
    def quad(self) -> Quad:
        """The fitted corners, or the proposed ones where the sides found no edges."""
        return self.fitted.quad_px if float(np.sort(self.fitted.support)[1]) > 0.4 else self.proposal.quad_px

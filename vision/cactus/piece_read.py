"""One way to explain some pixels: a piece at a place, and how well it does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_fit import AGAIN, DEPTH_SIGMA_MM, EXACT, Fit, Pose, Start, edge_of, fit_poses
from vision.cactus.piece_paint import OTHER
from vision.cactus.piece_search import FINE_MM, Shape, Sheet
from vision.cactus.piece_view import View
from vision.paint import middle

Array = NDArray[np.float64]

_SHOWN = 0.25
"""Least share of a piece that must be seen to name it."""
_LIKELY, _SURE = 0.2, 0.83
_TWIN = 0.9
"""Where another piece explains as much of the same pixels, neither is told."""
_SHARED = 0.3
"""Two that share so much of the smaller one are of one thing."""
_SAME = 0.5
"""Another piece with less than this share of one's own area is a neighbour, no rival."""
_OWN = 0.87
"""Least share of a piece's own colour within what is seen of it: less is what lies on the table, seen aslant."""
_TRACED = 0.8
"""Where edges bear out so much of its outline, less need have its colour: shade and shine change that."""
_CERTAIN = 0.9
"""So likely it is told in any case."""
_PARTED, _BEYOND = 0.5, 0.8
"""From where edges bear out this share of its outline, what has its colour beyond them tells less, down to this much
less where they bear out all."""
_BORNE, _WHOLE, _MOSTLY, _HALF = (0.75, 0.6), 0.94, 0.7, 0.5
_BEYOND_DOUBT, _RIVALLED = (0.97, 0.94), (0.4, 0.5)
"""What is cut out by its shade has its own colour within and little of it about it by that alone: its edges, or all of
its shape, must bear it out, and the better, the less of it is seen."""
_NEW_BORNE, _NEW_ODDS = (0.6, 0.45), (0.95, 0.9)
"""The same where something came since the photo before."""
_WEIGHTS = (-10.0, 6.5, -11.2, 5.7, 7.1, -1.7, -1.5, -6.0, -0.05, -1.0, -20.0)
"""Log odds of a reading: of any, for the share of what is seen that has its colour and of the surroundings that have it
too, for the share of what is seen of its edge that edges bear out less what they belie, for the share of its edge that
is seen, for how strong a rival is, and for what is more than usual: how far its colour is from its paint, how the edges
scatter about its outline, how far off its size is, and how much of its colour there is; and for how much less than
usual it looks like a plate. Fitted to the likeliest readings, right and wrong, of drawn photographs of many sets."""
_USUAL_OFF, _USUAL_RMS_MM, _USUAL_DEPTH_MM = 1.0, 0.35, 15.0
_USUAL_PLATE = 0.12
_GROUND = 0.4
"""What is less than so many times as probably a plate as a piece itself is ground of its colour, and no more of it."""
_MOST_RMS_MM, _MOST_DEPTH_MM = 1.0, 45.0
_RING_MM = (0.8, 2.0)
_RIM_MM = 0.8
"""So near to what hides it a piece's colour is mixed with that, or in its shadow."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One way to explain some pixels: a piece at a fitted place.

    Parameters
    ----------
    cactus
        Index of the cactus in whose frame it is.
    fit
        Its pose.
    outline_px
        (n, 2) its outline in the view.
    own
        Share of what is seen that has its colour.
    around
        Share of its surroundings that has it too.
    visible
        Share that is seen.
    gain_mm2
        Area that it explains, less what it gets wrong.
    shown
        Share of its edge beside which its colour is seen.
    borne
        Share of that which the picture's edges bear out, less what they belie.
    off
        So many spreads its colour is from that of its paint.
    common
        How much more of its colour is seen near the cacti than all its pieces could show, see `View.common`.
    plate
        Mean probability that what is seen of it is a plate's face.
    rival
        Strength of the strongest other piece that could be the same pixels, as a share of its own.
    least
        Share of the piece that must be seen to name it.
    """

    cactus: int
    fit: Fit
    outline_px: Array
    own: float
    around: float
    visible: float
    gain_mm2: float
    shown: float
    borne: float
    off: float = 0.0
    common: float = 0.0
    plate: float = 1.0
    rival: float = 0.0
    least: float = _SHOWN

    @property
    def quality(self) -> float:
        """Share of what is seen that has its colour, less the share of its surroundings that has it too."""
        return self.own - self.around

    @property
    def id(self) -> str:
        """Name of the piece."""
        return self.fit.pose.shape.piece.id

    @property
    def depth_mm(self) -> float:
        """Where it was fitted along z."""
        return float(self.fit.pose.numbers[2])

    @property
    def strength(self) -> float:
        """How clearly it is seen: the area that it explains, as far as edges bear it out."""
        return self.gain_mm2 * self.fit.seen

    @property
    def chance(self) -> float:
        """Probability that this very piece is there, by what is seen of it alone."""
        parted = max(min(self.borne, self.fit.seen) - _PARTED, 0.0) / (1 - _PARTED)
        around = self.around * (1 - _BEYOND * parted)
        known = [1.0, self.own, around, max(self.borne, -0.5), self.shown, min(self.rival, 1.5)]
        off = max(self.off - _USUAL_OFF, 0.0)
        rms = max(min(self.fit.rms_mm, _MOST_RMS_MM) - _USUAL_RMS_MM, 0.0)
        depth = max(min(abs(self.fit.depth_mm), _MOST_DEPTH_MM) - _USUAL_DEPTH_MM, 0.0)
        flat = max(_USUAL_PLATE - self.plate, 0.0)
        weighed = sum(w * k for w, k in zip(_WEIGHTS, [*known, off, rms, depth, self.common, flat], strict=True))
        return 1 / (1 + math.exp(-min(max(weighed, -30.0), 30.0)))

    @property
    def stands(self) -> bool:
        """Whether it explains enough to be told of a piece that was known to hang here."""
        return self.visible >= self.least and self.fit.seen > 0 and self.chance >= _LIKELY

    @property
    def convinces(self) -> bool:
        """Whether it explains enough to be told of a piece that was not known to hang here."""
        clear = self.own >= _OWN or min(self.fit.seen, self.borne) >= _TRACED or self.chance >= _CERTAIN
        return self.stands and clear and self.rival < _TWIN and self.chance >= _SURE

    def stands_out(self, expected: bool = False) -> bool:
        """Whether it would be told where only what has its very shade was looked at; of what is new less must tell."""
        whole = self.visible >= _WHOLE
        least, odds = (_NEW_BORNE, _NEW_ODDS) if expected else (_BORNE, _BEYOND_DOUBT)
        bounded = self.borne >= least[whole] or (whole and min(self.own, 1 - self.around) >= _WHOLE)
        bounded &= self.own >= _OWN or min(self.fit.seen, self.borne) >= _TRACED
        alone = self.rival < _RIVALLED[self.visible >= _MOSTLY] and self.visible >= _HALF
        return self.convinces and self.chance >= odds[whole] and alone and bounded


def fitted(
    view: View,
    poses: Sequence[tuple[int, Pose]],
    turns: tuple[tuple[float, int], ...] = EXACT,
    depth_sigma_mm: float | Array = DEPTH_SIGMA_MM,
) -> list[Reading]:
    """The readings that poses, each on the cactus of that index, become once they lie on the picture's edges."""
    fits = _fits(view, poses, turns, depth_sigma_mm)
    return [judged(view, c, fit) for (c, _), fit in zip(poses, fits, strict=True)]


def _fits(
    view: View,
    poses: Sequence[tuple[int, Pose]],
    turns: tuple[tuple[float, int], ...],
    depth_sigma_mm: float | Array,
) -> list[Fit]:
    starts = [Start(p, view.stage.cacti[c].to_camera, _shade(view, c, p), view.px_mm[c]) for c, p in poses]
    return fit_poses(view.rgb, view.stage, starts, turns, depth_sigma_mm)


def _outline(view: View, cactus: int, fit: Fit) -> Array:
    """(n, 2) the outline of a fitted piece in the view."""
    return view.stage.project(fit.pose.face_mm(fit.pose.shape.outline_mm), view.stage.cacti[cactus].to_camera)


def refitted(view: View, known: Sequence[tuple[Reading, float, float]]) -> list[Reading]:
    """The same readings where the depth of each piece is known better: depth and its standard deviation in mm."""
    starts = []
    for reading, depth_mm, _ in known:
        pose = reading.fit.pose
        eye = view.stage.cacti[reading.cactus].to_camera.inverse().t
        at = eye + (pose.numbers[:3] - eye) * (eye[2] - depth_mm) / (eye[2] - pose.numbers[2])
        starts.append((reading.cactus, replace(pose, numbers=np.concatenate([at, pose.numbers[3:]]))))
    again = _fits(view, starts, AGAIN, np.array([sigma for _, _, sigma in known]))
    return [
        replace(r, fit=fit, outline_px=_outline(view, r.cactus, fit))
        for (r, _, _), fit in zip(known, again, strict=True)
    ]


def _shade(view: View, cactus: int, pose: Pose) -> Array:
    """(3,) RGB of the paint where a piece is thought to be."""
    label = view.label_of(pose.shape)
    inside = pose.face_mm(pose.shape.inside_mm)
    at = np.round(view.stage.project(inside, view.stage.cacti[cactus].to_camera)).astype(int)
    height, width = view.labels.shape
    at = at[(at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)]
    own = view.rgb[at[:, 1], at[:, 0]][view.seen[at[:, 1], at[:, 0]] == label]
    return middle(own) if len(own) > 8 else np.asarray(view.paint.shades[label] * 255, np.float64)


def judged(view: View, cactus: int, fit: Fit) -> Reading:
    """How well a fit explains the labels."""
    shape = fit.pose.shape
    label = view.label_of(shape)
    flat = np.vstack([shape.outline_mm, _beside(shape)])
    px, sides = np.split(
        view.stage.project(fit.pose.face_mm(flat), view.stage.cacti[cactus].to_camera), [len(shape.outline_mm)]
    )
    scale = view.px_mm[cactus]
    near, far = (max(1, round(mm * scale)) for mm in _RING_MM)
    low = np.floor(px.min(axis=0)).astype(int) - far - 2
    high = np.ceil(px.max(axis=0)).astype(int) + far + 3
    x0, y0 = np.maximum(low, 0)
    x1, y1 = np.minimum(high, view.labels.shape[::-1])
    if x1 - x0 < 4 or y1 - y0 < 4:
        return Reading(cactus, fit, px, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    here = view.labels[y0:y1, x0:x1]
    mask = np.zeros(here.shape, np.uint8)
    cv2.fillPoly(mask, [np.round((px - (x0, y0)) * 16).astype(np.int32)], 1, shift=4)
    ring = (cv2.dilate(mask, _disc(far)) > 0) & (cv2.dilate(mask, _disc(near)) == 0)
    inner = cv2.erode(mask, np.ones((3, 3), np.uint8), borderValue=0) > 0
    own = here == label
    hid = np.take(view.hiders(label), here)
    hid |= (cv2.dilate(hid.astype(np.uint8), _disc(max(1, round(_RIM_MM * scale)))) > 0) & (here == OTHER)
    total = max(int(np.count_nonzero(inner)), 1)
    seen, gone = int(np.count_nonzero(own & inner)), int(np.count_nonzero(hid & inner))
    wrong = total - seen - gone
    rim = int(np.count_nonzero(ring))
    plates, where = view.plates[y0:y1, x0:x1], (own & inner).view(np.uint8)
    plate = cv2.mean(plates, where)[0] / 255
    around = int(np.count_nonzero(own & ring & (plates > _GROUND * plate * 255))) / rim if rim else 1.0
    gain = (seen - wrong - 0.15 * gone - around * total) * int(np.count_nonzero(mask)) / total / scale**2
    share = seen / max(seen + wrong, 1)
    reading = Reading(cactus, fit, px, share, around, 1 - gone / total, gain, *_edge(view, fit, sides))
    if not seen or not len(fit.on):
        return reading
    mean = cv2.mean(view.rgb[y0:y1, x0:x1], where)[:3]
    off = view.paint.distance(np.array([mean]) / 255)[0, label]
    return replace(reading, off=float(off), common=view.common[label], plate=plate)


@lru_cache(maxsize=256)
def _beside(shape: Shape) -> Array:
    """(2 n, 2) places just within its edge, then just outside."""
    edge, out = edge_of(shape)
    return np.vstack([edge - _RIM_MM * out, edge + _RIM_MM * out])


def _edge(view: View, fit: Fit, sides_px: Array) -> tuple[float, float]:
    """Share of a piece's edge beside which its colour is seen, and what edges there bear out less what they belie."""
    at = np.round(sides_px).astype(int)
    x, y = np.minimum(np.maximum(at, 0), np.array(view.labels.shape[::-1]) - 1).T
    label, n = view.label_of(fit.pose.shape), len(at) // 2
    shown = view.labels[y[:n], x[:n]] == label
    shown &= (view.labels[y[n:], x[n:]] != view.explained) | (view.seen[y[n:], x[n:]] != label)
    count = int(np.count_nonzero(shown))
    if not len(fit.on):
        return count / n, 1.0
    borne = int(np.count_nonzero(fit.on & shown)) - int(np.count_nonzero(fit.beside & shown))
    return count / n, borne / max(count, 1)


def rivals(readings: Sequence[Reading]) -> list[Reading]:
    """The readings of some pixels, each with the strongest of another piece that lies as it does for its rival."""
    faces = _covered([r.outline_px for r in readings])

    def strength(i: int, k: int) -> float:
        if readings[i].id == readings[k].id:
            return 0.0
        shared = cv2.countNonZero(cv2.bitwise_and(faces[i], faces[k]))
        return max(readings[k].strength, 0.0) if shared >= _SAME * cv2.countNonZero(faces[i]) else 0.0

    others = [max(strength(i, k) for k in range(len(readings))) for i in range(len(readings))]
    return [replace(r, rival=o / max(r.strength, 1.0)) for r, o in zip(readings, others, strict=True)]


def covers(one: Reading, other: Reading) -> bool:
    """Whether two readings lie on each other."""
    faces = _covered([one.outline_px, other.outline_px])
    return cv2.countNonZero(cv2.bitwise_and(*faces)) > _SHARED * min(cv2.countNonZero(f) for f in faces)


def _covered(outlines_px: Sequence[Array]) -> list[NDArray[np.uint8]]:
    """What outlines cover of the box that holds them all, at half the scale."""
    if not outlines_px:
        return []
    points = np.vstack(outlines_px)
    low = points.min(axis=0)
    width, height = (np.ceil((points.max(axis=0) - low) / 2) + 1).astype(int).tolist()
    masks = []
    for outline in outlines_px:
        masks.append(np.zeros((height, width), np.uint8))
        cv2.fillPoly(masks[-1], [np.round((outline - low) * 8).astype(np.int32)], 1, shift=4)
    return masks


def mark(view: View, sheets: list[Sheet], reading: Reading) -> tuple[float, float, float, float]:
    """Take what a reading explains from what is left to explain; its box in the view, px."""
    label = view.label_of(reading.fit.pose.shape)
    there = view.stage.cacti[reading.cactus].to_camera
    face = there.apply(reading.fit.pose.face_mm(reading.fit.pose.shape.outline_mm))
    _take(view.labels, reading.outline_px, label, view.explained, round(view.px_mm[reading.cactus]))
    R, eyes = view.backs
    points = face @ R.transpose(0, 2, 1) + eyes[:, None]
    share = eyes[:, None, 2:] / (eyes[:, None, 2:] - points[:, :, 2:])
    flat = (eyes[:, None] + (points - eyes[:, None]) * share)[:, :, :2]
    for sheet, outline in zip(sheets, flat, strict=True):
        _take(sheet.labels, sheet.cell(outline), label, view.explained, round(1.0 / FINE_MM))
    (left, top), (right, bottom) = reading.outline_px.min(axis=0), reading.outline_px.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _take(image: NDArray[np.uint8], points: Array, label: int, taken: int, rim: int) -> None:
    """Relabel what has a label within an outline and a rim about it."""
    height, width = image.shape
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    x0, y0 = max(math.floor(left) - rim - 1, 0), max(math.floor(top) - rim - 1, 0)
    x1, y1 = min(math.ceil(right) + rim + 2, width), min(math.ceil(bottom) + rim + 2, height)
    if x1 <= x0 or y1 <= y0:
        return
    here = image[y0:y1, x0:x1]
    mask = np.zeros(here.shape, np.uint8)
    cv2.fillPoly(mask, [np.round((points - (x0, y0)) * 16).astype(np.int32)], 1, shift=4)
    here[(cv2.dilate(mask, _disc(rim)) > 0) & (here == label)] = taken


@lru_cache(maxsize=64)
def _disc(radius: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8)

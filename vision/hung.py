"""Which pieces hang on the cacti that stand in view, and exactly where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from shapely.geometry import Polygon, box

from vision.cactus_set import CactusSet
from vision.piece_fit import AGAIN, EXACT, ROUGH, Fit, Pose, fit_pose, pose_from, pose_of
from vision.piece_search import FINE_MM, Bank, Guess, Sheet, bank_of, find_guesses
from vision.piece_view import View, look_at, on_plane, sheet_of
from vision.types import Rgb
from vision.upright import HungPiece, Stage

Array = NDArray[np.float64]

_LEAST = 0.12
"""Share of the smallest piece below which nothing is searched for."""
_TRIED = 5
_WORTH = 0.5
"""A guess of less than this share of the best one's score is not looked at."""
_LEAST_WORTH = 0.08
_PROMISING = 0.3
"""Least quality of a guess that is worth a fit."""
_IN_PATCH = 0.1
"""Least share of a guess in the patch that it is to explain."""
_SHOWN = 0.25
"""Least share of a piece that must be seen to name it."""
_EXPLAINED = 0.55
"""Least share of what is seen of a piece that has its colour, less the share of its surroundings that has it too."""
_EDGED = 0.2
"""Least share of the outline on an edge of the picture."""
_BORNE_OUT = 1.1
"""Least sum of quality and of the share of the seen outline that edges bear out, less what they belie."""
_LEAST_GAIN = 0.22
"""Least share of a piece's area that it explains."""
_LOOSE = 0.7
"""So sure is it then, at most."""
_VIA_MM = 1.0
"""So much nearer a piece must be to what hangs on another cactus than to a cactus."""
_SUNK_MM = 1.5
"""What shows so far below the top of a base, before its front, lies against it."""
_APART_MM = 25.0
"""What stands upright is of a cactus if it is in the picture no farther from it, its base or what hangs on it."""
_MOSTLY = 0.6
_CLEAR = 0.2
"""Least share of an outline on edges, less twice that beside which they are, of what is largely hidden."""
_LOOSE_MM = 4.0
"""What touches nothing within this is less sure to be there."""
_STRAY = 0.1
"""Share of an outline beside which edges are seen, from which a piece has moved a little."""
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
_SOLID = 4
"""So many cells of a patch, with those beside them, must have its colour: a thin fringe is no piece."""
_LOW_MM = 5.0
"""What shows nowhere so far above the top of a base does not hang."""
_SKIP = 2
"""Patches are told apart on every other cell."""
_RING_MM = (0.8, 2.0)


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
    quality
        Share of what is seen that has its colour, less the share of its surroundings that has it too.
    visible
        Share that is seen.
    gain_mm2
        Area that it explains, less what it gets wrong.
    """

    cactus: int
    fit: Fit
    outline_px: Array
    quality: float
    visible: float
    gain_mm2: float

    @property
    def id(self) -> str:
        """Name of the piece."""
        return self.fit.pose.shape.piece.id

    @property
    def strength(self) -> float:
        """How clearly it is seen: the area that it explains, as far as edges bear it out."""
        return self.gain_mm2 * self.fit.seen

    @property
    def stands(self) -> bool:
        """Whether it explains enough to be told."""
        fit = self.fit
        area = Polygon(fit.pose.shape.outline_mm).area
        borne = (fit.seen - fit.astray) / max(self.visible, 0.2) + self.quality
        return (
            self.quality >= _EXPLAINED
            and self.visible >= _SHOWN
            and fit.seen >= _EDGED
            and borne >= _BORNE_OUT
            and self.gain_mm2 >= _LEAST_GAIN * area
        )

    @property
    def convinces(self) -> bool:
        """Whether it may be told of a piece that was not known to hang here: the more is hidden, the clearer the rest."""
        return self.stands and (self.visible > _MOSTLY or self.fit.seen - 2 * self.fit.astray >= _CLEAR)


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """Cells of one colour that hang together on the plane of one cactus."""

    cactus: int
    label: int
    cells: NDArray[np.bool_]


def find_hung(rgb: Rgb, cactus_set: CactusSet, stage: Stage, known: Sequence[HungPiece] = ()) -> tuple[HungPiece, ...]:
    """The pieces that hang on the cacti of a stage.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture.
    cactus_set
        The set.
    stage
        Where the cacti stand, and the camera.
    known
        What hung there on the photo before, from the same camera: looked for first, where it was.

    Returns
    -------
    tuple of HungPiece
        Each piece of the set at most once.
    """
    if not stage.cacti:
        return ()
    bank = bank_of(cactus_set)
    view = look_at(rgb, cactus_set, stage, bank)
    sheets = [sheet_of(view, i) for i in range(len(stage.cacti))]
    still = _recognised(view, sheets, bank, known, cactus_set.thickness_mm)
    patches = [
        patch
        for i, sheet in enumerate(sheets)
        for label in range(len(view.paint.names))
        for patch in _patches(view, sheet, i, label, _LEAST * bank.smallest_mm2 / FINE_MM**2)
    ]
    taken = {g[0].id for g in still}
    found = _explain(view, sheets, patches, bank, cactus_set.thickness_mm, taken)
    return _hanging(view, _assign(still + found), cactus_set.base_mm)


def _patches(view: View, sheet: Sheet, cactus: int, label: int, least: float) -> list[Patch]:
    """What has one colour and hangs together, near one cactus."""
    cells = sheet.labels[::_SKIP, ::_SKIP] == label
    if np.count_nonzero(cells) * _SKIP**2 < least:
        return []
    count, areas, stats, centres = cv2.connectedComponentsWithStats(cells.astype(np.uint8))
    solid = np.bincount(areas[cv2.erode(cells.astype(np.uint8), _CROSS) > 0], minlength=count)
    return [
        Patch(cactus, label, _spread(areas == k, sheet.labels.shape))
        for k in range(1, count)
        if stats[k, cv2.CC_STAT_AREA] * _SKIP**2 >= least
        and solid[k] >= _SOLID
        and sheet.top_mm - stats[k, cv2.CC_STAT_TOP] * _SKIP * FINE_MM > _LOW_MM
        and _is_nearest(view, sheet, cactus, centres[k] * _SKIP)
    ]


def _spread(cells: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Cells of a coarser grid on the fine one."""
    return cells.repeat(_SKIP, axis=0).repeat(_SKIP, axis=1)[: shape[0], : shape[1]]


def _recognised(
    view: View, sheets: list[Sheet], bank: Bank, known: Sequence[HungPiece], thickness_mm: float
) -> list[list[Reading]]:
    """Pieces that still hang where they hung, the clearest first."""
    names = [c.id for c in view.stage.cacti]
    readings = []
    for piece in known:
        for label, color in enumerate(view.paint.names):
            for shape in bank.shapes[color]:
                if (shape.piece.id, shape.flipped) == (piece.id, piece.flipped) and piece.cactus in names:
                    pose = pose_from(shape, piece.to_cactus, thickness_mm)
                    reading = _fitted(view, names.index(piece.cactus), label, pose, AGAIN)
                    if not reading.stands or reading.fit.astray > _STRAY:
                        reading = _fitted(view, names.index(piece.cactus), label, pose)
                    readings.append(reading)
    found = []
    for first in sorted(readings, key=lambda r: -r.strength):
        reading = _judged(view, first.cactus, view.paint.names.index(first.fit.pose.shape.piece.color), first.fit)
        if reading.stands:
            found.append([reading])
            _mark(view, sheets, reading)
    return found


def _explain(
    view: View, sheets: list[Sheet], patches: list[Patch], bank: Bank, thickness_mm: float, taken: set[str]
) -> list[list[Reading]]:
    """The pieces that explain the patches, the clearest first, each with the readings that compete for it."""
    least = _LEAST * bank.smallest_mm2 / FINE_MM**2
    found: list[list[Reading]] = []
    waiting: list[tuple[list[Reading], Patch]] = []
    while True:
        near = [_near(view, sheet) for sheet in sheets]
        ready = [p for p in patches if (p.cells & near[p.cactus]).any()]
        patches = [p for p in patches if not any(p is r for r in ready)]
        waiting += [(_read(view, sheets[p.cactus], p, bank, thickness_mm, taken), p) for p in ready]
        waiting = [w for w in waiting if w[0]]
        if not waiting:
            return found
        readings, patch = max(waiting, key=lambda w: w[0][0].strength)
        first = _fitted(view, patch.cactus, patch.label, readings[0].fit.pose)
        readings = [first if first.convinces else readings[0], *readings[1:]]
        found.append(readings)
        touched = _mark(view, sheets, readings[0])
        again = [(o, p) for o, p in waiting if p.label == patch.label and (p is patch or _overlap(o, touched))]
        waiting = [w for w in waiting if not any(w[1] is p for _, p in again)]
        for _, p in again:
            left = p.cells & (sheets[p.cactus].labels == p.label)
            if left.sum() >= least:
                patches.append(Patch(p.cactus, p.label, left))


def _near(view: View, sheet: Sheet) -> NDArray[np.bool_]:
    """Cells no farther from cacti and from what hangs on them than anything that hangs can be."""
    held = ((sheet.labels == view.explained) | (sheet.labels == len(view.paint.names)))[::_SKIP, ::_SKIP]
    away = cv2.distanceTransform(1 - held.astype(np.uint8), cv2.DIST_L2, 3)
    return _spread(away < _APART_MM / (FINE_MM * _SKIP), sheet.labels.shape)


def _overlap(readings: list[Reading], box: tuple[float, float, float, float]) -> bool:
    """Whether any of the readings reaches into a box."""
    sides = [(*r.outline_px.min(axis=0), *r.outline_px.max(axis=0)) for r in readings]
    return any(x0 < box[2] and x1 > box[0] and y0 < box[3] and y1 > box[1] for x0, y0, x1, y1 in sides)


def _read(view: View, sheet: Sheet, patch: Patch, bank: Bank, thickness_mm: float, taken: set[str]) -> list[Reading]:
    """What could explain a patch, best first; nothing that does not stand."""
    left, top, width, height = cv2.boundingRect(patch.cells.astype(np.uint8))
    color = view.paint.names[patch.label]
    hiders = view.hiders(patch.label)
    guesses = [
        g
        for g in find_guesses(bank, color, sheet, (left, top, width, height), patch.label, hiders, taken)
        if _covers(sheet, g, patch.cells)
    ]
    readings = []
    for g in guesses[:_TRIED]:
        if g.score > _WORTH * guesses[0].score and g.score > _LEAST_WORTH:
            pose = pose_of(g, thickness_mm)
            if _judged(view, patch.cactus, patch.label, Fit(pose, 1.0, 1.0, 0.0, 0.0, 0.0)).quality > _PROMISING:
                readings.append(_fitted(view, patch.cactus, patch.label, pose, ROUGH))
    return sorted((r for r in readings if r.convinces), key=lambda r: -r.strength)


def _covers(sheet: Sheet, guess: Guess, cells: NDArray[np.bool_]) -> bool:
    """Whether a guess explains much of a patch, or much of the guess is in the patch."""
    at = sheet.cell(guess.inside_mm())
    column, row = np.round(at).astype(int).T
    good = (column >= 0) & (row >= 0) & (column < cells.shape[1]) & (row < cells.shape[0])
    return float(cells[row[good], column[good]].mean() if good.any() else 0.0) > _IN_PATCH


def _fitted(view: View, cactus: int, label: int, pose: Pose, turns: tuple[tuple[float, int], ...] = EXACT) -> Reading:
    upright = view.stage.cacti[cactus]
    shade = _shade(view, cactus, label, pose)
    fit = fit_pose(view.rgb, view.stage, upright.to_camera, pose, shade, view.px_mm[cactus], turns)
    return _judged(view, cactus, label, fit)


def _shade(view: View, cactus: int, label: int, pose: Pose) -> Array:
    """(3,) RGB of the paint where a piece is thought to be."""
    inside = pose.face_mm(pose.shape.inside_mm)
    at = np.round(view.stage.project(inside, view.stage.cacti[cactus].to_camera)).astype(int)
    height, width = view.labels.shape
    at = at[(at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)]
    own = view.rgb[at[:, 1], at[:, 0]][view.labels[at[:, 1], at[:, 0]] == label]
    return np.asarray(np.median(own, axis=0) if len(own) > 8 else view.paint.shades[label] * 255, np.float64)


def _judged(view: View, cactus: int, label: int, fit: Fit) -> Reading:
    """How well a fit explains the labels."""
    px = view.stage.project(fit.pose.face_mm(fit.pose.shape.outline_mm), view.stage.cacti[cactus].to_camera)
    scale = view.px_mm[cactus]
    near, far = (max(1, round(mm * scale)) for mm in _RING_MM)
    low = np.floor(px.min(axis=0)).astype(int) - far - 2
    high = np.ceil(px.max(axis=0)).astype(int) + far + 3
    x0, y0 = np.maximum(low, 0)
    x1, y1 = np.minimum(high, view.labels.shape[::-1])
    if x1 - x0 < 4 or y1 - y0 < 4:
        return Reading(cactus, fit, px, 0.0, 0.0, 0.0)
    here = view.labels[y0:y1, x0:x1]
    mask = np.zeros(here.shape, np.uint8)
    cv2.fillPoly(mask, [np.round((px - (x0, y0)) * 16).astype(np.int32)], 1, shift=4)
    ring = (cv2.dilate(mask, _disc(far)) > 0) & (cv2.dilate(mask, _disc(near)) == 0)
    inner = cv2.erode(mask, np.ones((3, 3), np.uint8), borderValue=0) > 0
    own = here == label
    hid = view.hiders(label)[here]
    total = max(int(inner.sum()), 1)
    seen, gone = int((own & inner).sum()), int((hid & inner).sum())
    wrong = total - seen - gone
    around = float(own[ring].mean()) if ring.any() else 1.0
    quality = seen / max(seen + wrong, 1) - around
    gain = (seen - wrong - 0.15 * gone - around * total) * float(mask.sum()) / total / scale**2
    return Reading(cactus, fit, px, quality, 1 - gone / total, gain)


def _mark(view: View, sheets: list[Sheet], reading: Reading) -> tuple[float, float, float, float]:
    """Take what a reading explains from what is left to explain; its box in the view, px."""
    label = view.paint.names.index(reading.fit.pose.shape.piece.color)
    there = view.stage.cacti[reading.cactus].to_camera
    face = there.apply(reading.fit.pose.face_mm(reading.fit.pose.shape.outline_mm))
    _take(view.labels, reading.outline_px, label, view.explained, round(view.px_mm[reading.cactus]))
    for sheet, upright in zip(sheets, view.stage.cacti, strict=True):
        back = upright.to_camera.inverse()
        points, eye = back.apply(face), back.t
        flat = eye + (points - eye) * (eye[2] / (eye[2] - points[:, 2:]))
        _take(sheet.labels, sheet.cell(flat[:, :2]), label, view.explained, round(1.0 / FINE_MM))
    (left, top), (right, bottom) = reading.outline_px.min(axis=0), reading.outline_px.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _take(image: NDArray[np.uint8], points: Array, label: int, taken: int, rim: int) -> None:
    """Relabel what has a label within an outline and a rim about it."""
    height, width = image.shape
    x0, y0 = np.clip(np.floor(points.min(axis=0)).astype(int) - rim - 1, 0, (width, height))
    x1, y1 = np.clip(np.ceil(points.max(axis=0)).astype(int) + rim + 2, 0, (width, height))
    if x1 <= x0 or y1 <= y0:
        return
    here = image[y0:y1, x0:x1]
    mask = np.zeros(here.shape, np.uint8)
    cv2.fillPoly(mask, [np.round((points - (x0, y0)) * 16).astype(np.int32)], 1, shift=4)
    here[(cv2.dilate(mask, _disc(rim)) > 0) & (here == label)] = taken


def _disc(radius: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8)


def _is_nearest(view: View, sheet: Sheet, cactus: int, centre: Array) -> bool:
    """Whether no other cactus is nearer to a cell of a sheet."""
    x = sheet.left_mm + float(centre[0]) * FINE_MM
    y = sheet.top_mm - float(centre[1]) * FINE_MM
    at = view.stage.project(np.array([[x, y, 0.0]]), view.stage.cacti[cactus].to_camera)[0]
    away = [
        -cv2.pointPolygonTest(f.astype(np.float32), (float(at[0]), float(at[1])), True) / s
        for f, s in zip(view.faces_px, view.px_mm, strict=True)
    ]
    return int(np.argmin(away)) == cactus


def _assign(groups: list[list[Reading]]) -> list[tuple[Reading, list[Reading]]]:
    """Each piece to at most one of the patches, each with the readings that it was chosen from."""
    if not groups:
        return []
    names = sorted({r.id for g in groups for r in g})
    worth = np.zeros((len(groups), len(names)))
    best: dict[tuple[int, int], Reading] = {}
    for i, group in enumerate(groups):
        for r in group:
            k = names.index(r.id)
            if r.gain_mm2 > worth[i, k]:
                worth[i, k], best[i, k] = r.gain_mm2, r
    rows, columns = linear_sum_assignment(-worth)
    return [(best[i, k], groups[i]) for i, k in zip(rows, columns, strict=True) if (i, k) in best]


def _hanging(
    view: View, chosen: list[tuple[Reading, list[Reading]]], base_mm: tuple[float, float, float]
) -> tuple[HungPiece, ...]:
    """What is in touch with a cactus, by whatever hangs between, and which."""
    chosen = [c for c in chosen if not _against_base(c[0].fit.pose, base_mm)]
    shapes = [Polygon(r.outline_px).buffer(0) for r, _ in chosen]
    trunks = [Polygon(f).buffer(0).union(_base(view, k, base_mm)) for k, f in enumerate(view.faces_px)]
    apart = np.array([[s.distance(t) / m for t, m in zip(trunks, view.px_mm, strict=True)] for s in shapes])
    owner: dict[int, int] = {}
    loose: set[int] = set()
    while len(owner) < len(chosen):
        i, c = min(
            ((i, c) for i in range(len(chosen)) if i not in owner for c in range(len(trunks))), key=lambda k: apart[k]
        )
        if apart[i, c] > _APART_MM:
            break
        owner[i] = c
        if apart[i, c] > _LOOSE_MM:
            loose.add(i)
        for j in range(len(chosen)):
            if j not in owner:
                apart[j, c] = min(apart[j, c], shapes[j].distance(shapes[i]) / view.px_mm[c] + _VIA_MM)
    return tuple(_piece(view, *chosen[i], c, _LOOSE if i in loose else 1.0) for i, c in sorted(owner.items()))


def _base(view: View, cactus: int, base_mm: tuple[float, float, float]) -> Polygon:
    """The front of a base in the view."""
    width, height, depth = base_mm
    corners = np.array([[-1.0, 0], [1, 0], [1, -1], [-1, -1]]) * (width / 2, height)
    return Polygon(view.stage.project(on_plane(corners, depth / 2), view.stage.cacti[cactus].to_camera))


def _against_base(pose: Pose, base_mm: tuple[float, float, float]) -> bool:
    """Whether a piece shows before the front of a base, where nothing that hangs can be."""
    face = Polygon(pose.face_mm(pose.shape.outline_mm)[:, :2]).buffer(0)
    front = box(1.0 - base_mm[0] / 2, -base_mm[1], base_mm[0] / 2 - 1.0, -_SUNK_MM)
    return bool(face.intersection(front).area > _SUNK_MM**2)


def _piece(view: View, reading: Reading, rivals: list[Reading], cactus: int, sureness: float) -> HungPiece:
    if reading.cactus != cactus:
        reading = _moved(view, reading, cactus)
    fit = reading.fit
    top = reading.gain_mm2
    others: dict[str, float] = {}
    for r in rivals:
        if r.id != reading.id and r.gain_mm2 > 0:
            others[r.id] = max(others.get(r.id, 0.0), float(np.exp((r.gain_mm2 - top) / (0.05 * max(top, 1.0)))))
    sure = float(np.clip((reading.quality - 0.5) / 0.35, 0.05, 0.995))
    total = 1 + sum(others.values())
    ranked = sorted(((k, v / total) for k, v in others.items() if v / total > 0.01), key=lambda p: -p[1])
    return HungPiece(
        reading.id,
        view.stage.cacti[cactus].id,
        fit.pose.shape.flipped,
        fit.pose.to_cactus(),
        reading.outline_px + view.corner,
        reading.visible,
        sureness * sure / total,
        fit.sigma_mm,
        fit.depth_sigma_mm,
        tuple(ranked),
    )


def _moved(view: View, reading: Reading, cactus: int) -> Reading:
    """The same piece, fitted anew in the frame of another cactus."""
    shape = reading.fit.pose.shape
    label = view.paint.names.index(shape.piece.color)
    upright = view.stage.cacti[cactus]
    there = (
        upright.to_camera.inverse().after(view.stage.cacti[reading.cactus].to_camera).after(reading.fit.pose.rigid())
    )
    eye = upright.to_camera.inverse().t
    on_plane = eye + (there.t - eye) * (eye[2] / (eye[2] - there.t[2]))
    angle = float(np.arctan2(there.R[1, 0], there.R[0, 0]))
    guess = Guess(shape, float(on_plane[0]), float(on_plane[1]), angle, 0.0)
    moved = _fitted(view, cactus, label, pose_of(guess, reading.fit.pose.thickness_mm))
    return Reading(cactus, moved.fit, moved.outline_px, reading.quality, reading.visible, reading.gain_mm2)

"""Flat pieces on a table: their outlines in pixels, the upper face alone, without edge and shadow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.grounds import lab_of
from calibration.capture.plate_edges import Floats
from calibration.capture.plate_scale import SeenTarget, find_target
from calibration.capture.plate_sheet import SeenSheet, find_sheet
from calibration.capture.plate_view import PlateView, SideSigns, Traced, read_sides
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

_ENOUGH_PX = 1920  # long side of the picture in which outlines are found
_SIDE = 480  # long side of the picture in which the table is told from what lies on it
_LEAST, _MOST = 0.0008, 0.12  # of the picture's area: what a piece covers
_STANDS_OUT = 4.5  # times the table's own scatter
_LEAST_OFF = 6.0  # grey levels of Lab from which anything stands out
_SHADOW = 0.45  # change of colour as a share of the loss of light, up to which it is a shadow
_LAB_BLACK = 16.0  # lightness below 0 at which Lab's tints of one colour under less and less light meet
_TINTED = 12.0  # difference in a* and b* from which a piece is told from the table by its tint alone
_ONE_PAINT, _ONE_SHARE = (
    22.0,
    0.25,
)  # difference in Lab within one paint's face, and the share it has of all that stands out
_SOFT = 0.4  # pixels of the picture by which it is softened before that
_HALF = 0.5  # share of the way from the table's colour to the piece's
_FINE = 2  # times the picture's scale
_EDGE = 0.004  # of the picture's long side: as near to a sheet's edge nothing is looked for
_BLACK = 0.45  # of the table's lightness: no broad shadow is darker
_BROAD_BLACK, _BROAD_DARK = 0.008, 0.017  # of the picture's long side: no shadow so dark is as broad
_EVENED = 0.001  # of the picture's long side by which it is softened before anything is told from the table
_COARSE = 4.0  # pixels from which what differs is no noise
_LEAST_NOISE = 2 / 255
_MARGIN = 0.4  # of a piece's longer side: how much more of it there may be than stands out at once


@dataclass(frozen=True, slots=True, eq=False)
class LaidPiece:
    """One piece: the photo's number, its outline (n, 2) in px, the colours (Lab) of its face and of the table there."""

    photo: int
    outline_px: Array
    lab: Array
    table: Array


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What lies on one photo, row by row: colours (Lab) of faces and of the table there, places, and what sides tell.

    All but `in_photo` is in px of the photo made smaller by `zoom`.
    """

    labs: tuple[Array, ...]
    tables: tuple[Array, ...]
    wholes: tuple[tuple[Mask, tuple[int, int]], ...]
    traced: Traced
    sides: SideSigns
    zoom: float
    target: SeenTarget | None
    sheet: SeenSheet | None = None

    def __len__(self) -> int:
        return len(self.labs)

    def only(self, which: Sequence[int]) -> Found:
        """Some of what lies there; what all sides tell of the view stays."""
        t = self.traced
        traced = replace(t, outer=tuple(t.outer[i] for i in which), faces=t.faces[list(which)])
        return replace(
            self,
            labs=tuple(self.labs[i] for i in which),
            tables=tuple(self.tables[i] for i in which),
            wholes=tuple(self.wholes[i] for i in which),
            traced=traced,
        )

    def in_photo(self, outline: Array) -> Array:
        """An outline in px of the photo itself, which may be finer than what was looked at."""
        return np.asarray((outline + 0.5) / self.zoom - 0.5)

    def rough(self, view: PlateView) -> list[Array]:
        """Outlines (n, 2) in px of the faces alone: the whole without what is seen of the sides."""
        out = []
        for (whole, origin), outer in zip(self.wholes, self.traced.outer, strict=True):
            face = _without_side(whole, view.side(outer.mean(0, keepdims=True))[0])
            traced = _contour(face, origin)
            out.append(outer if traced is None else traced)
        return out


def find_pieces(rgb: Rgb) -> Found:
    """Every piece that lies apart on a table of one material."""
    zoom = min(1.0, _ENOUGH_PX / max(rgb.shape[:2]))
    if zoom < 1:
        rgb = np.asarray(cv2.resize(rgb, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA), np.uint8)
    lab = lab_of(rgb)
    even = lab_of(cv2.GaussianBlur(rgb, (0, 0), _EVENED * max(rgb.shape)))
    sheet = find_sheet(rgb)
    inside = np.ones(rgb.shape[:2], np.uint8)
    if sheet is not None:
        inside = sheet.inside(rgb.shape, _EDGE * max(rgb.shape))
    table = _table(lab, inside)
    target = find_target(rgb)
    standing = _standing_out(even, table, inside)
    if target is not None:
        cv2.fillPoly(standing, [np.round(target.sheet()).astype(np.int32)], 0)
    seen = _apart(lab, table, standing, inside)
    covered = np.zeros(rgb.shape[:2], np.uint8)
    kept: list[tuple[_Seen, Array]] = []
    for one in seen:
        outer = _contour(one.whole, one.origin)
        if outer is not None:
            kept.append((one, outer))
            cv2.fillPoly(covered, [np.round(outer * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    kept.sort(key=lambda k: _reading_order(k[1], rgb.shape[0]))
    units = _noise_units(rgb, np.maximum(covered, 1 - inside))
    picture = (rgb.astype(np.float32) / 255) @ units
    bare = np.asarray(cv2.cvtColor(table.astype(np.float32), cv2.COLOR_Lab2RGB)) @ units
    faces = [cv2.cvtColor(k.lab.astype(np.float32)[None, None], cv2.COLOR_Lab2RGB)[0, 0] @ units for k, _ in kept]
    traced = Traced(
        (rgb.shape[1], rgb.shape[0]),
        np.asarray(picture, np.float32),
        np.asarray(bare, np.float32),
        covered,
        tuple(o for _, o in kept),
        np.array(faces, float).reshape(-1, 3),
    )
    wholes = tuple((k.whole, k.origin) for k, _ in kept)
    labs, tables = tuple(k.lab for k, _ in kept), tuple(k.table for k, _ in kept)
    return Found(labs, tables, wholes, traced, read_sides(traced), zoom, target, sheet)


def _standing_out(lab: Array, table: Array, inside: Mask) -> Mask:
    """1 where something lies that is no shadow."""
    dimmed = (lab[..., :1] + _LAB_BLACK) / (table[..., :1] + _LAB_BLACK)
    # in a shadow the table's own tint fades as its light does
    off = lab - table * np.concatenate([np.ones_like(dimmed), dimmed, dimmed], axis=2)
    scatter = np.median(np.abs(off[inside > 0]), axis=0) * 1.4826 + 0.5
    light, colour = off[..., 0], np.hypot(off[..., 1], off[..., 2])
    colour_noise = float(np.hypot(scatter[1], scatter[2]))
    tinted = colour > max(_LEAST_OFF, _STANDS_OUT * colour_noise)
    brighter = light > max(_LEAST_OFF, _STANDS_OUT * float(scatter[0]))
    darker = light < -max(3 * _LEAST_OFF, 2 * _STANDS_OUT * float(scatter[0]))
    shadow = (light < 0) & (colour < _SHADOW * np.abs(light))
    mask = ((tinted | brighter | darker) & ~shadow).astype(np.uint8) * inside
    size = max(3, round(0.004 * max(lab.shape[:2])) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), np.uint8)
    # a black or dark piece is darker than shadows are, and broader than they are where they are darkest
    black = lab[..., 0] < _BLACK * table[..., 0]
    dark = darker | (black & (light < -max(_LEAST_OFF, 2 * _STANDS_OUT * float(scatter[0]))))
    for there, broad in ((black & darker, _BROAD_BLACK), (dark, _BROAD_DARK)):
        own = there.astype(np.uint8) * inside
        size = max(5, round(broad * max(lab.shape[:2])) | 1)
        core = cv2.morphologyEx(own, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
        mask = np.maximum(mask, np.minimum(np.asarray(cv2.dilate(core, kernel), np.uint8), own))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    own = np.asarray(cv2.morphologyEx((tinted & ~shadow).astype(np.uint8) * inside, cv2.MORPH_OPEN, kernel), np.uint8)
    return _without_gleams(mask, own)


def _without_gleams(mask: Mask, tinted: Mask) -> Mask:
    """The mask; of what goes on beyond the picture, as a lamp's gleam on the table does, only what has another tint."""
    edge = np.zeros_like(mask)
    edge[[0, -1]] = edge[:, [0, -1]] = 1
    _, labels = cv2.connectedComponents(mask, connectivity=4)
    beyond = np.isin(labels, np.unique(labels[(edge > 0) & (mask > 0)])) & (mask > 0)
    return np.where(beyond, mask & tinted, mask)


def _noise_units(rgb: Rgb, covered: Mask) -> Floats:
    """(3, 3) what takes RGB 0..1 to colours in units of the bare table's own scatter."""
    light = rgb.astype(np.float32) / 255
    fine = light - cv2.GaussianBlur(light, (0, 0), _COARSE)
    bare = fine[cv2.dilate(covered, np.ones((25, 25), np.uint8)) == 0]
    most = np.abs(bare).max(1) if len(bare) else np.zeros(0)
    bare = bare[most <= np.percentile(most, 90)] if len(bare) > 100 else np.zeros((2, 3), np.float32)
    scatter = np.cov(bare.T) * 1.5 + np.eye(3) * _LEAST_NOISE**2
    return np.asarray(np.linalg.cholesky(np.linalg.inv(scatter)), np.float32)


def _contour(mask: Mask, origin: tuple[int, int]) -> Array | None:
    """The longest outline of a mask at `_FINE` times the picture's scale, in px of the picture."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    longest = max(contours, key=cv2.contourArea)[:, 0].astype(float)
    return None if len(longest) < 12 else (longest + 0.5) / _FINE - 0.5 + origin


def _apart(lab: Array, table: Array, mask: Mask, inside: Mask) -> list[_Seen]:
    """What of a mask may be a piece, each by itself; what reaches the end of what they lie on may go on there."""
    end = cv2.morphologyEx(np.pad(inside, 1), cv2.MORPH_GRADIENT, np.ones((5, 5), np.uint8))[1:-1, 1:-1]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    area = lab.shape[0] * lab.shape[1]
    seen: list[_Seen] = []
    for i in range(1, count):
        x, y, w, h, covered = stats[i]
        touches = x == 0 or y == 0 or x + w == lab.shape[1] or y + h == lab.shape[0]
        if not _LEAST * area < covered < _MOST * area or touches:
            continue
        if end[y : y + h, x : x + w][labels[y : y + h, x : x + w] == i].any():
            continue
        rest = np.asarray(labels == i, np.uint8)
        box: tuple[int, int, int, int] | None = (int(x), int(y), int(w), int(h))
        while box is not None and (one := _seen(lab, table, rest, box)) is not None:
            seen.append(one)
            rest, box = _left(rest, one, _LEAST * area)
    return seen


def _left(mask: Mask, one: _Seen, least: float) -> tuple[Mask, tuple[int, int, int, int] | None]:
    """What a mask holds besides a piece, broader than sides and shadows are, and its box; None where there is none."""
    h, w = (n // _FINE for n in one.whole.shape)
    x, y = one.origin
    whole = cv2.resize(one.whole, (w, h), interpolation=cv2.INTER_AREA)
    size = max(5, round(_BROAD_DARK * max(mask.shape)) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    taken = np.zeros_like(mask)
    taken[y : y + h, x : x + w] = whole
    rest = mask * (1 - np.asarray(cv2.dilate(taken, np.ones((3, 3), np.uint8)), np.uint8))
    core = np.asarray(cv2.morphologyEx(rest, cv2.MORPH_OPEN, kernel), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(core, connectivity=4)
    if count < 2 or stats[1:, cv2.CC_STAT_AREA].max() < least:
        return core, None
    k = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    left, top, wide, high, _ = stats[k].tolist()
    return np.asarray(labels == k, np.uint8), (left, top, wide, high)


def _reading_order(outline: Array, rows: int) -> tuple[int, float]:
    x, y = outline.mean(0)
    return int(y / rows * 5), float(x)


def _table(lab: Array, inside: Mask) -> Array:
    """The table as it would be with nothing on it: a smooth surface through most of what pieces may lie on."""
    scale = _SIDE / max(lab.shape[:2])
    small = cv2.resize(lab.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(float)
    h, w = small.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    terms = [np.ones_like(x), x, y, x * x, x * y, y * y]
    A = np.stack([t.ravel() for t in terms], 1)
    b = small.reshape(-1, 3)
    own = cv2.resize(inside, (w, h), interpolation=cv2.INTER_NEAREST).ravel() > 0
    A, b = A[own], b[own]
    weight = np.ones(len(b))
    fit: Array = np.zeros((6, 3))
    for _ in range(12):
        fit = np.asarray(np.linalg.lstsq(A * weight[:, None], b * weight[:, None], rcond=None)[0], np.float64)
        miss = np.linalg.norm(b - A @ fit, axis=1)
        s = max(1.5, 1.4826 * float(np.median(miss)))
        weight = np.where(miss < 4 * s, 1 / (1 + (miss / s) ** 2), 0.0)
    surface = (np.stack([t.ravel() for t in terms], 1) @ fit).reshape(h, w, 3).astype(np.float32)
    return np.asarray(cv2.resize(surface, lab.shape[1::-1], interpolation=cv2.INTER_CUBIC), float)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A piece with its side, at `_FINE` times the picture's scale.

    `whole` (h, w) is the face and what is seen of the side, `origin` the picture's pixel at its top left, `lab` and
    `table` are the colours of the face and of what it lies on.
    """

    whole: Mask
    origin: tuple[int, int]
    lab: Array
    table: Array


def _seen(lab: Array, table: Array, mask: Mask, box: tuple[int, int, int, int]) -> _Seen | None:
    """The piece under a mask, told from table and shadow to a fraction of a pixel."""
    pad = max(8, round(_MARGIN * max(box[2:])))
    x, y, w, h = box
    rows = slice(max(0, y - pad), y + h + pad)
    columns = slice(max(0, x - pad), x + w + pad)
    part, own, below = lab[rows, columns], mask[rows, columns], table[rows, columns]
    depth = cv2.distanceTransform(own, cv2.DIST_L2, 5)
    core = depth > 0.4 * depth.max()
    if core.sum() < 20:
        return None
    # two pieces may hang together by a shadow between them: that with the deepest place comes first
    deepest = part[np.unravel_index(int(depth.argmax()), depth.shape)]
    alike = core & (np.linalg.norm(part - deepest, axis=2) < _ONE_PAINT)
    core = alike if alike.sum() > _ONE_SHARE * core.sum() else core
    colour = np.median(part[core], 0)
    ground = np.median(below[core], 0)
    # a tinted piece is told by its tint, which neither its side nor a shadow changes much
    weight = np.array([0.25, 1, 1]) if np.hypot(*(colour - ground)[1:]) > _TINTED else np.ones(3)
    way = (colour - ground) * weight
    big = cv2.resize(part.astype(np.float32), None, fx=_FINE, fy=_FINE, interpolation=cv2.INTER_CUBIC).astype(float)
    share = ((big - ground) * weight) @ way / float(way @ way)
    near = (cv2.GaussianBlur(share, (0, 0), _SOFT * _FINE) > _HALF).astype(np.uint8)
    _, labels, _, _ = cv2.connectedComponentsWithStats(near, connectivity=4)
    mine = np.bincount(labels[np.repeat(np.repeat(core, _FINE, 0), _FINE, 1)].ravel())
    if len(mine) < 2:
        return None
    whole = (labels == 1 + int(np.argmax(mine[1:]))).astype(np.uint8)
    return _Seen(whole, (columns.start, rows.start), np.asarray(colour), np.asarray(ground))


def _without_side(whole: Mask, side_px: Array) -> Mask:
    """The face alone: the whole without what its lower edge, moved by `side_px`, shows of its side."""
    v = side_px * _FINE
    steps = max(1, int(np.ceil(np.hypot(*v) / 1.5)))
    h, w = whole.shape
    out = whole.copy()
    for k in range(1, steps + 1):
        dx, dy = v * k / steps
        M = np.array([[1.0, 0, -dx], [0, 1.0, -dy]])
        out = np.minimum(out, np.asarray(cv2.warpAffine(whole, M, (w, h), flags=cv2.INTER_NEAREST), np.uint8))
    return out

"""Tables, paints and lamps for drawn plates: what each sample of a relief looks like, in linear light."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.training.laid_scene import SAMPLES, Array, Floats, Relief, outlines
from tests.training.plate_looks import any_color

_SIDE = 640  # cells of a texture's side
_LAMP_RAYS = 7  # places of a lamp from which shadows are drawn
_PRINTED_FORMS = 40
_KINDS = np.array([2, 2, 1, 2, 3, 2, 4, 4, 1]) / 21
"""How often each kind of texture is drawn: most often those that are easily taken for plates."""


def textures(rng: np.random.Generator, count: int) -> list[Floats]:
    """Grain, weave, spots, stripes, checks, veins, chips of stone and printed forms, (h, w) in 0..1."""
    forms = outlines(rng, _PRINTED_FORMS)
    return [_texture(rng, int(rng.choice(9, p=_KINDS)), forms) for _ in range(count)]


def _texture(rng: np.random.Generator, kind: int, forms: list[Array]) -> Floats:
    n = _SIDE
    if kind == 0:  # clouds
        out = _clouds(rng, n, float(np.exp(rng.uniform(np.log(0.6), np.log(30)))), 1.0, int(rng.integers(1, 4)))
    elif kind == 1:  # grain
        out = _clouds(rng, n, float(np.exp(rng.uniform(np.log(0.8), np.log(6)))), float(rng.uniform(5, 25)), 3)
        if rng.random() < 0.5:
            out = 0.5 + 0.5 * np.sin(out * rng.uniform(10, 60))
    elif kind == 2:  # weave
        y, x = np.mgrid[:n, :n].astype(np.float32)
        step = rng.uniform(2, 8)
        out = (np.sin(x * 2 * np.pi / step) * np.sin(y * 2 * np.pi / step * rng.uniform(0.7, 1.4)) + 1) / 2
        out = out * 0.7 + 0.3 * _clouds(rng, n, 1.5, 1.0, 1)
    elif kind == 3:  # spots
        field = _clouds(rng, n, float(rng.uniform(1, 8)), float(rng.uniform(1, 2)), 1)
        out = (field > np.quantile(field, rng.uniform(0.3, 0.97))).astype(np.float32)
    elif kind == 4:  # stripes, lines and checks
        y, x = np.mgrid[:n, :n].astype(np.float32)
        step, share = float(np.exp(rng.uniform(np.log(6), np.log(160)))), rng.uniform(0.05, 0.6)
        out = ((x / step) % 1 < share).astype(np.float32)
        if rng.random() < 0.6:
            across = ((y / step) % 1 < share).astype(np.float32)
            out = (out + across) / 2 if rng.random() < 0.7 else np.abs(out - across)
    elif kind == 5:  # veins, some of which end in clouds
        field = _clouds(rng, n, float(np.exp(rng.uniform(np.log(6), np.log(60)))), 1.0, int(rng.integers(1, 4)))
        wide = rng.uniform(0.004, 0.06)
        out = np.exp(-(((field - rng.uniform(0.3, 0.7)) / wide) ** 2))
        if rng.random() < 0.5:
            out = out * _clouds(rng, n, 40, 1.0, 1) + 0.3 * field
    elif kind == 6:  # chips of stone
        out = _strewn(rng, lambda: _chip(rng), float(np.exp(rng.uniform(np.log(3), np.log(22)))))
    elif kind == 7:  # printed forms, the same as plates may have
        few = [forms[int(rng.integers(len(forms)))] for _ in range(int(rng.integers(1, 4)))]
        size = float(np.exp(rng.uniform(np.log(6), np.log(40))))
        out = _strewn(rng, lambda: few[int(rng.integers(len(few)))] / 20, size)
        if rng.random() < 0.3:  # as lines
            out = np.abs(cv2.GaussianBlur(out, (0, 0), 1.0) - cv2.GaussianBlur(out, (0, 0), 2.0))
            out = out / max(float(out.max()), 1e-3)
    else:  # fine noise beside broad clouds
        out = 0.6 * _clouds(rng, n, 0.8, 1.0, 1) + 0.4 * _clouds(rng, n, 40, 1.0, 1)
    return np.asarray(cv2.GaussianBlur(out.astype(np.float32), (0, 0), 0.5), np.float32)


def _chip(rng: np.random.Generator) -> Array:
    """(n, 2) a broken stone of about two units."""
    count = int(rng.integers(4, 10))
    turn = np.sort(rng.uniform(0, 2 * np.pi, count))
    out = np.c_[np.cos(turn), np.sin(turn)] * rng.uniform(0.4, 1.1, (count, 1))
    return np.asarray(out * [1, rng.uniform(0.4, 1)])


def _strewn(rng: np.random.Generator, form: Callable[[], Array], size: float) -> Floats:
    """(n, n) forms here and there, `size` cells to their unit, each of its own lightness or all of one."""
    n = _SIDE
    out = np.zeros((n, n), np.float32)
    alike, spread = rng.random() < 0.5, rng.uniform(0, 0.5)
    for _ in range(int(min(2000, rng.uniform(0.03, 0.35) * n * n / (2 * size * size)))):
        turn = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(turn), np.sin(turn)
        at = form() @ np.array([[c, s], [-s, c]]) * size * np.exp(rng.normal(0, spread)) + rng.uniform(0, n, 2)
        shade = 1.0 if alike else float(rng.uniform(0.2, 1))
        cv2.fillPoly(out, [np.round(at * 16).astype(np.int32)], shade, cv2.LINE_8, 4)
    return out


def _clouds(rng: np.random.Generator, n: int, step: float, long: float, layers: int) -> Floats:
    out = np.zeros((n, n), np.float32)
    for k in range(layers):
        s = step * 2**k
        field = rng.normal(size=(n, n)).astype(np.float32)
        field = cv2.GaussianBlur(field, (0, 0), sigmaX=min(s * long, 90), sigmaY=min(s, 60))
        out += field / max(float(field.std()), 1e-6)
    low, high = np.percentile(out, [1, 99])
    return np.asarray(np.clip((out - low) / (high - low), 0, 1), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """A colour that varies, (h, w, 3), with how glossy it is."""

    albedo: Any
    gloss: float


def _laid_out(rng: np.random.Generator, n: int, pool: list[Floats], a: Any, b: Any, scale: tuple[float, float]) -> Any:
    """(n, n, 3) from one colour to another as a texture goes."""
    by = float(np.exp(rng.uniform(*np.log(scale))))
    turn = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn) / by, np.sin(turn) / by
    M = np.array([[c, -s, rng.uniform(0, _SIDE)], [s, c, rng.uniform(0, _SIDE)]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    field = cv2.warpAffine(
        pool[int(rng.integers(len(pool)))], M, (n, n), flags=flags, borderMode=cv2.BORDER_REFLECT_101
    )
    a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
    return a + (b - a) * field[..., None]


def _table(rng: np.random.Generator, n: int, pool: list[Floats]) -> tuple[Any, Any]:
    """(n, n, 3) a table of any kind, and its main colour."""
    main = np.asarray(any_color(rng), np.float32)
    kind = rng.random()
    if kind < 0.25:  # brown as wood is
        level = rng.uniform(0.06, 0.75)
        warm = rng.uniform(0.42, 0.85)
        main = level * np.array([1, warm, warm * rng.uniform(0.4, 0.9)], np.float32)
    elif kind < 0.45:  # grey or nearly so
        main = rng.uniform(0.03, 0.9) * np.exp(rng.normal(0, 0.05, 3)).astype(np.float32)
    contrast = rng.choice([0.0, 0.08, 0.25, 0.6], p=[0.2, 0.3, 0.25, 0.25]) * rng.uniform(0.5, 1.5)
    other = main * np.float32(np.exp(-contrast)) * np.exp(rng.normal(0, 0.15 * min(contrast, 1), 3)).astype(np.float32)
    out = _laid_out(rng, n, pool, main, other, (0.5, 4.0))
    while rng.random() < 0.3:  # printed upon in another colour, or in several
        strong = np.asarray(any_color(rng), np.float32)
        over = _laid_out(rng, n, pool, (0, 0, 0), (1, 1, 1), (1.0, 4.0))
        out = out + (strong - out) * over * np.float32(rng.uniform(0.2, 1))
    return out, out.reshape(-1, 3).mean(0)


def _sheet(rng: np.random.Generator, n: int, table: Any, pool: list[Floats]) -> Any:
    """Half of the table covered by a sheet, or crossed by thin lines."""
    turn = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[:n, :n].astype(np.float32)
    across = (x - rng.uniform(0, n)) * np.cos(turn) + (y - rng.uniform(0, n)) * np.sin(turn)
    if rng.random() < 0.5:
        beyond = np.clip(across + 0.5, 0, 1)[..., None]
        other, _ = _table(rng, n, pool)
        shade = 1 - np.float32(rng.uniform(0, 0.5)) * np.exp(-np.maximum(across, 0) / rng.uniform(2, 8))[..., None]
        return np.asarray(table * (1 - beyond) + other * shade * beyond, np.float32)
    half = rng.uniform(0.4, 3)
    line = np.clip(half + 0.5 - np.abs(across), 0, 1)[..., None] * np.float32(rng.uniform(0.3, 1))
    ink = np.asarray(any_color(rng), np.float32) * np.float32(rng.uniform(0.05, 1))
    return np.asarray(table * (1 - line) + ink * line, np.float32)


def _paints(rng: np.random.Generator, count: int, table: Any) -> Any:
    """(count + 1, 3) of plates: a few colours, some hardly other than the table."""
    few = [np.asarray(any_color(rng), np.float32) for _ in range(int(rng.integers(1, 5)))]
    if rng.random() < 0.3:
        few[0] = table * np.exp(rng.normal(0, rng.uniform(0.05, 0.5)) + rng.normal(0, rng.uniform(0.01, 0.2), 3))
    if rng.random() < 0.25:
        few = few[:1]
    own = np.array([few[int(rng.integers(len(few)))] for _ in range(count + 1)], np.float32)
    own *= np.exp(rng.normal(0, 0.03, (count + 1, 1))).astype(np.float32)
    return np.clip(own, 0.004, 0.95)


def _walls(rng: np.random.Generator, paints: Any) -> Any:
    """(count + 1, 3) of sides: as painted, bare wood, or white board."""
    kind = rng.random()
    if kind < 0.6:
        return paints * np.float32(rng.uniform(0.75, 1.05))
    if kind < 0.85:
        wood = np.array([0.6, 0.4, 0.22]) * rng.uniform(0.4, 1.4) * np.exp(rng.normal(0, 0.12, 3))
        return np.broadcast_to(np.clip(wood, 0.02, 0.95).astype(np.float32), paints.shape)
    white = np.float32(rng.uniform(0.3, 0.95)) * np.exp(rng.normal(0, 0.05, 3)).astype(np.float32)
    return np.broadcast_to(np.clip(white, 0, 1), paints.shape)


def _swept(mask: NDArray[np.uint8], by: Any) -> NDArray[np.uint8]:
    """A mask drawn along a way of so many pixels."""
    out = mask
    length = float(np.hypot(*by))
    reach, step = 0.0, 1.0
    while reach < length:
        move = min(step, length - reach)
        x, y = np.round(np.asarray(by) / length * move).astype(int)
        if x or y:
            h, w = out.shape
            moved = np.zeros_like(out)
            moved[max(y, 0) : h + min(y, 0), max(x, 0) : w + min(x, 0)] = out[
                max(-y, 0) : h + min(-y, 0), max(-x, 0) : w + min(-x, 0)
            ]
            out = np.maximum(out, moved)
        reach += move
        step = max(1.0, reach)
    return out


def _shadow(rng: np.random.Generator, relief: Relief, lamp: Any, wide: float) -> Floats:
    """(h, w) of a lamp's light that reaches the table; `lamp` (2,) is its slope, `wide` how far that spreads."""
    n = relief.foot.shape[0]
    small = (n // SAMPLES, n // SAMPLES)
    foot = (cv2.resize(relief.foot, small, interpolation=cv2.INTER_AREA) < 0).astype(np.uint8)
    thick = relief.thick / SAMPLES
    out = np.zeros(small, np.float32)
    for _ in range(_LAMP_RAYS):
        slope = lamp + rng.normal(0, wide, 2)
        out += _swept(foot, -slope * thick)
    out = cv2.GaussianBlur(out / _LAMP_RAYS, (0, 0), 0.5 + 0.12 * thick * wide * 3)
    return np.asarray(1 - cv2.resize(out, (n, n), interpolation=cv2.INTER_LINEAR), np.float32)


def _glow(rng: np.random.Generator, n: int) -> Floats:
    """(n, n) a broad gleam somewhere in the picture or beside it."""
    x0, y0 = rng.uniform(-0.4, 1.4, 2) * n
    s = np.exp(rng.uniform(np.log(0.12), np.log(1.2))) * n
    y, x = (np.exp(-0.5 * ((np.arange(n, dtype=np.float32) - c) / s) ** 2) for c in (y0, x0))
    return np.asarray(y[:, None] * x[None], np.float32)


def lit(rng: np.random.Generator, relief: Relief, pool: list[Floats]) -> Floats:
    """(h, w, 3) linear light of what is seen."""
    n = relief.foot.shape[0]
    table, main = _table(rng, n, pool)
    if rng.random() < 0.2:
        table = _sheet(rng, n, table, pool)
    count = int(relief.plate.max())
    paints = _paints(rng, count, main)
    on_plate = relief.plate > 0
    face = on_plate & (relief.depth == 0)
    wall = on_plate & ~face & ~relief.broken
    albedo = np.where(on_plate[..., None], paints[relief.plate], table)
    walls = _walls(rng, paints)
    albedo[wall] = walls[relief.plate[wall]]
    if rng.random() < 0.3:  # layers of the wood
        albedo[wall] *= (1 + rng.uniform(0, 0.4) * np.sin(relief.depth[wall] * rng.uniform(6, 30)))[:, None]
    if rng.random() < 0.25:  # the paint is worn from the rim, or thicker there
        worn = walls if rng.random() < 0.5 else paints * np.float32(rng.uniform(0.4, 1.3))
        albedo[relief.broken] = worn[relief.plate[relief.broken]]
    if rng.random() < 0.3:  # a face has a grain of its own
        grain = _laid_out(rng, n, pool, (1, 1, 1), np.full(3, rng.uniform(0.6, 1.1)), (0.5, 3.0))
        albedo[face] *= grain[face]
    light = _light(rng, relief, on_plate, wall)
    out = albedo * light
    for where, most in ((on_plate, 0.35), (~on_plate, 0.3)):
        if rng.random() < 0.45:
            if rng.random() < 0.15:  # a lamp mirrored so that nothing else is seen there
                most *= 12
            gleam = _glow(rng, n)[..., None] * np.float32(rng.uniform(0, most) * light.mean())
            out += np.where(where[..., None], gleam, 0)
    return np.asarray(out + _shine(rng, relief) * np.float32(light.mean()), np.float32)


def _light(rng: np.random.Generator, relief: Relief, on_plate: NDArray[np.bool_], wall: NDArray[np.bool_]) -> Floats:
    """(h, w, 3) what falls on each sample, from everywhere and from a lamp or two."""
    n = relief.foot.shape[0]
    normal = relief.normal
    around = rng.normal(0, 0.35, 2)
    sky = 0.75 + 0.25 * normal[..., 2] + normal[..., :2] @ around.astype(np.float32)
    reach = max(1.0, relief.thick * float(rng.uniform(0.2, 1.2)))
    hidden = float(rng.uniform(0.15, 0.85)) * np.exp(-np.maximum(relief.foot, 0) / reach)
    if rng.random() < 0.5:  # broad corners between plates are darker than straight sides
        broad = cv2.GaussianBlur((relief.foot < 0).astype(np.float32), (0, 0), max(1.0, reach))
        hidden = np.clip(hidden * (0.5 + broad), 0, 0.95)
    sky = np.where(on_plate, sky, sky * (1 - hidden))
    sky[wall] *= 1 - float(rng.uniform(0, 0.6)) * relief.depth[wall]
    warm = rng.normal(0, 0.12)
    tint = np.array([1 + warm, 1 + 0.1 * warm, 1 - warm], np.float32)
    out = np.maximum(sky, 0.03)[..., None] * np.float32(rng.uniform(0.15, 0.9)) * tint
    for _ in range(int(rng.choice([0, 1, 2], p=[0.06, 0.6, 0.34]))):
        turn, up = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(18, 82))
        slope = np.array([np.cos(turn), np.sin(turn)]) / np.tan(up)
        toward = np.array([np.cos(turn) * np.cos(up), np.sin(turn) * np.cos(up), np.sin(up)], np.float32)
        falls = np.maximum(normal @ toward, 0)
        if relief.thick > 0.3:
            wide = float(np.exp(rng.uniform(np.log(0.02), np.log(0.7))))
            reaches = _shadow(rng, relief, slope, wide)
            falls = np.where(on_plate, falls, falls * reaches)
            # a side's foot stands in the shadow of what is beside it
            falls[wall] *= 0.5 + 0.5 * reaches[wall]
        cold = rng.normal(0, 0.15)
        hue = np.array([1 + cold, 1 + 0.1 * cold, 1 - cold], np.float32)
        out = out + falls[..., None] * np.float32(rng.uniform(0.2, 1.0)) * hue
    fall = rng.normal(0, 0.2, 2).astype(np.float32)
    y, x = np.mgrid[:n, :n].astype(np.float32) / n - 0.5
    return np.asarray(out * np.maximum(1 + fall[0] * x + fall[1] * y, 0.3)[..., None], np.float32)


def _shine(rng: np.random.Generator, relief: Relief) -> Floats:
    """(h, w, 1) what lamps and windows mirror in rims, sides and, a little, faces."""
    out = np.zeros((*relief.foot.shape, 1), np.float32)
    edge = relief.normal[..., 2] < 0.999
    if not edge.any():
        return out
    n = relief.normal[edge]
    for _ in range(int(rng.integers(0, 4))):
        up = rng.uniform(0.2, 0.98)
        turn = rng.uniform(0, 2 * np.pi)
        h = np.array([np.cos(turn) * np.sqrt(1 - up**2), np.sin(turn) * np.sqrt(1 - up**2), up], np.float32)
        sharp = float(np.exp(rng.uniform(np.log(4), np.log(120))))
        out[edge, 0] += np.float32(rng.uniform(0, 0.7)) * np.maximum(n @ h, 0) ** sharp
    return out

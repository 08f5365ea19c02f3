"""Photographs of a set of Cactus laid flat for enrolment, by hand and aslant, with exact truth.

    python -m tests.render.enroll_pieces OUT --decks SET_FOLDER [SET_FOLDER ...] --seed 7

writes case folders (`OUT/enroll/NAME/00.jpg`, `truth.json`) in the form of the contract's section 3. Pieces are plates
with painted or bare edges whose upper rim is broken; the outline in the truth is that of the upper face.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from dataclasses import dataclass
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.plate_sheet import PAPERS
from calibration.capture.grounds import lab_of
from tests.render.cactus_game import SetArt
from tests.render.cactus_geometry import Plate
from tests.render.cactus_light import Lamp
from tests.render.cactus_room import front_view
from tests.render.cactus_scene import Canvas, linear, surface_picture
from tests.render.cactus_truth import camera_of
from tests.render.conex_stage import random_sensor
from tests.render.scene import Array, Sensor, View
from tests.render.textures import Picture, cloth, colour, granular, laminate, noise, wood

Json = dict[str, Any]
Paper = tuple[float, float] | None
_ROOM_MM = 12.0
"""Least space between two pieces."""
_BESIDE_MM = 12.0  # of the table seen beside a sheet
_TEXTURE_PX = 3.0  # of a texture to a millimetre of table
_UNLIKE = 28.0  # difference in Lab between any paint and the table


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What all photos of a set share: the wood of bare edges, how broken rims are in mm, and the camera."""

    rim: Array | None
    broken: float
    size_px: tuple[int, int]
    focal_share: float
    k1: float


def ground(rng: np.random.Generator, paints: list[str]) -> Picture:
    """What the pieces lie on, unlike all paints: paper or plain as a rule, else cloth, laminate, stone, quiet wood."""
    tones = lab_of(np.array([[int(p[i : i + 2], 16) for i in (1, 3, 5)] for p in paints], float))
    for _ in range(60):
        picture = _any_ground(rng)
        apart = np.linalg.norm((tones - lab_of(picture.mean((0, 1))[None] * 255)) * [0.7, 1, 1], axis=1)
        if float(apart.min()) > _UNLIKE:
            break
    return picture


def _any_ground(rng: np.random.Generator) -> Picture:
    h, w = 1100, 1500
    kind = int(rng.choice(5, p=[0.5, 0.24, 0.1, 0.08, 0.08]))
    if kind == 0:
        c = colour(rng, (0.3, 0.95), (0.0, 0.16))
        soft = noise(rng, h, w, float(rng.uniform(2, 40)), 3)[..., None]
        return np.asarray(c * (1 + float(rng.uniform(0.003, 0.02)) * soft), np.float32)
    picture: Picture = (cloth, laminate, granular, wood)[kind - 1](rng, h, w)
    quiet = cv2.GaussianBlur(picture, (0, 0), 1.0)
    middle = quiet.mean((0, 1), keepdims=True)
    return np.asarray(middle + (quiet - middle) * float(rng.uniform(0.3, 0.8)), np.float32)


def hand_view(
    rng: np.random.Generator, spread: tuple[float, float], size: tuple[int, int], focal_share: float, k1: float
) -> View:
    """A camera held over the table, as near as everything is in the picture; `spread` is half the region in mm.

    `focal_share` is its focal length in widths of the picture.
    """
    tilt = float(min(27.0, abs(rng.normal(9, 8))))
    down, around = np.radians(90 - tilt), np.radians(rng.normal(0, 4))
    roll = np.radians(rng.normal(0, 2.5))
    f = size[0] * focal_share * float(np.exp(rng.normal(0, 0.02)))
    corners = np.array([[sx * spread[0], sy * spread[1], z] for sx in (-1, 1) for sy in (-1, 1) for z in (0.0, 4.0)])
    distance = 120.0
    while True:
        view = front_view(size, f / distance, distance, down, around, roll, np.zeros(3), k1)
        p = view.project(corners)
        if (p > 25).all() and (p < np.array(size) - 26).all():
            return view
        distance *= 1.02


def lamps(rng: np.random.Generator) -> tuple[list[Lamp], Array]:
    """A lamp or two on any side, and what comes from everywhere."""
    warm = float(rng.choice([rng.normal(0, 0.03), rng.uniform(0.05, 0.22), -rng.uniform(0.03, 0.1)]))
    tint = np.array([1 + warm, 1 + 0.1 * warm, 1 - 1.2 * warm])
    out = []
    for share in (0.6, 0.3) if rng.random() < 0.6 else (0.75,):
        a, e = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(28, 72))
        at = 800 * np.array([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)])
        out.append(Lamp(at, float(rng.uniform(15, 160)), share * tint, np.zeros(3), 210.0))
    return out, rng.uniform(0.35, 0.8) * tint


def _inset(outline: Array, by: float) -> Array:
    """The outline moved inward by `by` mm, point by point."""
    before, after = outline - np.roll(outline, 1, 0), np.roll(outline, -1, 0) - outline
    turn = (
        1.0
        if float(outline[:, 0] @ np.roll(outline[:, 1], -1) - outline[:, 1] @ np.roll(outline[:, 0], -1)) > 0
        else -1.0
    )
    normals = []
    for d in (before, after):
        n = np.c_[-d[:, 1], d[:, 0]] * turn
        normals.append(n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-9))
    both = normals[0] + normals[1]
    length = np.maximum((both * normals[0]).sum(1, keepdims=True), 0.5)
    return np.asarray(outline + by * both / length)


def _upper(plate: Plate) -> Array:
    """Outline of the upper face in the world."""
    return plate.world(plate.form.outline, (1.0 if plate.pose[2, 2] > 0 else -1.0) * plate.thickness / 2)


def _spread(canvas: Canvas, texture: NDArray[np.float32], paper: tuple[Array, Array] | None) -> None:
    """Cover the table, z = 0, with a texture that repeats, and lay a sheet on it: half its size in mm, its colour."""
    x, y = canvas.rays()
    R = canvas.view.R
    eye = -R.T @ canvas.view.t
    rays = np.stack(np.broadcast_arrays(x[None], y[:, None], np.float32(1)), -1) @ R
    depth = -eye[2] / rays[..., 2]
    world = (eye + rays * depth[..., None]).astype(np.float32)
    at = world[..., :2] * np.float32(_TEXTURE_PX) + np.array(texture.shape[1::-1], np.float32) / 2
    rgb = cv2.remap(texture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    if paper is not None:
        # soft over a third of a millimetre, as a lens shows it
        rim = np.clip(0.5 + 3.0 * (paper[0] - np.abs(world[..., :2])).min(2), 0, 1)[..., None]
        rgb = rgb * (1 - rim) + np.asarray(paper[1], np.float32) * rim
    canvas.near[:] = 1 / depth
    canvas.rgb[:] = rgb
    flat = np.broadcast_to(np.array([0, 0, 1.0], np.float32), world.shape)
    canvas.base[0] = 1.0
    for k, lamp in enumerate(canvas.lamps, 1):
        canvas.base[k] = lamp.strength(cast(Any, world), cast(Any, flat))


def _darken(rng: np.random.Generator, canvas: Canvas, px_per_mm: float) -> None:
    """Where a plate stands on the table less of the light from everywhere comes in."""
    covered = (canvas.ids > 0).astype(np.float32)
    near = cv2.GaussianBlur(covered, (0, 0), 1.6 * px_per_mm) + 0.5 * cv2.GaussianBlur(covered, (0, 0), 5.0 * px_per_mm)
    canvas.base[0] *= 1 - float(rng.uniform(0.3, 0.8)) * np.clip(near, 0, 1)


def lay(canvas: Canvas, plate: Plate, paint: Array, rim: Array, broken: float) -> None:
    """Draw a plate whose upper rim is broken by `broken` mm; its wall gets less of the light from everywhere."""
    outline, h, up = plate.form.outline, plate.thickness / 2, (1.0 if plate.pose[2, 2] > 0 else -1.0)
    body = Plate(plate.form, np.c_[plate.pose[:, :3], plate.pose[:, 3] - [0, 0, broken / 2]], plate.thickness - broken)
    first = len(canvas.surfaces)
    canvas.plate(body, paint, rim)
    for i in range(first + 1, len(canvas.surfaces)):
        rgb, light = canvas.surfaces[i]
        canvas.surfaces[i] = (rgb, light * np.r_[0.65, np.ones(len(light) - 1)])
    inner = _inset(outline, broken)
    low, high = plate.world(outline, up * (h - broken)), plate.world(inner, up * h)
    middle = high.mean(0)
    for i in range(len(outline)):
        j = (i + 1) % len(outline)
        side = np.cross(low[j] - low[i], [0.0, 0, 1.0])
        length = float(np.linalg.norm(side))
        if length < 1e-6:
            continue
        n = side / length
        # the wall looks away from the face next to it
        n = n if n @ (low[i] + low[j] - high[i] - high[j]) > 0 else -n
        n = (n + [0, 0, 1.0]) / np.sqrt(2)
        canvas.polygon(np.array([low[i], low[j], high[j], high[i]]), canvas.surface(paint, middle, n), 1.0 + 1e-6)
    canvas.polygon(high, canvas.surface(paint, middle, np.array([0, 0, 1.0])), 1.0 + 2e-6)


def photograph(
    rng: np.random.Generator, art: SetArt, names: list[str], columns: int, look: Look, paper: Paper = None
) -> tuple[NDArray[np.uint8], list[Json], View]:
    """One picture of pieces in rows, on a sheet of paper of that size in mm if any, and where each lies."""
    radius = max(art.forms[n].radius for n in names)
    rows = -(-len(names) // columns)
    step = (1.5 if columns < 4 else 1.6) * radius + _ROOM_MM
    spread = (columns * step / 2, rows * step / 2)
    if paper is not None:
        half = np.array(sorted(paper, reverse=True)) / 2
        spread = (float(half[0] + _BESIDE_MM), float(half[1] + _BESIDE_MM))
    view = hand_view(rng, spread, look.size_px, look.focal_share, look.k1)
    light, ambient = lamps(rng)
    colors = art.data["colors"]
    paints = [str(colors.get(art.facts[n]["color"], art.facts[n]["color"])) for n in names]
    canvas = Canvas.start(rng, view, light, ambient)
    sheet = None if paper is None else (half, np.full(3, rng.uniform(0.75, 0.9)))
    _spread(canvas, surface_picture(ground(rng, paints)), sheet)
    plates, truth = [], []
    for i, name in enumerate(names):
        row, column = divmod(i, columns)
        x = (column + 0.5) * step - columns * step / 2 + rng.uniform(-0.06, 0.06) * step
        y = rows * step / 2 - (row + 0.5) * step + rng.uniform(-0.06, 0.06) * step
        a = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(a), np.sin(a)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        if rng.random() < 0.35 and columns >= 4:
            R = R @ np.diag([-1.0, 1.0, -1.0])
        form = art.forms[name]
        middle = R @ np.r_[(form.outline.min(0) + form.outline.max(0)) / 2, 0.0]
        plate = Plate(form, np.c_[R, np.array([x, y, art.thickness / 2]) - middle], art.thickness)
        plates.append(plate)
        truth.append(
            {"id": name, "row": row, "column": column, "outline": np.round(view.project(_upper(plate)), 2).tolist()}
        )
    for hexed, plate in zip(paints, plates, strict=True):
        lay(canvas, plate, linear(hexed), linear(hexed) if look.rim is None else look.rim, look.broken)
    middle = float(np.median(canvas.near)) * view.K[0, 0] * canvas.scale
    _darken(rng, canvas, middle)
    white = canvas.lit(np.zeros(3), np.array([0, 0, 1.0]))
    total = white[0] * ambient.mean() + sum(v * lamp.rgb.mean() for v, lamp in zip(white[1:], light, strict=True))
    sensor = random_sensor(rng, 0.5)
    gentle = Sensor(
        sensor.light,
        None,
        (1.0, 1.0, 1.0),
        sensor.gamma,
        sensor.blur * 0.9,
        sensor.noise * 0.7,
        sensor.sharpen * 0.6,
        100,
    )
    return canvas.photograph(rng, gentle, float(rng.uniform(0.6, 1.05) / total), 0.0), truth, view


def write_case(
    rng: np.random.Generator, out: pathlib.Path, deck: pathlib.Path, paper: Paper = None, beside: int = 0
) -> None:
    """All pieces of a set, a dozen a picture, and its cacti in a last one, so many of the pieces beside them.

    On a sheet of paper of that size, if any.
    """
    art = SetArt.load(deck)
    pieces = [p["id"] for p in art.data["pieces"]]
    pieces = [pieces[int(i)] for i in rng.permutation(len(pieces))]
    wood = np.array([0.7, 0.54, 0.36]) * rng.uniform(0.5, 1.1)
    look = Look(
        wood**2.2 if rng.random() < 0.3 else None,
        float(rng.uniform(0.05, 0.45)),
        (1600, 900) if rng.random() < 0.6 else (1920, 1080),
        float(0.5 / np.tan(np.radians(rng.uniform(54, 70)) / 2)),
        float(rng.uniform(-0.07, 0.05)),
    )
    batches = [(pieces[i : i + 12], 4) for i in range(0, len(pieces), 12)]
    batches.append(([*(c["id"] for c in art.data["cacti"]), *pieces[:beside]], 3))
    out.mkdir(parents=True, exist_ok=True)
    photos: list[Json] = []
    for n, (names, columns) in enumerate(batches):
        rgb, laid, view = photograph(rng, art, names, columns, look, paper)
        cv2.imwrite(str(out / f"{n:02d}.jpg"), rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(86, 96))])
        photos.append({"photo": f"{n:02d}.jpg", "pieces": laid, "camera": camera_of(view)})
    (out / "truth.json").write_text(json.dumps({"game": "cactus", "deck": art.data["name"], "photos": photos}))


def main() -> None:
    """Write a case a set."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=pathlib.Path)
    a.add_argument("--decks", type=pathlib.Path, nargs="+", required=True)
    a.add_argument("--seed", type=int, default=7)
    a.add_argument("--paper", choices=sorted(PAPERS), help="what all lie on")
    a.add_argument("--beside", type=int, default=0, help="how many pieces lie beside the cacti too")
    o = a.parse_args()
    link = o.out / "decks"
    link.mkdir(parents=True, exist_ok=True)
    for i, deck in enumerate(o.decks):
        if not (link / deck.name).exists():
            (link / deck.name).symlink_to(deck.resolve())
        write_case(
            np.random.default_rng([o.seed, i]), o.out / "enroll" / deck.name, deck, PAPERS.get(o.paper), o.beside
        )


if __name__ == "__main__":
    main()

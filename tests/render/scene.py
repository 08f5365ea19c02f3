"""A small scene generator: cards and clutter on a table through a known camera, with exact truth.

The table is the plane z = 0 in millimetres (x right, y down as the camera sees it, z into the table, so what is
raised has a negative z). Everything is laid in order, later things on top; light, lens and sensor come last.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tests.render.textures import Picture, colour, table_top

Array = NDArray[np.float64]
OTHER = -2
"""Owner of a pixel that shows something that is no card (clutter, hand)."""
TABLE = -1
"""Owner of a pixel that shows the table."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera above the table: pinhole K, pose R, t (mm) and radial distortion k1, k2."""

    size_px: tuple[int, int]
    K: Array
    R: Array
    t: Array
    k1: float = 0.0
    k2: float = 0.0

    def ideal(self, points_mm: ArrayLike) -> Array:
        """Points (n, 2) or (n, 3) in mm -> (n, 2) px of a lens without distortion."""
        p = np.atleast_2d(np.asarray(points_mm, float))
        if p.shape[1] == 2:
            p = np.c_[p, np.zeros(len(p))]
        c = p @ self.R.T + self.t
        q = c @ self.K.T
        return np.asarray(q[:, :2] / q[:, 2:3])

    def bend(self, points_px: ArrayLike) -> Array:
        """Ideal px -> px of the distorted picture."""
        p = np.asarray(points_px, float).reshape(-1, 2)
        f, c = self.K[0, 0], self.K[:2, 2]
        n = (p - c) / f
        r2 = (n**2).sum(1, keepdims=True)
        return np.asarray(n * (1 + self.k1 * r2 + self.k2 * r2 * r2) * f + c)

    def straighten(self, points_px: ArrayLike) -> Array:
        """The inverse of `bend`, by fixed-point iteration."""
        p = np.asarray(points_px, float).reshape(-1, 2)
        f, c = self.K[0, 0], self.K[:2, 2]
        d = (p - c) / f
        n = d.copy()
        for _ in range(12):
            r2 = (n**2).sum(1, keepdims=True)
            n = d / (1 + self.k1 * r2 + self.k2 * r2 * r2)
        return np.asarray(n * f + c)

    def project(self, points_mm: ArrayLike) -> Array:
        """Points in mm -> px of the distorted picture."""
        return self.bend(self.ideal(points_mm))

    def homography(self) -> Array:
        """(3, 3) from (x, y, 1) mm on the table to ideal px."""
        return np.asarray(self.K @ np.c_[self.R[:, 0], self.R[:, 1], self.t])

    def lift_per_mm(self, points_px: Array) -> Array:
        """By how many mm the table point of an ideal pixel moves where the surface is 1 mm higher, (n, 2)."""
        rays = np.c_[points_px, np.ones(len(points_px))] @ np.linalg.inv(self.K).T @ self.R
        return np.asarray(-rays[:, :2] / -rays[:, 2:3])

    def table_points(self, points_px: ArrayLike) -> Array:
        """Pixels of the distorted picture -> (n, 2) mm on the table."""
        p = self.straighten(points_px)
        q = np.c_[p, np.ones(len(p))] @ np.linalg.inv(self.homography()).T
        return np.asarray(q[:, :2] / q[:, 2:3])


def look_at(
    size_px: tuple[int, int],
    hfov_deg: float,
    distance_mm: float,
    tilt_deg: float = 0.0,
    around_deg: float = 0.0,
    roll_deg: float = 0.0,
    aim_mm: tuple[float, float] = (0.0, 0.0),
    k1: float = 0.0,
    k2: float = 0.0,
) -> View:
    """A camera `distance_mm` from the point it aims at, tilted from the vertical in the direction `around_deg`."""
    w, h = size_px
    f = w / 2 / np.tan(np.radians(hfov_deg) / 2)
    K = np.array([[f, 0, w / 2 - 0.5], [0, f, h / 2 - 0.5], [0, 0, 1.0]])
    a, g, r = np.radians([tilt_deg, around_deg, roll_deg])

    def rz(v: float) -> Array:
        return np.array([[np.cos(v), -np.sin(v), 0], [np.sin(v), np.cos(v), 0], [0, 0, 1.0]])

    rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    R = rz(r) @ rz(g) @ rx @ rz(-g)
    t = -R @ np.array([*aim_mm, 0.0]) + np.array([0, 0, distance_mm])
    return View(size_px, K, R, t, k1, k2)


@dataclass(frozen=True, slots=True)
class Laid:
    """Truth of one card: name, pose of its centre in mm and rad, size, corners in the finished picture."""

    name: str
    x_mm: float
    y_mm: float
    angle_rad: float
    size_mm: tuple[float, float]
    quad_px: Array
    face_up: bool = True


@dataclass(slots=True)
class Table:
    """The picture in the making; `owner` tells which card (index), `TABLE` or `OTHER` each pixel shows."""

    view: View
    rgb: Picture
    owner: NDArray[np.int16]
    cards: list[Laid] = field(default_factory=list)
    margin: int = 0
    scale: int = 1

    @classmethod
    def start(
        cls,
        rng: np.random.Generator,
        view: View,
        surface: Picture | None = None,
        scale: int = 1,
        warp_surface: bool = True,
    ) -> Table:
        """An empty table. `surface` is laid flat on the plane, so its grain shows the perspective."""
        w, h = view.size_px
        border = np.concatenate(
            [
                np.c_[np.linspace(0, w - 1, 33), np.zeros(33)],
                np.c_[np.linspace(0, w - 1, 33), np.full(33, h - 1)],
                np.c_[np.zeros(33), np.linspace(0, h - 1, 33)],
                np.c_[np.full(33, w - 1), np.linspace(0, h - 1, 33)],
            ]
        )
        u = view.straighten(border)
        margin = int(max(0, -u.min(), (u[:, 0] - w + 1).max(), (u[:, 1] - h + 1).max())) + 2
        # beyond this the lens of so strong a bend has no inverse, and the canvas would grow without bound
        margin = min(margin, max(w, h) // 2)
        cw, ch = (w + 2 * margin) * scale, (h + 2 * margin) * scale
        if surface is None:
            surface = table_top(rng, ch, cw)
        if warp_surface:
            H = view.homography()
            c = view.table_points([[w / 2, h / 2]])[0]
            d = np.diff(view.ideal([c, c + [1, 0]]), axis=0)[0]
            s = np.hypot(*d) * scale
            flat = np.array(
                [[s, 0, surface.shape[1] / 2 - s * c[0]], [0, s, surface.shape[0] / 2 - s * c[1]], [0, 0, 1]]
            )
            canvas = np.array([[scale, 0, margin * scale], [0, scale, margin * scale], [0, 0, 1.0]])
            M = canvas @ H @ np.linalg.inv(flat)
            surface = cv2.warpPerspective(surface, M, (cw, ch), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        else:
            surface = cv2.resize(surface, (cw, ch))
        return cls(
            view, np.ascontiguousarray(surface, dtype=np.float32), np.full((ch, cw), TABLE, np.int16), [], margin, scale
        )

    def to_canvas(self, ideal_px: Array) -> Array:
        """Ideal px -> px of the canvas, which has a margin and may be supersampled."""
        return np.asarray((ideal_px + self.margin + 0.5) * self.scale - 0.5)

    def _blend(
        self, box: tuple[int, int, int, int], rgb: Picture | NDArray[np.float32], alpha: NDArray[np.float32], owner: int
    ) -> None:
        x0, y0, x1, y1 = box
        a = alpha[..., None]
        roi = self.rgb[y0:y1, x0:x1]
        roi += (rgb - roi) * a
        self.owner[y0:y1, x0:x1][alpha > 0.5] = owner

    def _box(self, points: Array, pad: float = 2) -> tuple[int, int, int, int] | None:
        h, w = self.owner.shape
        x0, y0 = np.maximum(np.floor(points.min(0) - pad), 0).astype(int)
        x1, y1 = np.ceil(points.max(0) + pad).astype(int) + 1
        x1, y1 = min(int(x1), w), min(int(y1), h)
        return None if x1 - x0 < 2 or y1 - y0 < 2 else (int(x0), int(y0), int(x1), int(y1))

    def shadow(self, outline: Array, offset: tuple[float, float], softness: float, depth: float) -> None:
        """Darken what lies under an outline (canvas px), moved by `offset` and blurred."""
        p = outline + np.array(offset)
        box = self._box(p, 3 * softness + 2)
        if box is None or depth <= 0:
            return
        x0, y0, x1, y1 = box
        step = max(1, int(softness / 3))
        m = np.zeros(((y1 - y0) // step + 1, (x1 - x0) // step + 1), np.float32)
        cv2.fillPoly(m, [np.round((p - [x0, y0]) / step * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        m = cv2.GaussianBlur(m, (0, 0), max(0.6, softness / step))
        m = cv2.resize(m, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        self.rgb[y0:y1, x0:x1] *= 1 - depth * m[..., None]

    def lay(
        self,
        name: str,
        face: NDArray[np.uint8],
        size_mm: tuple[float, float],
        pose: tuple[float, float, float],
        radius_mm: float = 3.0,
        curl_mm: float = 0.0,
        shadow: tuple[float, float, float] = (1.0, 1.0, 0.35),
        gloss: float = 0.0,
        face_up: bool = True,
        grow_mm: float = 0.0,
        sleeve: float = 0.0,
        lift_mm: float = 0.0,
        cut_out: bool = False,
    ) -> int:
        """Lay a card with its centre and angle at `pose`; returns its owner number.

        `shadow`: (offset x, offset y, depth), the offset in mm; `grow_mm` and `sleeve`: a transparent sleeve
        larger than the card, and how much it shines; `lift_mm`: height of the face above the table; `cut_out`:
        the face is RGBA and shows only where its alpha is set, and what it covers belongs to no card.
        """
        view, (w, h), (x, y, angle) = self.view, size_mm, pose
        c, s = np.cos(angle), np.sin(angle)
        rot = np.array([[c, -s], [s, c]])

        def lifted(local: Array) -> Array:
            z = lift_mm + curl_mm * (local[:, 0] / (w / 2)) ** 2
            return np.c_[local @ rot.T + [x, y], -z]

        corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
        quad = view.project(lifted(corners))
        number = len(self.cards)
        self.cards.append(Laid(name, x, y, angle, size_mm, quad, face_up))
        t = np.linspace(-1, 1, 9)
        rim = np.concatenate(
            [np.c_[t, -np.ones(9)], np.c_[np.ones(9), t], np.c_[t[::-1], np.ones(9)], np.c_[-np.ones(9), t[::-1]]]
        )
        outline = self.to_canvas(view.ideal(lifted(rim * [w / 2 + grow_mm, h / 2 + grow_mm])))
        box = self._box(outline)
        if box is None:
            return number
        px_per_mm = np.sqrt(abs(_area(outline)) / ((w + 2 * grow_mm) * (h + 2 * grow_mm)))
        self.shadow(
            outline,
            (shadow[0] * px_per_mm, shadow[1] * px_per_mm),
            max(0.7, 0.9 * px_per_mm * np.hypot(shadow[0], shadow[1])),
            shadow[2],
        )
        level = face
        while level.shape[1] > 2.2 * px_per_mm * w and level.shape[1] > 16:
            level = cv2.resize(level, (level.shape[1] // 2, level.shape[0] // 2), interpolation=cv2.INTER_AREA)
        fh, fw = level.shape[:2]
        x0, y0, x1, y1 = box
        if sleeve:
            m = np.zeros((y1 - y0, x1 - x0), np.float32)
            cv2.fillPoly(m, [np.round((outline - [x0, y0]) * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
            self._blend(box, np.full(3, 0.85, np.float32), m * sleeve, number)
            self.owner[y0:y1, x0:x1][m > 0.5] = number
        u, v = self._face_coordinates(box, pose, size_mm, curl_mm, lift_mm)
        d = _rounded_distance(u, v, w, h, min(radius_mm, 0.49 * min(w, h))) * px_per_mm
        alpha = np.clip(0.5 - d, 0, 1).astype(np.float32)
        mx, my = ((u / w + 0.5) * fw - 0.5).astype(np.float32), ((v / h + 0.5) * fh - 0.5).astype(np.float32)
        rgb = cv2.remap(level, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32) / 255
        if cut_out:
            alpha = alpha * rgb[..., 3]
            rgb, number = np.ascontiguousarray(rgb[..., :3]), OTHER
        if curl_mm:
            rgb *= (1 + 0.1 * np.clip(curl_mm / 3, 0, 1) * u / (w / 2))[..., None].astype(np.float32)
        if gloss:
            rgb = rgb * (1 - gloss) + gloss
        self._blend(box, rgb, alpha, number)
        return number

    def _face_coordinates(
        self,
        box: tuple[int, int, int, int],
        pose: tuple[float, float, float],
        size_mm: tuple[float, float],
        curl_mm: float,
        lift_mm: float = 0.0,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Mm from the card's centre along its axes, for each canvas pixel of the box."""
        x0, y0, x1, y1 = box
        H = np.linalg.inv(self.view.homography()).astype(np.float64)
        gx, gy = np.meshgrid(
            (np.arange(x0, x1) + 0.5) / self.scale - 0.5 - self.margin,
            (np.arange(y0, y1) + 0.5) / self.scale - 0.5 - self.margin,
        )
        q = H[:, 0, None, None] * gx + H[:, 1, None, None] * gy + H[:, 2, None, None]
        dx, dy = q[0] / q[2] - pose[0], q[1] / q[2] - pose[1]
        c, s = np.cos(pose[2]), np.sin(pose[2])
        u, v = dx * c + dy * s, -dx * s + dy * c
        if curl_mm or lift_mm:
            k = self.view.lift_per_mm(np.c_[gx.ravel(), gy.ravel()])
            ku, kv = (k[:, 0] * c + k[:, 1] * s).reshape(u.shape), (-k[:, 0] * s + k[:, 1] * c).reshape(u.shape)
            u0, v0 = u, v
            for _ in range(4):
                z = -lift_mm - curl_mm * np.clip(u / (size_mm[0] / 2), -1.2, 1.2) ** 2
                u, v = u0 + ku * z, v0 + kv * z
        return u.astype(np.float32), v.astype(np.float32)

    def cover(self, outline: Array, rgb: ArrayLike, shade: float = 0.0, owner: int = OTHER, alpha: float = 1.0) -> None:
        """Fill an outline (canvas px) with a colour, darker to one side by `shade`; for clutter."""
        box = self._box(outline)
        if box is None:
            return
        x0, y0, x1, y1 = box
        m = np.zeros((y1 - y0, x1 - x0), np.float32)
        cv2.fillPoly(m, [np.round((outline - [x0, y0]) * 16).astype(np.int32)], alpha, cv2.LINE_AA, 4)
        ramp = 1 + shade * np.linspace(-1, 1, x1 - x0, dtype=np.float32)[None, :, None]
        col = np.asarray(rgb, np.float32) * ramp * np.ones((y1 - y0, 1, 1), np.float32)
        self._blend(box, np.clip(col, 0, 1), m, owner)

    def finish(self, rng: np.random.Generator, sensor: Sensor) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
        """The photograph (H, W, 3) RGB uint8 and the owner of each of its pixels."""
        view, (w, h) = self.view, self.view.size_px
        rgb = self.rgb
        if sensor.light is not None:
            rgb = rgb * cv2.resize(sensor.light, (rgb.shape[1], rgb.shape[0]), interpolation=cv2.INTER_LINEAR)
        if sensor.glare is not None:
            rgb = (
                rgb + cv2.resize(sensor.glare, (rgb.shape[1], rgb.shape[0]), interpolation=cv2.INTER_LINEAR)[..., None]
            )
        owner = self.owner
        if view.k1 or view.k2:
            # a coarse map is exact enough: the lens bends slowly
            xx, yy = np.meshgrid(np.arange(0, w + 8, 8), np.arange(0, h + 8, 8))
            u = self.to_canvas(view.straighten(np.c_[xx.ravel(), yy.ravel()])).reshape(*xx.shape, 2).astype(np.float32)
            gx, gy = np.meshgrid(np.arange(w, dtype=np.float32) / 8, np.arange(h, dtype=np.float32) / 8)
            full = cv2.remap(u, gx, gy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            owner = cv2.remap(owner, full[..., 0], full[..., 1], cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
            if self.scale > 1:
                rgb = cv2.blur(rgb, (self.scale, self.scale))
                full = full + np.float32(
                    0.5 * (self.scale % 2 == 0)
                )  # an even box is centred half a pixel before its anchor
            rgb = cv2.remap(rgb, full[..., 0], full[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        else:
            m, s = self.margin * self.scale, self.scale
            rgb, owner = rgb[m : m + h * s, m : m + w * s], owner[m : m + h * s, m : m + w * s]
            if s > 1:
                rgb = cv2.resize(rgb, (w, h), interpolation=cv2.INTER_AREA)
                owner = owner[s // 2 :: s, s // 2 :: s]
        return sensor.expose(rng, rgb), np.ascontiguousarray(owner)

    def visible(self, owner: NDArray[np.int16]) -> list[float]:
        """Share of each card that the finished picture shows (by pixel count)."""
        counts = np.bincount(owner[owner >= 0].ravel(), minlength=len(self.cards))
        return [float(min(1.0, counts[i] / max(1.0, abs(_area(c.quad_px))))) for i, c in enumerate(self.cards)]


@dataclass(frozen=True, slots=True, eq=False)
class Sensor:
    """What light and camera do to a clean picture."""

    light: NDArray[np.float32] | None = None
    glare: NDArray[np.float32] | None = None
    gain: tuple[float, float, float] = (1.0, 1.0, 1.0)
    gamma: float = 1.0
    blur: float = 0.0
    noise: float = 0.0
    sharpen: float = 0.0
    jpeg: int = 95

    def expose(self, rng: np.random.Generator, rgb: Picture) -> NDArray[np.uint8]:
        """Float picture 0..1 -> RGB uint8 after blur, gain, noise, sharpening and JPEG."""
        x = rgb
        if self.blur > 0.2:
            x = cv2.GaussianBlur(x, (0, 0), self.blur)
        x = np.clip(x * np.array(self.gain, np.float32), 0, None)
        if self.gamma != 1:
            x = np.power(x, self.gamma)
        if self.noise:
            n = rng.standard_normal(x.shape, dtype=np.float32)
            n = 0.7 * n + 0.6 * cv2.blur(n, (3, 3))
            x = x + n * (self.noise / 255) * (0.6 + 0.4 * np.sqrt(np.clip(x, 0, 1) * 2))
        if self.sharpen:
            x = x + self.sharpen * (x - cv2.GaussianBlur(x, (0, 0), 1.2))
        out = np.round(np.clip(x, 0, 1) * 255).astype(np.uint8)
        if self.jpeg < 100:
            _, data = cv2.imencode(".jpg", out[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, self.jpeg])
            out = cv2.imdecode(data, cv2.IMREAD_COLOR)[..., ::-1]
        return np.ascontiguousarray(out)


def random_sensor(rng: np.random.Generator, gentle: bool = False) -> Sensor:
    """Warm or cold light, perhaps a lamp's glare, noise, blur, JPEG; `gentle` burns nothing out entirely."""
    n = 24
    yy, xx = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    a, k = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.25 if gentle else 0.45)
    light = 1 + k * (np.cos(a) * xx + np.sin(a) * yy)
    for _ in range(int(rng.integers(0, 3))):
        cx, cy, r = rng.uniform(-1.2, 1.2), rng.uniform(-1.2, 1.2), rng.uniform(0.3, 1.2)
        light += rng.uniform(-0.3, 0.5) * np.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / (2 * r * r))
    light = light * (1 - rng.uniform(0, 0.3) * (xx**2 + yy**2) / 2)
    glare = None
    if rng.random() < 0.35:
        glare = np.zeros((n * 4, n * 4), np.float32)
        y4, x4 = np.mgrid[-1 : 1 : n * 4j, -1 : 1 : n * 4j].astype(np.float32)
        for _ in range(int(rng.integers(1, 3))):
            cx, cy, r = rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.05, 0.35)
            glare += rng.uniform(0.1, 0.45 if gentle else 0.9) * np.exp(
                -(((x4 - cx) ** 2 + ((y4 - cy) * rng.uniform(0.6, 1.8)) ** 2) / (2 * r * r))
            )
    warm = rng.normal(0, 0.12)
    e = rng.uniform(0.75, 1.1 if gentle else 1.5)
    gain = (e * (1 + warm), e * (1 + rng.normal(0, 0.03)), e * (1 - warm))
    return Sensor(
        light[..., None].repeat(3, 2).astype(np.float32),
        glare,
        gain,
        float(rng.uniform(0.75, 1.35)),
        float(rng.choice([0, rng.uniform(0.3, 1.3)])),
        float(rng.uniform(0, 7)),
        float(rng.choice([0, rng.uniform(0.2, 0.9)])),
        int(rng.integers(55, 98)),
    )


def _area(p: Array) -> float:
    x, y = p[:, 0], p[:, 1]
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def _rounded_distance(
    u: NDArray[np.float32], v: NDArray[np.float32], w: float, h: float, r: float
) -> NDArray[np.float32]:
    """Signed distance in mm from a rectangle with rounded corners; negative inside."""
    dx, dy = np.abs(u) - (w / 2 - r), np.abs(v) - (h / 2 - r)
    outside = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0))
    return np.asarray(outside + np.minimum(np.maximum(dx, dy), 0) - r, np.float32)


# ---- clutter, in mm on the table -----------------------------------------------------------------------------------


def _canvas(table: Table, mm: Array) -> Array:
    return table.to_canvas(table.view.ideal(mm))


def _ellipse(cx: float, cy: float, rx: float, ry: float, angle: float = 0.0, n: int = 40) -> Array:
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    p = np.c_[rx * np.cos(a), ry * np.sin(a)]
    c, s = np.cos(angle), np.sin(angle)
    return p @ np.array([[c, s], [-s, c]]) + [cx, cy]


def _box_outline(cx: float, cy: float, w: float, h: float, angle: float, radius: float = 0.0) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    if radius <= 0:
        p = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    else:
        a = np.linspace(0, np.pi / 2, 6)
        q = np.c_[np.cos(a), np.sin(a)] * radius
        p = np.concatenate(
            [
                q + [w / 2 - radius, h / 2 - radius],
                q @ np.array([[0, 1], [-1, 0]]) + [radius - w / 2, h / 2 - radius],
                -q + [radius - w / 2, radius - h / 2],
                q @ np.array([[0, -1], [1, 0]]) + [w / 2 - radius, radius - h / 2],
            ]
        )
    return p @ np.array([[c, s], [-s, c]]) + [cx, cy]


def clutter(rng: np.random.Generator, table: Table, at: tuple[float, float], kind: str) -> None:
    """Put one thing that is no card on the table: mug, plate, coin, pencil, phone, hand, sheet, book, die, text."""
    x, y = at
    angle = rng.uniform(0, 2 * np.pi)
    px = np.hypot(*np.diff(_canvas(table, np.array([[x, y], [x + 1, y]])), axis=0)[0])
    sh = (rng.uniform(-6, 6) * px, rng.uniform(-6, 6) * px)

    def put(mm: Array, rgb: ArrayLike, shade: float = 0.15, cast: bool = True, alpha: float = 1.0) -> None:
        p = _canvas(table, mm)
        if cast:
            table.shadow(p, sh, max(1.0, 4 * px), rng.uniform(0.1, 0.5))
        table.cover(p, rgb, shade, OTHER, alpha)

    if kind == "mug":
        r, c = rng.uniform(34, 48), colour(rng, (0.1, 1), (0, 0.9))
        dx, dy = rng.uniform(-25, 25, 2)
        for t in np.linspace(0, 1, 7):
            put(_ellipse(x + dx * t, y + dy * t, r, r), c * (0.6 + 0.4 * t), cast=t == 0)
        put(_ellipse(x + dx, y + dy, r * 0.88, r * 0.88), colour(rng, (0.02, 0.5), (0.2, 0.9)), cast=False)
    elif kind == "plate":
        r, c = rng.uniform(70, 120), np.clip(colour(rng, (0.7, 1), (0, 0.15)), 0, 1)
        for k, f in ((1, 1), (0.97, 1.05), (0.68, 0.9), (0.66, 1)):
            put(_ellipse(x, y, r * k, r * k), np.clip(c * f, 0, 1), 0.08, cast=k == 1)
    elif kind == "coin":
        for _ in range(int(rng.integers(1, 7))):
            cx, cy, r = x + rng.uniform(-50, 50), y + rng.uniform(-50, 50), rng.uniform(8, 13)
            c = colour(rng, (0.4, 0.9), (0.1, 0.6))
            put(_ellipse(cx, cy, r, r), c)
            put(_ellipse(cx, cy, r * 0.75, r * 0.75), c * rng.uniform(0.8, 1.15), cast=False)
    elif kind == "pencil":
        n = rng.uniform(110, 190)
        put(_box_outline(x, y, n, 8, angle), colour(rng, (0.2, 1), (0.3, 1)), 0.2)
        put(
            _box_outline(x + np.cos(angle) * n / 2, y + np.sin(angle) * n / 2, 14, 7, angle),
            (0.8, 0.65, 0.45),
            cast=False,
        )
    elif kind == "phone":
        put(_box_outline(x, y, 72, rng.uniform(144, 160), angle, 9), colour(rng, (0.02, 0.5), (0, 0.4)))
        put(
            _box_outline(x, y, 66, rng.uniform(132, 143), angle, 5), colour(rng, (0.0, 0.25), (0, 0.6)), 0.3, cast=False
        )
    elif kind == "sheet":
        w = rng.uniform(148, 300)
        c = np.clip(colour(rng, (0.85, 1), (0, 0.06)), 0, 1)
        put(_box_outline(x, y, w, w * rng.uniform(1.25, 1.5), angle), c, 0.03)
        for i in range(int(rng.integers(0, 14))):
            o = -w * 0.5 + i * w * 0.08
            put(
                _box_outline(x - np.sin(angle) * o, y + np.cos(angle) * o, w * 0.7, w * 0.012, angle),
                (0.2, 0.2, 0.25),
                0,
                cast=False,
            )
        if rng.random() < 0.4:
            ink = colour(rng, (0.0, 0.5), (0, 0.9))
            for _ in range(int(rng.integers(1, 7))):
                n, at = int(rng.integers(3, 5)), np.array([x, y]) + rng.uniform(-0.4, 0.4, 2) * w
                a = np.sort(rng.uniform(0, 2 * np.pi, n))
                put(np.c_[np.cos(a), np.sin(a)] * rng.uniform(12, 40) + at, ink, 0.05)
    elif kind == "book":
        w = rng.uniform(110, 220)
        c = colour(rng, (0.1, 0.95), (0, 0.9))
        put(_box_outline(x, y, w, w * rng.uniform(1.2, 1.5), angle), c, 0.1)
        put(_box_outline(x, y, w * 0.7, w * rng.uniform(0.1, 0.4), angle), np.clip(1.2 - c, 0, 1), 0.1, cast=False)
    elif kind == "die":
        for _ in range(int(rng.integers(1, 4))):
            cx, cy, s = x + rng.uniform(-40, 40), y + rng.uniform(-40, 40), rng.uniform(10, 18)
            c = colour(rng, (0.2, 1), (0, 0.9))
            put(_box_outline(cx, cy, s, s, rng.uniform(0, 3), 2), c)
            put(_ellipse(cx, cy, 1.6, 1.6), 1 - c, cast=False)
    elif kind == "scrap":
        n = int(rng.integers(3, 8))
        a = np.sort(rng.uniform(0, 2 * np.pi, n))
        r = rng.uniform(15, 60, n)[:, None]
        put(np.c_[np.cos(a), np.sin(a)] * r + [x, y], np.clip(colour(rng, (0.3, 1), (0, 0.5)), 0, 1), 0.05)
    else:
        shade = rng.uniform(0.35, 0.95)
        skin = (shade, shade * rng.uniform(0.62, 0.8), shade * rng.uniform(0.45, 0.68))
        hand(table, (x, y), angle, skin, tuple(colour(rng, (0.05, 0.9), (0, 0.7))), sh, rng.uniform(17, 22))


def hand(
    table: Table,
    tip_mm: tuple[float, float],
    towards_rad: float,
    skin: ArrayLike,
    sleeve: ArrayLike,
    shadow_px: tuple[float, float] = (4.0, 5.0),
    spread_mm: float = 19.0,
) -> None:
    """A hand whose fingertips are at `tip_mm`; the arm comes from the direction `towards_rad`."""
    d = np.array([np.cos(towards_rad), np.sin(towards_rad)])
    side = np.array([-d[1], d[0]])
    tip, flesh = np.array(tip_mm, float), np.asarray(skin, np.float32)
    palm = tip + d * 95

    def limb(p: Array, q: Array, r: float, rgb: ArrayLike, cast: bool = False) -> None:
        m, length = (p + q) / 2, float(np.hypot(*(q - p))) + 2 * r
        outline = _canvas(table, _box_outline(m[0], m[1], length, 2 * r, np.arctan2(*(q - p)[::-1]), r))
        if cast:
            table.shadow(outline, shadow_px, 9.0, 0.3)
        table.cover(outline, np.clip(rgb, 0, 1), 0.12)

    limb(palm + d * 60, palm + d * 700, 42, sleeve, True)
    limb(palm + d * 10, palm + d * 120, 31, flesh * 0.93, True)
    limb(palm - side * 12, palm + side * 12 + d * 40, 34, flesh * 0.97)
    for i in range(4):
        o = side * (i - 1.5) * spread_mm
        limb(palm + o * 0.9, tip + o * 1.1 + d * abs(i - 1.3) * 10, 9.0, flesh * (1.02 - 0.02 * i))
    limb(palm + d * 20 - side * 30, tip + d * 45 - side * 60, 11, flesh)


CLUTTER = ("mug", "plate", "coin", "pencil", "phone", "sheet", "book", "die", "scrap", "hand")

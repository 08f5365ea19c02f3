"""The cacti of one picture: which stand where, each with its upright plane in space, and the camera that saw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus_choose import choose, first_rig, guessed_lens
from vision.cactus_edges import soften
from vision.cactus_fit import Fitted, fit_rig
from vision.cactus_marks import marks_of
from vision.cactus_propose import Proposal, propose_cacti
from vision.cactus_rig import Prior, Rig, rig_from_poses
from vision.cactus_set import CactusSet
from vision.cactus_sketch import Sketch, sketch
from vision.camera import CameraModel
from vision.types import Failure, Rgb
from vision.upright import Stage, Upright

Array = NDArray[np.float64]

_MOST_PX = 1920  # pictures wider than this are looked at smaller
_FIRST_MM = (1.8, 1.8, 1.2, 1.2, 1.0, 1.0, 1.0, 1.0)  # how far an edge is looked for, pass by pass
_AGAIN_MM = (2.0, 1.2, 1.0, 1.0)
_LEAST_SUPPORT = 0.45  # share of an outline that must lie on edges
_SURE_SUPPORT = 0.6
_LEAST_VISIBLE = 0.3  # share of a face that must show one paint
_SKETCHED = 2  # proposals of a cactus that are looked at closely
_OTHER_SIZE = 0.12  # a figure whose logarithmic size is farther off than this does not stand on the table
_BESIDE = 1.2  # a missing cactus may be nearer or farther than the others by this much


def find_stage(
    rgb: Rgb,
    cactus_set: CactusSet,
    camera: CameraModel | None = None,
    known: Stage | None = None,
) -> Stage | Failure:
    """Find the cacti that stand in a picture.

    Parameters
    ----------
    rgb
        (H, W, 3) picture from the front, slightly from above.
    cactus_set
        Outlines and sizes.
    camera
        The lens; default: estimated, its centre taken for the picture's.
    known
        Stage of an earlier picture of the same camera. Cacti that still stand there are only followed.

    Returns
    -------
    Stage or Failure
        Failure `no-cactus` where none is found.
    """
    height, width = rgb.shape[:2]
    if width > _MOST_PX:
        shrink = _MOST_PX / width
        size = (_MOST_PX, round(height * shrink))
        small = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
        found = find_stage(small, cactus_set, camera and camera.scaled(*size), known and _scaled(known, *size))
        return _scaled(found, width, height) if isinstance(found, Stage) else found
    work = _Work(rgb, cactus_set, camera if camera is not None else known.camera if known else None)
    if known is not None and known.cacti:
        work.follow(known)
    if len(work.who) < len(cactus_set.cacti):
        work.search()
    return work.stage()


class _Work:
    """The state of one call: `who` are the indices of the cacti of `fitted`, in its order."""

    def __init__(self, rgb: Rgb, cactus_set: CactusSet, camera: CameraModel | None) -> None:
        self.rgb, self.soft, self.set = rgb, soften(rgb), cactus_set
        self.marks = marks_of(cactus_set)
        self.given = camera is not None
        height, self.width = rgb.shape[:2]
        self.lens = camera if camera is not None else guessed_lens(self.width, height)
        focal, k1 = float(self.lens.K[0, 0]), float(self.lens.dist[0])
        self.prior = Prior(focal, 0.3, 0.0, 0.06) if camera is None else Prior(focal, 1e-6, k1, 1e-6)
        self.who: list[int] = []
        self.fitted: Fitted | None = None

    def follow(self, known: Stage) -> None:
        """Start from where the cacti stood before; let go of those that do not stand there any more."""
        names = [c.id for c in self.set.cacti]
        old = [c for c in known.cacti if c.id in names]
        if old:
            rig = rig_from_poses(self.lens, [c.to_camera for c in old])
            self.settle(rig, [names.index(c.id) for c in old], _AGAIN_MM)

    def search(self) -> None:
        """Look for the cacti that are not there yet."""
        if self.fitted is None:
            chosen = choose(self.sketches(propose_cacti(self.rgb, self.set)), self.width)
            if not chosen:
                return
            who = [s.cactus for s in chosen]
            rig = first_rig(chosen, [self.marks[k] for k in who], self.lens, self.prior)
            self.settle(rig, who, _FIRST_MM)
        missing = [k for k in range(len(self.set.cacti)) if k not in self.who]
        if self.fitted is not None and missing:
            self.add(self.fitted.rig, missing)

    def sketches(self, proposals: list[Proposal]) -> list[Sketch]:
        """The likeliest proposals of each cactus, laid onto their edges."""
        some = [p for k in range(len(self.set.cacti)) for p in [p for p in proposals if p.cactus == k][:_SKETCHED]]
        return sketch(self.soft, some, self.marks)

    def add(self, rig: Rig, missing: list[int]) -> None:
        """Look for cacti on the table that is known by now."""
        sizes = [rig.focal_px / float(rig.to_camera(k).t[2]) for k in range(len(self.who))]
        low, high = min(sizes) / _BESIDE, max(sizes) * _BESIDE
        found = propose_cacti(self.rgb, self.set, (low, high), missing)
        taken = choose([s for s in self.sketches(found) if self.fits_table(rig, s)], self.width)
        if not taken:
            return
        spots = np.array([[*self.spot(rig, s), 0.0] for s in taken])
        whole = replace(rig, spots=np.r_[rig.spots, spots])
        self.settle(whole, self.who + [s.cactus for s in taken], _FIRST_MM)

    def spot(self, rig: Rig, s: Sketch) -> Array:
        """Where on the table a figure stands: x and y in mm."""
        camera = rig.camera()
        ray = np.r_[(camera.undistort(s.t[None])[0] - camera.K[:2, 2]) / np.diag(camera.K)[:2], 1.0] @ rig.table()
        return np.asarray(ray[:2] * (rig.height_mm / max(1e-3, -float(ray[2]))), np.float64)

    def fits_table(self, rig: Rig, s: Sketch) -> bool:
        """Whether a cactus of that size stands on the table there, beside those that are known."""
        x, y = self.spot(rig, s)
        depth = float((rig.table() @ np.array([x, y, -rig.height_mm]))[2])
        if depth <= 0 or abs(np.log(rig.focal_px / depth / s.px_per_mm)) > _OTHER_SIZE:
            return False
        return all(np.hypot(x - q[0], y - q[1]) > self.set.base_mm[2] for q in rig.spots)

    def settle(self, rig: Rig, who: list[int], reaches_mm: Sequence[float]) -> None:
        """Fit, and fit again without those that stand on no edges."""
        while who:
            fitted = fit_rig(self.soft, rig, [self.marks[k] for k in who], self.prior, reaches_mm)
            good = (fitted.support > _LEAST_SUPPORT) & (fitted.visible > _LEAST_VISIBLE)
            if good.all():
                self.fitted, self.who = fitted, who
                return
            worst = int(np.argmin(np.where(good, np.inf, fitted.support)))
            keep = [k for k in range(len(who)) if k != worst]
            who = [who[k] for k in keep]
            rig = rig.only(keep)
        self.fitted, self.who = None, []

    def stage(self) -> Stage | Failure:
        if self.fitted is None or not self.who:
            return Failure("no-cactus")
        f = self.fitted
        cacti = [
            Upright(self.set.cacti[k].id, f.rig.to_camera(i), float(f.sigma_px[i]), _confidence(f.support[i]))
            for i, k in enumerate(self.who)
        ]
        feet = f.rig.project(np.zeros((len(cacti), 3)), np.arange(len(cacti)))[:, 0]
        camera = self.lens if self.given else f.rig.camera()
        return Stage(camera, tuple(cacti[i] for i in np.argsort(feet)))


def _confidence(support: float) -> float:
    return float(np.clip(0.5 + 0.5 * (support - _LEAST_SUPPORT) / (_SURE_SUPPORT - _LEAST_SUPPORT), 0.5, 0.99))


def _scaled(stage: Stage, width: int, height: int) -> Stage:
    """The same stage seen in a picture of another size."""
    share = width / stage.camera.size_px[0]
    cacti = tuple(Upright(c.id, c.to_camera, c.sigma_px * share, c.confidence) for c in stage.cacti)
    return Stage(stage.camera.scaled(width, height), cacti)

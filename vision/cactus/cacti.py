"""The cacti of one picture: which stand where, each with its upright plane in space, and the camera that saw them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from vision.cactus.cactus_set import CactusSet
from vision.cactus.stage_backs import shows_back, turned
from vision.cactus.stage_rig import rig_from_poses
from vision.cactus.stage_search import Search
from vision.cactus.stage_spare import find_spare
from vision.cactus.upright import Stage, Upright
from vision.camera import CameraModel
from vision.types import Failure, Rgb

_MOST_PX = 1920  # pictures wider than this are looked at smaller
_STILL_MM = (1.2, 1.0, 1.0)  # how far from its place an edge of a known cactus is looked for, pass by pass ...
_MOVED_MM = (3.0, 2.0, 1.2, 1.0, 1.0)  # ... and where that fails: somebody bumped the camera or the table
_ROUNDS = 2  # what was let go may have stood in the way of the true one
_MERIT = (0.55, 0.8)  # of a cactus that stands there as likely as not, and of one that certainly does


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
        The lens; default: that of `known`, or estimated, its centre taken for the picture's.
    known
        Stage of an earlier picture of the same camera. Cacti that still stand there are only followed.

    Returns
    -------
    Stage or Failure
        Failure `no-cactus` where none is found.
    """
    height, width = rgb.shape[:2]
    if width > _MOST_PX:
        size = (_MOST_PX, round(height * _MOST_PX / width))
        small = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
        found = find_stage(small, cactus_set, camera and camera.scaled(*size), known and _scaled(known, *size))
        return _scaled(found, width, height) if isinstance(found, Stage) else found
    lens = camera if camera is not None else known.camera if known is not None else None
    search = Search(rgb, cactus_set, lens)
    if known is not None:
        _follow(search, known)
    if search.missing():
        for _ in range(_ROUNDS):
            search.run()
            there = len(search.who)
            search.cull()
            if len(search.who) in (0, there):
                break
    found = _stage(search, lens)
    if isinstance(found, Failure):
        return found
    again = () if known is None else known.spare
    return replace(found, spare=find_spare(search, again) if again or known is None else ())


def _follow(search: Search, known: Stage) -> None:
    """Start from where the cacti stood before; let go of those that do not stand there any more."""
    fronts = [c.id for c in search.set.cacti[: search.fronts]]
    who, poses = [], []
    for c in known.cacti:
        if c.id in fronts:
            front, back = fronts.index(c.id), shows_back(c.to_camera)
            poses.append(turned(c.to_camera) if back else c.to_camera)
            who += search.others([front]) or [front] if back else [front]
    if who:
        rig = rig_from_poses(search.lens, poses)
        search.settle(rig, who, _STILL_MM)
        if 2 * len(search.who) < len(known.cacti):
            search.settle(rig, who, _MOVED_MM)
        search.reconsider(sure=True)


def _stage(search: Search, lens: CameraModel | None) -> Stage | Failure:
    f = search.fitted
    if f is None:
        return Failure("no-cactus", "it shows no cactus")
    low, high = _MERIT
    merits = search.merits()
    cacti = [
        Upright(
            search.name(k),
            f.rig.to_camera(i) if k < search.fronts else turned(f.rig.to_camera(i)),
            float(f.sigma_px[i]),
            float(np.clip(0.5 + 0.5 * (merits[i] - low) / (high - low), 0.5, 0.99)),
        )
        for i, k in enumerate(search.who)
    ]
    feet = f.rig.project(np.zeros((len(cacti), 3)), np.arange(len(cacti)))[:, 0]
    return Stage(lens if lens is not None else f.rig.camera(), tuple(cacti[i] for i in np.argsort(feet)))


def _scaled(stage: Stage, width: int, height: int) -> Stage:
    """The same stage seen in a picture of another size."""
    share = width / stage.camera.size_px[0]

    def seen(cacti: tuple[Upright, ...]) -> tuple[Upright, ...]:
        return tuple(Upright(c.id, c.to_camera, c.sigma_px * share, c.confidence) for c in cacti)

    return Stage(stage.camera.scaled(width, height), seen(stage.cacti), seen(stage.spare))

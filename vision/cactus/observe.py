"""One frame of a game of Cactus, understood: what stands, what hangs, and what comes near what."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from vision.cactus.cacti import find_stage
from vision.cactus.depth_order import in_layers
from vision.cactus.hung import find_hung
from vision.cactus.hung_table import understood
from vision.cactus.upright import Stage, Upright, is_elsewhere
from vision.scene import Observation, SceneModel
from vision.tracking.recheck import lens_for
from vision.types import Failure, Frame, Standing


def observe_cactus(frame: Frame, model: SceneModel) -> Observation | Failure:
    """Find the cacti of a frame and name the pieces that hang on them.

    Parameters
    ----------
    frame
        An upright picture.
    model
        The set, calibration, playing area, and what earlier pictures showed.

    Returns
    -------
    Observation or Failure
        The failure says what is wrong with the picture; bare cacti are an observation without placements.
    """
    assert model.cactus is not None
    rgb = frame.rgb
    if rgb.ndim != 3 or rgb.shape[2] != 3 or min(rgb.shape[:2]) < 32:
        return Failure("too small", "the picture is smaller than 32 pixels")
    height, width = rgb.shape[:2]
    camera = lens_for(model, width, height)
    before = model.stage
    known = before if before is not None and before.camera.size_px == (width, height) else None
    stage = find_stage(rgb, model.cactus, camera, known)
    if known is not None and (isinstance(stage, Failure) or is_elsewhere(known, stage)):
        # Followed to where they are not: whoever took the picture elsewhere does not bring the old places along.
        anew = find_stage(rgb, model.cactus, camera)
        if isinstance(stage, Failure) or (isinstance(anew, Stage) and len(anew.cacti) >= len(stage.cacti)):
            stage = anew
    if isinstance(stage, Failure):
        return stage
    stage = _within(stage, model)
    aside = bool(model.hung) and (before is None or is_elsewhere(before, stage))
    still = before is not None and not is_elsewhere(before, stage)
    picture = model.picture if still and model.picture is not None and model.picture.shape == rgb.shape else None
    found = find_hung(rgb, model.cactus, stage, model.hung, model.strange, aside=aside, before=picture)
    layered = in_layers(model.cactus, stage, found.hung, rgb)
    table = understood(frame, model.cactus, stage, layered.hung, layered.before, found.hung)
    seen = replace(table, strange=found.strange)
    cut = model.camera is not None and camera is None
    return replace(seen, standing=Standing.SHAPE) if cut else seen


def _within(stage: Stage, model: SceneModel) -> Stage:
    """The cacti whose foot stands in the playing area."""
    if model.area_px is None:
        return stage
    area = np.asarray(model.area_px, np.float32).reshape(-1, 1, 2)

    def stands_in(u: Upright) -> bool:
        x, y = stage.project(np.zeros((1, 3)), u.to_camera)[0]
        return cv2.pointPolygonTest(area, (float(x), float(y)), False) >= 0

    return Stage(stage.camera, *(tuple(u for u in cacti if stands_in(u)) for cacti in (stage.cacti, stage.spare)))

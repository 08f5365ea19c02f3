"""Which calibration belongs to the camera that gives the pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from calibration.profile import Profile, load_profile
from calibration.shelf import file_of, find_for
from scoring.deck import ConexDeck, Deck, RoxDeck
from scoring.errors import RefereeError
from vision.scene import SceneModel
from vision.sources.devices import camera_identity
from vision.sources.masked import lasting_address
from vision.types import Standing
from webui.paths import calibrations_folder

PHONE = "phone"
"""Name of the source, and of the camera, that a phone's browser is."""

STANDING = {
    Standing.MOVED: "the camera stands elsewhere than when it was calibrated; the table is measured by the cards alone",
    Standing.LENS: "the camera is zoomed or focused otherwise than when it was calibrated; that is not used any more",
    Standing.SHAPE: "the camera gives another shape of picture than when it was calibrated; that is not used",
    Standing.AS_CALIBRATED: "the camera stands as it was calibrated again",
}


def read_calibration(given: Path) -> Profile:
    """The calibration in a file, or the one that was kept under this name; raises RefereeError."""
    if not given.exists() and given.name == str(given):
        kept = file_of(calibrations_folder(), given.name)
        if kept.exists():
            return load_profile(kept)
    return load_profile(given)


def identity(source: str) -> str:
    """The lasting name of the camera behind a source; empty where it is none."""
    return PHONE if source == PHONE else camera_identity(source)


def plain_name(camera_id: str) -> str:
    """What a person may call a camera, from the name that the system gives it."""
    name = re.sub(r"^usb-|-video-index\d+$", "", lasting_address(camera_id))
    return re.sub(r"[\s_/:()?&=;,…]+", " ", name).strip()[:60]


def colour_names(deck: Deck) -> Mapping[str, str]:
    """What the colour of each card is called, by its face's id; pieces have theirs in the set."""
    match deck:
        case RoxDeck():
            return {face.id: face.center for face in deck.faces.values()}
        case ConexDeck():
            return {face.id: face.color for face in deck.faces.values()}
    return {}


def with_profile(model: SceneModel, profile: Profile | None) -> SceneModel:
    """The model with what was learned of the camera, and with nothing where nothing was."""
    if profile is None:
        return replace(model, camera=None, table=None, off_share=0.0)
    return replace(model, camera=profile.camera, table=profile.table, off_share=profile.off_share)


class KnownCameras:
    """See the module.

    Parameters
    ----------
    given
        The calibration that the person named: it wins, save where a phone took the place of the camera that it is of.
    folder
        Where profiles are kept; asked for when it is needed.
    """

    def __init__(self, given: Profile | None = None, folder: Callable[[], Path] = calibrations_folder) -> None:
        self.given = given
        self.version = 0
        """Grows whenever something was learned or forgotten."""
        self.first = ""
        """The source that the program began with, which the named calibration is of; empty where there is none."""
        self._folder = folder

    def of(self, source: str) -> Profile | None:
        """The calibration of the camera behind a source, or None."""
        camera = identity(source)
        if self.given is not None and self._is_given(source, camera):
            return self.given
        if not camera:
            return None
        try:
            return find_for(self._folder(), camera)
        except OSError:
            return None

    def _is_given(self, source: str, camera: str) -> bool:
        """Whether the named calibration is of the camera behind a source."""
        assert self.given is not None
        if source == PHONE:
            return self.given.camera_id in ("", PHONE)
        return self.first in ("", source) or camera == self.given.camera_id

    def line(self, source: str) -> str:
        """What is told of it in one line; empty where there is nothing to tell."""
        profile = self.of(source)
        if profile is None or profile is self.given:
            return ""
        return f"uses what was learned of this camera: {profile.in_words()}; forget it with referee calibrate --forget"


def given_calibration(path: Path | None) -> Profile | None:
    """What the command line names; raises RefereeError."""
    if path is None:
        return None
    try:
        return read_calibration(path)
    except OSError as error:
        raise RefereeError(f"{path}: cannot be read ({error.strerror})") from error

"""Tell whether a frame is usable, whether the table is at rest, and what changed since it last was.

All of it is judged on a small grey picture divided by its own surroundings, so that a lamp, a cloud or the camera's
automatic exposure, which scale whole neighbourhoods, leave it as it was, while anything laid, taken or held into
the picture does not. That costs about a fifth of decoding the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tracking.change import Change, Mask, Region, find_regions, small_corners
from vision.tracking.whole_motion import find_whole_motion
from vision.types import Frame, Quad, Rgb

_Grey = NDArray[np.float32]
Array = NDArray[np.float64]

SMALL_WIDTH = 320
"""Width of the picture that is looked at; a block of a frame's pixels is one of its pixels."""


class Word(StrEnum):
    """The state of the live picture in a word."""

    NO_CAMERA = "no-camera"
    LOOKING = "looking"
    MOVING = "moving"
    SETTLED = "settled"


class Trouble(StrEnum):
    """Why a frame is of no use."""

    DARK = "dark"
    BRIGHT = "bright"
    BLURRED = "blurred"


class Disturbance(StrEnum):
    """What happened to the picture, though not to the table."""

    LIGHT = "light"
    CAMERA_MOVED = "camera-moved"


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """What one frame tells at first sight.

    Parameters
    ----------
    word
        Looking, moving or settled.
    trouble
        Why the frame is of no use, or None.
    quiet_s
        How long nothing has moved.
    fresh
        True on the one frame with which the table came to rest, or on which a disturbance was noticed: the
        moment to look closely.
    change
        On a fresh frame: what changed since the last one, or None where there was none to compare with.
    disturbance
        On a fresh frame: what happened to the picture as a whole, or None.
    """

    word: Word
    trouble: Trouble | None = None
    quiet_s: float = 0.0
    fresh: bool = False
    change: Change | None = None
    disturbance: Disturbance | None = None


@dataclass(frozen=True, slots=True)
class GateLimits:
    """When a picture counts as quiet, changed or usable.

    Parameters
    ----------
    settle_s
        The table is at rest when nothing moved for so long.
    contrast
        A change of a small pixel against its surroundings, as a fraction of their brightness.
    area
        Smallest change that counts, as a fraction of the picture.
    light
        A change of the whole picture's brightness by this factor is a disturbance.
    dark, bright
        Mean grey (0 to 255) of a picture in which nothing can be read.
    blur
        A picture with less than this share of the sharpness it once had is out of focus.
    absorb_s
        What rests at the edge of the picture for so long is no arm but belongs there.
    """

    settle_s: float = 0.5
    contrast: float = 0.08
    area: float = 1.5e-4
    light: float = 1.06
    dark: float = 10.0
    bright: float = 247.0
    blur: float = 0.45
    absorb_s: float = 10.0


class Gate:
    """Watches the frames of one source in their order."""

    def __init__(self, limits: GateLimits | None = None) -> None:
        self._limits = limits or GateLimits()
        self.reset()

    def reset(self) -> None:
        """Forget everything, as after the source was lost."""
        self._mean: _Grey | None = None  # the picture of the present quiet spell
        self._light: _Grey | None = None
        self._spell = 0
        self._since_s = 0.0
        self._told = False
        self._known: _Grey | None = None  # the table when it last was at rest, without what reached in
        self._known_light: _Grey | None = None
        self._sharpness = 0.0
        self._scale: tuple[float, float] | None = None
        self._reaching_since_s: float | None = None

    def see(self, frame: Frame) -> Glance:
        """Judge the next frame.

        Parameters
        ----------
        frame
            `at_s` tells the time; frames of another size than the ones before start anew.
        """
        grey = _small(frame.rgb)
        scale = (frame.rgb.shape[1] / grey.shape[1], frame.rgb.shape[0] / grey.shape[0])
        if scale != self._scale:
            self.reset()
        self._scale = scale
        bright = float(grey.mean())
        if bright < self._limits.dark or bright > self._limits.bright:
            self._mean = None
            return Glance(Word.LOOKING, Trouble.DARK if bright < self._limits.dark else Trouble.BRIGHT)
        relief = _relief(grey)
        if self._mean is None or self._light is None:
            self._start(relief, grey, frame.at_s)
            return Glance(Word.LOOKING if self._known is None else Word.MOVING)
        if self._moved(relief, self._mean):
            self._start(relief, grey, frame.at_s)
            return Glance(Word.MOVING)
        self._spell += 1
        # A mean over the spell, so that a slow drift is still measured against where it began.
        weight = max(1.0 / self._spell, 0.05)
        cv2.accumulateWeighted(relief, self._mean, weight)
        # The light may change at rest: its mean follows soon.
        cv2.accumulateWeighted(grey, self._light, max(weight, 0.3))
        quiet_s = frame.at_s - self._since_s
        if quiet_s < self._limits.settle_s:
            return Glance(Word.LOOKING if self._known is None else Word.MOVING, quiet_s=quiet_s)
        sharpness = float(cv2.norm(relief, cv2.NORM_L1)) / relief.size
        if sharpness < self._limits.blur * self._sharpness:
            return Glance(Word.LOOKING, Trouble.BLURRED, quiet_s)
        self._sharpness = max(sharpness, self._sharpness * 0.999)
        return self._at_rest(frame, bright, quiet_s)

    def _at_rest(self, frame: Frame, bright: float, quiet_s: float) -> Glance:
        assert self._mean is not None
        assert self._light is not None
        if self._known is None or self._known_light is None:
            self._told = True
            # The first picture has nothing to be compared with.
            self._known, self._known_light = self._mean.copy(), self._light.copy()
            return Glance(Word.SETTLED, None, quiet_s, fresh=True)
        # While a lamp comes on, or the camera adapts to it, there is time.
        steady = abs(bright / float(self._light.mean()) - 1) < 0.02
        lit = steady and self._brightened()
        if self._told and not lit:
            absorbed = self._absorb(frame)
            return Glance(Word.SETTLED, None, quiet_s, fresh=absorbed is not None, change=absorbed)
        self._told = True
        change = self._compare(frame)
        disturbance = Disturbance.LIGHT if lit else None
        if change.whole_px is not None:
            disturbance = Disturbance.CAMERA_MOVED
        self._remember(frame, change)
        return Glance(Word.SETTLED, None, quiet_s, fresh=True, change=change, disturbance=disturbance)

    def _start(self, relief: _Grey, grey: _Grey, at_s: float) -> None:
        self._mean, self._light = relief, grey
        self._spell = 1
        self._since_s = at_s
        self._told = False

    def _moved(self, relief: _Grey, mean: _Grey) -> bool:
        # Averaged over 3 x 3: noise and the flicker of compression fall, a hand does not.
        off = cv2.absdiff(cv2.blur(relief, (3, 3)), cv2.blur(mean, (3, 3)))
        return bool(np.count_nonzero(off > self._limits.contrast) >= self._limits.area * off.size)

    def _gain(self) -> float:
        """How much brighter the settled picture is than the known one."""
        assert self._light is not None
        assert self._known_light is not None
        some = np.s_[::4, ::4]
        return float(np.median(self._light[some] / np.maximum(self._known_light[some], 1.0)))

    def _brightened(self) -> bool:
        gain = max(self._gain(), 1e-6)
        return max(gain, 1 / gain) > self._limits.light

    def _compare(self, frame: Frame) -> Change:
        assert self._mean is not None
        assert self._known is not None
        changed, loose = self._differs()
        scale = self._scale or (1.0, 1.0)
        whole: Array | None = None
        if _spread(changed):
            moved = find_whole_motion(self._known, self._mean)
            if moved is not None:
                # Pixel centres are whole numbers in both pictures.
                large = np.array([[scale[0], 0, scale[0] / 2 - 0.5], [0, scale[1], scale[1] / 2 - 0.5], [0, 0, 1]])
                whole = large @ moved @ np.linalg.inv(large)
                changed = loose = np.ones_like(changed)
        size = (frame.rgb.shape[1], frame.rgb.shape[0])
        return replace(find_regions(changed, loose, scale, size, self._limits.area), whole_px=whole)

    def _differs(self) -> tuple[Mask, Mask]:
        """Where the settled picture differs for sure from the known one, and where it may; under the light of each.

        The relief alone also differs around whatever was laid down, whose surroundings it is measured against; grey
        alone also differs under a lamp that lights one side. Both together, or much of the second, are a change.
        """
        assert self._mean is not None
        assert self._known is not None
        assert self._light is not None
        assert self._known_light is not None
        lit = self._known_light * self._gain()
        grey = cv2.absdiff(self._light, lit) / (lit + _floor(lit))
        relief = cv2.absdiff(self._mean, self._known)
        limit = self._limits.contrast
        return _cleaned(((relief > limit) & (grey > limit)) | (grey > 2.5 * limit)), _cleaned(relief > limit)

    def _remember(self, frame: Frame, change: Change) -> None:
        """The present picture is the one to compare with, save where something reaches in from the edge."""
        assert self._mean is not None
        assert self._known is not None
        assert self._light is not None
        reaching = np.zeros(change.labels.shape, np.bool_)
        if change.reaching is not None and change.whole_px is None:
            reaching = change.reaching
        before = self._known_light * self._gain() if self._known_light is not None else self._light
        self._known_light = np.where(reaching, before, self._light).astype(np.float32)
        self._reaching_since_s = frame.at_s if reaching.any() else None

    def accept(self, quads_px: Sequence[Quad]) -> None:
        """Say what was found to lie on the table: there the settled picture is the table, also at the edge.

        Parameters
        ----------
        quads_px
            Outlines of the cards found in the last settled frame.
        """
        if self._known is None or self._known_light is None or not quads_px:
            return
        assert self._mean is not None
        assert self._light is not None
        assert self._scale is not None
        canvas = np.zeros(self._known.shape, np.uint8)
        for quad in quads_px:
            cv2.fillConvexPoly(canvas, small_corners(quad, self._scale), 1)
        cards = cv2.dilate(canvas, np.ones((5, 5), np.uint8)) > 0
        self._known[cards] = self._mean[cards]
        self._known_light[cards] = self._light[cards]

    def _absorb(self, frame: Frame) -> Change | None:
        """Take what has been resting at the edge for long as part of the picture."""
        if self._reaching_since_s is None or frame.at_s - self._reaching_since_s < self._limits.absorb_s:
            return None
        change = self._compare(frame)
        assert self._mean is not None
        assert self._light is not None
        self._known, self._known_light = self._mean.copy(), self._light.copy()
        self._reaching_since_s = None
        inner = tuple(Region(region.box_px, False) for region in change.regions)
        return Change(change.labels, change.scale, inner)


def _cleaned(off: Mask) -> Mask:
    """Without single pixels, which are noise, and joined over the gaps in a card's flat parts."""
    single = off.astype(np.uint8)
    around = cv2.filter2D(single, cv2.CV_16S, np.ones((3, 3), np.int16), borderType=cv2.BORDER_REPLICATE)
    kept = single & (around >= 3).astype(np.uint8)
    return cv2.morphologyEx(kept, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)) > 0


def _small(rgb: Rgb) -> _Grey:
    height, width = rgb.shape[:2]
    wanted = min(SMALL_WIDTH, width)
    size = (wanted, max(1, round(height * wanted / width)))
    while rgb.shape[1] >= 2 * wanted:
        # Exact halves are the mean of 2 x 2 pixels, and many times faster than one step to any size.
        rgb = cast(Rgb, cv2.resize(rgb, (rgb.shape[1] // 2, max(1, rgb.shape[0] // 2)), interpolation=cv2.INTER_LINEAR))
    grey = cv2.resize(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), size, interpolation=cv2.INTER_AREA)
    return cast(_Grey, grey.astype(np.float32))


def _relief(grey: _Grey) -> _Grey:
    """Each pixel against its surroundings, as a fraction of their brightness; free of the light's strength."""
    side = max(3, grey.shape[1] // 10) | 1
    around = cv2.blur(grey, (side, side), borderType=cv2.BORDER_REFLECT)
    return cast(_Grey, (grey - around) / (around + _floor(grey)))


def _floor(grey: _Grey) -> float:
    """Grey below which there is only noise; it goes with the light, as the noise of a camera does."""
    return max(4.0, 0.15 * float(grey.mean()))


def _spread(changed: Mask) -> bool:
    """Whether the change lies all over the picture, as where the camera was bumped."""
    h, w = changed.shape
    parts = [
        changed[y : y + h // 3, x : x + w // 3].any() for y in range(0, h - 2, h // 3) for x in range(0, w - 2, w // 3)
    ]
    return sum(map(bool, parts)) >= 0.6 * len(parts)

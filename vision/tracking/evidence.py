"""What became of a piece that the eye does not find: it lies under others, a hand or a mug, in glare, or is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np

from vision.tracking.album import Album
from vision.tracking.change import Change
from vision.tracking.memory import Track
from vision.types import Quad

TOUCHED = 0.08
"""Share of a piece's outline in which something must have changed before a new reading may replace an old one."""
_REACHED = 0.25
"""Share of a piece over which something must reach in from the edge to be an arm that hides it."""
_OWN = 0.7
"""Share of a change that must lie within the outlines of what was taken, laid or moved to be explained by that."""
_MUCH = 0.35
"""Share of a piece's outline that changes at least where it is taken from a table of another colour."""
_WHOLE = 0.9
"""Nobody lays one card over so much of another where cards are laid to stay."""
_BARE, _OTHER = 0.75, 0.35
"""Shares of a piece's place that look as they did without it: from the one it is gone, below the other it is not."""


class Fate(StrEnum):
    """What became of a piece that was not found."""

    THERE = "there"
    COVERED = "covered"
    HIDDEN = "hidden"
    GONE = "gone"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known of the newest picture besides the pieces found in it.

    Parameters
    ----------
    change
        What changed since the table before, by the moving picture; None where that is not known.
    album
        Pictures of the table as it was; None where none are kept.
    before
        Name of the picture of the look before, in the album.
    laid
        Outlines of what was laid or moved, where it lies now.
    known
        Outlines of all that was found, and of what was moved or is missing where it lay: what changed there needs no
        other explanation.
    """

    change: Change | None
    album: Album | None = None
    before: int | None = None
    laid: list[Quad] = field(default_factory=list)
    known: list[Quad] = field(default_factory=list)

    def share(self, quad_px: Quad, without: Sequence[Quad] = ()) -> float | None:
        """Share of a place that changed since the look before; None where nothing is known of it."""
        change = self._newest()
        return None if change is None else change.share(quad_px, without=without)

    def touched(self, quad_px: Quad, without: Sequence[Quad] = ()) -> bool:
        """Whether something may have happened at a place since the look before."""
        share = self.share(quad_px, without)
        return share is None or share > TOUCHED

    def unchanged(self, quad_px: Quad) -> bool:
        """Whether surely nothing happened at a place since the look before."""
        share = self.share(quad_px)
        return share is not None and share <= TOUCHED / 2

    def reached(self, quad_px: Quad) -> bool:
        """Whether something reaches in from the edge over a place."""
        change = self._newest()
        return change is not None and _is_reached(change, quad_px)

    def _newest(self) -> Change | None:
        if self.change is None and self.album is not None:
            return self.album.change(self.before)
        return self.change

    def since(self, track: Track) -> Change | None:
        """What changed since that piece was last seen."""
        change = None if self.album is None else self.album.change(track.when_seen)
        return self.change if change is None else change

    def elsewhere(self, track: Track, quad_px: Quad) -> bool:
        """Whether a piece may lie at `quad_px` now: something happened there, or where it lay."""
        change = self.since(track)
        if self.album is None or change is None:
            return True
        return max(change.share(track.quad_px), change.share(quad_px)) > TOUCHED / 2

    def movable(self, track: Track) -> bool:
        """Whether a piece can lie elsewhere now: its place did not stay as it was."""
        change = self.since(track)
        return self.album is None or change is None or change.share(track.quad_px) > TOUCHED / 2

    def fate(self, track: Track, above: Sequence[Quad]) -> Fate | None:
        """What became of a piece that was not found, where outlines of what may lie above it are given.

        None where nothing is known but that it was not found.
        """
        shares = [overlap_share(track.quad_px, quad) for quad in above]
        if sum(shares) >= 0.5 and not (self.album is not None and self._replaced(track, above, max(shares))):
            return Fate.COVERED
        change = self.since(track)
        if change is None:
            return None
        if self.album is None:
            return self._by_change(track, change)
        share = change.share(track.quad_px, without=above)
        if share <= TOUCHED:
            return Fate.THERE
        explained = change.explained(track.quad_px, self.known)
        bare = self.album.bare(track.quad_px, track.when_seen, track.when_bare, above)
        if bare is not None and bare >= _BARE:
            return Fate.GONE
        if explained < _OWN or share < _MUCH:
            return Fate.HIDDEN
        return Fate.HIDDEN if bare is not None and bare < _OTHER and explained < 0.9 else Fate.GONE

    def _replaced(self, track: Track, above: Sequence[Quad], most: float) -> bool:
        """Whether what lies there now lies in its place, not on it: what would still show of it is changed."""
        change = self.since(track)
        if most < 0.5 or change is None:
            return False
        return most > _WHOLE or change.share(track.quad_px, without=above) > _MUCH

    def _by_change(self, track: Track, change: Change) -> Fate:
        if change.share(track.quad_px) <= TOUCHED:
            return Fate.THERE
        return Fate.HIDDEN if _is_reached(change, track.quad_px) else Fate.GONE


def _is_reached(change: Change, quad_px: Quad) -> bool:
    return change.share(quad_px, at_border=True) > _REACHED and change.explained(quad_px) < _OWN


def overlap_share(below: Quad, above: Quad) -> float:
    """Share of one outline that another covers."""
    a, b = below.astype(np.float32), above.astype(np.float32)
    whole = float(cv2.contourArea(a))
    if whole <= 0:
        return 0.0
    common, _ = cv2.intersectConvexConvex(a, b)
    return float(common) / whole

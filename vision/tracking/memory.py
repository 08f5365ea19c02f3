"""What is remembered of one piece: its outline, averaged over the looks, and the votes on its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scoring.table import Candidate, Placement, Pose, Side
from vision.scene import Observation
from vision.types import Detection, Quad

SURE = 0.9
"""A reading as sure as this needs no second look."""
STAYED = 0.06
"""A piece whose corners moved by less than this share of its side may lie where it lay."""
_SHIFTED = 0.01
"""... and by more than this, and by more than its uncertainty allows, it was pushed."""
_DOUBT = 4.0
"""Standard deviations by which a corner must be off before its piece counts as pushed."""
_EXACTLY = 0.02
"""Share of a card's side up to which a card that was not touched may seem to have moved."""
_COMMON = 0.85
"""Share of the variance that all looks at one piece have in common: the same print, the same lens, the same light."""
_LOOKS_MAX = 10.0
"""An average over more looks than this would not follow a slow change of the light."""
_VOTES_MAX = 4.0
_SETTLED = 0.1
"""What a vote of the past adds to the probability of a name when two pieces claim it."""

_MOST_RAISED = 3.0
"""A name becomes at most so many times likelier when the likelier ones belong to other pieces."""

Shares = dict[str | None, float]
"""Probability of each face; None is "no card of this deck"."""


@dataclass(slots=True, eq=False)
class Seen:
    """One detection of the newest observation."""

    quad_px: Quad
    placement: Placement
    sigma_px: float
    mm_per_px: float
    shares: Shares

    @property
    def unread(self) -> bool:
        """Whether it is an outline without a name; a back needs none."""
        return best(self.shares) is None and self.placement.side is not Side.BACK


@dataclass(slots=True, eq=False)
class Track:
    """A piece on the table, as it is remembered.

    Parameters
    ----------
    key
        Its lasting name.
    quad_px
        Its outline in the present picture: the mean over the looks in which it lay still.
    placement
        How it was last seen, by that look's own millimetres.
    shares, votes
        What its looks say of its name, and how many they are worth.
    sigma_px
        Standard deviation of a corner of the mean, were all looks independent.
    mm_per_px
        Scale of the picture where it lies.
    looks
        How many looks the mean is made of.
    missed, hits
        Looks since it was last seen, and looks that saw it.
    laid
        Number of the look in which it came to lie here: what came later lies above.
    confirmed
        Whether it is told; else it waits for a second look.
    seen
        Whether the newest look saw it.
    hidden
        Whether something lies or is held over it now.
    pose
        Where it lies on the lasting map; None where that is not known yet.
    when_seen, when_bare
        Names of the pictures in which it was last seen, and in which its place was last seen without it.
    """

    key: str
    quad_px: Quad
    placement: Placement
    shares: Shares
    sigma_px: float
    mm_per_px: float
    votes: float = 1.0
    looks: float = 1.0
    missed: int = 0
    hits: int = 1
    laid: int = 0
    confirmed: bool = True
    seen: bool = True
    hidden: bool = False
    pose: Pose | None = None
    when_seen: int | None = None
    when_bare: int | None = None

    @classmethod
    def of(cls, key: str, seen: Seen) -> Track:
        """A piece that was seen for the first time."""
        return cls(key, seen.quad_px, seen.placement, dict(seen.shares), seen.sigma_px, seen.mm_per_px)

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of its face."""
        return self.placement.size_mm

    @property
    def side_px(self) -> float:
        """Square root of its area in the picture."""
        return side_of(self.quad_px)

    @property
    def sigma_mm(self) -> float:
        """Standard deviation of a corner, as far as looks in one light from one place can lower it."""
        common = _COMMON * self.looks + 1 - _COMMON
        return self.sigma_px * float(np.sqrt(common)) * self.mm_per_px

    def off(self, quad_px: Quad) -> float:
        """How far the corner that moved most is off, in pixels."""
        return float(np.hypot(*(self.quad_px - quad_px).T).max())

    def turned(self, seen: Seen) -> Seen:
        """The sighting as it would be of a piece that nobody turned.

        An outline whose name could not be read may begin at the opposite corner.
        """
        if best(seen.shares) == best(self.shares) and seen.placement.face is not None:
            return seen
        other = np.roll(seen.quad_px, 2, axis=0)
        return replace(seen, quad_px=other) if self.off(other) < self.off(seen.quad_px) else seen

    def exchanged(self, seen: Seen) -> bool:
        """Whether a sighting next to it is another card for sure: it reads otherwise and lies otherwise."""
        was, now = best(self.shares), best(seen.shares)
        if was is None or now is None or was == now:
            return False
        return min(self.shares[was], seen.shares[now]) >= SURE and not self.stayed(seen)

    def stayed(self, seen: Seen) -> bool:
        """Whether a sighting shows it where it lay, within what the two are uncertain of."""
        # What is covered further than before says little of where its outline lies.
        hidden_more = seen.placement.visible < self.placement.visible - 0.05
        least = STAYED if hidden_more else _SHIFTED
        doubt = _DOUBT * float(np.hypot(self.sigma_px, seen.sigma_px))
        return self.off(seen.quad_px) <= max(doubt, least * self.side_px)

    def lies_exactly(self, seen: Seen) -> bool:
        """Whether a sighting shows it where it lay, as exactly as only a card does that nobody touched."""
        doubt = _DOUBT * float(np.hypot(self.sigma_px, seen.sigma_px))
        return self.off(self.turned(seen).quad_px) <= max(doubt, _EXACTLY * self.side_px)

    def take_outline(self, seen: Seen) -> bool:
        """Average its outline with a new look; tells whether it was moved and begins anew there."""
        self.mm_per_px = seen.mm_per_px
        if not self.stayed(seen):
            self.quad_px, self.sigma_px, self.looks = seen.quad_px, seen.sigma_px, 1.0
            return True
        # A look that sees less of the piece says less of its outline.
        old, new = self.sigma_px**-2, (seen.sigma_px / max(seen.placement.visible, 0.1)) ** -2
        self.quad_px = (old * self.quad_px + new * seen.quad_px) / (old + new)
        self.sigma_px = float((old + new) ** -0.5)
        self.looks += 1.0
        if self.looks > _LOOKS_MAX:
            self.sigma_px *= float(np.sqrt(self.looks / _LOOKS_MAX))
            self.looks = _LOOKS_MAX
        return False

    def unread(self, seen: Seen) -> bool:
        """Whether it has a name and a sighting next to it tells none."""
        return seen.unread and best(self.shares) is not None

    def take_reading(self, seen: Seen, *, touched: bool) -> bool:
        """Add a new reading of its name to the older ones; tells whether it contradicts them."""
        was, now = best(self.shares), best(seen.shares)
        if touched and (now == was or seen.shares[now] >= SURE):
            if now != was or seen.shares[now] >= self.shares[was] or seen.placement.visible > 0.9:
                self.shares, self.votes = dict(seen.shares), 1.0
            return False
        # Where the place was touched and reads otherwise, the old readings are worth less than the new one.
        votes = min(self.votes, 0.5) if touched else self.votes
        self.shares = _mixed(self.shares, votes, seen.shares)
        self.votes = votes if touched else min(votes + 1.0, _VOTES_MAX)
        return now != was


def side_of(quad_px: Quad) -> float:
    """Square root of an outline's area."""
    return float(np.sqrt(max(cv2.contourArea(np.asarray(quad_px, np.float32)), 1.0)))


def sightings(observation: Observation) -> list[Seen]:
    """The cards of an observation in its order."""
    pairs = zip(observation.detections, observation.table.placements, strict=True)
    return [sighting(detection, placement) for detection, placement in pairs]


def sighting(detection: Detection, placement: Placement) -> Seen:
    """One piece as it was just seen."""
    quad = np.asarray(detection.quad_px, np.float64)
    if placement.face is None:
        quad = _from_printed_corner(quad, placement.pose.angle_rad)
    side = side_of(quad)
    # A deviation of nothing would outweigh all other looks.
    sigma = max(float(detection.sigma_px), 5e-4 * side)
    scale = float(np.sqrt(placement.size_mm[0] * placement.size_mm[1])) / side
    if detection.sigma_px > 0:
        scale = placement.sigma_mm / float(detection.sigma_px)
    return Seen(quad, placement, sigma, scale, _shares(placement))


def _from_printed_corner(quad_px: Quad, angle_rad: float) -> Quad:
    """An outline without a name may begin at any corner; here at the one that its pose takes for the printed first."""
    along = quad_px[1] + quad_px[2] - quad_px[0] - quad_px[3]
    off = angle_rad - float(np.arctan2(along[1], along[0]))
    return np.roll(quad_px, -round(off / (np.pi / 2)), axis=0)


def _shares(placement: Placement) -> Shares:
    """Probability of each face; what is not accounted for is "no card of this deck"."""
    shares: Shares = {c.face: c.probability for c in placement.candidates}
    shares.setdefault(placement.face, placement.confidence)
    rest = 1.0 - sum(shares.values())
    if rest > 0 and placement.face is not None:
        shares[None] = shares.get(None, 0.0) + rest
    return shares


def best(shares: Mapping[str | None, float]) -> str | None:
    """The likeliest face."""
    return max(shares, key=lambda face: shares[face])


def agreement(a: Mapping[str | None, float], b: Mapping[str | None, float]) -> float:
    """How far two readings name the same card, 0 to 1."""
    return sum(min(p, b.get(face, 0.0)) for face, p in a.items() if face is not None)


def _mixed(old: Mapping[str | None, float], votes: float, new: Mapping[str | None, float]) -> Shares:
    """Mean of the readings. Not their product: two looks at one still picture err alike."""
    faces = dict.fromkeys([*old, *new])
    mixed = {f: (votes * old.get(f, 0.0) + new.get(f, 0.0)) / (votes + 1.0) for f in faces}
    return {f: p for f, p in mixed.items() if p > 1e-3}


def names(tracks: Sequence[Track]) -> dict[str, Shares]:
    """The readings of every piece, by key, so that no two pieces have one name: a deck holds every card once.

    The surer piece keeps the name, and one that has long had it is the surer; the other goes by what is left of its
    readings.
    """
    taken: set[str] = set()
    told: dict[str, Shares] = {}
    open_ = {track.key: track for track in tracks}
    while open_:
        left = {key: _without(track.shares, taken) for key, track in open_.items()}

        def claim(key: str, left: Mapping[str, Shares] = left) -> float:
            top = best(left[key])
            return -1.0 if top is None else left[key][top] + _SETTLED * min(open_[key].votes, _VOTES_MAX)

        key = max(left, key=claim)
        told[key] = left[key]
        face = best(left[key])
        if face is not None:
            taken.add(face)
        del open_[key]
    return told


def _without(shares: Shares, taken: set[str]) -> Shares:
    """The readings, were the names that are taken impossible."""
    gone = sum(p for face, p in shares.items() if face in taken)
    if gone <= 0:
        return shares
    # What is left becomes likelier, but a name that hardly came into question is still hardly the one.
    scale = min(1 / max(1 - gone, 1e-6), _MOST_RAISED)
    out = {face: p if face is None else p * scale for face, p in shares.items() if face not in taken}
    return out or {None: 0.0}


def named(placement: Placement, key: str, shares: Shares) -> Placement:
    """The placement under its lasting key, with the name that its readings give it."""
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    face, probability = ordered[0]
    # An unnamed card's confidence says that it is a card at all.
    confidence = placement.confidence if face is None and placement.face is None else probability
    candidates = tuple(Candidate(f, min(1.0, p)) for f, p in ordered if f is not None or face is None)
    return replace(placement, key=key, face=face, confidence=min(1.0, confidence), candidates=candidates)


def posed(placement: Placement, pose: Pose, sigma_mm: float, visible: float) -> Placement:
    """The placement where the memory has it."""
    return replace(placement, pose=pose, sigma_mm=sigma_mm, visible=visible)

"""Keep the pieces' names from one settled picture to the next: the only step of vision that remembers.

Cards are matched in the picture, where a card that nobody touched stays within a pixel whatever the plane was
estimated to be. What is covered, or hidden by a hand, stays in the state with its last pose. A reading that flickers
is outvoted by the readings before it, as long as nothing changed where the card lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from scoring.table import Candidate, Placement, Pose, TableState
from vision.change import Change
from vision.types import Observation, Quad

_NEAR = 0.3
"""Cards whose centres lie closer than this share of a card's side may be one card."""
_STAYED = 0.06
"""... and closer than this it has not been moved."""
_SURE = 0.9
"""A reading as sure as this needs no second look."""
_TOUCHED = 0.08
"""Share of a card's outline in which something must have changed before a new reading may replace an old one."""
_VOTES_MAX = 4.0
_FORGET_LOOKS = 6
_FAR = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A table at rest, with names that last.

    Parameters
    ----------
    table
        The pieces under their lasting keys; those that are hidden too.
    quads_px
        Outline of each piece in this frame, by key; of hidden ones where they last were.
    seen
        Keys of the pieces that this frame shows.
    doubts
        Keys of the pieces for which another look at the same table is worth its time; also of suspicions that are no
        pieces of `table` yet.
    at_s
        Time of the frame.
    """

    table: TableState
    quads_px: Mapping[str, Quad]
    seen: frozenset[str]
    doubts: frozenset[str]
    at_s: float

    @property
    def doubtful(self) -> bool:
        """Whether another look at the same table is worth its time."""
        return bool(self.doubts)

    def without_doubts(self) -> TableState | None:
        """The table of the pieces that no further look could change; None where a suspicion may become a piece."""
        if self.doubts - self.quads_px.keys():
            return None
        kept = tuple(p for p in self.table.placements if p.key not in self.doubts)
        keys = {p.key for p in kept}
        return replace(self.table, placements=kept, covers=tuple(c for c in self.table.covers if keys.issuperset(c)))


@dataclass(slots=True, eq=False)
class _Track:
    key: str
    quad_px: Quad
    placement: Placement
    shares: dict[str | None, float]
    votes: float = 1.0
    missed: int = 0
    confirmed: bool = True
    seen: bool = True
    covered_by: tuple[str, ...] = ()

    @property
    def side_px(self) -> float:
        return float(np.sqrt(max(cv2.contourArea(self.quad_px.astype(np.float32)), 1.0)))


@dataclass(slots=True, eq=False)
class _Seen:
    """One detection of the newest observation."""

    quad_px: Quad
    placement: Placement
    shares: dict[str | None, float] = field(default_factory=dict)


class Tracker:
    """Follows the pieces over the settled observations of one table."""

    def __init__(self) -> None:
        self._tracks: list[_Track] = []
        self._next = 0

    def reset(self) -> None:
        """Forget the table, as when another one is laid."""
        self._tracks.clear()

    def update(self, observation: Observation, change: Change | None = None) -> Settled:
        """Take in one observation of the table at rest.

        Parameters
        ----------
        observation
            What one frame shows.
        change
            What changed in the picture since the observation before, where that is known. With an empty change every
            difference is a flicker of the reading.

        Returns
        -------
        Settled
            The table as it is believed to be now.
        """
        found = [
            _Seen(np.asarray(d.quad_px, np.float64), p, _shares(p))
            for d, p in zip(observation.detections, observation.table.placements, strict=True)
        ]
        first = not self._tracks
        self._follow_camera(found, change)
        names: dict[int, str] = {}
        doubts: set[str] = set()
        pairs = self._match(found)
        matched = {t for t, _ in pairs}
        for t, n in pairs:
            names[n] = self._tracks[t].key
            if self._refresh(self._tracks[t], found[n], change):
                doubts.add(self._tracks[t].key)
        before = list(self._tracks)
        for n, seen in enumerate(found):
            if n not in names:
                track = self._begin(seen, confirmed=first)
                names[n] = track.key
                if not track.confirmed or track.placement.confidence < _SURE:
                    doubts.add(track.key)
        gone: list[_Track] = []
        for t, track in enumerate(before):
            if t not in matched:
                keep, again = self._missing(track, found, names, change)
                if not keep:
                    gone.append(track)
                elif again:
                    doubts.add(track.key)
        self._tracks = [track for track in self._tracks if track not in gone]
        return self._settled(observation, found, names, frozenset(doubts))

    def _follow_camera(self, found: Sequence[_Seen], change: Change | None) -> None:
        """Move the remembered outlines with the picture where the camera was bumped."""
        by_face = {s.placement.face: s for s in found if s.placement.face and s.placement.confidence > 0.6}
        both = [(t, by_face[t.placement.face]) for t in self._tracks if t.placement.face in by_face]
        if len(both) < 2:
            if change is not None and change.shift_px != (0.0, 0.0):
                for track in self._tracks:
                    track.quad_px = track.quad_px + np.asarray(change.shift_px)
            return
        before = np.concatenate([t.quad_px for t, _ in both])
        after = np.concatenate([s.quad_px for _, s in both])
        stayed = [float(np.abs(t.quad_px - s.quad_px).max()) < _STAYED * t.side_px for t, s in both]
        if 2 * sum(stayed) >= len(both):
            return
        limit = 0.05 * both[0][0].side_px
        matrix, inliers = cv2.estimateAffinePartial2D(before, after, ransacReprojThreshold=limit)
        if matrix is None or np.count_nonzero(inliers) < max(5, 0.6 * len(before)):
            return
        for track in self._tracks:
            track.quad_px = track.quad_px @ matrix[:, :2].T + matrix[:, 2]

    def _match(self, found: Sequence[_Seen]) -> list[tuple[int, int]]:
        if not self._tracks or not found:
            return []
        cost = np.full((len(self._tracks), len(found)), _FAR)
        for t, track in enumerate(self._tracks):
            centre = track.quad_px.mean(axis=0)
            for n, seen in enumerate(found):
                away = float(np.hypot(*(seen.quad_px.mean(axis=0) - centre))) / track.side_px
                agree = sum(min(p, seen.shares.get(face, 0.0)) for face, p in track.shares.items() if face is not None)
                if away < _NEAR:
                    cost[t, n] = away + 0.5 * (1 - agree)
                elif agree > 0.5:
                    # The card itself, laid somewhere else.
                    cost[t, n] = 1.0 + 0.1 * min(away, 5.0) - 0.5 * agree
        rows, columns = linear_sum_assignment(cost)
        return [(int(t), int(n)) for t, n in zip(rows, columns, strict=True) if cost[t, n] < _FAR]

    def _refresh(self, track: _Track, seen: _Seen, change: Change | None) -> bool:
        """Take over a card that was found again; tells whether another look is worth while."""
        moved = float(np.abs(track.quad_px - seen.quad_px).max()) > _STAYED * track.side_px
        touched = moved or change is None or change.share(seen.quad_px) > _TOUCHED
        was = _best(track.shares)
        now = _best(seen.shares)
        track.missed, track.seen, track.covered_by = 0, True, ()
        again = not track.confirmed
        track.confirmed = True
        if touched and (now == was or seen.shares[now] >= _SURE):
            if now != was or seen.shares[now] >= track.shares[was] or seen.placement.visible > 0.9:
                track.shares, track.votes = dict(seen.shares), 1.0
        else:
            # Where the place was touched and reads otherwise, the old readings are worth less than the new one.
            votes = min(track.votes, 0.5) if touched else track.votes
            track.shares = _mixed(track.shares, votes, seen.shares)
            track.votes = votes if touched else min(votes + 1.0, _VOTES_MAX)
            again |= now != was
        # A still card is known best from where most of it was seen.
        if moved or seen.placement.visible >= track.placement.visible - 0.05:
            track.quad_px = seen.quad_px
        track.placement = seen.placement
        return again

    def _missing(
        self, track: _Track, found: Sequence[_Seen], names: Mapping[int, str], change: Change | None
    ) -> tuple[bool, bool]:
        """Whether a card that was not found stays in the state, and whether another look is worth while."""
        track.seen = False
        if not track.confirmed:
            return False, False  # seen once, and not again
        over = [n for n, seen in enumerate(found) if _overlap(track.quad_px, seen.quad_px) > 0.3]
        if sum(_overlap(track.quad_px, found[n].quad_px) for n in over) >= 0.5:
            track.covered_by = tuple(names[n] for n in over)
            return True, False
        if change is not None:
            if change.share(track.quad_px) <= _TOUCHED:
                track.missed += 1
                return track.missed < _FORGET_LOOKS, track.missed == 1
            reaching = change.share(track.quad_px, at_border=True) > 0.25
            if reaching and change.explained(track.quad_px) < 0.7:
                return True, False  # an arm lies over it
        track.missed += 1
        return track.missed < 2, track.missed < 2

    def _begin(self, seen: _Seen, *, confirmed: bool) -> _Track:
        sure = seen.placement.face is not None and seen.placement.confidence >= 0.5
        track = _Track(str(self._next), seen.quad_px, seen.placement, dict(seen.shares), confirmed=confirmed or sure)
        self._next += 1
        self._tracks.append(track)
        return track

    def _settled(
        self, observation: Observation, found: Sequence[_Seen], names: Mapping[int, str], doubts: frozenset[str]
    ) -> Settled:
        to_mm = _plane(found)
        placements: list[Placement] = []
        quads: dict[str, Quad] = {}
        told = [track for track in self._tracks if track.confirmed]
        for track in told:
            placement = track.placement
            if not track.seen:
                placement = replace(_hidden(track, to_mm), visible=0.0)
                track.placement = replace(placement, visible=track.placement.visible)
            placements.append(_named(placement, track))
            quads[track.key] = track.quad_px
        keys = {p.key for p in placements}
        below = [(names[int(a)], names[int(b)]) for a, b in observation.table.covers if a.isdigit() and b.isdigit()]
        below += [(upper, track.key) for track in told for upper in track.covered_by]
        covers = tuple(pair for pair in dict.fromkeys(below) if pair[0] in keys and pair[1] in keys)
        table = TableState(tuple(placements), observation.table.view, covers)
        return Settled(table, quads, frozenset(t.key for t in told if t.seen), doubts, observation.at_s)


def _shares(placement: Placement) -> dict[str | None, float]:
    """Probability of each face; what is not accounted for is "no card of this deck"."""
    shares: dict[str | None, float] = {c.face: c.probability for c in placement.candidates}
    shares.setdefault(placement.face, placement.confidence)
    rest = 1.0 - sum(shares.values())
    if rest > 0 and placement.face is not None:
        shares[None] = shares.get(None, 0.0) + rest
    return shares


def _best(shares: Mapping[str | None, float]) -> str | None:
    return max(shares, key=lambda face: shares[face])


def _mixed(old: Mapping[str | None, float], votes: float, new: Mapping[str | None, float]) -> dict[str | None, float]:
    """Mean of the readings. Not their product: two looks at one still picture err alike."""
    faces = dict.fromkeys([*old, *new])
    mixed = {f: (votes * old.get(f, 0.0) + new.get(f, 0.0)) / (votes + 1.0) for f in faces}
    return {f: p for f, p in mixed.items() if p > 1e-3}


def _named(placement: Placement, track: _Track) -> Placement:
    ordered = sorted(track.shares.items(), key=lambda item: -item[1])
    face, probability = ordered[0]
    # An unnamed card's confidence says that it is a card at all.
    confidence = probability if face is not None else placement.confidence if placement.face is None else probability
    candidates = tuple(Candidate(f, min(1.0, p)) for f, p in ordered if f is not None or face is None)
    return replace(placement, key=track.key, face=face, confidence=min(1.0, confidence), candidates=candidates)


def _overlap(below: Quad, above: Quad) -> float:
    """Share of one outline that another covers."""
    a, b = below.astype(np.float32), above.astype(np.float32)
    whole = float(cv2.contourArea(a))
    if whole <= 0:
        return 0.0
    common, _ = cv2.intersectConvexConvex(a, b)
    return float(common) / whole


def _plane(found: Sequence[_Seen]) -> NDArray[np.float64] | None:
    """The map from this frame's pixels to its plane in mm, from the pieces that were found in both."""
    if not found:
        return None
    pixels = np.concatenate([seen.quad_px for seen in found])
    plane = np.array([corner for seen in found for corner in seen.placement.corners()])
    matrix, _ = cv2.findHomography(pixels, plane, 0)
    return None if matrix is None or not np.isfinite(matrix).all() else np.asarray(matrix, np.float64)


def _hidden(track: _Track, to_mm: NDArray[np.float64] | None) -> Placement:
    """A hidden piece on the plane as it is estimated now."""
    if to_mm is None:
        return track.placement
    corners = cv2.perspectiveTransform(track.quad_px[None].astype(np.float64), to_mm)[0]
    x, y = corners.mean(axis=0)
    along = corners[1] + corners[2] - corners[0] - corners[3]
    pose = Pose(float(x), float(y), float(np.arctan2(along[1], along[0])), track.placement.pose.plane)
    return replace(track.placement, pose=pose)

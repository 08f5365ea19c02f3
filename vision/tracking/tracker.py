"""Keep the pieces' names from one settled picture to the next: the only step of vision that remembers.

Cards are matched in the picture, where a card that nobody touched stays within a pixel whatever the plane was
estimated to be. What is covered, or hidden by a hand, stays in the state with its last pose. A reading that flickers
is outvoted by the readings before it, as long as nothing changed where the card lies.

Its parts: `memory` one piece, `matching` which sighting is which piece, `drift` how the camera moved, `ground` and
`chart` the board, the area and lasting millimetres, `evidence` and `album` what became of a piece that was not found,
`covers` who lies on whom, `token_memory` pawns, stars and dice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, Placement, Point, TableState
from vision.scene import Observation
from vision.tracking.album import Album
from vision.tracking.change import Change
from vision.tracking.chart import aligned
from vision.tracking.covers import Lying, Pair, Stack, layers
from vision.tracking.drift import Motion
from vision.tracking.evidence import Evidence, Fate, overlap_share
from vision.tracking.ground import Ground
from vision.tracking.matching import match, near
from vision.tracking.memory import STAYED, SURE, Seen, Track, best, named, names, posed, side_of, sightings
from vision.tracking.settled import Settled
from vision.tracking.token_memory import Standing, TokenMemory
from vision.types import Rgb

_LAID_ANEW = 0.08
"""A card that moved by more than this share of its side was taken up and laid anew, and lies on top."""
_TAKEN_MAX = 8
"""Cards that were taken off lately, in case they come back."""
_OVERLOOKED = 0
"""In place of the number of the look in which a card was laid: nobody laid it, it was not seen before."""
_ONE_CARD = 0.3
"""Share of an outline without a name that a card must take to have been meant by it."""
_FORGET_LOOKS = 6
"""A card that was missed so often is forgotten, though nothing changed where it lay ..."""
_TRUSTED = 2
"""... if it was missed so many times as often as it was seen."""


class Tracker:
    """Follows the pieces over the settled observations of one table.

    Parameters
    ----------
    lasting
        Whether cards stay where they were laid until somebody takes them, as in a game that builds on them. Then the
        pictures are compared, and a card that is not found is gone only where its place is seen to be bare.
    area_px
        (n, 2) the agreed playing area in pixels of the first picture, or None.
    """

    def __init__(self, *, lasting: bool = False, area_px: NDArray[np.float64] | None = None) -> None:
        self._lasting = lasting
        self._agreed_px = area_px
        self._next = 0
        self.reset()

    def reset(self) -> None:
        """Forget the table, as when another one is laid."""
        self._tracks: list[Track] = []
        self._covers: tuple[Pair, ...] = ()
        self._ground = Ground(self._agreed_px)
        self._stack = Stack()
        self._tokens = TokenMemory()
        self._album = Album() if self._lasting else None
        self._picture: int | None = None
        self._change: Change | None = None
        self._table = 0
        self._taken: list[Track] = []
        self._back: set[str] = set()

    def forget_map(self) -> None:
        """Draw the map of lasting millimetres anew from the next picture; what lies on the table is remembered."""
        self._ground = Ground(self._ground.area_px)
        for track in self._tracks:
            track.pose = None

    def update(
        self,
        observation: Observation,
        change: Change | None = None,
        picture: Rgb | None = None,
        *,
        alone: bool = False,
    ) -> Settled:
        """Take in one observation of the table at rest.

        Parameters
        ----------
        observation
            What one frame shows.
        change
            What changed in the picture since the table before, where that is known. With an empty change every
            difference is a flicker of the reading.
        picture
            The frame itself, where it may be compared with the ones before.
        alone
            Whether this is the only look at this table, so that nothing can wait for a second one.

        Returns
        -------
        Settled
            The table as it is believed to be now.
        """
        found = sightings(observation)
        first = not self._tracks
        if alone or change is None or change is not self._change:
            self._table += 1
        self._change = change
        motion = self._ground.follow_camera([*self._tracks, *self._taken], observation, found, change)
        self._tokens.follow(motion)
        evidence = self._evidence(change, picture, motion)
        self._ground.take_board(observation)

        before = list(self._tracks)
        pairs = match(self._tracks, found, evidence, lasting=self._lasting)
        for t, n in pairs:
            found[n] = before[t].turned(found[n])
        self._note_moves(before, found, pairs, evidence)
        still = [
            before[t] for t, n in pairs if before[t].stayed(found[n]) or (motion.bumped and near(before[t], found[n]))
        ]
        keys: dict[int, str] = {}
        doubts: set[str] = set()
        for t, n in pairs:
            keys[n] = before[t].key
            if self._refresh(before[t], found[n], evidence):
                doubts.add(before[t].key)
        for n, seen in enumerate(found):
            if n not in keys and not (self._lasting and self._is_shred(seen, before)):
                track = self._begin(seen, evidence, certain=first or alone)
                keys[n] = track.key
                if not track.confirmed or track.placement.confidence < SURE:
                    doubts.add(track.key)
        for track in [track for track in before if track.key not in keys.values()]:
            keep, again = self._missing(track, found, keys, evidence, alone=alone)
            if not keep:
                self._tracks.remove(track)
                self._taken = [*self._taken[-_TAKEN_MAX + 1 :], track] if self._lasting else []
            elif again:
                doubts.add(track.key)
        self._ground.learn(observation, found, still)
        settled = self._settled(observation, found, keys, frozenset(doubts), evidence)
        if self._album is not None:
            self._album.keep(name for track in self._tracks for name in (track.when_seen, track.when_bare))
        return settled

    def _evidence(self, change: Change | None, picture: Rgb | None, motion: Motion) -> Evidence:
        if self._album is None or picture is None:
            return Evidence(change)
        before, self._picture = self._picture, self._album.add(picture, motion)
        return Evidence(change, self._album, before)

    def _note_moves(
        self, before: Sequence[Track], found: Sequence[Seen], pairs: Sequence[tuple[int, int]], evidence: Evidence
    ) -> None:
        """Tell the evidence what was laid, moved or taken, and where."""
        stayed = {t: n for t, n in pairs if near(before[t], found[n])}
        evidence.laid.extend(seen.quad_px for n, seen in enumerate(found) if n not in stayed.values())
        evidence.known.extend(seen.quad_px for seen in found)
        evidence.known.extend(track.quad_px for t, track in enumerate(before) if t not in stayed)

    def _refresh(self, track: Track, seen: Seen, evidence: Evidence) -> bool:
        """Take over a card that was found again; tells whether another look is worth while."""
        off = track.off(seen.quad_px) / track.side_px
        laid = [quad for quad in evidence.laid if quad is not seen.quad_px]
        misplaced = off > STAYED and not evidence.elsewhere(track, seen.quad_px)
        touched = not misplaced and (off > STAYED or evidence.touched(seen.quad_px, laid if self._lasting else ()))
        again = not track.confirmed or misplaced
        track.confirmed, track.missed, track.seen, track.hidden = True, 0, True, False
        track.hits += 1
        if self._lasting and track.unread(seen):
            again = True
            seen = replace(
                seen, placement=replace(seen.placement, face=track.placement.face, side=track.placement.side)
            )
        else:
            again |= track.take_reading(seen, touched=touched)
        if misplaced:
            return again  # nothing happened there: the outline is wrong
        track.take_outline(seen)
        track.placement = seen.placement
        if off > _LAID_ANEW:
            track.laid, track.when_bare = self._table, evidence.before
        track.when_seen = self._picture
        return again

    def _begin(self, seen: Seen, evidence: Evidence, *, certain: bool) -> Track:
        track = Track.of(str(self._next), seen)
        self._next += 1
        self._tracks.append(track)
        named_ = seen.placement.face is not None and seen.placement.confidence >= (SURE if self._lasting else 0.5)
        untouched = evidence.unchanged(seen.quad_px)
        track.confirmed = certain or (named_ and not (untouched and self._lasting))
        # What was only overlooked before has lain there as long as any.
        track.laid = _OVERLOOKED if untouched else self._table
        track.when_seen, track.when_bare = self._picture, None if untouched else evidence.before
        self._recognise(track, seen)
        return track

    def _recognise(self, track: Track, seen: Seen) -> None:
        """A card that lies again exactly where it was thought to be gone from was under something all the time.

        No hand lays a card twice so exactly.
        """
        for old in self._taken:
            if best(old.shares) == best(seen.shares) is not None and old.lies_exactly(seen):
                track.key, track.laid, track.when_bare = old.key, old.laid, old.when_bare
                self._back.add(old.key)
                self._taken.remove(old)
                return

    def _is_shred(self, seen: Seen, known: Sequence[Track]) -> bool:
        """Whether an outline without a name lies so much on one card that it is that card, ill seen, or a hand."""
        return seen.unread and any(
            best(track.shares) is not None and overlap_share(seen.quad_px, track.quad_px) > _ONE_CARD for track in known
        )

    def _missing(
        self, track: Track, found: Sequence[Seen], keys: Mapping[int, str], evidence: Evidence, *, alone: bool
    ) -> tuple[bool, bool]:
        """Whether a card that was not found stays in the state, and whether another look is worth while."""
        track.seen, track.hidden = False, False
        if not track.confirmed:
            return False, False  # seen once, and not again
        if self._lasting and best(track.shares) is None and evidence.unchanged(track.quad_px):
            # What has no name may have been a card that is found only now, with a wrong outline.
            over = [overlap_share(track.quad_px, quad) for quad in evidence.laid]
            if max(over, default=0.0) > _ONE_CARD:
                return False, False
        below = {lower for upper, lower in self._covers if upper == track.key}
        above = [seen.quad_px for n, seen in enumerate(found) if n in keys and keys[n] not in below]
        fate = evidence.fate(track, [quad for quad in above if overlap_share(track.quad_px, quad) > 0])
        if fate in (Fate.COVERED, Fate.HIDDEN):
            track.hidden = True
            return True, False
        track.missed += 1
        if fate is Fate.THERE:
            return not self._imagined(track, alone=alone), track.missed == 1
        again = track.missed < 2 and not alone
        track.hidden = again
        return again, again

    def _imagined(self, track: Track, *, alone: bool) -> bool:
        """Whether a card was never there, if it is not found though nothing changed where it lay."""
        doubtful = track.hits == 1 and track.placement.confidence < SURE
        if self._lasting:
            return doubtful and (not alone or track.missed >= _FORGET_LOOKS)
        return track.missed >= max(_FORGET_LOOKS, _TRUSTED * track.hits + 1)

    def _settled(
        self,
        observation: Observation,
        found: Sequence[Seen],
        keys: Mapping[int, str],
        doubts: frozenset[str],
        evidence: Evidence,
    ) -> Settled:
        told = [track for track in self._tracks if track.confirmed]
        read = names(told)
        placements: list[Placement] = []
        for track in told:
            track.pose = self._ground.pose(track)
            visible = 0.0 if track.hidden else track.placement.visible
            placements.append(
                named(posed(track.placement, track.pose, track.sigma_mm, visible), track.key, read[track.key])
            )
        self._covers = self._lying(observation, placements, keys)
        level = layers([p.key for p in placements], self._covers)
        placements = [replace(p, layer=level[p.key]) for p in placements]

        by_key = {p.key: p for p in placements}
        both = [(s.placement, by_key[keys[n]]) for n, s in enumerate(found) if keys.get(n) in by_key]
        to_map = aligned([a for a, _ in both], [b for _, b in both])
        tokens = self._take_tokens(observation, keys, evidence)
        table = TableState(
            tuple(placements),
            _four(to_map(observation.table.view)),
            self._covers,
            self._ground.board(),
            tuple(s.token for s in tokens),
            self._ground.area(),
            self._ground.area_sigma_mm(),
        )
        quads = {track.key: track.quad_px for track in told}
        if self._ground.board_px is not None:
            quads[BOARD] = self._ground.board_px
        seen = frozenset(t.key for t in told if t.seen)
        if self._ground.board_seen:
            seen |= {BOARD}
        places = tuple(s.at_px for s in tokens)
        overlooked = frozenset(t.key for t in told if t.laid == _OVERLOOKED or t.key in self._back)
        return Settled(table, quads, seen, doubts, observation.at_s, overlooked, places, self._ground.area_px)

    def _lying(
        self, observation: Observation, placements: Sequence[Placement], keys: Mapping[int, str]
    ) -> tuple[Pair, ...]:
        """Who lies on whom."""
        tracks = {track.key: track for track in self._tracks}
        cards = [
            Lying(
                p.key,
                np.array(p.corners()),
                p.sigma_mm,
                tracks[p.key].laid,
                p.visible if tracks[p.key].seen else None,
            )
            for p in placements
        ]
        shown = [
            (keys[int(a)], keys[int(b)])
            for a, b in observation.table.covers
            if a.isdigit() and b.isdigit() and int(a) in keys and int(b) in keys
        ]
        return self._stack.find(cards, shown)

    def _take_tokens(
        self, observation: Observation, keys: Mapping[int, str], evidence: Evidence
    ) -> tuple[Standing, ...]:
        """Pawns, stars and dice as they stand now."""
        quads = [t.quad_px for t in self._tracks] or [q for q in (self._ground.board_px,) if q is not None]
        side = float(np.median([side_of(q) for q in quads])) if quads else 0.0
        own = {str(n): key for n, key in keys.items()}
        pairs = zip(observation.table.tokens, observation.tokens_px, strict=True)
        here = {t.key for t in self._tracks}
        return self._tokens.update(tuple(pairs), own, self._ground.mm, evidence, side, lambda key: key not in here)


def _four(points: Sequence[Point]) -> tuple[Point, Point, Point, Point]:
    a, b, c, d = points
    return a, b, c, d

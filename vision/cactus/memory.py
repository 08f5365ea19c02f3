"""Keep the hung pieces from one settled picture to the next: the only step of Cactus that remembers.

A piece that is not found stays where it hung unless its place is seen to be empty; a piece that is found where nothing
changed hung there before; what a piece nearly touched is averaged over the looks at it. Names are the pieces' own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from scoring.table import Contact, TableState
from vision.cactus.cactus_set import CactusSet
from vision.cactus.hung_table import base_px, placement, px_per_mm
from vision.cactus.joint_start import Sighted
from vision.cactus.same_table import another_table
from vision.cactus.second_view import settle
from vision.cactus.sight import ALIKE, EDGE_MM, SAME, Mask, Sight, likeness, own_places, uncovered
from vision.cactus.upright import HungPiece, Rigid, Stage, is_elsewhere
from vision.scene import Observation, SceneModel
from vision.tracking.change import Change
from vision.tracking.settled import Settled
from vision.types import Failure, Rgb

Array = NDArray[np.float64]

SURE = 0.8
"""A piece that is as sure as this needs no second look."""
STAYED_MM = 1.2
"""A piece whose edge is off by less than this hangs where it hung ..."""
_DOUBT = 4.0
"""... or by less than so many of its standard deviations."""
_NUDGED_MM = 4.0
"""Where the picture is as it was, a piece that seems to have moved by less than this was only measured otherwise."""
_THERE = 0.6
"""Share of the places where it was seen that still look like a piece, if it hangs there still."""
_UNTOUCHED = 0.8
"""Share of a place's colours that are as they were, where nothing happened."""
_ONE_PIECE = 0.45
"""Two outlines that share so much of both are two names of one piece."""
_REACHED = 0.25
"""Share of a piece over which something must reach in from the edge to be an arm that hides it."""
_LOOKS_MAX = 6
"""An average over more looks would not follow a slow creep."""
_VOTE = 0.05
"""What each look of the past adds to the probability of a name, against another one for the same piece."""


@dataclass(slots=True, eq=False)
class _Track:
    """A piece, as it is remembered: how it hangs, its colours when it was last seen, and how often it was."""

    hung: HungPiece
    looks: int = 1
    missed: int = 0
    confirmed: bool = True
    seen: bool = True
    overlooked: bool = False
    colours: Array | None = None
    own: Mask | None = None


class CactusMemory:
    """Follows the pieces of one set over settled pictures; see `vision.remember.Memory`.

    Parameters
    ----------
    cactus_set
        The set.
    area_px
        (n, 2) the agreed playing area in pixels, or None.
    """

    def __init__(self, cactus_set: CactusSet, area_px: Array | None = None) -> None:
        self._set = cactus_set
        self._area_px = area_px
        self._looks = {p.id: p for p in cactus_set.pieces}
        self._tracks: dict[str, _Track] = {}
        self._contacts: dict[tuple[str, str, str | None], tuple[Contact, int]] = {}
        self._stage: Stage | None = None
        self._before: Sight | None = None
        self._newest: tuple[Observation, frozenset[str]] | None = None

    @property
    def hung(self) -> tuple[HungPiece, ...]:
        """What is believed to hang."""
        return tuple(t.hung for t in self._tracks.values())

    def expect(self, model: SceneModel, seen: Observation) -> SceneModel:
        """What the next picture is looked at with."""
        picture = self._before.rgb if self._before is not None else None
        return replace(model, stage=self._stage or seen.stage, hung=self.hung, strange=seen.strange, picture=picture)

    def update(
        self,
        observation: Observation,
        change: Change | None = None,
        picture: Rgb | None = None,
        *,
        alone: bool = False,
    ) -> Settled:
        """Take in one observation of the cacti at rest; see `vision.tracking.tracker.Tracker.update`."""
        stage = observation.stage or self._stage
        if stage is None:
            return Settled(observation.table, {}, frozenset(), frozenset(), observation.at_s)
        now = Sight.of(picture, stage) if picture is not None else None
        first = self._stage is None
        if self._stage is not None and is_elsewhere(self._stage, stage):
            self._stage = None
            self._turn_to(stage)
        self._stage = _merged(self._stage, stage)
        found = {h.id: h for h in observation.hung if h.id in self._looks}
        doubts: set[str] = set()
        moved: set[str] = set()
        for name in [n for n in found if n in self._tracks]:
            if self._refresh(self._tracks[name], found[name], now):
                moved.add(name)
        for name in [n for n in found if n not in self._tracks]:
            self._begin(found, name, now, first=first, alone=alone)
            moved.add(name)
        for name in [n for n in self._tracks if n not in found]:
            if not self._keep(self._tracks[name], found, now, change):
                track = self._tracks[name]
                track.missed += 1
                if alone or track.missed > 1 or not track.confirmed:
                    del self._tracks[name]
                    moved.add(name)
                else:
                    doubts.add(name)
        doubts |= {n for n, t in self._tracks.items() if not t.confirmed or (t.looks == 1 and t.hung.confidence < SURE)}
        for name in found:
            self._note_colours(name, now)
        self._take_contacts(observation.table.contacts, moved)
        self._before = now or self._before
        self._newest = observation, frozenset(doubts)
        return self._settled(observation, frozenset(doubts))

    def settle(self, second: Observation, picture: Rgb | None = None) -> Settled | Failure | None:
        """Measure anew what the newest picture and another from elsewhere show; None before a first: see `Memory`."""
        if self._newest is None or self._stage is None or second.stage is None:
            return None
        here = Sighted(self._stage, self.hung, self._before.rgb if self._before is not None else None)
        there = Sighted(second.stage, second.hung, picture)
        if (other := another_table(self._set, here, there)) is not None:
            return other
        alone = [*(c for c, _ in self._contacts.values()), *second.table.contacts]
        contacts, both = settle(self._set, here, there, alone)
        kept = {k: v for k, v in self._contacts.items() if not {k[1], k[2]} & both}
        fresh = {(str(c.kind), c.a, c.b): (c, _LOOKS_MAX) for c in contacts if {c.a, c.b} & both}
        self._contacts = kept | fresh
        return self._settled(*self._newest)

    def _turn_to(self, stage: Stage) -> None:
        """The camera stands elsewhere: what is remembered hangs as it hung, and is elsewhere in the picture."""
        cacti = {u.id: u.to_camera for u in stage.cacti}
        for track in self._tracks.values():
            hung = track.hung
            if hung.cactus in cacti:
                outline = self._looks[hung.id].outline_mm * ([-1.0, 1.0] if hung.flipped else [1.0, 1.0])
                flat = np.column_stack([outline, np.zeros(len(outline))])
                track.hung = replace(hung, outline_px=stage.project(hung.to_cactus.apply(flat), cacti[hung.cactus]))

    def _refresh(self, track: _Track, seen: HungPiece, now: Sight | None) -> bool:
        """Take over a piece that was found again; tells whether it hangs otherwise than before."""
        off = self._off_mm(track.hung, seen)
        doubt = max(STAYED_MM, _DOUBT * float(np.hypot(track.hung.sigma_mm, seen.sigma_mm)))
        untouched = off > doubt and self._is_untouched(track, now)
        untouched = untouched and (seen.confidence < SURE or self._was_there(seen, now))
        track.seen, track.confirmed, track.missed = True, True, 0
        if untouched and (off > _NUDGED_MM or seen.cactus != track.hung.cactus):
            track.seen = False  # its name was read elsewhere, by mistake: here nothing happened
            return False
        if off > doubt and not untouched:
            track.hung, track.looks, track.overlooked = seen, 1, False
            return True
        track.hung = _averaged(track.hung, track.looks, seen)
        track.looks = min(track.looks + 1, _LOOKS_MAX)
        return False

    def _begin(self, found: Mapping[str, HungPiece], name: str, now: Sight | None, *, first: bool, alone: bool) -> None:
        """A piece that was not known."""
        seen = found[name]
        overlooked = not first and self._was_there(seen, now)
        twin = next(
            (n for n, t in self._tracks.items() if n not in found and _share(t.hung.outline_px, seen) > _ONE_PIECE),
            None,
        )
        if overlooked and twin is not None:
            # Nothing happened there, so it is one piece under two names.
            old = self._tracks[twin]
            if seen.confidence <= old.hung.confidence + _VOTE * old.looks:
                pose = replace(seen, id=twin, confidence=old.hung.confidence, readings=old.hung.readings)
                old.hung, old.seen, old.missed = pose, True, 0
                return
            del self._tracks[twin]
        sure = first or alone or seen.confidence >= SURE
        self._tracks[name] = _Track(seen, confirmed=sure, overlooked=overlooked)

    def _keep(self, track: _Track, found: Mapping[str, HungPiece], now: Sight | None, change: Change | None) -> bool:
        """Whether a piece that was not found is believed to hang where it hung."""
        track.seen = False
        stage = self._stage
        assert stage is not None
        if all(u.id != track.hung.cactus for u in stage.cacti):
            return True
        if change is not None and change.share(track.hung.outline_px, at_border=True) > _REACHED:
            return True
        return self._still_there(track, now, [h.outline_px for h in found.values()], ALIKE)

    def _still_there(self, track: _Track, now: Sight | None, above: Sequence[Array], within: float) -> bool:
        """Whether the picture shows the piece's own colour where it hung, or what hangs before it hides the place."""
        look = self._looks[track.hung.id]
        if now is None or track.colours is None or track.own is None:
            covered = [_share(outline, track.hung) for outline in above]
            return max(covered, default=0.0) > _ONE_PIECE
        places = now.places(look, track.hung)
        if places is None:
            return True
        free = uncovered(places, above, EDGE_MM * px_per_mm(track.hung, now.stage))
        share = likeness(track.colours, now.colours(places), now.light, within, track.own & free, shade=True)
        return share is None or share > _THERE

    def _is_untouched(self, track: _Track, now: Sight | None) -> bool:
        """Whether the picture shows the place where a piece hung just as it was."""
        places = now.places(self._looks[track.hung.id], track.hung) if now is not None else None
        if now is None or places is None or track.colours is None or track.own is None:
            return False
        share = likeness(track.colours, now.colours(places), now.light, SAME, track.own)
        return share is not None and share > _UNTOUCHED

    def _was_there(self, seen: HungPiece, now: Sight | None) -> bool:
        """Whether the picture before shows the place of a new piece just as it is now."""
        if now is None or self._before is None:
            return False
        look = self._looks[seen.id]
        then, here = self._before.places(look, seen), now.places(look, seen)
        if then is None or here is None:
            return False
        share = likeness(self._before.colours(then), now.colours(here), now.light, SAME)
        return share is not None and share > _UNTOUCHED

    def _note_colours(self, name: str, now: Sight | None) -> None:
        track = self._tracks.get(name)
        if track is None or now is None or not track.seen:
            return
        look = self._looks[name]
        places = now.places(look, track.hung)
        if places is not None:
            track.colours = now.colours(places)
            track.own = own_places(track.colours, track.hung.visible, self._set.colors[look.color])

    def _off_mm(self, a: HungPiece, b: HungPiece) -> float:
        """How far the edges of two sightings of one piece are apart, as seen from the front of its cactus."""
        if a.cactus != b.cactus:
            return float("inf")
        flat = self._looks[a.id].outline_mm
        rims = []
        for hung in (a, b):
            own = flat * ([-1.0, 1.0] if hung.flipped else [1.0, 1.0])
            rims.append(hung.to_cactus.apply(np.column_stack([own, np.zeros(len(own))]))[:, :2])
        if a.flipped != b.flipped:
            # A piece that looks alike from both sides may be read either way: what counts is where it is.
            one, other = Polygon(rims[0]).buffer(0), Polygon(rims[1]).buffer(0)
            return float(one.hausdorff_distance(other))
        return float(np.linalg.norm(rims[0] - rims[1], axis=1).max())

    def _take_contacts(self, contacts: Sequence[Contact], moved: set[str]) -> None:
        """Average what is known of each gap over the looks since one of the two was moved."""
        kept = {
            key: value
            for key, value in self._contacts.items()
            if not {key[1], key[2]} & moved and key[1] in self._tracks and (key[2] is None or key[2] in self._tracks)
        }
        told = {}
        for c in contacts:
            if c.a not in self._tracks or (c.b is not None and c.b not in self._tracks):
                continue
            key = (str(c.kind), c.a, c.b)
            if key not in kept and c.b is not None and (str(c.kind), c.b, c.a) in kept:
                key = (str(c.kind), c.b, c.a)
            old, looks = kept.get(key, (c, 0))
            told[key] = (_mean(old, looks, c), min(looks + 1, _LOOKS_MAX))
        for key, value in kept.items():
            unseen = not self._tracks[key[1]].seen or (key[2] is not None and not self._tracks[key[2]].seen)
            if key not in told and unseen:
                told[key] = value
        self._contacts = told

    def _settled(self, observation: Observation, doubts: frozenset[str]) -> Settled:
        stage = self._stage
        assert stage is not None
        told = {n: t for n, t in self._tracks.items() if t.confirmed}
        hung = [t.hung for t in told.values()]
        quads: dict[str, Array] = {n: self._outline(t, stage) for n, t in told.items()}
        quads |= {u.id: base_px(self._set, stage, u) for u in stage.cacti}
        placements = []
        for track in told.values():
            placed = placement(self._set, track.hung, hung)
            placements.append(placed if track.seen else replace(placed, visible=0.0))
        contacts = tuple(c for c, _ in self._contacts.values() if c.a in told and (c.b is None or c.b in told))
        table = TableState(
            tuple(placements), observation.table.view, cacti=tuple(u.id for u in stage.cacti), contacts=contacts
        )
        seen = {n for n, t in told.items() if t.seen} | {u.id for u in (observation.stage or stage).cacti}
        overlooked = frozenset(n for n, t in told.items() if t.overlooked)
        return Settled(table, quads, frozenset(seen), doubts, observation.at_s, overlooked, (), self._area_px)

    def _outline(self, track: _Track, stage: Stage) -> Array:
        """Its outline in this picture, where it is not seen by where it hung on its cactus."""
        upright = next((u for u in stage.cacti if u.id == track.hung.cactus), None)
        if track.seen or upright is None:
            return track.hung.outline_px
        flat = self._looks[track.hung.id].outline_mm * ([-1.0, 1.0] if track.hung.flipped else [1.0, 1.0])
        points = np.column_stack([flat, np.zeros(len(flat))])
        return stage.project(points, upright.to_camera.after(track.hung.to_cactus))


def _merged(before: Stage | None, now: Stage) -> Stage:
    """The cacti of now, and those that stood there before and are not seen now."""
    if before is None:
        return now
    seen = {u.id for u in now.cacti}
    cacti = [*now.cacti, *(u for u in before.cacti if u.id not in seen)]
    return Stage(now.camera, tuple(sorted(cacti, key=lambda u: float(u.to_camera.t[0] / u.to_camera.t[2]))), now.spare)


def _averaged(old: HungPiece, looks: int, new: HungPiece) -> HungPiece:
    """The new sighting, hung at the mean of all."""
    if old.flipped != new.flipped:
        return new if new.confidence > old.confidence else replace(old, outline_px=new.outline_px)
    share = 1.0 / (looks + 1)
    u, _, v = np.linalg.svd((1 - share) * old.to_cactus.R + share * new.to_cactus.R)
    R = u @ np.diag([1.0, 1.0, float(np.linalg.det(u @ v))]) @ v
    t = (1 - share) * old.to_cactus.t + share * new.to_cactus.t
    better = max(old.confidence, new.confidence)
    return replace(new, to_cactus=Rigid(R, t), confidence=better)


def _mean(old: Contact, looks: int, new: Contact) -> Contact:
    """The mean of what was measured so far and now. Not the product: two looks at one still picture err alike."""
    share = 1.0 / (looks + 1)
    return replace(
        old,
        gap_mm=(1 - share) * old.gap_mm + share * new.gap_mm,
        sigma_mm=(1 - share) * old.sigma_mm + share * new.sigma_mm,
        touching=(1 - share) * old.touching + share * new.touching,
    )


def _share(outline_px: Array, hung: HungPiece) -> float:
    """Overlap of two outlines as a share of both together."""
    one, other = Polygon(outline_px).buffer(0), Polygon(hung.outline_px).buffer(0)
    union = one.union(other).area
    return float(one.intersection(other).area / union) if union else 0.0

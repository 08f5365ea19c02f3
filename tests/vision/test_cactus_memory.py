"""The memory of hung pieces: photo by photo, as a game of Cactus is followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from scoring.moves import Shifted, diff
from scoring.table import ContactKind, TableState
from tests.vision.flat_hung import SIZE_PX, cactus_set, hang, observation, outline_px, picture, stage
from vision.cactus.memory import CactusMemory
from vision.cactus.upright import HungPiece, Rigid, Stage, is_elsewhere
from vision.live import Eye
from vision.scene import Observation, SceneModel
from vision.tracking.change import Change, find_regions
from vision.tracking.settled import Settled
from vision.types import Frame

A = hang("bar-red", "K2", (0, 70))
B = hang("hook-blue", "K3", (4, 80), 0.4)
C = hang("wedge-green", "K3", (-20, 60), -0.3)
D = hang("gate-orange", "K5", (10, 75), 1.0)


class Photos:
    """Photographs of one table, one after the other."""

    def __init__(self) -> None:
        self.memory = CactusMemory(cactus_set())
        self.tables: list[TableState] = []

    def see(
        self,
        there: Sequence[HungPiece],
        found: Sequence[HungPiece] | None = None,
        view: Stage | None = None,
        light: float = 1.0,
    ) -> Settled:
        """What is made of a photo of what is there, of which the eye found something else perhaps."""
        seen = observation(there if found is None else found, view)
        shown = picture(there, view, light, seed=len(self.tables))
        told = self.memory.update(seen, picture=shown, alone=True)
        self.tables.append(told.table)
        return told


def names(told: Settled) -> list[str]:
    return sorted(str(p.face) for p in told.table.placements)


def moved(photos: Photos) -> list[str]:
    return [m.after.key for m in diff(photos.tables[-2], photos.tables[-1], 1.5) if isinstance(m, Shifted)]


def at(piece: HungPiece, x: float, y: float) -> HungPiece:
    """The piece somewhere else on its cactus."""
    where = hang(piece.id, piece.cactus, (x, y))
    return replace(where, to_cactus=Rigid(piece.to_cactus.R, where.to_cactus.t))


def test_pieces_are_told_on_their_cacti() -> None:
    """A hung piece is a placement of its own name on the plane of its cactus, y downward."""
    told = Photos().see([A, replace(B, flipped=True)])
    first, second = told.table.placements
    assert (first.key, first.face, first.pose.plane, str(first.side)) == ("bar-red", "bar-red", "K2", "face")
    assert (first.pose.x_mm, first.pose.y_mm, first.pose.angle_rad) == pytest.approx((0, -70, 0))
    assert (second.pose.plane, str(second.side)) == ("K3", "back")
    assert second.pose.angle_rad == pytest.approx(-0.4)
    assert told.table.cacti == ("K1", "K2", "K3", "K4", "K5")
    assert set(told.quads_px) == {"bar-red", "hook-blue", "K1", "K2", "K3", "K4", "K5"}
    assert told.quads_px["K3"].shape == (4, 2)


def test_placed_piece_is_new_and_a_gone_one_is_gone() -> None:
    """What hangs newly is no overlooked piece; what left an empty place does not hang any more."""
    photos = Photos()
    photos.see([A, B])
    told = photos.see([A, B, C])
    assert names(told) == ["bar-red", "hook-blue", "wedge-green"]
    assert told.overlooked == frozenset()
    assert names(photos.see([A, C])) == ["bar-red", "wedge-green"]


def test_piece_missed_once_stays() -> None:
    """A piece that the picture shows, though the eye did not find it, hangs on; also under another light."""
    photos = Photos()
    photos.see([A, B, C])
    told = photos.see([A, B, C], found=[A, C], light=0.8)
    assert names(told) == ["bar-red", "hook-blue", "wedge-green"]
    assert "hook-blue" not in told.seen
    assert moved(photos) == []
    assert names(photos.see([A, C], light=0.8)) == ["bar-red", "wedge-green"]


@pytest.mark.parametrize(
    ("paint", "told"), [((0.75, 0.75, 0.75), ["bar-red", "gate-orange"]), ((0.9, 0.75, 1.25), ["bar-red"])]
)
def test_shadow_is_told_from_what_stood_behind(paint: tuple[float, float, float], told: list[str]) -> None:
    """A piece that is missed hangs on in a shadow; where its place shows about its colour it has gone."""
    memory = CactusMemory(cactus_set())
    before = picture([A, D])
    memory.update(observation([A, D]), picture=before, alone=True)
    (left, top), (right, low) = (f(D.outline_px, axis=0).astype(int) for f in (np.min, np.max))
    now = before.copy()
    now[top:low, left:right] = now[top:low, left:right] * np.array(paint)
    assert names(memory.update(observation([A]), picture=now, alone=True)) == told


def test_hidden_piece_stays() -> None:
    """A piece behind a newly hung one is remembered, and not taken for fallen."""
    photos = Photos()
    behind = hang("bar-red", "K3", (0, 80))
    before = hang("gate-orange", "K3", (0, 80), z=6.0)
    broad = hang("stair-blue", "K3", (0, 82), z=8.0)
    photos.see([behind])
    assert names(photos.see([behind, before, broad], found=[before, broad])) == ["bar-red", "gate-orange", "stair-blue"]


def test_piece_seen_only_now_hung_before() -> None:
    """A piece in whose place nothing changed was overlooked, not placed."""
    photos = Photos()
    photos.see([A, B], found=[A])
    told = photos.see([A, B, C])
    assert told.overlooked == {"hook-blue"}
    assert names(told) == ["bar-red", "hook-blue", "wedge-green"]


def test_same_place_under_another_name_is_one_piece() -> None:
    """A name that flickers is outvoted; a much surer one replaces it, and neither is placed or fallen."""
    photos = Photos()
    there = hang("bar-red", "K2", (0, 70), confidence=0.9)
    wrong = replace(there, id="hook-red", confidence=0.6)
    photos.see([there])
    assert names(photos.see([there], found=[wrong])) == ["bar-red"]
    doubtful = Photos()
    doubtful.see([there], found=[replace(wrong, confidence=0.4)])
    told = doubtful.see([there])
    assert names(told) == ["bar-red"]
    assert told.overlooked == {"bar-red"}


def test_pushed_piece_is_moved_and_a_trembling_one_is_not() -> None:
    """What hangs elsewhere on its cactus was pushed; what is only measured otherwise was not."""
    photos = Photos()
    photos.see([A, B])
    photos.see([at(A, 0.5, 70.4), B])
    assert moved(photos) == []
    photos.see([at(A, 9, 66), B])
    assert moved(photos) == ["bar-red"]


def test_cactus_that_was_moved_takes_its_pieces_along() -> None:
    """Poses are those on the cactus, so a camera or cactus in another place moves nothing."""
    photos = Photos()
    photos.see([A, B, C])
    other = stage(turn=0.12, far_mm=640)
    again = [replace(p, outline_px=hang(p.id, p.cactus, (0, 0), view=other).outline_px) for p in (A, B, C)]
    told = photos.see(again, view=other)
    assert (moved(photos), told.overlooked) == ([], frozenset())
    assert names(photos.see(again, found=again[:2], view=other)) == ["bar-red", "hook-blue", "wedge-green"]


def test_what_is_remembered_is_elsewhere_in_a_picture_from_another_place() -> None:
    """A piece that is missed there hangs as it hung, and its outline lies where that picture shows it."""
    photos = Photos()
    photos.see([A, B, D])
    other = stage(turn=0.12, far_mm=760)
    again = [replace(p, outline_px=outline_px(p, other)) for p in (A, B, D)]
    told = photos.see(again, found=again[:2], view=other)
    assert told.quads_px["gate-orange"] == pytest.approx(outline_px(D, other), abs=0.5)
    assert np.abs(outline_px(D, other) - D.outline_px).max() > 20


def test_camera_that_stands_elsewhere_is_told() -> None:
    """Another place, direction or size of picture; not what trembles or stands there without a cactus."""
    assert not is_elsewhere(stage(), stage(far_mm=622))
    assert not is_elsewhere(stage(), stage(seen=("K1", "K2")))
    assert is_elsewhere(stage(), stage(turn=0.12, far_mm=700))
    assert is_elsewhere(stage(), stage(down=0.3, far_mm=540))
    camera = stage().camera.scaled(640, 360)
    assert is_elsewhere(stage(), Stage(camera, stage().cacti))
    assert is_elsewhere(stage(seen=("K1",)), stage(seen=("K5",)))


def test_cactus_that_is_not_found_keeps_its_pieces() -> None:
    """A hand before a cactus takes no piece off it."""
    photos = Photos()
    photos.see([A, B, D])
    rest = stage(seen=("K1", "K2", "K3", "K4"))
    told = photos.see([A, B], view=rest)
    assert names(told) == ["bar-red", "gate-orange", "hook-blue"]
    assert told.table.cacti == ("K1", "K2", "K3", "K4", "K5")


def test_gap_is_averaged_until_one_is_moved() -> None:
    """Looks at two pieces that hang still add up; where one is moved the gap is measured anew."""
    low = hang("bar-red", "K3", (0, 60))

    def upper(gap: float) -> HungPiece:
        return hang("wedge-red", "K3", (0, 74 + gap))

    photos = Photos()
    gaps = []
    for gap in (2.0, 2.6, 7.0):
        told = photos.see([low, upper(gap)])
        (contact,) = told.table.contacts
        gaps.append(contact.gap_mm)
        assert contact.kind is ContactKind.SAME_COLOR
    assert gaps[1] == pytest.approx((gaps[0] + gaps[0] + 0.6) / 2, abs=0.1)
    assert gaps[2] == pytest.approx(gaps[0] + 5.0, abs=0.3)


def test_contact_of_a_piece_that_is_not_seen_is_remembered() -> None:
    """What touched before somebody's arm came between touches still."""
    photos = Photos()
    low, high = hang("bar-red", "K3", (0, 60)), hang("wedge-red", "K3", (0, 74))
    photos.see([low, high])
    told = photos.see([low, high], found=[low])
    assert [(c.a, c.b) for c in told.table.contacts] == [("bar-red", "wedge-red")]
    assert photos.see([low]).table.contacts == ()


def arm_over(piece: HungPiece) -> Change:
    """A change that reaches in from the edge of the picture over a piece."""
    small = np.zeros((180, 320), np.bool_)
    x, y = piece.outline_px.mean(0) / 4
    small[: int(y) + 12, int(x) - 12 : int(x) + 12] = True
    return find_regions(small, small, (4.0, 4.0), SIZE_PX, 1e-4)


def test_piece_under_an_arm_stays() -> None:
    """While something reaches in from the edge over a piece, it is not gone."""
    memory = CactusMemory(cactus_set())
    memory.update(observation([A, B]), picture=picture([A, B]))
    told = memory.update(observation([A]), arm_over(B), picture([A]))
    assert names(told) == ["bar-red", "hook-blue"]


def test_gone_piece_is_looked_for_twice_while_it_is_watched() -> None:
    """One look of a moving picture that does not find a piece asks for another before it is gone."""
    memory = CactusMemory(cactus_set())
    memory.update(observation([A, B]), picture=picture([A, B]))
    told = memory.update(observation([A]), None, picture([A]))
    assert (names(told), told.doubts) == (["bar-red", "hook-blue"], frozenset({"hook-blue"}))
    told = memory.update(observation([A]), None, picture([A]))
    assert (names(told), told.doubts) == (["bar-red"], frozenset())


def test_doubtful_new_piece_waits_for_a_second_look() -> None:
    """While it is watched, an unsure sighting is no piece before it is seen again."""
    memory = CactusMemory(cactus_set())
    memory.update(observation([A]), picture=picture([A]))
    faint = replace(B, confidence=0.6)
    told = memory.update(observation([A, faint]), None, picture([A, B]))
    assert (names(told), told.doubts) == (["bar-red"], frozenset({"hook-blue"}))
    assert names(memory.update(observation([A, faint]), None, picture([A, B]))) == ["bar-red", "hook-blue"]


def test_eye_remembers_hung_pieces_and_tells_the_next_look() -> None:
    """The pipeline of photos follows a set of Cactus, and what was seen helps the next look."""
    shown = [[A], [A, B]]
    asked: list[SceneModel] = []

    def observe(frame: Frame, model: SceneModel) -> Observation:
        asked.append(model)
        return observation(shown[frame.index])

    eye = Eye(SceneModel(cactus=cactus_set()), observe)
    for n, pieces in enumerate(shown):
        look = eye.read(Frame(picture(pieces), float(n), n))
        assert look.settled is not None
        assert names(look.settled) == sorted(p.id for p in pieces)
    assert asked[0].stage is None
    assert [h.id for h in asked[1].hung] == ["bar-red"]
    assert asked[1].stage is not None

"""The tracker: names that last, hidden cards that stay, readings that do not flicker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.table import Candidate, Placement, Pose, TableState
from vision.scene import Observation
from vision.tracking.change import Change, Region
from vision.tracking.settled import Settled
from vision.tracking.tracker import Tracker
from vision.types import Detection

SIZE_MM = (60.0, 90.0)
PX_PER_MM = 2.0
VIEW = ((0.0, 0.0), (640.0, 0.0), (640.0, 360.0), (0.0, 360.0))


def card(face: str | None, x: float, y: float, angle: float = 0.0, **more: object) -> Placement:
    """A card at a place in mm."""
    return Placement("", face, Pose(x, y, angle), SIZE_MM, **more)  # type: ignore[arg-type]


def outline(piece: Placement, moved: tuple[float, float] = (0, 0)) -> np.ndarray:
    return np.array(piece.corners()) * PX_PER_MM + moved


def observation(
    *pieces: Placement, moved: tuple[float, float] = (0, 0), covers: tuple[tuple[str, str], ...] = (), at_s: float = 0.0
) -> Observation:
    """An observation in which the camera was moved by some pixels."""
    keyed = tuple(replace(p, key=str(i)) for i, p in enumerate(pieces))
    detections = tuple(Detection(outline(p, moved), p.face, p.confidence, p.visible) for p in keyed)
    return Observation(detections, TableState(keyed, VIEW, covers), at_s)


def change(*quads: np.ndarray, at_border: bool = False, shift: tuple[float, float] = (0, 0)) -> Change:
    """A change that covers some outlines, on a picture of 1280 x 720."""
    import cv2

    labels = np.zeros((180, 320), np.int32)
    regions = []
    for n, quad in enumerate(quads):
        cv2.fillConvexPoly(labels, np.round(quad / 4).astype(np.int32), n + 1)
        box = (*quad.min(axis=0), *quad.max(axis=0))
        regions.append(Region(tuple(int(v) for v in box), at_border))  # type: ignore[arg-type]
    whole = None if shift == (0, 0) else np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1.0]])
    return Change(labels, (4.0, 4.0), tuple(regions), whole)


NOTHING = change()
A, B, C = card("A", 100, 100), card("B", 180, 100), card("C", 260, 100)
E = card("E", 300, 250)


def faces(settled: Settled) -> dict[str, str | None]:
    return {p.key: p.face for p in settled.table.placements}


def key_of(settled: Settled, face: str) -> str:
    keys = [p.key for p in settled.table.placements if p.face == face]
    assert len(keys) == 1
    return keys[0]


def test_names_last_whatever_order_the_cards_come_in() -> None:
    """A card keeps its key, and its new neighbour gets a new one."""
    tracker = Tracker()
    first = tracker.update(observation(A, B))
    second = tracker.update(observation(C, B, A), change(outline(C)))
    assert faces(second) == {**faces(first), key_of(second, "C"): "C"}
    assert second.seen == {p.key for p in second.table.placements}
    assert set(second.quads_px) == second.seen


def test_keys_in_covers_are_translated() -> None:
    """Who lies on whom is told by lasting keys."""
    tracker = Tracker()
    tracker.update(observation(A, B))
    on_a = card("C", 110, 130)
    settled = tracker.update(observation(on_a, B, A, covers=(("0", "2"),)), change(outline(on_a)))
    assert settled.table.covers == ((key_of(settled, "C"), key_of(settled, "A")),)


def test_moved_card_keeps_its_name() -> None:
    """A card that was taken from the pool and laid elsewhere is the same card."""
    tracker = Tracker()
    first = tracker.update(observation(A, B, C))
    there = card("B", 400, 300, 0.4)
    second = tracker.update(observation(A, there, C), change(outline(B), outline(there)))
    assert key_of(second, "B") == key_of(first, "B")
    assert second.table.placement(key_of(second, "B")).pose.x_mm == pytest.approx(400)


def test_flicker_on_an_untouched_card_is_outvoted() -> None:
    """Where nothing changed, one other reading does not replace the first; only a lasting one does."""
    tracker = Tracker()
    sure = card("A", 100, 100, confidence=0.95, candidates=(Candidate("A", 0.95), Candidate("B", 0.05)))
    other = card("B", 100, 100, confidence=0.7, candidates=(Candidate("B", 0.7), Candidate("A", 0.3)))
    key = key_of(tracker.update(observation(sure)), "A")
    for _ in range(2):
        tracker.update(observation(sure), NOTHING)
    flickered = tracker.update(observation(other), NOTHING)
    assert faces(flickered) == {key: "A"}
    assert flickered.doubtful
    assert flickered.table.placement(key).confidence < 0.95
    assert any(c.face == "B" and c.probability > 0.1 for c in flickered.table.placement(key).candidates)
    for _ in range(12):
        lasting = tracker.update(observation(other), NOTHING)
    assert faces(lasting) == {key: "B"}


def test_mixing_doubtful_looks_makes_no_certainty() -> None:
    """The same doubtful reading ten times is as doubtful as once: looks at one still picture err alike."""
    tracker = Tracker()
    doubtful = card("A", 100, 100, confidence=0.6, candidates=(Candidate("A", 0.6), Candidate("B", 0.4)))
    for _ in range(10):
        settled = tracker.update(observation(doubtful), NOTHING)
    assert settled.table.placements[0].confidence == pytest.approx(0.6, abs=0.01)


def test_exchanged_card_is_believed_at_once_where_its_place_changed() -> None:
    """A hand changed one card for another: the new reading holds."""
    tracker = Tracker()
    tracker.update(observation(A, B))
    other = card("X", 180, 100, confidence=0.98)
    settled = tracker.update(observation(A, other), change(outline(B)))
    assert sorted(str(f) for f in faces(settled).values()) == ["A", "X"]
    assert not settled.doubtful


def test_unsure_exchange_needs_a_second_look() -> None:
    """Where the place changed but the reading is weak, the next look decides."""
    tracker = Tracker()
    tracker.update(observation(A, B))
    weak = card("X", 180, 100, confidence=0.6, candidates=(Candidate("X", 0.6), Candidate("B", 0.3)))
    once = tracker.update(observation(A, weak), change(outline(B)))
    assert once.doubtful
    twice = tracker.update(observation(A, weak), change(outline(B)))
    assert sorted(str(f) for f in faces(twice).values()) == ["A", "X"]


def test_covered_card_stays_with_its_last_pose() -> None:
    """A card under another stays in the state, not seen, with the cover told."""
    tracker = Tracker()
    first = tracker.update(observation(A, E))
    left, right = card("C", 69, 100), card("D", 131, 100)
    settled = tracker.update(observation(left, right, E), change(outline(left), outline(right)))
    below = key_of(first, "A")
    assert key_of(settled, "A") == below
    assert below not in settled.seen
    assert settled.table.placement(below).visible == 0.0
    assert settled.table.placement(below).pose.x_mm == pytest.approx(100, abs=0.5)
    assert set(settled.table.covers) == {(key_of(settled, "C"), below), (key_of(settled, "D"), below)}
    assert not settled.doubtful


def test_card_under_an_arm_stays() -> None:
    """An arm reaching in over two cards takes neither away; their poses are the last ones seen."""
    tracker = Tracker()
    first = tracker.update(observation(A, B, C))
    arm = np.array([[330, 120], [580, 120], [580, 719], [330, 719]], float)
    settled = tracker.update(observation(A), change(arm, at_border=True))
    assert faces(settled) == faces(first)
    assert settled.seen == {key_of(settled, "A")}
    hidden = settled.table.placement(key_of(settled, "C"))
    assert hidden.visible == 0.0
    assert hidden.pose.x_mm == pytest.approx(260, abs=0.5)
    assert hidden.pose.y_mm == pytest.approx(100, abs=0.5)
    back = tracker.update(observation(A, B, C), NOTHING)
    assert faces(back) == faces(first)
    assert back.table.placement(key_of(back, "C")).visible == 1.0


def test_removed_card_goes_at_the_second_look() -> None:
    """A card whose place changed and where it is not found any more is gone when two looks agree."""
    tracker = Tracker()
    tracker.update(observation(A, B))
    once = tracker.update(observation(A), change(outline(B)))
    assert once.doubtful
    assert len(once.table.placements) == 2
    twice = tracker.update(observation(A), change(outline(B)))
    assert not twice.doubtful
    assert [p.face for p in twice.table.placements] == ["A"]


def test_card_at_the_edge_can_be_removed_too() -> None:
    """A change at the border that is just the card's own outline is the card gone, not an arm over it."""
    tracker = Tracker()
    edge = card("E", 300, 315)
    tracker.update(observation(A, edge))
    gone = change(outline(edge), at_border=True)
    tracker.update(observation(A), gone)
    assert [p.face for p in tracker.update(observation(A), gone).table.placements] == ["A"]


def test_missed_card_stays_where_nothing_changed() -> None:
    """A card that one look misses, on a place that did not change, is still there; one never seen again fades."""
    tracker = Tracker()
    first = tracker.update(observation(A, B))
    for _ in range(3):
        assert faces(tracker.update(observation(A), NOTHING)) == faces(first)
    assert faces(tracker.update(observation(A, B), NOTHING)) == faces(first)
    for _ in range(8):
        settled = tracker.update(observation(A), NOTHING)
    assert [p.face for p in settled.table.placements] == ["A"]


def test_unnamed_newcomer_is_told_only_when_seen_twice() -> None:
    """An outline without a name may be an invention: it waits for a second look."""
    tracker = Tracker()
    tracker.update(observation(A))
    unknown = card(None, 300, 200, confidence=0.7)
    once = tracker.update(observation(A, unknown), change(outline(unknown)))
    assert [p.face for p in once.table.placements] == ["A"]
    assert once.doubtful
    twice = tracker.update(observation(A, unknown), change(outline(unknown)))
    assert sorted(str(p.face) for p in twice.table.placements) == ["A", "None"]
    tracker = Tracker()
    tracker.update(observation(A))
    tracker.update(observation(A, unknown), change(outline(unknown)))
    assert [p.face for p in tracker.update(observation(A)).table.placements] == ["A"]


def test_bumped_camera_keeps_names_and_hidden_cards() -> None:
    """After the camera was pushed, cards keep their names, and a hidden one is where its neighbours say."""
    tracker = Tracker()
    first = tracker.update(observation(A, B, C))
    arm = np.array([[460, 60], [600, 60], [600, 719], [460, 719]], float)
    tracker.update(observation(A, B), change(arm, at_border=True))
    pushed = tracker.update(observation(A, B, moved=(70, -40)), change(arm, at_border=True))
    assert faces(pushed) == faces(first)
    np.testing.assert_allclose(pushed.quads_px[key_of(pushed, "C")], outline(C, (70, -40)), atol=2)
    assert pushed.table.placement(key_of(pushed, "C")).pose.x_mm == pytest.approx(260, abs=1)


def test_other_scale_of_the_plane_moves_nothing() -> None:
    """A plane that is estimated a little differently is no movement: seen or hidden, the cards lie where they lay."""
    tracker = Tracker()
    first = tracker.update(observation(A, B, C))
    grown = [
        replace(p, pose=Pose(p.pose.x_mm * 1.02 + 3, p.pose.y_mm * 1.02 - 2, 0.0), size_mm=(61.2, 91.8)) for p in (A, B)
    ]
    seen = observation(*grown)
    same_picture = tuple(replace_quad(d, outline(p)) for d, p in zip(seen.detections, (A, B), strict=True))
    arm = np.array([[460, 60], [600, 60], [600, 719], [460, 719]], float)
    settled = tracker.update(replace(seen, detections=same_picture), change(arm, at_border=True))
    assert faces(settled) == faces(first)
    for piece in (A, B, C):
        pose = settled.table.placement(key_of(settled, str(piece.face))).pose
        assert (pose.x_mm, pose.y_mm) == pytest.approx((piece.pose.x_mm, piece.pose.y_mm), abs=0.5)


def replace_quad(detection: Detection, quad: np.ndarray) -> Detection:
    return Detection(quad, detection.face, detection.confidence, detection.visible)


def test_empty_table_is_a_table() -> None:
    """Nothing seen is a state too, first and last."""
    tracker = Tracker()
    assert tracker.update(observation()).table.placements == ()
    tracker.update(observation(A), change(outline(A)))
    for _ in range(2):
        settled = tracker.update(observation(), change(outline(A)))
    assert settled.table.placements == ()

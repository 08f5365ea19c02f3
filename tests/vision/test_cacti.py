"""Cacti are found with camera and planes, whatever their paint, and followed from picture to picture."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.standing import ARC, OUTLINES, ROW, Standing, draw, drawn_set, rig_of
from vision.cactus.cacti import find_stage
from vision.cactus.cactus_set import CactusSet
from vision.cactus.stage_rig import Rig
from vision.cactus.upright import Stage


def errors(stage: Stage, cactus_set: CactusSet, stands: tuple[Standing, ...], rig: Rig) -> dict[str, float]:
    """Median distance in px between each outline where it was found and where it was drawn."""
    out = {}
    for k, s in enumerate(stands):
        look = cactus_set.cacti[s.cactus]
        points = np.c_[look.outline_mm, np.full(len(look.outline_mm), cactus_set.thickness_mm / 2)]
        for c in stage.cacti:
            if c.id == look.id:
                seen = stage.project(points, c.to_camera)
                out[c.id] = float(np.median(np.hypot(*(seen - rig.project(points, np.full(len(points), k))).T)))
    return out


@pytest.mark.parametrize(
    ("paints", "stands", "lamp"),
    [("green", ROW, (1.0, 1.0, 1.0)), ("bright", ARC, (1.0, 0.8, 0.55)), ("blue", ARC, (0.8, 0.85, 1.0))],
)
def test_all_cacti_are_found_under_any_lamp_and_paint(
    paints: str, stands: tuple[Standing, ...], lamp: tuple[float, float, float]
) -> None:
    """Five cacti are found to half a pixel, from left to right, in any paint and under any lamp."""
    cactus_set, rig = drawn_set(paints), rig_of(stands)
    stage = find_stage(draw(cactus_set, stands, rig, lamp), cactus_set)
    assert stage
    assert [c.id for c in stage.cacti] == [cactus_set.cacti[s.cactus].id for s in stands]
    assert max(errors(stage, cactus_set, stands, rig).values()) < 0.6


def test_camera_and_depth_come_from_the_cacti_alone() -> None:
    """Without a calibration the focal length and every distance are right to a few hundredths."""
    cactus_set, rig = drawn_set(), rig_of(ARC, focal=1180.0, pitch=20.0)
    stage = find_stage(draw(cactus_set, ARC, rig), cactus_set)
    assert stage
    assert stage.camera.K[0, 0] == pytest.approx(1180, rel=0.04)
    for k, c in enumerate(stage.cacti):
        assert c.to_camera.t[2] == pytest.approx(rig.to_camera(k).t[2], rel=0.04)


def test_a_given_camera_is_kept_and_places_cacti_in_millimetres() -> None:
    """With a calibrated camera each cactus is within 4 mm of its place and 3 degrees of its turn."""
    cactus_set, rig = drawn_set(), rig_of(ROW, k1=-0.08)
    stage = find_stage(draw(cactus_set, ROW, rig), cactus_set, rig.camera())
    assert stage
    assert stage.camera.K[0, 0] == pytest.approx(1000, rel=1e-4)
    for k, c in enumerate(stage.cacti):
        true = rig.to_camera(k)
        assert np.linalg.norm(c.to_camera.t - true.t) < 4
        assert np.degrees(np.arccos((np.trace(c.to_camera.R.T @ true.R) - 1) / 2)) < 3


def test_cacti_behind_hung_pieces_are_found() -> None:
    """Pieces that hide a part of every cactus do not move it."""
    cactus_set, rig = drawn_set(), rig_of(ROW)
    hung = ((0, 0, 76), (0, 22, 60), (1, 20, 72), (2, -4, 60), (2, 4, 20), (3, 0, 80), (3, -22, 60), (4, 0, 60))
    stage = find_stage(draw(cactus_set, ROW, rig, hung=hung), cactus_set)
    assert stage
    found = errors(stage, cactus_set, ROW, rig)
    assert len(found) == 5
    assert max(found.values()) < 0.8


@pytest.mark.parametrize(
    ("which", "turn", "hung"),
    [(0, -30.0, ((0, 76), (0, 66), (22, 56), (-20, 64))), (4, 28.0, ((3, 82), (0, 70), (-26, 52), (24, 40)))],
)
def test_a_cactus_that_turns_aside_behind_pieces_is_found(
    which: int, turn: float, hung: tuple[tuple[float, float], ...]
) -> None:
    """Where pieces hide head and arms and it faces aside, the others tell how tall a cactus is there."""
    stands = tuple(replace(s, turn=turn) if k == which else s for k, s in enumerate(ROW))
    cactus_set, rig = drawn_set(), rig_of(stands)
    stage = find_stage(draw(cactus_set, stands, rig, hung=tuple((which, x, y) for x, y in hung)), cactus_set)
    assert stage
    found = errors(stage, cactus_set, stands, rig)
    assert len(found) == 5
    assert max(found.values()) < 0.6


def test_none_is_invented() -> None:
    """Where three stand, three are told; where none stands, none."""
    cactus_set = drawn_set()
    stands = (ROW[0], ROW[2], ROW[4])
    stage = find_stage(draw(cactus_set, stands, rig_of(stands)), cactus_set)
    assert stage
    assert [c.id for c in stage.cacti] == ["tall", "round", "bent"]
    nothing = find_stage(draw(cactus_set, (), rig_of(())), cactus_set)
    assert not nothing
    assert nothing.reason == "no-cactus"


@pytest.mark.parametrize("seed", range(6))
def test_clutter_alone_makes_no_cactus(seed: int) -> None:
    """Many overlapping blobs and bars in the cacti's own colours are no cacti."""
    cactus_set = drawn_set()
    rng = np.random.default_rng(seed)
    picture = np.full((720, 1280, 3), (190, 180, 170), np.uint8)
    for _ in range(90):
        colour = tuple(int(v) for v in np.array(cactus_set.cacti[int(rng.integers(5))].rgb) * rng.uniform(0.8, 1.2))
        a, b = rng.uniform((0, 0), (1280, 720), (2, 2)).astype(int)
        if rng.random() < 0.5:
            cv2.ellipse(picture, tuple(a), (int(rng.uniform(8, 50)), int(rng.uniform(8, 50))), 0, 0, 360, colour, -1)
        else:
            cv2.line(picture, tuple(a), tuple(a + (b - a) // 8), colour, int(rng.uniform(8, 26)))
    assert not find_stage(picture, cactus_set)


def test_any_order_of_the_cacti_is_read() -> None:
    """The cacti are told by their outlines, not by their places."""
    cactus_set = drawn_set("blue")
    order = (3, 1, 4, 0, 2)
    stands = tuple(replace(s, cactus=order[k]) for k, s in enumerate(ARC))
    stage = find_stage(draw(cactus_set, stands, rig_of(stands)), cactus_set)
    assert stage
    assert [c.id for c in stage.cacti] == [cactus_set.cacti[k].id for k in order]


def test_a_moved_cactus_is_followed() -> None:
    """With the stage of an earlier picture, the cacti that stay are kept and the one that moved is found again."""
    cactus_set, rig = drawn_set(), rig_of(ROW)
    before = find_stage(draw(cactus_set, ROW, rig), cactus_set)
    assert before
    moved = (*ROW[:3], replace(ROW[3], x=ROW[3].x + 14, y=ROW[3].y - 45, turn=-12.0), ROW[4])
    after = find_stage(draw(cactus_set, moved, rig_of(moved), seed=3), cactus_set, known=before)
    assert after
    found = errors(after, cactus_set, moved, rig_of(moved))
    assert len(found) == 5
    assert max(found.values()) < 0.8
    assert after.camera.K[0, 0] == before.camera.K[0, 0]


def test_a_picture_of_another_size_gives_the_same_stage() -> None:
    """A picture too wide to be looked at whole is looked at smaller, and the stage belongs to its own pixels."""
    cactus_set, rig = drawn_set(), rig_of(ARC)
    small = draw(cactus_set, ARC, rig)
    wide = cv2.resize(small, (2560, 1440), interpolation=cv2.INTER_CUBIC)
    one, two = find_stage(small, cactus_set), find_stage(wide, cactus_set)
    assert one
    assert two
    assert two.camera.size_px == (2560, 1440)
    for a, b in zip(one.cacti, two.cacti, strict=True):
        p, q = one.project(np.zeros((1, 3)), a.to_camera)[0], two.project(np.zeros((1, 3)), b.to_camera)[0]
        assert (p + 0.5) * 2 - 0.5 == pytest.approx(q, abs=1.5)


def test_a_cactus_that_shows_its_back_is_found_with_its_front_away() -> None:
    """Two cacti stand turned round: they are named and lie to half a pixel, their fronts look away; also when known."""
    cactus_set = drawn_set()
    stands = tuple(replace(s, turn=s.turn + 180) if k in (0, 4) else s for k, s in enumerate(ARC))
    rig = rig_of(stands)
    picture = draw(cactus_set, stands, rig)
    first = find_stage(picture, cactus_set)
    assert first
    for stage in (first, find_stage(picture, cactus_set, known=first)):
        assert stage
        assert [c.id for c in stage.cacti] == [c.id for c in cactus_set.cacti]
        for k, c in enumerate(stage.cacti):
            assert (c.to_camera.R[2, 2] > 0) == (k in (0, 4))
            look = cactus_set.cacti[k].outline_mm
            near = -1 if k in (0, 4) else 1
            points = np.c_[look, np.full(len(look), near * cactus_set.thickness_mm / 2)]
            off = stage.project(points, c.to_camera) - rig.project(points, np.full(len(points), k))
            assert np.median(np.hypot(*off.T)) < 0.6


def test_a_dark_picture_is_read_like_a_bright_one() -> None:
    """A fifth of the light is enough."""
    cactus_set, rig = drawn_set(), rig_of(ARC)
    stage = find_stage(draw(cactus_set, ARC, rig, (0.2, 0.2, 0.2)), cactus_set)
    assert stage
    found = errors(stage, cactus_set, ARC, rig)
    assert len(found) == 5
    assert max(found.values()) < 0.6


def test_a_second_set_is_told_as_long_as_it_stands_there() -> None:
    """Of two sets in one picture one is found, and the other one is named; of one set nothing is spare."""
    cactus_set = drawn_set()
    both = tuple(Standing(k % 5, -270 + 60 * k, 560 + k % 2 * 10) for k in range(10))
    rig = rig_of(both)
    first = find_stage(draw(cactus_set, both, rig), cactus_set)
    assert isinstance(first, Stage)
    assert {u.id for u in first.spare} == {u.id for u in first.cacti} == set(OUTLINES)
    again = find_stage(draw(cactus_set, both, rig, seed=1), cactus_set, None, first)
    assert isinstance(again, Stage)
    assert len(again.spare) == 5
    feet = [u.to_camera.t[0] for u in first.cacti]
    kept = both[:5] if np.mean(feet) < 0 else both[5:]
    alone = find_stage(draw(cactus_set, kept, rig_of(kept)), cactus_set, None, again)
    assert isinstance(alone, Stage)
    assert (len(alone.cacti), alone.spare) == (5, ())

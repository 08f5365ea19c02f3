"""Whether two pictures show one table: mirrored, of another turn and of another match are told, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.vision.flat_hung import cactus_set, hang, observation, outline_px, picture, stage
from vision.cactus.joint_start import Sighted
from vision.cactus.memory import CactusMemory
from vision.cactus.same_table import another_table
from vision.cactus.upright import HungPiece, Rigid, Stage
from vision.types import Failure

FIRST, ASIDE = stage(), stage(turn=0.45)
BAR, GATE, STAIR = hang("bar-red", "K3", (0, 70)), hang("gate-red", "K1", (2, 72)), hang("stair-blue", "K2", (5, 70))


def sighted(view: Stage, *hung: HungPiece, found: int | None = None) -> Sighted:
    """A picture of pieces from a place, of which the eye found so many."""
    there = tuple(replace(h, outline_px=outline_px(h, view)) for h in hung)
    return Sighted(view, there[:found], picture(hung, view, bare=False))


def told(first: Sighted, second: Sighted) -> Failure | None:
    return another_table(cactus_set(), first, second)


def test_same_table_from_beside_is_taken() -> None:
    """What both show, and what one of the looks overlooked though it hangs there, speaks for one table."""
    first = sighted(FIRST, BAR, GATE, STAIR)
    assert told(first, sighted(ASIDE, BAR, GATE, STAIR)) is None
    assert told(first, sighted(ASIDE, BAR, GATE, STAIR, found=2)) is None
    assert told(sighted(FIRST, BAR, GATE, STAIR, found=1), sighted(ASIDE, BAR, GATE, STAIR)) is None


def test_piece_that_hangs_in_one_picture_only_is_named() -> None:
    """A picture of the turn before or after lacks a piece, or has one more: nothing is at its place in the other."""
    for first, second in (((BAR, GATE, STAIR), (BAR, GATE)), ((BAR, GATE), (BAR, GATE, STAIR))):
        failure = told(sighted(FIRST, *first), sighted(ASIDE, *second))
        assert failure is not None
        assert (failure.reason, "stair-blue" in failure.detail) == ("another table", True)


def test_piece_that_is_hidden_says_nothing() -> None:
    """A piece at whose place another one is seen may hang behind it."""
    before = hang("gate-red", "K3", (0, 70), z=30.0)
    behind = hang("stair-blue", "K3", (0, 70))
    first, second = sighted(ASIDE, BAR, behind), sighted(FIRST, BAR, before, behind, found=2)
    cover = replace(before, outline_px=np.array([[0.0, 0], [1279, 0], [1279, 719], [0, 719]]))
    assert told(first, replace(second, hung=(BAR, replace(cover, confidence=0.5)))) is None


def test_piece_that_is_given_to_the_wrong_cactus_is_there() -> None:
    """One of the looks may hang it on the neighbour: in the picture it is where it is."""
    first, second = sighted(FIRST, BAR, GATE, STAIR), sighted(ASIDE, BAR, GATE, STAIR)
    own, other = (next(u for u in ASIDE.cacti if u.id == name) for name in ("K2", "K1"))
    pose = other.to_camera.inverse().after(own.to_camera.after(STAIR.to_cactus))
    astray = replace(second.hung[2], cactus="K1", to_cactus=pose)
    assert told(first, replace(second, hung=(*second.hung[:2], astray))) is None


def test_pieces_on_other_cacti_are_another_match() -> None:
    """The same pieces, hung elsewhere."""
    moved = [replace(h, cactus=name) for h, name in ((BAR, "K1"), (GATE, "K2"), (STAIR, "K3"))]
    failure = told(sighted(FIRST, BAR, GATE, STAIR), sighted(ASIDE, *moved))
    assert failure is not None
    assert failure.reason == "another table"


def test_the_same_photo_is_no_second_view() -> None:
    """It tells no depth: it would only blur what the first says."""
    first = sighted(FIRST, BAR, GATE, STAIR)
    failure = told(first, replace(first))
    assert failure is not None
    assert failure.reason == "same picture"


def test_a_copy_of_the_photo_is_no_second_view() -> None:
    """Compressed anew, or taken a finger's breadth aside, it tells no more; a small step aside does."""
    first = sighted(FIRST, BAR, GATE, STAIR)
    for turn, reason in ((0.005, "same view"), (0.02, "same view"), (0.12, None)):
        failure = told(first, sighted(stage(turn=turn), BAR, GATE, STAIR))
        assert (failure.reason if failure is not None else None) == reason


def test_mirrored_picture_is_told() -> None:
    """Cacti in the reverse order, or seen from behind; and no cactus at all that both show."""
    first = sighted(FIRST, BAR, GATE, STAIR)
    order = tuple(reversed([u.id for u in FIRST.cacti]))
    swapped = replace(FIRST, cacti=tuple(replace(u, id=name) for u, name in zip(FIRST.cacti, order, strict=True)))
    turn = Rigid(np.diag([-1.0, 1.0, -1.0]), np.zeros(3))
    behind = replace(FIRST, cacti=tuple(replace(u, to_camera=u.to_camera.after(turn)) for u in FIRST.cacti))
    for view in (swapped, behind):
        failure = told(first, Sighted(view, ()))
        assert failure is not None
        assert failure.reason == "mirrored"
    assert told(first, Sighted(replace(FIRST, cacti=()), ())) is not None


def test_memory_takes_nothing_from_another_table() -> None:
    """What was known of contacts stays as it was."""
    near = hang("gate-red", "K3", (2, 72), z=7.0, depth_sigma_mm=3.0)
    memory = CactusMemory(cactus_set())
    before = memory.update(observation((BAR, near), FIRST), picture=picture((BAR, near)), alone=True)
    other = tuple(replace(h, cactus="K5") for h in (BAR, near))
    assert isinstance(memory.settle(observation(other, ASIDE), picture(other, ASIDE)), Failure)
    again = memory.update(observation((BAR, near), FIRST), picture=picture((BAR, near)), alone=True)
    assert again.table.contacts[0].touching == before.table.contacts[0].touching

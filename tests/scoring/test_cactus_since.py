"""Contacts weighed by what a turn did to the pieces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.games.cactus_since import since
from scoring.table import Contact, ContactKind, Placement, Pose
from tests.scoring.cactus_tables import piece, table

ONE, TWO = piece("bar-red", "K1", (0, -20)), piece("hook-red", "K1", (10, -20))


def touching(now: tuple[Placement, ...], then: tuple[Placement, ...], of: Contact) -> float:
    """Probability of a contact after a turn."""
    before, after = (replace(table({}), placements=p) for p in (then, now))
    (told,) = since(before, replace(after, contacts=(of,))).contacts
    assert replace(told, touching=of.touching) == of
    return told.touching


def pair(probability: float) -> Contact:
    """A contact of the two."""
    return Contact(ContactKind.SAME_COLOR, ONE.key, TWO.key, 0.1, 0.3, probability)


def shifted(p: Placement, x_mm: float) -> Placement:
    """A piece hung elsewhere."""
    return replace(p, pose=Pose(p.pose.x_mm + x_mm, p.pose.y_mm, p.pose.angle_rad, p.pose.plane))


@pytest.mark.parametrize("by_mm", [0.0, 0.5])
def test_what_was_left_hanging_is_hardly_said_to_touch(by_mm: float) -> None:
    """What would be told of two that were just hung is not told of two that hang as before, measured anew."""
    assert touching((ONE, shifted(TWO, by_mm)), (ONE, TWO), pair(0.95)) < 0.8
    assert touching((ONE, shifted(TWO, by_mm)), (ONE, TWO), pair(0.3)) < 0.1


def test_what_was_hung_or_pushed_may_touch() -> None:
    """One of the two that is new, or hangs elsewhere, leaves it open."""
    for then in ((ONE,), (TWO,), (ONE, shifted(TWO, 5.0))):
        assert 0.9 < touching((ONE, TWO), then, pair(0.9)) < 0.95
        assert touching((ONE, TWO), then, pair(0.05)) < 0.1


def test_what_is_certain_stays_so() -> None:
    """What people stated is not weighed against anything."""
    for certain in (0.0, 1.0):
        assert touching((ONE, TWO), (ONE, TWO), pair(certain)) == certain


def test_base_and_table_are_told_as_seen() -> None:
    """Only of two pieces is it known that whoever hung them looked."""
    low = Contact(ContactKind.BASE, ONE.key, None, 0.0, 0.2, 0.93)
    assert touching((ONE, TWO), (ONE, TWO), low) == 0.93

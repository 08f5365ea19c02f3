"""A move is the difference of two settled tables."""

from __future__ import annotations

from dataclasses import replace

from scoring.moves import Fell, Placed, Removed, Shifted, Source, diff
from scoring.table import Placement, Pose, TableState

VIEW = ((0.0, 0.0), (500.0, 0.0), (500.0, 300.0), (0.0, 300.0))


def piece(key: str, x: float = 0.0, plane: str = "table", sigma: float = 0.5) -> Placement:
    return Placement(key, key.upper(), Pose(x, 50.0, 0.0, plane), (59.0, 92.0), sigma)


def table(*pieces: Placement) -> TableState:
    return TableState(pieces, VIEW)


def test_each_kind_of_change_is_told_once() -> None:
    """One piece of each kind, in a fixed order."""
    before = table(piece("a"), piece("b", 100), piece("c", 200, "K1"), piece("e", 400))
    after = table(piece("e", 400.2), piece("d", 300), piece("c", 210), piece("b", 120))
    assert diff(before, after) == (
        Removed(piece("a")),
        Fell(piece("c", 200, "K1"), piece("c", 210)),
        Shifted(piece("b", 100), piece("b", 120)),
        Placed(piece("d", 300)),
    )
    assert {m.source for m in diff(before, after)} == {Source.CAMERA}


def test_noise_is_no_move() -> None:
    """Less than the tolerance, or less than three standard deviations, lies still; a turn moves the corners."""
    assert diff(table(piece("a", 0)), table(piece("a", 2.9))) == ()
    assert diff(table(piece("a", 0, sigma=3)), table(piece("a", 12, sigma=3))) == ()
    turned = replace(piece("a"), pose=Pose(0.0, 50.0, 0.2))
    assert diff(table(piece("a")), table(turned)) == (Shifted(piece("a"), turned),)


def test_the_order_of_the_pieces_changes_nothing() -> None:
    """Two lists of the same table are the same table."""
    a, b, c = piece("a"), piece("b", 100), piece("c", 200)
    assert diff(table(a, b), table(c, b)) == diff(table(b, a), table(b, c))


def test_a_piece_that_changes_its_cactus_is_shifted_and_did_not_fall() -> None:
    """Only the table's own plane is a fall."""
    before, after = piece("a", 0, "K1"), piece("a", 0, "K2")
    assert diff(table(before), table(after)) == (Shifted(before, after),)

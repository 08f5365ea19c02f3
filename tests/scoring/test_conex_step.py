"""What two settled tables of CONEX tell: a card laid, taken off, laid anew, pushed, or read differently."""

from __future__ import annotations

from dataclasses import replace

from scoring.games.conex_step import RELAID_MM, read_step
from scoring.table import Placement, Pose, Side, TableState

VIEW = ((0.0, 0.0), (900.0, 0.0), (900.0, 600.0), (0.0, 600.0))


def card(key: str, face: str | None, x: float, y: float = 200.0, **more: object) -> Placement:
    return Placement(key, face, Pose(x, y, 0.3), (59.0, 92.0), 0.3, **more)  # type: ignore[arg-type]


def table(*cards: Placement, covers: tuple[tuple[str, str], ...] = ()) -> TableState:
    return TableState(cards, VIEW, covers)


A, B = card("1", "C01", 100), card("2", "C02", 300)


def test_new_card_is_a_placement() -> None:
    """A card that was not there before was laid."""
    step = read_step(table(A), table(A, B))
    assert step.placed == B
    assert (step.removed, step.relaid) == ((), False)


def test_missing_card_was_taken_off() -> None:
    """A card that is gone was removed, and nothing was laid."""
    step = read_step(table(A, B), table(A))
    assert step.placed is None
    assert step.removed == (B,)


def test_card_laid_anew_is_both() -> None:
    """A card that lies elsewhere was taken off and laid, whether the tracker kept its key or not."""
    for key in ("2", "9"):
        again = card(key, "C02", 300 + RELAID_MM + 5)
        step = read_step(table(A, B), table(A, again))
        assert step.placed == again
        assert step.removed == (B,)
        assert step.relaid


def test_push_is_neither() -> None:
    """A card that was pushed by a few millimetres was not laid."""
    step = read_step(table(A, B), table(A, card("2", "C02", 304)))
    assert step.quiet
    assert [m.after.key for m in step.shifted] == ["2"]


def test_card_below_another_cannot_be_taken_up() -> None:
    """A card that moved with one on top of it was pushed, however far."""
    covers = (("1", "2"),)
    step = read_step(table(A, B, covers=covers), table(A, card("2", "C02", 320), covers=covers))
    assert step.quiet


def test_bumped_table_is_no_placement() -> None:
    """Several cards that moved far at once were not laid by anybody."""
    assert read_step(table(A, B), table(card("1", "C01", 115), card("2", "C02", 318))).quiet


def test_card_read_differently_at_its_place_is_the_same_card() -> None:
    """A card without a name that gets one at the same place was there all the time."""
    assert read_step(table(A, replace(B, face=None)), table(A, card("7", "C02", 301))).quiet


def test_card_that_moved_while_another_was_laid_was_pushed() -> None:
    """A hand lays one card: one that moved meanwhile was pushed."""
    step = read_step(table(A), table(card("1", "C01", 115), B))
    assert (step.placed, step.removed) == (B, ())
    assert [m.after.key for m in step.shifted] == ["1"]


def test_face_down_cards_and_suspicions_are_not_laid() -> None:
    """A pile of backs and an outline that is hardly a card are no placement; an unread card is one."""
    down = card("5", None, 500, side=Side.BACK)
    vague = card("6", None, 500, confidence=0.3)
    unread = card("7", None, 500, confidence=0.9)
    assert read_step(table(A), table(A, down)).quiet
    assert read_step(table(A, down), table(A)).quiet
    assert read_step(table(A), table(A, vague)).quiet
    assert read_step(table(A), table(A, unread)).placed == unread


def test_second_card_of_a_step_is_told_apart() -> None:
    """Two cards laid at once are one placement and another that was missed."""
    c = card("3", "C03", 600, confidence=0.8)
    step = read_step(table(A), table(A, B, c))
    assert (step.placed, step.others) == (B, (c,))

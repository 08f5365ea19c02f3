"""What hangs on what, told for all of it together: each piece touches something."""

from __future__ import annotations

import numpy as np
import pytest

from vision.cactus.contact_graph import APART_MM, PLACES_MM, Meeting, Met, settle

KNOWN = np.exp(-0.5 * PLACES_MM**2)
UNHELD = 0.02


def fast(touch: float, clear: float = 1.0) -> Meeting:
    """The first piece and something that stands fast."""
    k = np.ones(len(PLACES_MM))
    return Meeting(0, None, touch * k, clear * k)


def told(*meetings: Meeting, pieces: int = 1, unheld: float = UNHELD) -> list[float]:
    """Probability of each touch."""
    return [m.touching for m in settle([KNOWN] * pieces, meetings, [unheld] * pieces)]


def test_the_only_thing_that_may_hold_a_piece_holds_it() -> None:
    """What is as likely to touch as not does, where nothing else is near."""
    (alone,) = told(fast(1.0))
    assert alone == pytest.approx(1 / (1 + UNHELD), abs=1e-6)
    (free,) = told(fast(1.0), unheld=1.0)
    assert free == pytest.approx(0.5, abs=1e-6)


def test_what_holds_a_piece_surely_leaves_the_rest_open() -> None:
    """A second thing near a piece that is held is told by its own gap alone."""
    sure, other = told(fast(1000.0), fast(1.0))
    assert sure > 0.99
    assert other == pytest.approx(0.5, abs=0.01)


def test_each_piece_may_have_something_hidden_that_holds_it() -> None:
    """Where one surely is held by nothing hidden, and another may be, only the first must touch what it may touch."""
    free = np.ones(len(APART_MM))
    told = settle([KNOWN] * 2, [fast(1.0), Meeting(1, 0, 0.0 * free, free)], [0.01, 1.0])
    assert told[0].touching == pytest.approx(1 / 1.01, abs=1e-3)
    loose = settle([KNOWN] * 2, [fast(1.0), Meeting(1, 0, 0.0 * free, free)], [1.0, 1.0])
    assert loose[0].touching == pytest.approx(0.5, abs=1e-3)


def test_two_that_may_hold_a_piece_share_the_doubt() -> None:
    """Either is likely, both are no likelier than each by itself."""
    one, other = told(fast(0.1), fast(0.1))
    assert one == pytest.approx(other)
    assert 0.4 < one < 0.6


def test_places_are_passed_along() -> None:
    """A piece that can touch the other at one place only is found there, and the other with it."""
    near = np.where(np.abs(APART_MM - 4.0) < 0.3, 1.0, 0.0)
    pair = Meeting(1, 0, near, np.full(len(APART_MM), 1.0))
    pinned = np.where(np.abs(PLACES_MM + 2.0) < 0.3, 50.0, 0.0)
    held = Meeting(0, None, pinned, np.full(len(PLACES_MM), 1.0))
    met: list[Met] = settle([KNOWN, np.ones(len(PLACES_MM))], [held, pair], [UNHELD] * 2)
    assert met[0].touching > 0.6
    assert met[1].touching > 0.4
    where = float((met[1].touch * APART_MM).sum() / met[1].touch.sum())
    assert where == pytest.approx(4.0, abs=0.3)


def test_probabilities_add_up() -> None:
    """Touching and clear, over all places, are one."""
    rng = np.random.default_rng(3)
    pairs = [Meeting(i, j, *rng.random((2, len(APART_MM)))) for i, j in ((0, 1), (1, 2), (0, 2))]
    for met in settle([KNOWN] * 3, [*pairs, fast(0.4)], [UNHELD] * 3):
        assert float(met.touch.sum() + met.clear.sum()) == pytest.approx(1.0)

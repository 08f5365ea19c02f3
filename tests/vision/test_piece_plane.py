"""Where cacti stand behind one another, its size tells on which of them a piece hangs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.decks.cactus_sets import ensure_set
from tests.vision.hung_scene import At, photograph
from vision.cactus.piece_fit import ROUGH, Pose, at_sight, pose_of
from vision.cactus.piece_plane import elsewhere, moved_to, sized_mm
from vision.cactus.piece_read import Reading, fitted, judged
from vision.cactus.piece_search import Guess, bank_of
from vision.cactus.piece_view import View, look_at

BESIDE = At("bolt-pink", "K1", 55, 70)
BEHIND_MM = 70.0


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[View, Pose]:
    """A piece of the first cactus, before the second one, which stands farther away; and its true pose."""
    folder = ensure_set(tmp_path_factory.mktemp("sets"), "tune-agave")
    photo = photograph(folder, (BESIDE,), farther_mm=BEHIND_MM)
    bank = bank_of(photo.cactus_set)
    view = look_at(photo.rgb, photo.cactus_set, photo.stage, bank)
    color = photo.cactus_set.piece(BESIDE.name).color
    shape = next(s for s in bank.shapes[color] if s.piece.id == BESIDE.name and not s.flipped)
    x, y = shape.centre_mm + (BESIDE.x, BESIDE.y)
    return view, pose_of(Guess(shape, float(x), float(y), 0.0, 0.0), photo.cactus_set.thickness_mm)


def on(view: View, pose: Pose, cactus: int) -> tuple[Reading, Reading]:
    """The piece as it seems to lie on the plane of a cactus, before and after it is fitted there."""
    guess = judged(view, cactus, at_sight(pose))
    (fit,) = fitted(view, [(cactus, pose)], ROUGH)
    return guess, fit


def test_piece_on_the_wrong_plane_is_sent_to_its_own(seen: tuple[View, Pose]) -> None:
    """On the plane of a cactus far behind it no piece convinces; on the plane that its size tells it does."""
    view, pose = seen
    guess, fit = on(view, moved_to(view, pose, 0, 1), 1)
    assert not fit.convinces
    there = elsewhere(view, guess, fit)
    assert there is not None
    assert there[0] == 0
    (again,) = fitted(view, [there], ROUGH)
    assert again.convinces
    assert np.abs(again.fit.pose.numbers[:2] - pose.numbers[:2]).max() < 1.0


def test_piece_on_its_own_plane_stays_there(seen: tuple[View, Pose]) -> None:
    """A piece whose size fits is sent nowhere, and is before the other planes by as much as these are behind."""
    view, pose = seen
    guess, fit = on(view, pose, 0)
    assert elsewhere(view, guess, fit) is None
    near, far, farthest = sized_mm(view, fit)
    assert abs(near) < 10
    assert far == pytest.approx(near + BEHIND_MM, abs=1.0)
    assert farthest == pytest.approx(near + 2 * BEHIND_MM, abs=1.0)

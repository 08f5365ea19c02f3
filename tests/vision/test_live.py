"""What the eye learns of a camera that stays, picture by picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.laid_table import BOARD_MM, CARD_MM, SIZE_PX, Card, Table
from vision.camera import CameraModel
from vision.deck import DeckAppearance, LookSet
from vision.live import Eye
from vision.plane import LensPrior
from vision.scene import Observation, SceneModel
from vision.types import Failure, Frame, Standing

TABLE = Table((Card("C01", -120, -40, 20), Card("C02", 100, 30, -30), Card("C03", 140, 105, 10)))
LENS = LensPrior(-0.2, 0.05, -0.04, 0.03)
DECK = DeckAppearance("drawn", "conex", CARD_MM, 3.0, (), LookSet(BOARD_MM, 0.0, ()))


class Watched:
    """An eye, and what it knew before each look."""

    def __init__(self, model: SceneModel, *answers: Observation | Failure) -> None:
        self.answers = list(answers)
        self.knew: list[SceneModel] = []
        self.eye = Eye(model, self.observe)

    def observe(self, frame: Frame, model: SceneModel) -> Observation | Failure:
        self.knew.append(model)
        return self.answers[frame.index]

    def read_all(self) -> list[SceneModel]:
        """Show a photograph for each answer, and one more for what was learned from the last."""
        self.answers.append(Failure("the end"))
        for i in range(len(self.answers)):
            self.eye.read(Frame(TABLE.picture(i), float(i), i))
        return self.knew


def seen(seed: int = 0, lens: LensPrior | None = LENS, board: bool = True) -> Observation:
    """A look whose plane tells that of the lens."""
    got = TABLE.observation(seed, sees_board=board)
    assert got.plane is not None
    return replace(got, plane=replace(got.plane, lens=lens))


def test_each_picture_knows_what_the_one_before_told() -> None:
    """The lens, a little loosened, and where the board was; nothing before the first picture."""
    second = LensPrior(-0.22, 0.04, -0.05, 0.02)
    first, then, last = Watched(SceneModel(DECK), seen(1), seen(2, second)).read_all()
    assert first.lens is None
    assert first.board_px is None
    assert then.lens == LENS.loosened()
    assert last.lens == second.loosened()
    np.testing.assert_array_equal(then.board_px, seen(1).board.quad_px)  # type: ignore[union-attr]
    np.testing.assert_array_equal(last.board_px, seen(2).board.quad_px)  # type: ignore[union-attr]
    assert then.deck is DECK


def test_a_picture_that_tells_nothing_takes_nothing_away() -> None:
    """A failure, a plane without a lens, a hidden board: what was known stays known."""
    blind = seen(2, None, False)
    assert blind.board is None
    answers = (seen(1), Failure("a hand"), blind, replace(blind, plane=None))
    knew = Watched(SceneModel(DECK), *answers).read_all()
    for model in knew[1:]:
        assert model.lens == LENS.loosened()
        np.testing.assert_array_equal(model.board_px, seen(1).board.quad_px)  # type: ignore[union-attr]


def test_a_calibration_knows_better() -> None:
    """With a calibrated camera no lens is learned; the board's place is."""
    camera = CameraModel(SIZE_PX, np.array([[800.0, 0, 480], [0, 800.0, 270], [0, 0, 1]]), np.zeros(5))
    _, then = Watched(SceneModel(DECK, camera), seen(1)).read_all()
    assert then.lens is None
    assert then.camera is camera
    assert then.board_px is not None


@pytest.mark.parametrize("deck", [None, replace(DECK, board=None)])
def test_only_a_game_with_a_board_learns(deck: DeckAppearance | None) -> None:
    """For cards alone every picture is looked at for itself."""
    first, then = Watched(SceneModel(deck), seen(1)).read_all()
    assert then is first


def test_two_eyes_learn_apart() -> None:
    """What one camera's pictures tell is nothing to another's."""
    model = SceneModel(DECK)
    Watched(model, seen(1)).read_all()
    first, *_ = Watched(model, seen(2)).read_all()
    assert first.lens is None
    assert first.board_px is None


def stands(standing: Standing, seed: int = 1) -> Observation:
    """A look that agrees with the calibration, or contradicts it."""
    return replace(seen(seed), standing=standing)


CALIBRATED = SceneModel(
    DECK,
    CameraModel(SIZE_PX, np.array([[800.0, 0, 480], [0, 800.0, 270], [0, 0, 1]]), np.zeros(5)),
    table=TABLE.observation(0).plane,
)


def test_a_plane_that_was_contradicted_twice_is_given_up_and_the_lens_kept() -> None:
    """One odd look may be a mistake; two in a row are a camera that stands elsewhere."""
    looks = [stands(Standing.MOVED), stands(Standing.AS_CALIBRATED), stands(Standing.MOVED), stands(Standing.MOVED)]
    knew = Watched(CALIBRATED, *looks).read_all()
    assert [model.table is not None for model in knew] == [True, True, True, True, False]
    assert all(model.camera is not None for model in knew)


def test_a_lens_that_was_contradicted_twice_is_given_up() -> None:
    """Zoomed or focused anew, the calibrated lens would bend every table."""
    knew = Watched(CALIBRATED, stands(Standing.LENS), stands(Standing.LENS)).read_all()
    assert [model.camera is not None for model in knew] == [True, True, False]
    assert knew[-1].table is None


def test_what_was_told_of_the_calibration_lasts_until_something_else_is() -> None:
    """A look that tells nothing, as of an empty table, leaves what is known of the camera."""
    watched = Watched(CALIBRATED, stands(Standing.MOVED), stands(Standing.UNKNOWN), stands(Standing.AS_CALIBRATED))
    told = [watched.eye.read(Frame(TABLE.picture(i), float(i), i)).standing for i in range(3)]
    assert told == [Standing.MOVED, Standing.MOVED, Standing.AS_CALIBRATED]

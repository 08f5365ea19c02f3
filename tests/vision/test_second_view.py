"""Two pictures of one table from different places: what they settle together, and what they do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.table import Contact
from tests.vision.flat_hung import cactus_set, hang, observation, picture, stage
from vision.cactus.contacts import find_contacts, sight
from vision.cactus.joint_start import Sighted, fit_both
from vision.cactus.memory import CactusMemory
from vision.cactus.second_view import joined, settle
from vision.cactus.upright import HungPiece, Rigid, Stage
from vision.live import Eye
from vision.scene import Observation, SceneModel
from vision.tracking.settled import Settled
from vision.types import Failure, Frame

FIRST, ASIDE = stage(), stage(turn=0.45)
T = cactus_set().thickness_mm


def seen(piece: HungPiece, view: Stage, off_mm: float, depth_sigma_mm: float = 2.5) -> HungPiece:
    """A piece as one view has it: exact across its line of sight, and `off_mm` nearer than it is."""
    upright = next(u for u in view.cacti if u.id == piece.cactus)
    t = piece.to_cactus.t + off_mm * sight(upright, piece)
    return replace(piece, to_cactus=Rigid(piece.to_cactus.R, t), depth_sigma_mm=depth_sigma_mm)


def views(*pieces: tuple[HungPiece, float, float]) -> tuple[Sighted, Sighted]:
    """Both views of pieces, each with how much nearer each view has it."""
    return (
        Sighted(FIRST, tuple(seen(p, FIRST, one) for p, one, _ in pieces)),
        Sighted(ASIDE, tuple(seen(p, ASIDE, two) for p, _, two in pieces)),
    )


def crossing(gap_mm: float) -> tuple[HungPiece, HungPiece]:
    """Two red pieces, one before the other with that much air between them."""
    return hang("bar-red", "K3", (0, 70)), hang("gate-red", "K3", (2, 72), z=T + gap_mm)


def contact(first: Sighted, second: Sighted | None) -> Contact:
    if second is None:
        (found,) = find_contacts(cactus_set(), first.stage, first.hung)
    else:
        (found,) = settle(cactus_set(), first, second)[0]
    return found


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize(("one", "two"), [(3.0, -2.0), (-3.0, -3.0), (0.0, 4.0)])
def test_two_views_agree_on_one_place(flipped: bool, one: float, two: float) -> None:
    """Depth that each view has wrong is right where their lines of sight meet."""
    piece = hang("stair-blue", "K2", (5, 70), 0.7, z=2.0, flipped=flipped)
    (both,) = joined(cactus_set(), *views((piece, one, two)))
    np.testing.assert_allclose(both.hung.to_cactus.t, piece.to_cactus.t, atol=0.4)
    assert both.hung.depth_sigma_mm < 1.5
    assert np.linalg.eigvalsh(both.spread)[0] > 0


def test_second_view_that_has_the_cactus_aside_keeps_pieces_together() -> None:
    """What the second view has wrong with a cactus as a whole moves its pieces alike: gaps between them stay."""
    low, high = crossing(3.0)
    first, second = views((low, 2.0, -1.0), (high, -2.0, 1.0))
    aside = np.array([0.8, 0.0, 0.0])
    second = Sighted(
        ASIDE, tuple(replace(h, to_cactus=Rigid(h.to_cactus.R, h.to_cactus.t + aside)) for h in second.hung)
    )
    places = {j.hung.id: j.hung.to_cactus.t for j in joined(cactus_set(), first, second)}
    assert places["gate-red"][2] - places["bar-red"][2] == pytest.approx(T + 3.0, abs=0.5)


def test_crossing_outlines_are_settled() -> None:
    """What is unsure from the front is clear from two sides where there is air between the plates."""
    low, high = crossing(4.0)
    first, second = views((low, -1.0, 2.0), (high, -2.0, -1.0))
    assert 0.05 < contact(first, None).touching < 0.9
    settled = contact(first, second)
    assert settled.touching < 0.1
    assert settled.gap_mm == pytest.approx(4.0, abs=1.2)


def test_plates_that_lie_on_each_other_are_not_called_clear() -> None:
    """Faces that touch are never clear, however the two views err."""
    low, high = crossing(0.0)
    for a, b in ((1.0, -1.0), (2.0, 2.0), (-2.0, 1.0)):
        assert contact(*views((low, a, b), (high, b, a))).touching > 0.1


def test_edges_that_meet_touch_from_both_sides() -> None:
    """Edge on edge stays a touch."""
    low, high = hang("bar-red", "K3", (0, 60)), hang("wedge-red", "K3", (0, 74))
    assert contact(*views((low, 1.0, -1.0), (high, -1.0, 1.0))).touching > 0.9


def test_gap_that_only_the_second_view_shows_is_clear() -> None:
    """Pieces that look as if they met from the front, and hang far apart in depth."""
    low = hang("bar-red", "K3", (0, 60))
    high = hang("wedge-red", "K3", (0, 74), z=T + 3.0)
    first, second = views((low, 0.0, 0.0), (high, -(T + 3.0), 1.0))
    assert contact(first, second).touching < 0.1


def test_another_piece_of_that_name_settles_nothing() -> None:
    """A second view that has a piece where no line of sight of the first leads is not believed."""
    low, high = crossing(4.0)
    first, second = views((low, -1.0, 2.0), (high, -2.0, -1.0))
    elsewhere = replace(second.hung[1], to_cactus=Rigid(high.to_cactus.R, high.to_cactus.t + [0.0, 9.0, 0.0]))
    _, both = settle(cactus_set(), first, Sighted(ASIDE, (second.hung[0], elsewhere)))
    assert "gate-red" not in both


def test_what_the_second_view_does_not_show_stays_as_it_was() -> None:
    """Pieces and cacti that only the first view has are judged by it alone."""
    low, high = crossing(4.0)
    first, second = views((low, 0.0, 0.0), (high, 0.0, 0.0))
    nothing = Sighted(stage(turn=0.45, seen=("K1",)), ())
    told, both = settle(cactus_set(), first, nothing)
    assert [(c.a, c.b) for c in told] == [(c.a, c.b) for c in find_contacts(cactus_set(), FIRST, first.hung)]
    assert both == frozenset()
    alone = settle(cactus_set(), first, Sighted(ASIDE, second.hung[:1]))
    assert alone[1] == {"bar-red"}


def test_memory_keeps_what_a_second_view_settled() -> None:
    """A settled contact holds until one of its pieces is moved, whatever single views say then."""
    low, high = crossing(4.0)
    first, second = views((low, -1.0, 2.0), (high, -2.0, -1.0))
    memory = CactusMemory(cactus_set())
    assert memory.settle(observation(second.hung, ASIDE)) is None
    before = memory.update(observation(first.hung, FIRST), picture=picture(first.hung), alone=True)
    after = memory.settle(observation(second.hung, ASIDE))
    assert isinstance(after, Settled)
    assert before.table.contacts[0].touching > 0.05
    assert after.table.contacts[0].touching < 0.1
    assert after.table.placements == before.table.placements
    again = memory.update(observation(first.hung, FIRST), picture=picture(first.hung), alone=True)
    assert again.table.contacts[0].touching < 0.1


def test_eye_takes_a_second_view() -> None:
    """The pipeline looks at it with no camera's lens and no earlier stage; of cards it tells nothing."""
    low, high = crossing(4.0)
    first, second = views((low, -1.0, 2.0), (high, -2.0, -1.0))
    asked: list[SceneModel] = []

    def observe(frame: Frame, model: SceneModel) -> Observation:
        asked.append(model)
        return observation(second.hung, ASIDE) if frame.index else observation(first.hung, FIRST)

    eye = Eye(SceneModel(cactus=cactus_set()), observe)
    eye.read(Frame(picture(first.hung), 0.0, 0))
    other = picture(first.hung)
    other[0, 0] ^= 1  # the very photo that is judged would be refused
    look = eye.second(Frame(other, 0.0, 1))
    assert look.settled is not None
    assert look.settled.table.contacts[0].touching < 0.1
    assert asked[1].stage is None
    cards = Eye(SceneModel(), observe).second(Frame(picture(()), 0.0, 1))
    assert isinstance(cards.failure, Failure)


def test_what_either_picture_knows_by_itself_counts() -> None:
    """Where two places leave a touch open, it is likelier or less likely by what single views say of it."""
    low, high = crossing(0.6)
    first, second = views((low, 0.0, 0.0), (high, 0.0, 0.0))
    (bare,) = settle(cactus_set(), first, second)[0]
    assert 0.05 < bare.touching < 0.95
    for touching in (0.1, 0.9):
        said = replace(bare, a=bare.b or "", b=bare.a, touching=touching)
        (told,) = settle(cactus_set(), first, second, [said])[0]
        assert (told.touching > bare.touching) == (touching > 0.5)
        assert told.gap_mm == bare.gap_mm


def test_cactus_that_only_the_first_view_found_is_laid_on_both() -> None:
    """It stands where the others say, if that is in the second picture."""
    piece = hang("stair-blue", "K2", (5, 70))
    aside = replace(ASIDE, cacti=tuple(u for u in ASIDE.cacti if u.id != "K2"))
    first = Sighted(FIRST, (piece,), picture([piece], FIRST, bare=False))
    second = Sighted(aside, (), picture([piece], ASIDE, bare=False))
    fitted = fit_both(cactus_set(), first, second, [])
    assert fitted is not None
    assert [s.id for s in fitted.pieces] == ["stair-blue"]
    assert fitted.support[0].share > 0.5

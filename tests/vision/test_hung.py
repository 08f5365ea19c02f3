"""Pieces that hang on cacti are named and outlined; what does not hang there is not told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from scoring.table import ContactKind
from tests.decks.cactus_sets import ensure_set
from tests.vision.hung_scene import At, Photo, photograph
from vision.cactus.cactus_set import CactusSet
from vision.cactus.contacts import find_contacts, sight
from vision.cactus.depth_order import in_layers
from vision.cactus.hung import find_hung
from vision.cactus.upright import HungPiece, Rigid, Stage
from vision.types import Rgb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of Cactus."""
    return ensure_set(tmp_path_factory.mktemp("sets"), "tune-agave")


SIX = (
    At("hook-red", "K1", 10, 95),
    At("house", "K1", -20, 70, tilt=(0.1, -0.05)),
    At("moon-blue", "K2", -12, 90, z=3.6, angle=2.0, back=True),
    At("bolt-pink", "K2", -19, 60, z=-3.6, angle=0.4),
    At("arch-red", "K3", 25, 70, z=-3.8),
    At("key-white", "K3", 2, 93, angle=0.7),
)
SUPPLY = (("hook-blue", -80.0, -60.0, 0.5), ("moon-red", 20.0, -50.0, 1.0), ("arch-yellow", 60.0, 70.0, 2.0))


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """A photo and the pieces that were found in it."""

    photo: Photo
    hung: tuple[HungPiece, ...]


@pytest.fixture(scope="module")
def six(folder: Path) -> Before:
    """Six pieces on their cacti, as the photo before showed them."""
    photo = photograph(folder, SIX)
    return Before(photo, find_hung(*_seen(photo)).hung)


@pytest.mark.parametrize(("warm", "px_mm"), [(-0.1, 2.1), (0.3, 2.1), (0.1, 1.9)])
def test_pieces_are_named_with_their_cactus_side_and_outline(folder: Path, warm: float, px_mm: float) -> None:
    """Under cold and warm lamps each piece is told once with its outline; the supply on the table is not told."""
    photo = photograph(folder, SIX, SUPPLY, warm=warm, px_mm=px_mm)
    found = find_hung(photo.rgb, photo.cactus_set, photo.stage).hung
    assert {(p.id, p.cactus) for p in found} == {(a.name, a.cactus) for a in SIX}
    assert min(photo.overlap(p) for p in found) > 0.9
    assert np.median([photo.overlap(p) for p in found]) > 0.95
    assert not next(p for p in found if p.id == "hook-red").flipped


def test_the_mirrored_back_is_told_from_the_front(folder: Path) -> None:
    """A hook hangs with its back outwards; its frame takes its outline to where the picture shows it."""
    photo = photograph(folder, (At("hook-blue", "K1", 10, 95, back=True),))
    (piece,) = find_hung(photo.rgb, photo.cactus_set, photo.stage).hung
    assert piece.flipped
    mirrored = photo.cactus_set.piece("hook-blue").outline_mm * (-1, 1)
    face = np.c_[mirrored, np.full(len(mirrored), photo.cactus_set.thickness_mm / 2)]
    there = photo.stage.project(piece.to_cactus.apply(face), photo.stage.cacti[0].to_camera)
    assert np.abs(there - piece.outline_px).max() < 0.01


def test_what_stands_behind_the_stem_on_its_base_is_named(folder: Path) -> None:
    """A hook of which a third shows, on both sides of the stem: it stands on the base, and touches it."""
    photo = photograph(folder, (At("hook-red", "K3", -1.4, 12.3, z=-3.8, angle=2.8),))
    (piece,) = find_hung(photo.rgb, photo.cactus_set, photo.stage).hung
    assert (piece.id, piece.cactus) == ("hook-red", "K3")
    assert piece.visible < 0.4
    assert photo.overlap(piece) > 0.8
    layered = in_layers(photo.cactus_set, photo.stage, [piece], photo.rgb)
    told = find_contacts(photo.cactus_set, photo.stage, layered.hung, layered.before, [piece])
    assert [c.touching > 0.9 for c in told if c.kind is ContactKind.BASE] == [True]


def test_what_hangs_between_two_cacti_hangs_as_far_away_as_its_own(folder: Path) -> None:
    """A key that touches in the picture what hangs on either: its size tells on which of the two it hangs."""
    there = (At("hook-red", "K1", 28, 72), At("moon-blue", "K2", -28, 72), At("key-white", "K2", -45, 78, z=4.0))
    photo = photograph(folder, there, farther_mm=40.0)
    found = find_hung(photo.rgb, photo.cactus_set, photo.stage).hung
    assert {(p.id, p.cactus) for p in found} == {(a.name, a.cactus) for a in there}


def test_two_touching_pieces_of_one_colour_are_two(folder: Path) -> None:
    """An arch beside a bolt of its colour: both are told, each where it is."""
    hung = (At("arch-red", "K3", 25, 70), At("bolt-red", "K3", 47.5, 72, angle=1.2))
    photo = photograph(folder, hung)
    found = {p.id: p for p in find_hung(photo.rgb, photo.cactus_set, photo.stage).hung}
    assert set(found) == {"arch-red", "bolt-red"}
    assert min(photo.overlap(p) for p in found.values()) > 0.85


def test_what_is_a_third_hidden_is_named(folder: Path) -> None:
    """A moon behind an arch of another colour and behind the cactus."""
    hung = (At("arch-red", "K3", 25, 70, z=3.6), At("moon-blue", "K3", 25, 90, z=-1.0))
    photo = photograph(folder, hung)
    found = {p.id: p for p in find_hung(photo.rgb, photo.cactus_set, photo.stage).hung}
    assert set(found) == {"arch-red", "moon-blue"}
    assert found["moon-blue"].visible < 0.95
    assert photo.overlap(found["moon-blue"]) > 0.85


def test_what_touches_no_cactus_does_not_hang(folder: Path) -> None:
    """A piece in the air far from every cactus is not told, nor anything without cacti."""
    photo = photograph(folder, (At("arch-red", "K3", 25, 70), At("moon-blue", "K2", 0, 175)))
    assert [p.id for p in find_hung(photo.rgb, photo.cactus_set, photo.stage).hung] == ["arch-red"]
    assert find_hung(photo.rgb, photo.cactus_set, Stage(photo.stage.camera, ())).hung == ()


def test_what_hangs_before_what_is_told_in_depth(folder: Path) -> None:
    """A moon behind the cactus and an arch before it: depths to within a plate's thickness, with honest sigmas."""
    hung = (At("moon-blue", "K2", -6, 84, z=-3.8, angle=2.0), At("arch-red", "K3", 25, 70, z=3.8))
    photo = photograph(folder, hung)
    found = {p.id: p for p in find_hung(photo.rgb, photo.cactus_set, photo.stage).hung}
    for at in hung:
        piece = found[at.name]
        z = piece.to_cactus.apply(np.array([[0.0, 0.0, 0.0]]))[0, 2]
        assert z == pytest.approx(at.z, abs=1.8)
        assert abs(z - at.z) < 3 * piece.depth_sigma_mm


def test_the_next_photo_follows_what_hung_before(folder: Path, six: Before) -> None:
    """Known pieces are told where they are now: one has gone, one was pushed, one is new."""
    pushed = replace(SIX[0], x=11.0, y=94.0, angle=0.06)
    now = photograph(folder, (pushed, *SIX[2:], At("bolt-yellow", "K1", -16, 74, angle=1.0)), SUPPLY)
    found = find_hung(*_seen(now), six.hung).hung
    assert {p.id for p in found} == {pushed.name, *(a.name for a in SIX[2:]), "bolt-yellow"}
    assert min(now.overlap(p) for p in found) > 0.9


def test_what_was_pushed_a_little_is_told_where_it_hangs_now(folder: Path, six: Before) -> None:
    """A piece that covers most of where it hung is not told there."""
    pushed = replace(SIX[0], x=14.0, y=92.0, angle=0.15)
    now = photograph(folder, (pushed, *SIX[1:]))
    found = {p.id: p for p in find_hung(*_seen(now), six.hung).hung}
    assert set(found) == {a.name for a in SIX}
    assert now.overlap(found[pushed.name]) > 0.9


def test_photo_from_aside_is_searched_with_what_is_known(folder: Path, six: Before) -> None:
    """Known pieces whose depth is off are told where the new place shows them; one that is gone is not told."""
    aside = photograph(folder, SIX[1:], turn=0.5)
    known = tuple(_nearer(p, six.photo.stage, 3.0) for p in six.hung)
    found = find_hung(*_seen(aside), known, aside=True).hung
    assert {p.id for p in found} == {a.name for a in SIX[1:]}
    assert min(aside.overlap(p) for p in found) > 0.9


def test_photo_from_aside_tells_what_it_hardly_shows(folder: Path, six: Before) -> None:
    """A piece that shows too little to be named by itself is told where it is known to hang, and only there."""
    hiding = At("wheel", "K2", -8, 74, z=7.6)
    aside = photograph(folder, (*SIX, hiding), turn=0.5)
    alone = {p.id for p in find_hung(*_seen(aside)).hung}
    told = {p.id for p in find_hung(*_seen(aside), six.hung, aside=True).hung}
    assert told >= alone
    assert "bolt-pink" in told - alone


def _nearer(piece: HungPiece, stage: Stage, by_mm: float) -> HungPiece:
    upright = next(u for u in stage.cacti if u.id == piece.cactus)
    t = piece.to_cactus.t + by_mm * sight(upright, piece)
    return replace(piece, to_cactus=Rigid(piece.to_cactus.R, t), depth_sigma_mm=3.0)


def _seen(photo: Photo) -> tuple[Rgb, CactusSet, Stage]:
    return photo.rgb, photo.cactus_set, photo.stage

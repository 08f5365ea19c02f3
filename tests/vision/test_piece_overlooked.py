"""Pieces before something of nearly their own colour are found by the shade that they have in the picture."""

from __future__ import annotations

import pytest

from tests.decks.cactus_sets import ensure_set
from tests.render.cactus_game import SetArt
from tests.render.cactus_scene import linear
from tests.vision.hung_scene import At, Photo, photograph
from vision.cactus.hung import Found, find_hung
from vision.cactus.upright import HungPiece

OTHERS = (At("house", "K1", -20, 70), At("arch-red", "K3", 25, 70, z=-3.8))
KEY = At("key-white", "K3", 2, 93, angle=0.7)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> tuple[Photo, Photo]:
    """Cacti before a wall in the white of the set, without and with a white piece."""
    folder = ensure_set(tmp_path_factory.mktemp("sets"), "tune-agave")
    r, g, b = linear(SetArt.load(folder).data["colors"]["white"]) * 0.8
    bare, with_key = (
        photograph(folder, hung, wall=(float(r), float(g), float(b))) for hung in (OTHERS, (*OTHERS, KEY))
    )
    return bare, with_key


@pytest.fixture(scope="module")
def first(photos: tuple[Photo, Photo]) -> Found:
    """What is found on the photo with the white piece, without any before."""
    return find_hung(photos[1].rgb, photos[1].cactus_set, photos[1].stage)


def key_of(found: Found) -> HungPiece:
    """The white piece of what was found."""
    assert {p.id for p in found.hung} == {"house", "arch-red", "key-white"}
    return next(p for p in found.hung if p.id == "key-white")


def test_white_piece_before_a_white_wall_is_named(photos: tuple[Photo, Photo], first: Found) -> None:
    """Wall and piece have one paint; the piece is told with its outline, and the bare wall tells no piece."""
    assert photos[1].overlap(key_of(first)) > 0.9
    bare = find_hung(photos[0].rgb, photos[0].cactus_set, photos[0].stage)
    assert {p.id for p in bare.hung} == {"house", "arch-red"}


def test_it_is_found_again_and_where_it_was_just_hung(photos: tuple[Photo, Photo], first: Found) -> None:
    """The next photo tells it where it hung; a photo that differs from the one before by it alone tells it too."""
    bare, photo = photos
    again = find_hung(photo.rgb, photo.cactus_set, photo.stage, first.hung, first.strange, before=photo.rgb)
    assert photo.overlap(key_of(again)) > 0.9
    others = [p for p in first.hung if p.id != "key-white"]
    hung = find_hung(photo.rgb, photo.cactus_set, photo.stage, others, first.strange, before=bare.rgb)
    assert photo.overlap(key_of(hung)) > 0.9


def test_what_did_not_change_is_not_searched_again(photos: tuple[Photo, Photo], first: Found) -> None:
    """A place that nobody told a piece of on the photo before, and that is as it was, tells none now."""
    photo = photos[1]
    others = [p for p in first.hung if p.id != "key-white"]
    found = find_hung(photo.rgb, photo.cactus_set, photo.stage, others, first.strange, before=photo.rgb)
    assert {p.id for p in found.hung} == {"house", "arch-red"}


def test_where_it_is_gone_it_is_told_no_more(photos: tuple[Photo, Photo], first: Found) -> None:
    """The wall behind it, in its paint, is not taken for it."""
    bare, photo = photos
    found = find_hung(bare.rgb, bare.cactus_set, bare.stage, first.hung, first.strange, before=photo.rgb)
    assert {p.id for p in found.hung} == {"house", "arch-red"}

"""Readings of pieces: what their colour, their edges, their size and the ground about the cacti say of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.decks.cactus_sets import ensure_set
from tests.vision.hung_scene import At, Photo, photograph
from vision.cactus.piece_fit import pose_from
from vision.cactus.piece_read import Reading, fitted
from vision.cactus.piece_search import bank_of
from vision.cactus.piece_view import View, look_at
from vision.cactus.upright import Rigid


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Photo:
    """One piece that hangs half behind another one."""
    folder = ensure_set(tmp_path_factory.mktemp("sets"), "tune-agave")
    return photograph(folder, (At("house", "K1", -20, 70), At("wheel", "K1", -5, 70, z=4.0)))


@pytest.fixture(scope="module")
def half(photo: Photo) -> Reading:
    """The reading of that piece."""
    view = _view(photo)
    shape = next(s for c in view.paint.names for s in bank_of(photo.cactus_set).shapes[c] if s.piece.id == "house")
    there = Rigid(np.eye(3), np.array([-20.0, 70.0, 0.0]))
    (reading,) = fitted(view, [(0, pose_from(shape, there, photo.cactus_set.thickness_mm))])
    return reading


def _view(photo: Photo) -> View:
    return look_at(photo.rgb, photo.cactus_set, photo.stage, bank_of(photo.cactus_set))


def test_what_is_half_seen_is_told_where_all_is_as_it_should_be(half: Reading) -> None:
    """Its colour is that of its paint, its edges lie on its outline, and nothing else has its colour."""
    assert half.visible < 0.8
    assert half.off < 1.0
    assert half.common == 0
    assert half.convinces


def test_what_is_half_seen_is_not_told_where_something_is_odd(half: Reading) -> None:
    """Not beside its paint, nor on ground like it, nor at another size, nor where edges scatter or no plate is."""
    least = replace(half, own=0.93, around=0.1, borne=0.5, shown=0.62)
    assert least.convinces
    odd = [
        replace(least, off=3.0),
        replace(least, common=1.0),
        replace(least, fit=replace(least.fit, depth_mm=-60.0)),
        replace(least, fit=replace(least.fit, rms_mm=0.7)),
        replace(least, plate=0.0),
    ]
    assert not any(r.convinces for r in odd)
    assert all(r.stands for r in odd)


def test_ground_of_a_paint_in_bits_is_common(photo: Photo) -> None:
    """Where stripes of a paint cover more than all its pieces could, it is common; other paints are not."""
    house = photo.cactus_set.piece("house").color
    plain = _view(photo)
    striped = photo.rgb.copy()
    shade = plain.paint.shades[plain.paint.names.index(house)] * 255
    for top in range(0, len(striped), 24):
        striped[top : top + 10] = np.round(shade)
    view = _view(replace(photo, rgb=striped))
    common = dict(zip(view.paint.names, view.common, strict=True))
    assert common.pop(house) > 0.2
    assert common["red"] == common["blue"] == 0
    assert not any(plain.common)


def test_what_edges_trace_is_told_on_ground_of_its_colour(half: Reading) -> None:
    """Where edges bear out its whole outline, ground of its colour beyond them hardly matters; else it does."""
    traced = replace(half, around=0.6, borne=0.95, shown=0.9, fit=replace(half.fit, seen=0.9))
    assert traced.convinces
    assert not replace(traced, borne=0.4).convinces
    assert not replace(traced, fit=replace(half.fit, seen=0.4)).convinces

"""How far before or behind its cactus a piece hangs, told from who hides whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from shapely.geometry import Polygon

from tests.vision.flat_hung import cactus_set, hang, picture, stage
from vision.cactus.contacts import find_contacts, sight
from vision.cactus.depth_order import in_layers
from vision.cactus.upright import HungPiece, Rigid

VIEW = stage()
T = cactus_set().thickness_mm
PX_MM = 2.1
STEM = (0.0, 30.0)
"""On the stem of every cactus of the set."""


def vague(piece: HungPiece, off_mm: float = 2.0, depth_sigma_mm: float = 2.6) -> HungPiece:
    """The piece as an eye has it that is `off_mm` out in depth."""
    upright = next(u for u in VIEW.cacti if u.id == piece.cactus)
    t = piece.to_cactus.t + off_mm * sight(upright, piece)
    return replace(piece, to_cactus=Rigid(piece.to_cactus.R, t), depth_sigma_mm=depth_sigma_mm)


def layers(there: Sequence[HungPiece], off_mm: float = 2.0, *, light: float = 1.0) -> dict[str, HungPiece]:
    """What is made of a picture of these pieces, of which the eye has all depths wrong."""
    found = [vague(p, off_mm) for p in there]
    told = in_layers(cactus_set(), VIEW, found, picture(there, VIEW, light, bare=False)).hung
    assert [p.id for p in told] == [p.id for p in there]
    return {p.id: p for p in told}


@pytest.mark.parametrize("light", [1.0, 0.6])
@pytest.mark.parametrize("z", [T + 0.3, -T - 0.3])
def test_piece_before_or_behind_its_cactus(z: float, light: float) -> None:
    """A piece that hides the stem hangs a plate before it, one that the stem hides a plate behind it."""
    piece = hang("bar-red", "K3", STEM, z=z)
    for off in (2.0, -2.0):
        told = layers([piece], off, light=light)["bar-red"]
        np.testing.assert_allclose(told.to_cactus.t, piece.to_cactus.t, atol=0.5)
        assert told.depth_sigma_mm < 1.0


@pytest.mark.parametrize("shade", [0.5, 0.8])
def test_cactus_in_the_shadow_of_a_piece_is_not_taken_for_it(shade: float) -> None:
    """A piece behind a pale stem stays there where the stem is as dark as the piece, but of its own hue."""
    piece = hang("bar-red", "K3", STEM, z=-T - 0.3)
    rgb = picture([piece], VIEW, bare=False)
    hue = np.array(next(c for c in cactus_set().cacti if c.id == "K3").rgb)
    stem = np.abs(rgb - hue).max(2) < 40
    low, high = np.floor(piece.outline_px.min(0)).astype(int), np.ceil(piece.outline_px.max(0)).astype(int)
    light = np.full(stem.shape, 1.7)
    light[low[1] : high[1], low[0] : high[0]] *= shade
    rgb[stem] = (rgb * light[:, :, None])[stem]
    assert in_layers(cactus_set(), VIEW, [vague(piece)], rgb).before == {("K3", "bar-red")}


@pytest.mark.parametrize("first", ["bar-red", "bar-blue"])
def test_outlines_that_hardly_cross_tell_who_is_nearer(first: str) -> None:
    """A crossing of a few square millimetres is looked at closely."""
    z = {"bar-red": T + 0.3, "bar-blue": T + 0.3} | {first: 2 * T + 0.6}
    there = [hang("bar-red", "K3", STEM, z=z["bar-red"]), hang("bar-blue", "K3", (15.6, 45.6), 1.57, z=z["bar-blue"])]
    both = Polygon(there[0].outline_px).intersection(Polygon(there[1].outline_px))
    assert 0.5 < both.area / PX_MM**2 < 20.0
    told = in_layers(cactus_set(), VIEW, [vague(p) for p in there], picture(there, VIEW, bare=False))
    assert (first, next(p.id for p in there if p.id != first)) in told.before


def test_place_in_the_picture_stays() -> None:
    """A piece is moved along its line of sight only."""
    piece = hang("bar-red", "K1", STEM, z=T)
    before, after = vague(piece), layers([piece])["bar-red"]
    upright = next(u for u in VIEW.cacti if u.id == "K1")
    step = after.to_cactus.t - before.to_cactus.t
    assert np.linalg.norm(np.cross(step, sight(upright, before))) < 0.05
    assert after.outline_px is before.outline_px


def test_piece_before_a_piece_hangs_two_plates_before_the_cactus() -> None:
    """What hides a piece that hides the stem is in the layer before it."""
    low = hang("bar-red", "K3", STEM, z=T + 0.3)
    high = hang("bar-blue", "K3", (12.0, 30.0), 1.2, z=2 * T + 0.6)
    told = layers([low, high])
    assert told["bar-blue"].to_cactus.t[2] - told["bar-red"].to_cactus.t[2] == pytest.approx(T + 0.3, abs=0.5)
    assert told["bar-red"].to_cactus.t[2] == pytest.approx(T + 0.3, abs=0.5)


def test_piece_on_the_head_is_in_the_plane_of_the_cactus() -> None:
    """A piece whose edge rests on that of the cactus hides nothing and is hidden by nothing."""
    top = max(y for _, y in next(c for c in cactus_set().cacti if c.id == "K3").outline_mm)
    piece = hang("bar-red", "K3", (0.0, float(top) + 4.0))
    assert layers([piece])["bar-red"].to_cactus.t[2] == pytest.approx(0.0, abs=0.3)


def test_pieces_of_one_colour_that_cross_are_left_as_they_were() -> None:
    """Where the picture does not show who is nearer, nothing is made up."""
    low, high = hang("bar-red", "K3", (0, 170)), hang("gate-red", "K3", (2, 172), z=T + 1.0)
    told = layers([low, high])
    for piece in (low, high):
        assert told[piece.id].depth_sigma_mm == pytest.approx(2.6)


def test_piece_whose_size_says_otherwise_is_left_as_it_was() -> None:
    """A depth that the eye knows well is not overruled."""
    piece = hang("bar-red", "K3", STEM, z=20.0)
    found = vague(piece, 0.0, 1.0)
    (told,) = in_layers(cactus_set(), VIEW, [found], picture([piece], VIEW, bare=False)).hung
    assert told is found


def test_pieces_on_both_sides_of_the_stem_are_clear() -> None:
    """Two pieces whose edges meet in the picture, one before the stem and one behind it: the layers settle it."""
    front = hang("bar-red", "K3", (-13.0, 30.0), z=T + 0.3)
    back = hang("gate-red", "K3", (13.5, 30.0), z=-T - 0.3)
    told = layers([front, back], 0.0)
    (contact,) = find_contacts(cactus_set(), VIEW, tuple(told.values()))
    assert contact.touching < 0.1
    (blind,) = find_contacts(cactus_set(), VIEW, (vague(front, -T), vague(back, T)))
    assert blind.touching > 0.5


def test_nothing_hangs() -> None:
    """Bare cacti have no layers."""
    assert in_layers(cactus_set(), VIEW, (), picture((), VIEW, bare=False)).hung == ()


@pytest.mark.parametrize("towards_eye", [T + 0.3, -T - 0.3])
def test_cactus_that_was_turned_round(towards_eye: float) -> None:
    """On a cactus that shows its back what hides the stem hangs on the side of the eye, as anywhere else."""
    about = Rigid(np.diag([-1.0, 1.0, -1.0]), np.zeros(3))
    view = replace(VIEW, cacti=tuple(replace(u, to_camera=u.to_camera.after(about)) for u in VIEW.cacti))
    piece = hang("bar-red", "K3", STEM, z=-towards_eye, view=view)
    upright = next(u for u in view.cacti if u.id == "K3")
    for off in (2.0, -2.0):
        t = piece.to_cactus.t + off * sight(upright, piece)
        found = replace(piece, to_cactus=Rigid(piece.to_cactus.R, t), depth_sigma_mm=2.6)
        (told,) = in_layers(cactus_set(), view, [found], picture([piece], view, bare=False)).hung
        np.testing.assert_allclose(told.to_cactus.t, piece.to_cactus.t, atol=0.5)


def test_piece_behind_the_camera_is_left_where_it_is() -> None:
    """A pose that no piece can have fills no memory."""
    piece = replace(hang("bar-red", "K3", STEM, z=T), to_cactus=Rigid(np.eye(3), np.array([0.0, 30.0, 619.0])))
    (told,) = in_layers(cactus_set(), VIEW, [piece], picture([], VIEW, bare=False)).hung
    np.testing.assert_array_equal(told.to_cactus.t, piece.to_cactus.t)

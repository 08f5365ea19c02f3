"""Known edges laid onto the edges of a picture: where a plain card lies, to a fraction of a millimetre."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.table import Pose
from tests.render.conex_geometry import ConexArt
from tests.render.scene import Sensor, Table, View, look_at
from tests.vision.plain_photo import CARD, PlainPhoto, photograph
from vision.camera import CameraModel
from vision.cards.contour import fit_edges, free_corners
from vision.cards.edges import EdgeModel, outline_edges, printed_edges
from vision.deck import DeckAppearance, LookSet
from vision.plane import Plane, estimate_plane

Array = NDArray[np.float64]
Rgb = tuple[float, float, float]

YELLOW, RED, OAK, PALE, DARK = (0.95, 0.78, 0.15), (0.78, 0.18, 0.22), (0.45, 0.36, 0.24), (0.8, 0.8, 0.78), (0.3,) * 3
VIEW = look_at((480, 360), 50, 300, 8, 40, 5)
"""A small picture of about 280 mm by 210 mm."""
APART = (
    ("C05", (-175.0, 20.0, 1.25)),
    ("C17", (130.0, -75.0, -0.5)),
    ("C29", (-60.0, -55.0, 0.35)),
    ("C40", (40.0, 50.0, 2.45)),
    ("C34", (180.0, 70.0, -2.2)),
)


def plane_of(view: View) -> Plane:
    return Plane(CameraModel(view.size_px, view.K, np.zeros(5)), view.homography(), 0.0)


def rectangle(pose: Sequence[float], size: tuple[float, float] = CARD) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + np.array(pose[:2]))


def painted(things: Sequence[tuple[Array, Rgb]], table: Rgb = OAK, sensor: Sensor | None = None) -> NDArray[np.uint8]:
    """Flat shapes in mm on a flat table, the last one on top."""
    w, h = VIEW.size_px
    canvas = Table.start(np.random.default_rng(1), VIEW, np.tile(np.float32(table), (h, w, 1)), 2, warp_surface=False)
    for outline, rgb in things:
        canvas.cover(canvas.to_canvas(VIEW.ideal(outline)), rgb)
    return canvas.finish(np.random.default_rng(2), sensor or Sensor(blur=0.6, noise=2.0, jpeg=95))[0]


def off(pose: Array, by_mm: float = 3.0, by_deg: float = 2.0, towards_rad: float = 0.7) -> Array:
    return np.asarray(pose + [by_mm * np.cos(towards_rad), by_mm * np.sin(towards_rad), np.radians(by_deg)])


def distance_mm(found: Array, true: Array) -> float:
    return float(np.hypot(*(found - true)[:2]))


PLAIN = outline_edges(CARD, 3.0, [np.full((276, 177, 3), (242, 199, 38), np.uint8)])
"""The outline of a yellow card."""


@pytest.fixture(scope="module")
def apart(conex_art: ConexArt) -> PlainPhoto:
    """Five cards beside each other, flat on the table."""
    return photograph(conex_art, APART, None, layered=False)


@pytest.fixture(scope="module")
def cards(conex: DeckAppearance) -> LookSet:
    return conex.sets[0]


def model_of(cards: LookSet, face: str, printed: bool = True) -> EdgeModel:
    picture = next(v.colour for v in cards.looks if v.id == face)
    outline = outline_edges(cards.size_mm, cards.radius_mm, [picture])
    return outline + printed_edges(picture, cards.size_mm) if printed else outline


# ---- fitting ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("printed", [False, True])
def test_cards_that_are_off_come_back(printed: bool, apart: PlainPhoto, cards: LookSet) -> None:
    """From 3 mm and 2 degrees off, whichever way, every card is back within 0.2 mm and a tenth of a degree."""
    names = list(apart.cards)
    true = np.array([apart.pose(n) for n in names])
    models = [model_of(cards, n, printed) for n in names]
    for towards, turn in ((0.7, 2.0), (2.5, -2.0), (-2.0, 2.0)):
        starts = np.array([off(p, 3.0, turn, towards) for p in true])
        for name, fit, pose in zip(names, fit_edges(apart.rgb, apart.plane, starts, models), true, strict=True):
            assert fit is not None
            assert distance_mm(fit.pose, pose) < 0.2, name
            assert abs(fit.pose[2] - pose[2]) < np.radians(0.1), name
            assert fit.support > 0.85
            assert fit.scatter_mm < 0.3


def test_a_fit_says_how_exact_it_is(apart: PlainPhoto, cards: LookSet) -> None:
    """Over cards and starts the errors of all three unknowns are about as large as their covariance says."""
    names = list(apart.cards)
    models = [model_of(cards, n) for n in names]
    ratios = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        noisy = np.clip(apart.rgb + rng.normal(0, 4, apart.rgb.shape), 0, 255).astype(np.uint8)
        starts = np.array([off(apart.pose(n), 2.0, 1.0, 1.5 * seed) for n in names])
        for name, fit in zip(names, fit_edges(noisy, apart.plane, starts, models), strict=True):
            assert fit is not None
            ratios.append((fit.pose - apart.pose(name)) / np.sqrt(np.diag(fit.covariance)))
    assert 0.4 < np.sqrt(np.mean(np.square(ratios))) < 1.7


def test_every_piece_is_fitted_for_itself(apart: PlainPhoto, cards: LookSet) -> None:
    """However many pieces are fitted in one call, each ends where it ends alone."""
    name = "C29"
    start, model = off(apart.pose(name)), model_of(cards, name)
    others = [apart.pose(n) + [d, -d, 0.01] for n in apart.cards for d in np.linspace(-3, 3, 14)]
    models = [model_of(cards, n) for n in apart.cards for _ in range(14)]
    (alone,) = fit_edges(apart.rgb, apart.plane, start[None], [model])
    among = fit_edges(apart.rgb, apart.plane, np.array([*others, start]), [*models, model])
    assert len(among) == 71
    assert alone is not None
    assert among[-1] is not None
    np.testing.assert_allclose(among[-1].pose, alone.pose, atol=1e-6)
    np.testing.assert_array_equal(among[-1].found, alone.found)


def test_no_pieces_no_fits(apart: PlainPhoto) -> None:
    """An empty list is an empty answer."""
    assert fit_edges(apart.rgb, apart.plane, np.zeros((0, 3)), []) == []


def test_a_neighbour_does_not_catch_the_edge() -> None:
    """A card 2 mm beyond, and the start is pushed right onto it: the fit stays with its own card."""
    pose = np.array([-20.0, 0.0, 0.1])
    beyond = pose[:2] + (CARD[0] + 2.0) * np.array([np.cos(0.1), np.sin(0.1)])
    rgb = painted([(rectangle(pose), YELLOW), (rectangle((*beyond, 0.1)), RED)])
    (fit,) = fit_edges(rgb, plane_of(VIEW), off(pose, 2.0, 0.0, 0.1)[None], [PLAIN])
    assert fit is not None
    assert distance_mm(fit.pose, pose) < 0.2
    assert fit.support > 0.9


@pytest.mark.parametrize("way", [0.0, np.pi / 2, np.pi, -np.pi / 2])
@pytest.mark.parametrize("start_mm", [1.0, 2.5])
def test_the_line_of_a_shadow_does_not_catch_the_edge(start_mm: float, way: float) -> None:
    """A hard shadow reaches 1.5 mm beyond the card; a fit that starts towards or beyond it ends at the card."""
    pose = np.array([5.0, -3.0, 0.0])
    cast = pose + [1.5 * np.cos(way), 1.5 * np.sin(way), 0]
    rgb = painted([(rectangle(cast), DARK), (rectangle(pose), YELLOW)], PALE)
    (fit,) = fit_edges(rgb, plane_of(VIEW), off(pose, start_mm, 0.0, way)[None], [PLAIN])
    assert fit is not None
    assert distance_mm(fit.pose, pose) < 0.2


def test_hidden_points_are_not_used() -> None:
    """What lies on a card may look like anything: with its points hidden the fit is the very same."""
    pose = np.array([0.0, 0.0, 0.3])
    model = PLAIN
    hidden = model.points_mm[:, 1] > 8
    covered = rectangle((*(np.array([np.cos(0.3 + np.pi / 2), np.sin(0.3 + np.pi / 2)]) * 36), 0.3), (80.0, 50.0))
    stripe = rectangle((*(np.array([np.cos(0.3 + np.pi / 2), np.sin(0.3 + np.pi / 2)]) * 44), 0.3), (80.0, 2.0))
    fits = []
    for things in ([(covered, RED)], [(covered, DARK), (stripe, PALE)]):
        rgb = painted([(rectangle(pose), YELLOW), *things], sensor=Sensor(jpeg=100))
        (fit,) = fit_edges(rgb, plane_of(VIEW), off(pose, 2.0, 1.0)[None], [model], [hidden])
        assert fit is not None
        assert not fit.found[hidden].any()
        assert not fit.searched[hidden].any()
        assert fit.searched[~hidden].all()
        fits.append(fit.pose)
    np.testing.assert_allclose(fits[0], fits[1], atol=1e-6)
    assert distance_mm(fits[0], pose) < 0.3


def test_support_tells_how_much_of_the_edge_is_there() -> None:
    """Where a card lies on a card of its own colour that part of its edge is missed; the rest places it."""
    pose, below = np.array([0.0, 0.0, 0.2]), rectangle((-42.0, 0.0, 0.2), (60.0, 120.0))
    rgb = painted([(below, YELLOW), (rectangle(pose), YELLOW)])
    (fit,) = fit_edges(rgb, plane_of(VIEW), off(pose, 1.5, 1.0)[None], [PLAIN])
    assert fit is not None
    left = PLAIN.sides == 3
    assert fit.found[~left].mean() > 0.7
    assert fit.found[left].mean() < 0.3
    assert 0.4 < fit.support < 0.85
    assert distance_mm(fit.pose, pose) < 0.4


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_without_edges_there_is_no_fit(level: float) -> None:
    """On a flat picture no pose is believed."""
    rgb = np.full((360, 480, 3), round(255 * level), np.uint8)
    assert fit_edges(rgb, plane_of(VIEW), np.zeros((1, 3)), [PLAIN]) == [None]


def test_a_pose_outside_the_picture_has_no_fit() -> None:
    """Where nothing of the card could be seen, and where the numbers are none: no fit, and no error."""
    rgb = painted([(rectangle((0, 0, 0)), YELLOW)])
    poses = np.array([[900.0, 0.0, 0.0], [np.nan, 0.0, 0.0], [0.5, 0.5, 0.0]])
    far, wild, near = fit_edges(rgb, plane_of(VIEW), poses, [PLAIN] * 3)
    assert far is None
    assert wild is None
    assert near is not None


def test_a_card_half_outside_the_picture_lies_where_it_lies() -> None:
    """Only what the picture shows is looked for, and it is enough."""
    pose = np.array([-118.0, 20.0, 0.4])
    rgb = painted([(rectangle(pose), YELLOW)])
    (fit,) = fit_edges(rgb, plane_of(VIEW), off(pose, 2.0, 1.0)[None], [PLAIN])
    assert fit is not None
    at = VIEW.project(rectangle(pose))
    assert (at < 0).any()
    seen = VIEW.project(
        PLAIN.points_mm @ np.array([[np.cos(0.4), np.sin(0.4)], [-np.sin(0.4), np.cos(0.4)]]) + pose[:2]
    )
    assert not fit.searched[(seen < -3).any(1)].any()
    assert 0.3 < fit.searched.mean() < 0.9
    assert distance_mm(fit.pose, pose) < 0.3
    assert fit.support > 0.85


# ---- corners whatever the plane says ---------------------------------------------------------------------------------


def wrong_plane(view: View, factor: float) -> Plane:
    """The plane of a view, its millimetres too large by a factor."""
    true = plane_of(view)
    return Plane(true.camera, true.to_px @ np.diag([factor, factor, 1.0]), 0.0)


@pytest.mark.parametrize("factor", [0.96, 1.04])
def test_free_corners_tell_a_better_plane(factor: float, conex_art: ConexArt, cards: LookSet) -> None:
    """On a plane that is 4 % off the corners are the picture's to half a pixel; the plane from them is 0.3 % off."""
    photo = photograph(conex_art, APART, None, layered=False, k1=0.0)
    first = wrong_plane(photo.view, factor)
    names = list(photo.cards)
    poses = []
    for n in names:
        p, _ = first.pose_of(photo.cards[n].quad_px, CARD)
        poses.append([p.x_mm, p.y_mm, p.angle_rad])
    corners = free_corners(photo.rgb, first, np.array(poses), [model_of(cards, n, False) for n in names])
    for n, quad in zip(names, corners, strict=True):
        assert quad is not None
        assert np.abs(quad - photo.cards[n].quad_px).max() < 0.5
        stiff = first.quad_of(Pose(*poses[names.index(n)]), CARD)
        assert np.abs(stiff - photo.cards[n].quad_px).max() > 1.0  # what the first plane would have said
    again = estimate_plane([q for q in corners if q is not None], [CARD] * len(names), photo.view.size_px, sigma_px=0.5)
    assert again
    a, b = (again.unproject(photo.cards[n].quad_px).mean(0) for n in ("C05", "C34"))
    real = photo.pose("C05")[:2] - photo.pose("C34")[:2]
    assert np.hypot(*(a - b)) == pytest.approx(np.hypot(*real), rel=0.003)


def test_a_hidden_side_has_no_corners() -> None:
    """Where a side cannot be seen there is no fourth line: None instead of a guess."""
    pose = np.array([[0.0, 0.0, 0.1]])
    rgb = painted([(rectangle(pose[0]), YELLOW)])
    (whole,) = free_corners(rgb, plane_of(VIEW), pose, [PLAIN])
    (part,) = free_corners(rgb, plane_of(VIEW), pose, [PLAIN], [PLAIN.sides == 2])
    assert whole is not None
    np.testing.assert_allclose(whole, VIEW.project(rectangle(pose[0])), atol=0.5)
    assert part is None


def test_few_points_of_a_side_that_miss_its_line_do_not_bend_it() -> None:
    """A pencil across a side: the corners stay."""
    pose = np.array([[0.0, 0.0, 0.0]])
    pencil = rectangle((CARD[0] / 2 + 1.0, 8.0, 0.15), (7.0, 30.0))
    rgb = painted([(rectangle(pose[0]), YELLOW), (pencil, RED)])
    (quad,) = free_corners(rgb, plane_of(VIEW), pose, [PLAIN])
    assert quad is not None
    assert np.abs(quad - VIEW.project(rectangle(pose[0]))).max() < 0.7

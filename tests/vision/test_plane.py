"""The plane: pixels become millimetres and back, and cards of known size tell tilt, scale and lens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.table import Pose
from tests.render.scene import View, look_at
from vision.camera import CameraModel
from vision.plane import ANY_LENS, LensPrior, Plane, estimate_plane, fit_rectangle, upright_on_a_plane
from vision.types import Failure

SIZE = (1280, 720)
CARD = (59.0, 92.0)
NO_LENS = np.zeros(5)

angles = st.floats(-np.pi, np.pi)
places = st.tuples(st.floats(-200, 200), st.floats(-100, 100))


def plane_of(view: View) -> Plane:
    """The true plane of a drawn scene."""
    dist = np.array([view.k1, view.k2, 0, 0, 0])
    return Plane(CameraModel(view.size_px, view.K, dist), view.homography(), 0.0)


def quad_of(view: View, x: float, y: float, angle: float, size: tuple[float, float] = CARD) -> np.ndarray:
    """True corners of a card in px, worked out apart from the code under test."""
    c, s = np.cos(angle), np.sin(angle)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
    return view.project(np.array([[x + c * u - s * v, y + s * u + c * v] for u, v in corners]))


def spread(
    view: View, rng: np.random.Generator, n: int = 12, noise_px: float = 0.0, size: tuple[float, float] = CARD
) -> list[np.ndarray]:
    """Cards all over a table, with noisy corners."""
    found = []
    for k in range(n):
        x, y = -260 + 520 * (k % 4) / 3, -130 + 260 * (k // 4) / max(1, (n - 1) // 4)
        quad = quad_of(view, x + rng.uniform(-15, 15), y + rng.uniform(-10, 10), rng.uniform(-np.pi, np.pi), size)
        found.append(quad + rng.normal(0, noise_px, (4, 2)))
    return found


def tilt_deg(plane: Plane) -> float:
    """Angle between the optical axis and the plane's normal."""
    A = np.linalg.inv(plane.camera.K) @ plane.to_px
    normal = np.cross(A[:, 0], A[:, 1])
    return float(np.degrees(np.arccos(abs(normal[2]) / np.linalg.norm(normal))))


# ---- a known plane ---------------------------------------------------------------------------------------------------


@given(st.floats(0, 45), st.floats(0, 360), st.floats(-180, 180), st.floats(-0.12, 0.12), st.lists(places, min_size=1))
@settings(max_examples=60, deadline=None)
def test_millimetres_come_back(
    tilt: float, around: float, roll: float, k1: float, points: list[tuple[float, float]]
) -> None:
    """unproject(project(p)) == p for any camera, tilt and lens."""
    plane = plane_of(look_at(SIZE, 64, 800, tilt, around, roll, (0, 0), k1))
    np.testing.assert_allclose(plane.unproject(plane.project(points)), points, atol=1e-5)


def test_project_is_where_the_picture_shows_it() -> None:
    """The plane agrees with the scene generator's own camera, lens included."""
    view = look_at(SIZE, 70, 700, 30, 40, 10, (20, -10), -0.1)
    points = np.random.default_rng(1).uniform(-180, 180, (40, 2))
    np.testing.assert_allclose(plane_of(view).project(points), view.project(points), atol=1e-9)


def test_a_larger_picture_shows_the_same_plane() -> None:
    """Scaled with its picture, a plane gives the same millimetres for the same places."""
    plane = plane_of(look_at(SIZE, 70, 700, 30, 40, 10, (20, -10), -0.1))
    large = plane.scaled(1920, 1080)
    points = np.random.default_rng(1).uniform(-180, 180, (40, 2))
    np.testing.assert_allclose(large.project(points), (plane.project(points) + 0.5) * 1.5 - 0.5, atol=1e-9)
    np.testing.assert_allclose(large.unproject(large.project(points)), points, atol=1e-5)


@given(places, angles)
@settings(max_examples=50, deadline=None)
def test_a_pose_becomes_corners_and_a_pose_again(place: tuple[float, float], angle: float) -> None:
    """pose_of(quad_of(pose)) is the pose, with no misfit."""
    plane = plane_of(look_at(SIZE, 64, 800, 25, 70, 5, (0, 0), 0.05))
    pose, misfit = plane.pose_of(plane.quad_of(Pose(*place, angle), CARD), CARD)
    np.testing.assert_allclose((pose.x_mm, pose.y_mm), place, atol=1e-5)
    assert np.cos(pose.angle_rad - angle) == pytest.approx(1, abs=1e-10)
    assert misfit < 1e-5


def test_quad_starts_at_the_printed_top_left_and_runs_clockwise() -> None:
    """Seen from above, a card that is not turned has its corners where a reader expects them."""
    plane = plane_of(look_at(SIZE, 64, 800))
    middle = plane.camera.K[:2, 2]
    half = np.array(CARD) / 2 * plane.px_per_mm((0, 0))
    quad = plane.quad_of(Pose(0, 0, 0), CARD)
    np.testing.assert_allclose(quad, middle + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half, atol=1e-6)
    turned = plane.quad_of(Pose(0, 0, np.pi / 2), CARD)
    assert turned[0, 0] > turned[2, 0]  # a quarter turn clockwise brings the top-left corner to the right
    assert turned[0, 1] < turned[2, 1]


def test_scale_is_that_of_the_picture() -> None:
    """Seen straight from above at 800 mm, a millimetre is focal length / 800 pixels; nearer parts are larger."""
    view = look_at(SIZE, 64, 800)
    assert plane_of(view).px_per_mm((30, 40)) == pytest.approx(view.K[0, 0] / 800, rel=1e-6)
    tilted = look_at(SIZE, 64, 800, 35, around_deg=180)
    points = [(0.0, y) for y in (-100, 0, 100)]
    scales = [plane_of(tilted).px_per_mm(p) for p in points]
    rows = tilted.project(points)[:, 1]
    assert np.all(np.diff(scales) * np.diff(rows) > 0)  # the lower in the picture, the nearer


def test_moved_changes_the_origin_only() -> None:
    """The moved plane gives the same pixels for coordinates that count from the new origin."""
    plane = plane_of(look_at(SIZE, 64, 800, 20, 30, 0, (0, 0), 0.05))
    points = np.array([[0.0, 0], [50, -20], [-80, 60]])
    np.testing.assert_allclose(plane.moved(12, -7).project(points), plane.project(points + [12, -7]), atol=1e-9)


# ---- rectangles ------------------------------------------------------------------------------------------------------


@given(places, angles, st.floats(0, 3))
@settings(max_examples=50, deadline=None)
def test_rectangle_fit_moves_and_turns_with_the_corners(place: tuple[float, float], angle: float, noise: float) -> None:
    """Moving and turning the corners moves and turns the fit, and changes nothing about the misfit."""
    rng = np.random.default_rng(5)
    base = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(CARD) / 2 + rng.normal(0, noise, (4, 2))
    c, s = np.cos(angle), np.sin(angle)
    moved = base @ np.array([[c, s], [-s, c]]) + place
    (c0, a0, r0), (c1, a1, r1) = (fit_rectangle(q[None], np.array([CARD])) for q in (base, moved))
    np.testing.assert_allclose(c1[0], c0[0] @ np.array([[c, s], [-s, c]]) + place, atol=1e-9)
    assert np.cos(a1[0] - a0[0] - angle) == pytest.approx(1, abs=1e-12)
    assert r1[0] == pytest.approx(r0[0], abs=1e-9)


def test_rectangle_fit_is_the_best_one() -> None:
    """No pose nearby fits noisy corners better."""
    rng = np.random.default_rng(2)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(CARD) / 2 + rng.normal(0, 4, (4, 2))
    centre, angle, rms = (v[0] for v in fit_rectangle(corners[None], np.array([CARD])))

    def misfit(dx: float, dy: float, turn: float) -> float:
        a = angle + turn
        local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(CARD) / 2
        model = local @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + centre + [dx, dy]
        return float(np.sqrt(((model - corners) ** 2).sum(1).mean()))

    assert misfit(0, 0, 0) == pytest.approx(rms)
    for step in [(0.3, 0, 0), (-0.3, 0, 0), (0, 0.3, 0), (0, -0.3, 0), (0, 0, 0.01), (0, 0, -0.01)]:
        assert misfit(*step) > rms


# ---- an unknown plane ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tilt", "around", "roll", "hfov", "k1"),
    [
        (0, 0, 0, 64, 0.0),
        (15, 20, 5, 60, -0.03),
        (30, 0, 0, 70, 0.0),
        (30, 180, -8, 75, -0.1),
        (45, 90, 0, 60, 0.0),
        (45, 0, 12, 75, 0.08),
    ],
)
def test_a_dozen_cards_tell_the_camera(tilt: float, around: float, roll: float, hfov: float, k1: float) -> None:
    """From corners 0.5 px off: millimetres to half a percent, tilt to 2 degrees; where tilted, the focal length too."""
    view = look_at(SIZE, hfov, 900, tilt, around, roll, (0, 0), k1)
    quads = spread(view, np.random.default_rng(3), noise_px=0.5)
    plane = estimate_plane(quads, [CARD] * len(quads), SIZE, sigma_px=0.5)
    assert plane
    assert tilt_deg(plane) == pytest.approx(tilt, abs=2.0 if tilt else 4.0)
    assert plane.residual_px < 1.2
    if tilt >= 30:  # seen from above, a longer lens from farther away gives the same picture
        assert plane.camera.K[0, 0] == pytest.approx(view.K[0, 0], rel=0.06)
    first, last = (plane.pose_of(q, CARD)[0] for q in (quads[0], quads[-1]))
    true_first, true_last = (plane_of(view).pose_of(q, CARD)[0] for q in (quads[0], quads[-1]))
    far = np.hypot(first.x_mm - last.x_mm, first.y_mm - last.y_mm)
    true_far = np.hypot(true_first.x_mm - true_last.x_mm, true_first.y_mm - true_last.y_mm)
    assert far == pytest.approx(true_far, rel=0.006)


@given(st.floats(0, 40), st.floats(0, 360), st.floats(55, 80), st.floats(-0.1, 0.1), st.integers(0, 9999))
@settings(max_examples=25, deadline=None)
def test_the_estimated_plane_explains_exact_corners(
    tilt: float, around: float, hfov: float, k1: float, seed: int
) -> None:
    """Whatever the camera: corners without noise are explained to a few tenths of a pixel."""
    view = look_at(SIZE, hfov, 900, tilt, around, 3, (0, 0), k1)
    quads = spread(view, np.random.default_rng(seed))
    plane = estimate_plane(quads, [CARD] * len(quads), SIZE, sigma_px=0.3)
    assert plane
    for quad in quads:
        pose, _ = plane.pose_of(quad, CARD)
        assert np.abs(plane.quad_of(pose, CARD) - quad).max() < 0.6


def test_cards_of_several_sizes_share_a_plane() -> None:
    """Scoring cards may be smaller than the others."""
    view = look_at(SIZE, 64, 900, 25, 30)
    rng = np.random.default_rng(4)
    quads = spread(view, rng, 8, 0.3) + [quad_of(view, 200, 120, 0.2, (44, 44))]
    plane = estimate_plane(quads, [CARD] * 8 + [(44.0, 44.0)], SIZE, sigma_px=0.5)
    assert plane
    assert plane.pose_of(quads[-1], (44, 44))[1] < 0.8


def test_some_cards_that_lie_on_others_do_not_spoil_the_plane() -> None:
    """A quarter of the outlines are far off: the plane is that of the others."""
    view = look_at(SIZE, 64, 900, 20, 30)
    rng = np.random.default_rng(6)
    good = spread(view, rng, 12, 0.4)
    bad = [q + rng.normal(0, 8, (4, 2)) for q in spread(view, rng, 4)]
    plane = estimate_plane(good + bad, [CARD] * 16, SIZE, sigma_px=1.0)
    assert plane
    assert tilt_deg(plane) == pytest.approx(20, abs=4)
    assert plane.residual_px < 2.5


def test_a_calibrated_camera_is_used_as_it_is() -> None:
    """With a calibration only the plane is estimated; camera and lens stay, and one card is enough for the tilt."""
    view = look_at(SIZE, 58, 500, 30, 50, 0, (0, 0), -0.12)
    camera = plane_of(view).camera
    quads = [quad_of(view, 20, 10, 0.3), quad_of(view, -60, 30, 1.3)]
    plane = estimate_plane(quads, [CARD] * 2, SIZE, camera, 0.3)
    assert plane
    assert plane.camera is camera
    assert tilt_deg(plane) == pytest.approx(30, abs=0.5)
    assert plane.residual_px < 0.1


def test_an_off_centre_calibrated_camera() -> None:
    """The principal point of a calibration counts, though it is not in the picture's middle."""
    view = look_at(SIZE, 64, 700, 25, 50)
    K = view.K.copy()
    K[0, 2] += 45
    K[1, 2] -= 30
    view = View(SIZE, K, view.R, view.t, -0.05)
    quads = [quad_of(view, x, y, a) for x, y, a in ((-120, -50, 0.2), (100, 60, 1.4), (0, 0, 2.7))]
    plane = estimate_plane(quads, [CARD] * 3, SIZE, plane_of(view).camera, 0.3)
    assert plane
    assert plane.residual_px < 0.1
    assert tilt_deg(plane) == pytest.approx(25, abs=0.5)


def test_a_half_turn_of_a_quad_makes_no_difference() -> None:
    """Outlines before naming may start at either end of the card."""
    view = look_at(SIZE, 64, 900, 30, 10)
    quads = spread(view, np.random.default_rng(8), 9, 0.3)
    turned = [np.roll(q, 2 * (k % 2), 0) for k, q in enumerate(quads)]
    a, b = (estimate_plane(v, [CARD] * 9, SIZE, sigma_px=0.5) for v in (quads, turned))
    assert a
    assert b
    assert tilt_deg(a) == pytest.approx(tilt_deg(b), abs=0.05)
    assert a.camera.K[0, 0] == pytest.approx(b.camera.K[0, 0], rel=1e-3)


def test_no_cards_no_plane() -> None:
    """Without cards there is a reason instead of a plane."""
    failure = estimate_plane([], [], SIZE)
    assert isinstance(failure, Failure)
    assert not failure
    assert failure.reason == "no cards"


def test_outlines_of_no_common_size_are_refused() -> None:
    """Quads whose shapes contradict each other belong to no plane."""
    rng = np.random.default_rng(11)
    quads = []
    for _ in range(10):
        centre, a = rng.uniform((200, 150), (1080, 570)), rng.uniform(0, 6)
        side = rng.uniform((30, 30), (150, 150))
        local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side
        quads.append(local @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + centre)
    failure = estimate_plane(quads, [CARD] * 10, SIZE)
    assert isinstance(failure, Failure)
    assert failure.reason == "no common plane"
    assert "px" in failure.detail


# ---- which way round -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tilt", [0, 25, 42])
@pytest.mark.parametrize("around", [0, 45, 90])
def test_cards_are_set_upright_together(tilt: float, around: float) -> None:
    """Rolled any way, side 0 comes out as the width, though on a tilted table a longer side may look the shorter."""
    view = look_at(SIZE, 64, 900, tilt, around)
    rng = np.random.default_rng(int(tilt + around))
    quads = spread(view, rng, 9, 0.6)
    rolled = [np.roll(q, -int(rng.integers(4)), 0) for q in quads]
    for upright, quad in zip(upright_on_a_plane(rolled, CARD, SIZE), quads, strict=True):
        same = min(np.abs(upright - quad).max(), np.abs(np.roll(upright, 2, 0) - quad).max())
        assert same == 0.0


# ---- what stands up --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tilt", "around"), [(0.0, 0.0), (25.0, 40.0), (38.0, 200.0)])
def test_the_camera_stands_where_it_is(tilt: float, around: float) -> None:
    """Its foot and its height, whatever the tilt; a raised point is seen where the line of sight meets the table."""
    view = look_at(SIZE, 65, 600, tilt_deg=tilt, around_deg=around, aim_mm=(20.0, -10.0))
    x, y, height = plane_of(view).camera_at()
    true = -view.R.T @ view.t
    assert [x, y, height] == pytest.approx([true[0], true[1], -true[2]], abs=1e-6)
    raised = np.array([70.0, 40.0, -15.0])
    seen = plane_of(view).unproject(view.project(raised[None]))[0]
    foot = np.array([x, y])
    assert seen == pytest.approx(raised[:2] + (raised[:2] - foot) * 15 / (height - 15), abs=1e-4)


# ---- what pictures tell of the lens ----------------------------------------------------------------------------------


def log_f(view: View) -> float:
    """True focal length as a prior states it."""
    return float(np.log(view.K[0, 0] / max(view.size_px)))


def told(view: View, seed: int = 0, n: int = 12, noise_px: float = 0.5, prior: LensPrior = ANY_LENS) -> LensPrior:
    """What cards all over a picture tell."""
    quads = spread(view, np.random.default_rng(seed), n, noise_px)
    plane = estimate_plane(quads, [CARD] * n, SIZE, sigma_px=0.5, prior=prior)
    assert plane
    assert plane.lens is not None
    return plane.lens


def test_cards_tell_the_lens_and_how_well() -> None:
    """Over cameras the errors of focal length and bend are about as large as stated, and less than was known before."""
    errors = []
    for seed in range(10):
        rng = np.random.default_rng([7, seed])
        view = look_at(SIZE, rng.uniform(58, 74), 900, rng.uniform(15, 35), rng.uniform(0, 360), 3, (0, 0))
        lens = told(View(SIZE, view.K, view.R, view.t, float(rng.uniform(-0.08, 0.04))), seed)
        assert lens.sigma_log_f < ANY_LENS.sigma_log_f
        assert lens.sigma_k1 < ANY_LENS.sigma_k1
        errors.append((lens.log_f - log_f(view)) / lens.sigma_log_f)
    assert 0.4 < np.sqrt(np.mean(np.square(errors))) < 1.6


def test_corners_that_miss_tell_less() -> None:
    """Where corners are six times as far off as expected, the lens is known much less exactly, and not overrated."""
    view = look_at(SIZE, 64, 900, 25, 40)
    good, bad = ([told(view, seed, noise_px=noise) for seed in range(8)] for noise in (0.5, 3.0))
    assert min(v.sigma_log_f for v in bad) > 4 * max(v.sigma_log_f for v in good)
    assert np.sqrt(np.mean([((v.log_f - log_f(view)) / v.sigma_log_f) ** 2 for v in bad])) < 1.2


def test_a_known_lens_helps_where_two_cards_tell_little() -> None:
    """With what earlier pictures told, two cards give the true focal length; without, only the usual one."""
    view = look_at(SIZE, 50, 900, 12, 40)
    earlier = told(look_at(SIZE, 50, 900, 32, 200), 1)
    alone, helped = told(view, 2, 2), told(view, 2, 2, prior=earlier)
    assert abs(helped.log_f - log_f(view)) < 0.03
    assert abs(alone.log_f - log_f(view)) > 2 * abs(helped.log_f - log_f(view))


def test_picture_after_picture_narrows_the_lens() -> None:
    """Each picture's answer, loosened, is the next one's knowledge: it narrows and stays by the truth."""
    view = look_at(SIZE, 74, 900, 22, 40)
    prior, known = ANY_LENS, []
    for seed in range(6):
        lens = told(view, seed, 5, prior=prior)
        assert lens.sigma_log_f <= prior.sigma_log_f
        assert abs(lens.log_f - log_f(view)) < 3.5 * lens.sigma_log_f
        prior = lens.loosened()
        assert prior.sigma_log_f >= 0.02
        known.append(prior.sigma_log_f)
    assert max(known[1:]) < known[0] < 1.5 * ANY_LENS.sigma_log_f


def test_loosening_keeps_the_value_and_widens_the_doubt() -> None:
    """A factor, but never below a floor."""
    lens = LensPrior(-0.2, 0.05, -0.03, 0.004)
    assert lens.loosened(2.0, 0.02) == LensPrior(-0.2, 0.1, -0.03, 0.02)


def test_a_calibrated_camera_tells_nothing_of_the_lens() -> None:
    """Its plane has no word on the lens, whatever was known."""
    view = look_at(SIZE, 64, 900, 25, 40)
    quads = spread(view, np.random.default_rng(1), 6)
    wild = LensPrior(1.0, 0.001, 0.3, 0.001)
    plane = estimate_plane(quads, [CARD] * 6, SIZE, plane_of(view).camera, prior=wild)
    assert plane
    assert plane.lens is None
    assert plane.residual_px < 0.1


def test_the_lens_is_told_in_no_pixels() -> None:
    """The same view in a picture of half the size tells the same, and a scaled or moved plane keeps it."""
    view = look_at(SIZE, 70, 900, 28, 40)
    quads = spread(view, np.random.default_rng(1), 10)
    large = estimate_plane(quads, [CARD] * 10, SIZE, sigma_px=1.0)
    half = [(q + 0.5) / 2 - 0.5 for q in quads]
    small = estimate_plane(half, [CARD] * 10, (SIZE[0] // 2, SIZE[1] // 2), sigma_px=0.5)
    assert large
    assert small
    assert large.lens is not None
    assert small.lens is not None
    assert small.lens.log_f == pytest.approx(large.lens.log_f, abs=0.01)
    assert large.scaled(640, 360).lens == large.moved(5, 5).lens == large.lens

"""The closed loop: a table is drawn, photographed and observed, and what was drawn must come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from scoring.table import BOARD, Side, TokenKind
from tests.render.anycard import random_face
from tests.render.conex_geometry import ConexArt
from tests.render.rox_table import DeckArt, draw, framed_view, random_scene
from tests.render.scene import Sensor, random_sensor
from tests.render.staged import Photo, corner_error, enlarged, photograph, rows
from tests.vision.plain_photo import CARD, GAME, SIDE, PlainPhoto
from tests.vision.plain_photo import photograph as photograph_game
from vision.camera import CameraModel
from vision.cards.locate import Located, locate
from vision.cards.plain_table import Known
from vision.cards.quads import overlap
from vision.deck import DeckAppearance
from vision.observe import observe
from vision.scene import Observation, SceneModel
from vision.types import Detection, Failure, Frame, Rgb

FACES = tuple(f"R{n:02d}" for n in range(1, 61))


def seen(photo: Photo, deck: DeckAppearance, **known: object) -> Observation:
    """Observe a photograph; it must not fail."""
    got = observe(photo.frame, SceneModel(deck, **known))  # type: ignore[arg-type]
    assert not isinstance(got, Failure)
    return got


def named(got: Observation) -> dict[str, Detection]:
    """Detections with a name, by name; no name twice."""
    found = [d for d in got.detections if d.face is not None]
    assert len({d.face for d in found}) == len(found)
    return {str(d.face): d for d in found}


def unnamed(got: Observation) -> list[Detection]:
    return [d for d in got.detections if d.face is None]


def assert_all_there(photo: Photo, got: Observation, within_px: float, needs: float = 0.9) -> None:
    """Every card that lies face up and can be seen is named, outlined and lies where it lies; nothing else is there."""
    found = named(got)
    readable = {c.name: c for c, v in zip(photo.cards, photo.visible, strict=True) if c.face_up and v >= needs}
    assert set(readable) <= set(found), f"not named: {set(readable) - set(found)}"
    assert set(found) <= set(photo.named), f"invented: {set(found) - set(photo.named)}"
    for name, card in readable.items():
        assert corner_error(found[name], card) < within_px, name
    for d in unnamed(got):
        assert max(overlap(d.quad_px, c.quad_px) for c in photo.cards) > 0.5, "an outline where no card lies"


@dataclass(frozen=True, slots=True)
class Pair:
    """A photograph and what was seen in it."""

    photo: Photo
    got: Observation


@pytest.fixture(scope="module")
def plain(small: DeckAppearance, small_art: DeckArt) -> Pair:
    """Twelve cards side by side on wood, a back and a scoring card among them."""
    photo = photograph(small_art, rows([*FACES[:8], "back", *FACES[8:10], "P15"]))
    return Pair(photo, seen(photo, small))


# ---- cards apart -----------------------------------------------------------------------------------------------------


def test_every_card_is_named_and_outlined(plain: Pair) -> None:
    """Names, corners in printed order to a pixel, and nothing invented."""
    assert_all_there(plain.photo, plain.got, 1.0)
    errors = [corner_error(d, plain.photo.named[name]) for name, d in named(plain.got).items()]
    assert np.median(errors) < 0.5


def test_names_of_open_cards_are_sure(plain: Pair) -> None:
    """An open card in good light is beyond doubt, its reading the likeliest, and its stated sigma honest."""
    for name, d in named(plain.got).items():
        assert d.confidence > 0.95
        assert d.visible > 0.6
        assert d.readings[0].face == name
        assert d.readings[0].probability == pytest.approx(d.confidence)
        assert sum(r.probability for r in d.readings) <= 1 + 1e-6
        assert corner_error(d, plain.photo.named[name]) < 8 * d.sigma_px


def test_a_back_has_no_name_and_is_known_as_a_back(plain: Pair) -> None:
    """A face-down card is told with its outline and without a name."""
    (back,) = unnamed(plain.got)
    (truth,) = [c for c in plain.photo.cards if not c.face_up]
    assert back.is_back
    assert back.face is None
    assert overlap(back.quad_px, truth.quad_px) > 0.95
    placement = plain.got.table.placements[plain.got.detections.index(back)]
    assert (placement.face, placement.side) == (None, Side.BACK)


def test_placements_and_detections_belong_together(plain: Pair) -> None:
    """Placement i has the key i and is detection i: its pose, put back into the picture, is the outline."""
    table = plain.got.table
    assert [p.key for p in table.placements] == [str(i) for i in range(len(plain.got.detections))]
    for p, d in zip(table.placements, plain.got.detections, strict=True):
        assert p.face == d.face
        assert p.confidence == d.confidence
        assert p.side == (Side.FACE if d.face else Side.BACK)
        assert [c.face for c in p.candidates] == [r.face for r in d.readings]


def test_the_plane_is_told_in_pixels_of_the_frame(plain: Pair) -> None:
    """What the plane makes of an outline is where the placement lies."""
    assert plain.got.plane is not None
    for p, d in zip(plain.got.table.placements, plain.got.detections, strict=True):
        np.testing.assert_allclose(plain.got.plane.unproject(d.quad_px).mean(0), (p.pose.x_mm, p.pose.y_mm), atol=0.05)


def test_millimetres_are_those_of_the_table(plain: Pair) -> None:
    """Distances and angles between cards come out as they lie, from nothing but the cards' size."""
    got = {p.face: p for p in plain.got.table.placements if p.face}
    truth = plain.photo.named
    for a, b in (("R01", "R06"), ("R01", "R10"), ("R07", "R03")):
        measured = np.hypot(got[a].pose.x_mm - got[b].pose.x_mm, got[a].pose.y_mm - got[b].pose.y_mm)
        real = np.hypot(truth[a].x_mm - truth[b].x_mm, truth[a].y_mm - truth[b].y_mm)
        assert measured == pytest.approx(real, rel=0.01)
        turned = got[a].pose.angle_rad - got[b].pose.angle_rad
        assert np.cos(turned - (truth[a].angle_rad - truth[b].angle_rad)) > np.cos(np.radians(1.0))
    assert all(p.sigma_mm < 0.5 for p in plain.got.table.placements)


def test_the_view_is_the_picture_in_millimetres(plain: Pair) -> None:
    """The four corners of the view enclose every card and are as far apart as the picture shows."""
    view = np.array(plain.got.table.view)
    w, h = plain.photo.view.size_px
    border = [[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]]
    real = plain.photo.view.table_points(border)
    sides, real_sides = (np.linalg.norm(np.roll(v, -1, 0) - v, axis=1) for v in (view, real))
    np.testing.assert_allclose(sides, real_sides, rtol=0.03)


def test_observe_is_a_pure_function(plain: Pair, small: DeckAppearance) -> None:
    """The same frame gives the same answer, and the picture is left as it was."""
    before = plain.photo.rgb.copy()
    again = seen(plain.photo, small)
    np.testing.assert_array_equal(plain.photo.rgb, before)
    assert again.table == plain.got.table
    for a, b in zip(again.detections, plain.got.detections, strict=True):
        np.testing.assert_array_equal(a.quad_px, b.quad_px)


# ---- how cards lie ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("roll_deg", [90, 180])
def test_turning_the_picture_turns_the_answer(plain: Pair, small: DeckAppearance, roll_deg: int) -> None:
    """A picture turned by a quarter or a half has the same cards, each corner where it was turned to."""
    k = roll_deg // 90
    rgb = np.ascontiguousarray(np.rot90(plain.photo.rgb, -k))
    h, w = plain.photo.rgb.shape[:2]

    def turned(quad: np.ndarray) -> np.ndarray:
        x, y = quad[:, 0], quad[:, 1]
        return np.stack([h - 1 - y, x], -1) if k == 1 else np.stack([w - 1 - x, h - 1 - y], -1)

    got = observe(Frame(rgb), SceneModel(small))
    assert isinstance(got, Observation)
    found, before = named(got), named(plain.got)
    assert set(found) == set(before)
    for name, d in found.items():
        assert np.abs(d.quad_px - turned(before[name].quad_px)).max() < 1.0


SCENES: dict[str, dict] = {
    "tilted by 45 degrees": {"tilt_deg": 45},
    "wide lens with distortion": {"tilt_deg": 25, "hfov_deg": 78, "k1": -0.12},
    "curled": {"curl_mm": 2.5},
    "in sleeves": {"sleeve_mm": 2.5},
    "on white laminate": {"table": "white"},
    "on dark gloss": {"table": "dark"},
    "warm lamp, noise, JPEG 60": {"sensor": Sensor(gain=(1.15, 0.98, 0.72), noise=5, blur=0.6, jpeg=60)},
    "blurred by 1.2 px": {"sensor": Sensor(blur=1.2, noise=2, jpeg=90)},
}


@pytest.mark.parametrize("name", SCENES)
def test_scenes(name: str, small: DeckAppearance, small_art: DeckArt) -> None:
    """Tilt, lens, curl, sleeves, tables and light: every card is named and outlined, nothing is invented."""
    photo = photograph(small_art, rows(FACES[20:32]), **SCENES[name])
    assert_all_there(photo, seen(photo, small), 2.0)


def test_upside_down_and_across(small: DeckAppearance, small_art: DeckArt) -> None:
    """Whichever way a card lies, the quad starts at its printed top-left corner."""
    laid = [(f, (x, y, a + k * np.pi / 2)) for k, (f, (x, y, a)) in enumerate(rows(FACES[32:44]))]
    photo = photograph(small_art, laid)
    assert_all_there(photo, seen(photo, small), 1.0)


def test_neighbours_that_touch(small: DeckAppearance, small_art: DeckArt) -> None:
    """A row without gaps is six cards, not one long one."""
    laid = [(f, ((n - 2.5) * 40.3, 10.0 + n % 2, 0.0)) for n, f in enumerate(FACES[:6])]
    photo = photograph(small_art, laid)
    assert_all_there(photo, seen(photo, small), 1.0)


def test_overlapping_cards_are_two(small: DeckAppearance, small_art: DeckArt) -> None:
    """Of two cards that overlap by a quarter both are named, and each keeps its own outline, hidden corner included."""
    laid = [(FACES[2 * n + k], (-150 + 100 * n + 28.0 * k, 22.0 * k, 0.15 * n)) for n in range(4) for k in (0, 1)]
    photo = photograph(small_art, laid)
    assert min(photo.visible) < 0.9
    assert_all_there(photo, seen(photo, small), 5.0, needs=0.75)


@pytest.mark.parametrize("seed", [1, 3, 9, 14])
def test_whole_tables(seed: int, small: DeckAppearance, small_art: DeckArt) -> None:
    """Rows, a heap, clutter, light and lens at random: no wrong name, nothing invented, open cards named."""
    rng = np.random.default_rng([11, seed])
    scene = random_scene(rng, small_art)
    view = framed_view(rng, scene.region_mm, (960, 540), float(rng.uniform(0, 30)), float(rng.uniform(55, 78)))
    table, _ = draw(rng, scene, small_art, view, things=("mug", "pencil"), scale=1)
    rgb, owner = table.finish(rng, random_sensor(rng, gentle=True))
    photo = Photo(rgb, tuple(table.cards), tuple(table.visible(owner)), view)
    # cards of equal value look alike: which of the two it is no picture tells
    values = {f["id"]: f["value"] for f in small_art.data["scoring_cards"]["faces"]}
    got = seen(photo, small)
    found = {f for f in named(got) if f not in values}
    lying = {name for name in photo.named if name not in values}
    assert found <= lying
    open_cards = {c.name for c, v in zip(photo.cards, photo.visible, strict=True) if v > 0.95 and c.name in lying}
    assert len(open_cards - found) <= 0.04 * len(open_cards)
    points = sorted(values[f] for f in named(got) if f in values)
    assert points == sorted(values[c.name] for c in photo.cards if c.name in values)
    for d in got.detections:
        assert max(overlap(d.quad_px, c.quad_px) for c in photo.cards) > 0.4


# ---- what is no card of this deck ------------------------------------------------------------------------------------


def foreign_faces(count: int) -> list[np.ndarray]:
    return [random_face(np.random.default_rng([5, n]), 1.5) for n in range(count)]


def test_cards_of_another_deck_get_no_name(small: DeckAppearance, small_art: DeckArt) -> None:
    """Foreign cards of the same size lie among the others: found or not, no face is forced on them."""
    places = [pose for _, pose in rows(FACES[:12])]
    foreign = list(zip(foreign_faces(4), places[8:], strict=True))
    photo = photograph(small_art, rows(FACES[:12])[:8], foreign=foreign)
    assert_all_there(photo, seen(photo, small), 1.0)


def test_a_table_of_foreign_cards_only(small: DeckAppearance, small_art: DeckArt) -> None:
    """Where no card of the deck lies none is named, and the placements know no face."""
    places = [pose for _, pose in rows(FACES[:8], 4)]
    photo = photograph(small_art, [], foreign=list(zip(foreign_faces(8), places, strict=True)))
    got = seen(photo, small)
    assert named(got) == {}
    assert all(p.face is None and p.side is not Side.FACE for p in got.table.placements)


def test_another_rox_deck_is_not_this_one(small: DeckAppearance, bundled: DeckAppearance, small_art: DeckArt) -> None:
    """The same elements, counts and ids in another art: no card is named by the wrong deck."""
    photo = photograph(small_art, rows(FACES[:6], 3))
    assert named(seen(photo, bundled)) == {}


def test_an_empty_table_is_empty(small: DeckAppearance, small_art: DeckArt) -> None:
    """Mug, paper, book, phone, pencil and hand are no cards, and an empty table is an observation."""
    things = [("mug", (0, 30)), ("sheet", (-130, 0)), ("book", (130, 20)), ("phone", (60, -60)), ("hand", (-20, -60))]
    for laid in ([], things):
        got = seen(photograph(small_art, [], things=laid), small)
        assert got.detections == ()
        assert got.table.placements == ()
        assert np.isfinite(np.array(got.table.view)).all()


# ---- pictures of every kind ------------------------------------------------------------------------------------------


def test_a_card_that_leaves_the_picture_gets_no_corners_on_its_edge(small: DeckAppearance, small_art: DeckArt) -> None:
    """Where a card hangs over the border its corners are outside, where they are, or it is not told at all."""
    leaving = [(FACES[10], (-203.0, 10.0, 0.1)), (FACES[11], (20.0, 118.0, 0.4)), (FACES[12], (200.0, -112.0, 0.7))]
    photo = photograph(small_art, [*rows(FACES[:8], 4), *leaving])
    w, h = photo.view.size_px
    got = seen(photo, small)
    assert_all_there(photo, got, 1.0)
    for d in got.detections:
        truth = max(photo.cards, key=lambda c: overlap(c.quad_px, d.quad_px))
        outside = (truth.quad_px < 0).any(1) | (truth.quad_px > [w - 1, h - 1]).any(1)
        # the true corner, beyond the border; one on the border would be off by as much as the card hangs over
        assert np.linalg.norm(d.quad_px - truth.quad_px, axis=1)[outside].max(initial=0) < 4


def test_a_grey_picture(small: DeckAppearance, small_art: DeckArt) -> None:
    """Without colours every card is still found; names may be missing, wrong ones are not given."""
    photo = photograph(small_art, rows(FACES[:12]))
    grey = cv2.cvtColor(cv2.cvtColor(photo.rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    got = seen(Photo(grey, photo.cards, photo.visible, photo.view), small)
    for name, d in named(got).items():
        assert corner_error(d, photo.named[name]) < 2
    for card in photo.cards:
        assert max(overlap(d.quad_px, card.quad_px) for d in got.detections) > 0.85


def test_twelve_megapixels_are_answered_in_their_own_pixels(small: DeckAppearance, small_art: DeckArt) -> None:
    """A large picture is analysed smaller, but corners, area and sigma are those of the picture itself."""
    photo = enlarged(photograph(small_art, rows(FACES[:12])), 4)
    assert photo.rgb.shape[0] * photo.rgb.shape[1] > 8e6
    got = seen(photo, small)
    assert_all_there(photo, got, 4.0)
    assert min(d.sigma_px for d in got.detections) > 0.1


@pytest.mark.parametrize("shape", [(10, 10, 3), (540, 31, 3), (540, 960), (540, 960, 4)])
def test_what_is_no_picture_is_a_failure(shape: tuple[int, ...], small: DeckAppearance) -> None:
    """Too small or without three channels: a falsy failure with a reason, no exception."""
    got = observe(Frame(np.zeros(shape, np.uint8)), SceneModel(small))
    assert isinstance(got, Failure)
    assert not got
    assert got.reason


@pytest.mark.parametrize("grey", [0, 128, 255])
def test_a_flat_picture_has_no_cards(grey: int, small: DeckAppearance) -> None:
    """Lens cap, wall, burnt out: nothing is there, and nothing breaks."""
    got = observe(Frame(np.full((540, 960, 3), grey, np.uint8)), SceneModel(small))
    assert isinstance(got, Observation)
    assert got.detections == ()


# ---- what is known beforehand ----------------------------------------------------------------------------------------


def test_cards_outside_the_area_are_not_told(plain: Pair, small: DeckAppearance) -> None:
    """The centre of a card decides; placements keep their numbers."""
    h = plain.photo.rgb.shape[0]
    area = np.array([[0, 0], [480, 0], [480, h], [0, h]], float)
    got = seen(plain.photo, small, area_px=area)
    left = {c.name for c in plain.photo.cards if c.face_up and c.quad_px[:, 0].mean() < 480}
    assert set(named(got)) == left
    assert [p.key for p in got.table.placements] == [str(i) for i in range(len(got.detections))]


def test_a_calibration_is_used(small: DeckAppearance, small_art: DeckArt) -> None:
    """With the lens known, one card is enough to measure the table; its picture may be of another size."""
    photo = photograph(small_art, [(FACES[0], (-60, 20, 0.2)), (FACES[1], (50, -10, 1.0))], tilt_deg=35, k1=-0.1)
    lens = CameraModel((960, 540), photo.view.K, np.array([-0.1, 0, 0, 0, 0]))
    got = seen(photo, small, camera=lens.scaled(1920, 1080))
    assert_all_there(photo, got, 1.0)
    a, b = (next(p.pose for p in got.table.placements if p.face == f) for f in FACES[:2])
    assert np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) == pytest.approx(np.hypot(110, 30), rel=0.01)
    assert np.cos(b.angle_rad - a.angle_rad - 0.8) > np.cos(np.radians(0.7))


def test_frame_time_is_kept(small: DeckAppearance) -> None:
    """The observation carries the time of its frame."""
    got = observe(Frame(np.zeros((64, 64, 3), np.uint8), at_s=12.5), SceneModel(small))
    assert isinstance(got, Observation)
    assert got.at_s == 12.5


# ---- another deck ----------------------------------------------------------------------------------------------------


def test_the_bundled_deck(bundled: DeckAppearance, bundled_art: DeckArt) -> None:
    """The deck that a family prints: every card on the table is named and outlined."""
    faces: Sequence[str] = [f["id"] for f in bundled_art.data["faces"]][5:60:5]
    photo = photograph(bundled_art, rows(faces, 6, (74, 106)), region_mm=(480, 270))
    assert_all_there(photo, seen(photo, bundled), 1.2)


# ---- a table with a board --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def settled(game: PlainPhoto, conex: DeckAppearance) -> Observation:
    """Eight cards of a deck with a board, observed."""
    got = observe(game.frame, SceneModel(conex))
    assert isinstance(got, Observation)
    return got


def test_the_board_has_its_place_in_millimetres(settled: Observation, game: PlainPhoto) -> None:
    """Board and cards lie as they lie to each other; the board is no card and has the key and face of a board."""
    board = settled.table.board
    assert board is not None
    assert settled.board is not None
    assert (board.key, board.face, board.size_mm) == (BOARD, BOARD, (SIDE, SIDE))
    assert BOARD not in {p.face for p in settled.table.placements}
    assert 0 < board.sigma_mm < 0.5
    for p in settled.table.placements:
        assert p.size_mm == CARD
        real = game.pose(str(p.face)) - game.pose(BOARD)
        apart = np.hypot(p.pose.x_mm - board.pose.x_mm, p.pose.y_mm - board.pose.y_mm)
        assert apart == pytest.approx(np.hypot(*real[:2]), abs=0.6)
        assert np.cos(p.pose.angle_rad - board.pose.angle_rad - real[2]) > np.cos(np.radians(0.3))


def test_covers_are_told_by_key(settled: Observation, game: PlainPhoto) -> None:
    """Pairs (upper, lower) of keys of placements; each overlap of more than a square centimetre is among them."""
    face = {p.key: p.face for p in settled.table.placements}
    told = {(face[a], face[b]) for a, b in settled.table.covers}
    assert game.covers(120) <= told <= game.covers()


def test_a_card_that_reaches_into_the_area_is_told(game: PlainPhoto, conex: DeckAppearance) -> None:
    """It may be judged for sticking out; one that lies outside is nobody's, and covers keep to the new numbers."""
    c05 = game.cards["C05"].quad_px[:, 0]
    edge = float(c05.mean() + 20)
    assert c05.max() > edge + 20
    area = np.array([[edge, 0], [960, 0], [960, 540], [edge, 540]], float)
    got = observe(game.frame, SceneModel(conex, area_px=area))
    assert isinstance(got, Observation)
    inside = {n for n, c in game.cards.items() if (c.quad_px[:, 0] > edge).any()}
    face = {p.key: p.face for p in got.table.placements}
    assert set(face.values()) == inside
    assert "C05" in inside
    assert inside.isdisjoint({"C29", "C34"})
    assert list(face) == [str(i) for i in range(len(inside))]
    told = {(face[a], face[b]) for a, b in got.table.covers}
    wanted = {(a, b) for a, b in game.covers(120) if {a, b} <= inside}
    assert wanted <= told <= game.covers()
    assert got.table.board is not None


def test_no_pawn_or_star_is_imagined(settled: Observation) -> None:
    """Die, stars and +2 of the print are no tokens."""
    assert settled.table.tokens == ()
    assert settled.tokens_px == ()


def test_a_large_picture_of_a_game(conex_art: ConexArt, conex: DeckAppearance, monkeypatch: pytest.MonkeyPatch) -> None:
    """Analysed smaller: corners, board, its known place and the plane are in pixels of the picture itself."""
    looked: list[Known] = []

    def watched(rgb: Rgb, deck: DeckAppearance, camera: CameraModel | None, known: Known) -> Located:
        looked.append(known)
        return locate(rgb, deck, camera, known)

    monkeypatch.setattr("vision.observe.locate", watched)
    photo = photograph_game(conex_art, GAME[:5])
    large = np.repeat(np.repeat(photo.rgb, 3, 0), 3, 1)
    known = (photo.board.quad_px + 0.5) * 3 - 0.5
    got = observe(Frame(large), SceneModel(conex, board_px=known))
    assert isinstance(got, Observation)
    (then,) = looked
    np.testing.assert_allclose(then.board_px, photo.board.quad_px * 2 + 0.5)
    found = named(got)
    assert set(found) == set(photo.cards)
    for name, card in photo.cards.items():
        assert np.abs((found[name].quad_px + 0.5) / 3 - 0.5 - card.quad_px).max() < 0.8
    assert got.board is not None
    assert got.plane is not None
    assert np.abs(got.board.quad_px - known).max() < 2.4
    for p, d in zip(got.table.placements, got.detections, strict=True):
        np.testing.assert_allclose(got.plane.unproject(d.quad_px).mean(0), (p.pose.x_mm, p.pose.y_mm), atol=0.1)
    assert not any(t.kind is TokenKind.PAWN for t in got.table.tokens)


def test_a_calibration_measures_a_game(game: PlainPhoto, conex: DeckAppearance) -> None:
    """With the lens known, for pictures of any size, the table is measured with it."""
    lens = CameraModel((960, 540), game.view.K, np.array([game.view.k1, 0, 0, 0, 0]))
    got = observe(game.frame, SceneModel(conex, camera=lens.scaled(1920, 1080)))
    assert isinstance(got, Observation)
    assert got.plane is not None
    assert got.plane.lens is None
    at = {p.face: np.array([p.pose.x_mm, p.pose.y_mm]) for p in got.table.placements}
    assert set(at) == set(game.cards)
    real = np.hypot(*(game.pose("C34") - game.pose("C23"))[:2])
    assert np.hypot(*(at["C34"] - at["C23"])) == pytest.approx(real, rel=0.003)


def test_an_empty_game_is_an_observation(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Board alone: a board, no placements; nothing at all: neither, and no note of a missing plane."""
    with_board = observe(photograph_game(conex_art, ()).frame, SceneModel(conex))
    assert isinstance(with_board, Observation)
    assert with_board.table.board is not None
    assert with_board.table.placements == ()
    bare = observe(photograph_game(conex_art, (), None).frame, SceneModel(conex))
    assert isinstance(bare, Observation)
    assert bare.table.board is None
    assert bare.table.placements == bare.notes == ()
    assert np.isfinite(np.array(bare.table.view)).all()

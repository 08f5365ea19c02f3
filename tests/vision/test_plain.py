"""Tables of plain cards: drawn, located, and what was drawn must come out with its doubt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.render.anycard import random_face
from tests.render.conex_geometry import ConexArt
from tests.render.scene import Laid, Sensor
from tests.training.plain_tables import palette, plain_face
from tests.vision.plain_photo import CARD, GAME, SIDE, SIZE, PlainPhoto, photograph
from vision.camera import CameraModel
from vision.cards.plain import Plainly, locate_plain
from vision.cards.plain_table import Known
from vision.cards.quads import overlap
from vision.deck import DeckAppearance
from vision.types import Detection

BOARD_AT = (0.0, 0.0, 0.2)
EXACT_PX = 0.6
"""A third of a millimetre."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A photograph and what was found in it."""

    photo: PlainPhoto
    got: Plainly


@pytest.fixture(scope="module")
def seen(game: PlainPhoto, conex: DeckAppearance) -> Pair:
    return Pair(game, locate_plain(game.rgb, conex))


def named(got: Plainly) -> dict[str, Detection]:
    """Detections with a name, by name; no name twice."""
    found = [d for d in got.detections if d.face is not None]
    assert len({d.face for d in found}) == len(found)
    return {str(d.face): d for d in found}


def error_px(found: Detection, truth: Laid) -> float:
    return float(np.linalg.norm(found.quad_px - truth.quad_px, axis=1).max())


def covers(got: Plainly) -> set[tuple[str | None, str | None]]:
    return {(got.detections[a].face, got.detections[b].face) for a, b in got.covers}


def assert_all_there(photo: PlainPhoto, got: Plainly, within_px: float = EXACT_PX) -> None:
    """Every card is named and lies where it lies, and nothing else is there."""
    found = named(got)
    assert set(found) == set(photo.cards)
    assert len(got.detections) == len(found)
    for name, card in photo.cards.items():
        assert error_px(found[name], card) < within_px, name


# ---- a table of eight ------------------------------------------------------------------------------------------------


def test_every_card_is_named_where_it_lies(seen: Pair) -> None:
    """Names and corners in printed order, of cards on the board, on cards and alone; nothing is invented."""
    assert_all_there(seen.photo, seen.got)
    for name, d in named(seen.got).items():
        assert d.confidence > 0.95
        assert d.readings[0].face == name
        assert d.readings[0].probability == pytest.approx(d.confidence)
        assert sum(r.probability for r in d.readings) <= 1 + 1e-6


def test_who_lies_on_whom_is_told(seen: Pair) -> None:
    """Every overlap of more than a square centimetre, the upper card first; no pair that does not touch."""
    assert covers(seen.got) >= seen.photo.covers(120)
    assert covers(seen.got) <= seen.photo.covers()


def test_the_board_is_told_beside_the_cards(seen: Pair) -> None:
    """It is no detection of a card, its print starts at its first corner, and it is placed as exactly as a card."""
    board = seen.got.board
    assert board is not None
    assert board.face == "board"
    assert error_px(board, seen.photo.board) < EXACT_PX
    assert board.confidence > 0.95


def test_the_plane_measures_the_table(seen: Pair) -> None:
    """Distances from card to card and to the board come out to 0.3 mm and 2 parts in a thousand, angles to 0.2 deg."""
    plane = seen.got.plane
    assert plane is not None
    found = named(seen.got)
    poses = {n: plane.pose_of(found[n].quad_px, CARD)[0] for n in found}
    assert seen.got.board is not None
    poses["board"] = plane.pose_of(seen.got.board.quad_px, (SIDE, SIDE))[0]
    names = list(poses)
    for a in names:
        for b in names[names.index(a) + 1 :]:
            real = seen.photo.pose(a) - seen.photo.pose(b)
            measured = np.hypot(poses[a].x_mm - poses[b].x_mm, poses[a].y_mm - poses[b].y_mm)
            apart = np.hypot(*real[:2])
            assert measured == pytest.approx(apart, abs=0.3 + 0.002 * apart), (a, b)
            turned = poses[a].angle_rad - poses[b].angle_rad - real[2]
            assert abs(np.degrees((turned + np.pi) % (2 * np.pi) - np.pi)) < 0.2, (a, b)


def test_the_stated_sigma_is_honest(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Cards that are cut and curled as cards are: corners are off by about what is stated, and none by far more."""
    ratios = []
    for seed, tilt in enumerate((4.0, 16.0, 28.0)):
        photo = photograph(
            conex_art,
            tilt_deg=tilt,
            around_deg=130.0 * seed,
            k1=-0.05 * seed,
            made_mm=0.2,
            curl_mm=1.2,
            sensor=Sensor(gain=(1.1, 1.0, 0.85), blur=0.7, noise=3, jpeg=85),
            seed=seed,
        )
        found = named(locate_plain(photo.rgb, conex))
        assert len(found) >= 7
        ratios += [(d.quad_px - photo.cards[n].quad_px) / d.sigma_px for n, d in found.items()]
    per_card = np.sqrt(np.mean(np.square(ratios), axis=(1, 2)))
    assert 0.5 < np.sqrt(np.mean(np.square(ratios))) < 1.6
    assert per_card.max() < 4


# ---- light, table, camera --------------------------------------------------------------------------------------------

TURQUOISE = (0.16, 0.66, 0.62)
SCENES: dict[str, dict] = {
    "on a table of a card's colour": {"surface": TURQUOISE},
    "long shadows": {"surface": "white", "shadow": (2.0, 2.0, 0.5)},
    "tilted by 38 degrees": {"tilt_deg": 38.0, "distance_mm": 520.0},
    "warm lamp, noise, JPEG 70": {"sensor": Sensor(gain=(1.15, 0.95, 0.7), noise=5, blur=0.8, jpeg=70)},
}


@pytest.mark.parametrize("name", SCENES)
def test_scenes(name: str, conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Tables, tilt and light: every card is named and placed to half a mm, the order is never the wrong one."""
    photo = photograph(conex_art, **SCENES[name])
    got = locate_plain(photo.rgb, conex)
    assert_all_there(photo, got, 1.0)
    assert covers(got) <= photo.covers()


def test_everything_upside_down(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Whichever way cards and board lie, each quad starts at the printed top-left corner."""
    photo = photograph(conex_art, [(f, (x, y, a + np.pi)) for f, (x, y, a) in GAME], (0, 0, 0.2 + np.pi / 2))
    got = locate_plain(photo.rgb, conex)
    assert_all_there(photo, got)
    assert got.board is not None
    assert error_px(got.board, photo.board) < EXACT_PX


def test_without_a_board(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Cards alone tell the plane; there is no board, and none is imagined."""
    photo = photograph(conex_art, GAME, None)
    got = locate_plain(photo.rgb, conex)
    assert got.board is None
    assert_all_there(photo, got)


def test_washed_out(game: PlainPhoto, conex: DeckAppearance) -> None:
    """A third of the contrast is left: names and board are read, places are good to half a mm."""
    noise = np.random.default_rng(0).normal(0, 2, game.rgb.shape)
    veiled = np.clip(game.rgb * 0.4 + 140 + noise, 0, 255).astype(np.uint8)
    got = locate_plain(veiled, conex)
    assert_all_there(game, got, 1.0)
    assert got.board is not None
    assert error_px(got.board, game.board) < 1.0


def test_a_calibrated_lens_is_used_as_it_is(game: PlainPhoto, conex: DeckAppearance) -> None:
    """With the camera given only the plane is estimated, and nothing is told of the lens."""
    camera = CameraModel(SIZE, game.view.K, np.array([game.view.k1, 0, 0, 0, 0]))
    got = locate_plain(game.rgb, conex, camera)
    assert_all_there(game, got)
    assert got.plane is not None
    assert got.plane.camera is camera
    assert got.plane.lens is None


def test_what_is_known_helps_and_does_not_bind(seen: Pair, conex: DeckAppearance) -> None:
    """The lens and the board's place of an earlier picture are taken over; a board that was elsewhere is found anew."""
    assert seen.got.plane is not None
    assert seen.got.plane.lens is not None
    lens = seen.got.plane.lens.loosened()
    again = locate_plain(seen.photo.rgb, conex, known=Known(lens, seen.photo.board.quad_px + [2.0, -1.5]))
    elsewhere = locate_plain(seen.photo.rgb, conex, known=Known(lens, seen.photo.board.quad_px + [150.0, 60.0]))
    for got in (again, elsewhere):
        assert_all_there(seen.photo, got)
        assert got.board is not None
        assert error_px(got.board, seen.photo.board) < EXACT_PX
        assert got.plane is not None
        assert got.plane.lens is not None
        assert got.plane.lens.sigma_log_f < lens.sigma_log_f


# ---- what is not as it should be -------------------------------------------------------------------------------------


def test_foreign_cards_are_outlined_and_not_named(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Cards of other decks, plain ones too, get no name; those of the deck keep theirs."""
    rng = np.random.default_rng(4)
    pictures = [random_face(np.random.default_rng([5, 0]), CARD[1] / CARD[0]), plain_face(rng, 1.56, palette(rng))]
    foreign = [(pictures[0], GAME[2][1]), (pictures[1], GAME[7][1])]
    photo = photograph(conex_art, [GAME[i] for i in (0, 1, 3, 5)], BOARD_AT, foreign=foreign)
    got = locate_plain(photo.rgb, conex)
    found = named(got)
    assert set(found) == set(photo.cards)
    for name, card in photo.cards.items():
        assert error_px(found[name], card) < EXACT_PX
    unnamed = [d for d in got.detections if d.face is None]
    outlined = [
        c for c in photo.laid if c.name == "foreign" and any(overlap(d.quad_px, c.quad_px) > 0.9 for d in unnamed)
    ]
    assert outlined
    for d in unnamed:
        assert not d.is_back
        assert 0 <= d.visible <= 1
        assert max(overlap(d.quad_px, c.quad_px) for c in photo.laid if c.name == "foreign") > 0.6


def test_a_name_is_given_once(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Two cards show the same face: one has the name, the other has no name of another card."""
    photo = photograph(conex_art, [*GAME[:7], ("C05", GAME[7][1])])
    found = named(locate_plain(photo.rgb, conex))
    assert set(found) == {n for n, _ in GAME[:7]}
    places = [c.quad_px for c in photo.laid if c.name == "C05"]
    assert len(places) == 2
    assert min(np.linalg.norm(found["C05"].quad_px - q, axis=1).max() for q in places) < EXACT_PX
    for name in set(found) - {"C05"}:
        assert error_px(found[name], photo.cards[name]) < EXACT_PX


def test_an_empty_table_is_empty(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """The board with its squares is no card; neither is a bare table, which has no plane to measure on."""
    with_board = locate_plain(photograph(conex_art, ()).rgb, conex)
    assert with_board.detections == ()
    assert with_board.covers == ()
    assert with_board.board is not None
    assert with_board.plane is not None
    bare = locate_plain(photograph(conex_art, (), None).rgb, conex)
    assert bare.detections == bare.covers == ()
    assert bare.board is None
    assert bare.plane is None


@pytest.mark.parametrize("grey", [0, 255])
def test_a_flat_picture_is_empty(grey: int, conex: DeckAppearance) -> None:
    """Lens cap or burnt out: nothing is there, and nothing breaks."""
    got = locate_plain(np.full((270, 480, 3), grey, np.uint8), conex)
    assert got.detections == ()
    assert got.board is None
    assert got.plane is None


def test_a_card_that_leaves_the_picture(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Corners beyond the border are where they are, or the card is not told; the others are not disturbed."""
    leaving = {"C34": (-272.0, 90.0, -2.2), "C48": (-60.0, -158.0, 1.75)}
    photo = photograph(conex_art, [*GAME[:6], *leaving.items()])
    inside = {n for n, c in photo.cards.items() if (c.quad_px > 0).all() and (c.quad_px < np.array(SIZE)).all()}
    assert inside == {n for n, _ in GAME[:6]}
    got = locate_plain(photo.rgb, conex)
    found = named(got)
    assert inside <= set(found) <= set(photo.cards)
    assert "C34" in found
    for name, d in found.items():
        assert error_px(d, photo.cards[name]) < (EXACT_PX if name in inside else 2.0), name

"""Drawn tables of CONEX obey the rules that they are to be judged by, and their truth is exact."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from shapely.geometry import Polygon

from scoring.deck import parse_deck
from tests.render.conex_game import CLEAR_MM, CLOSE_MM, Game, Trial
from tests.render.conex_geometry import BOARD, ConexArt, Outline, Pose, fits, gaps, on_table, separation
from tests.render.conex_scene import drifted, reach_of
from tests.render.conex_table import make_step, outward, take_back, write_case
from tests.render.scene import look_at

DECK = Path(__file__).parents[2] / "calibration" / "decks" / "conex-proxy"
AREA = np.array([[-400.0, -280.0], [400.0, -280.0], [400.0, 280.0], [-400.0, 280.0]])


@pytest.fixture(scope="module")
def art() -> ConexArt:
    return ConexArt.load(DECK)


def new_game(art: ConexArt, seed: int) -> Game:
    game = Game(np.random.default_rng(seed), art, AREA, (0.0, 0.0, 0.3), [], Polygon(AREA * 1.2))
    game.free = list(art.faces)
    return game


def test_the_art_is_the_deck(art: ConexArt) -> None:
    """Faces, board and stars have pictures in the proportions that the deck file tells."""
    rules = parse_deck(art.data, str(DECK / "deck.json"))
    assert set(art.faces) == set(rules.faces)
    for name in art.faces:
        h, w = art.pictures[name].shape[:2]
        assert w / h == pytest.approx(art.size(name)[0] / art.size(name)[1], rel=0.01)
    assert art.pictures[BOARD].shape[0] == art.pictures[BOARD].shape[1]
    assert all(art.pictures[kind].shape[2] == 4 for kind in art.data["stars"])


SQUARE = np.array([[0.0, 0], [10, 0], [10, 10], [0, 10]])


@pytest.mark.parametrize(
    ("shift", "gap"),
    [((15, 0), 5.0), ((13, 14), 5.0), ((8, 1), -2.0), ((-4, 0), -6.0), ((10, 0), 0.0)],
)
def test_separation_is_the_shortest_way_between_or_out(shift: tuple[float, float], gap: float) -> None:
    """Apart: the distance, over a corner too. Overlapping: minus the least shift that parts them."""
    assert separation(SQUARE, SQUARE + shift) == pytest.approx(gap)
    assert separation(SQUARE + shift, SQUARE[::-1]) == pytest.approx(gap)


def test_gaps_of_rounded_outlines_are_those_of_the_outlines_drawn_finely() -> None:
    """A core grown by a radius has the gap that a finely drawn rounded outline has, near its corners too."""
    rng = np.random.default_rng(4)
    size, r = (59.0, 92.0), 3.0
    core = np.array([[r, r], [size[0] - r, r], [size[0] - r, size[1] - r], [r, size[1] - r]])
    checked = 0
    for _ in range(60):
        poses = [tuple(rng.uniform(-60, 60, 2)) + (rng.uniform(-3, 3),) for _ in range(2)]
        a, b = (Outline(on_table(core, size, p), r) for p in poses)  # type: ignore[arg-type]
        fine = [Polygon(o.core).buffer(r, quad_segs=128) for o in (a, b)]
        if fine[0].distance(fine[1]) > 0:
            assert a.gap(b) == pytest.approx(fine[0].distance(fine[1]), abs=0.002)
            checked += 1
        elif fine[0].intersection(fine[1]).area > 1:
            assert a.gap(b) < 0
    assert checked > 5
    assert Outline(core, r).margin(np.array([[-2.0, -5], [70, -5], [70, 100], [-2, 100]])) == pytest.approx(2.0)
    assert Outline(core, r).margin(np.array([[4.0, -5], [70, -5], [70, 100], [4, 100]])) == pytest.approx(-4.0)


def test_where_a_corner_fits_the_overlap_is_its_region(art: ConexArt) -> None:
    """For every kind of region, on a card and on the board: the new card covers exactly what the region shows."""
    rng = np.random.default_rng(1)
    ground_pose: Pose = (12.0, -7.0, 0.8)
    found = dict.fromkeys((3, 4), 0)
    for name, face in list(art.faces.items())[:24]:
        for i, corner in enumerate(face["corners"]):
            ground = next(n for n, f in art.faces.items() if f["color"] == corner["color"] and n != name)
            region = np.asarray(corner["region"], float)
            for fit in fits(rng, art, name, i, ground, ground_pose, None):
                card = reach_of(fit.pose, art.size(name))
                overlap = card.intersection(reach_of(ground_pose, art.size(ground)))
                mine = Polygon(on_table(region, art.size(name), fit.pose))
                assert overlap.symmetric_difference(mine, grid_size=1e-4).area < 0.15 * mine.area + 1
                found[min(4, max(3, len(region)))] += 1
    assert min(found.values()) > 10


@pytest.mark.parametrize("kind", ["legal", "near", "close", "contact", "cover", "out", "color"])
def test_a_move_is_of_the_kind_that_was_asked_for(art: ConexArt, kind: str) -> None:
    """What is broken is broken clearly, what is kept is kept clearly, and a close call is told to be one."""
    for seed in range(5):
        game = new_game(art, seed)
        for _ in range(4):
            trial = game.find("legal", game.free[:20])
            assert trial is not None
            game.lay(trial)
        trial = game.find(kind, game.free, tries=4000)
        if trial is not None:
            break
    assert trial is not None
    told = game.lay(trial)
    rules = [v["rule"] for v in told["violations"]]
    fact = {"contact": ["single-contact"], "cover": ["corner-covered"], "out": ["out-of-bounds"], "color": ["color"]}
    if kind == "close":
        assert told["close"]
        assert any(abs(n["gap_mm"]) < CLOSE_MM for n in told["near"])
    else:
        assert "close" not in told
        assert sorted(set(rules)) == fact.get(kind, [])
        assert all(n["gap_mm"] < -1.9 or n["gap_mm"] >= CLEAR_MM for n in told["near"])
    assert told["verdict"] == ("illegal" if rules else "legal")
    face = art.faces[told["card"]]
    color = face["corners"][told["corner"]]["color"]
    space = told["onto"].get("space")
    ground = art.faces[told["onto"]["card"]] if space is None else art.regions(BOARD)[space]
    assert (color == ground["color"]) == (kind != "color")
    if space is None and ground["symbol"] == "plus2":
        assert told["points"] == told["value"] + 2
    else:
        assert told["points"] == told["value"] == face["corners"][told["corner"]]["value"]


def test_the_game_remembers_what_lies_on_what(art: ConexArt) -> None:
    """A card laid on another covers it and lies higher; taken off, it covers nothing and can be laid again."""
    game = new_game(art, 2)
    first = game.find("legal", game.free[:20])
    assert isinstance(first, Trial)
    under = game.lay(first)["card"]
    on_it = None
    while on_it is None or on_it.fit.ground != under:
        on_it = game.find("legal", game.free)
        assert on_it is not None
    upper = game.lay(on_it)["card"]
    assert game.covered_by(under) == [upper]
    assert game.leaves() == [upper]
    assert game.laid[upper].z_mm > game.laid[under].z_mm
    done = take_back(game, upper)
    assert done is not None
    assert done["removed"] == [upper]
    assert (upper in game.laid) == (done["placement"] is not None)


def test_a_push_is_small_and_touches_nothing_new(art: ConexArt) -> None:
    """A shift moves one card by 3 to 6 mm along with the placement, and is no placement itself."""
    for seed in range(6):
        game = new_game(art, seed)
        for _ in range(3):
            make_step(game, "legal")
        before = dict(game.poses())
        done = make_step(game, "shift")
        if done is not None:
            break
    assert done is not None
    after = game.poses()
    moved = {n: np.hypot(after[n][0] - p[0], after[n][1] - p[1]) for n, p in before.items() if after[n] != p}
    assert len(moved) == 1
    assert 2.9 < next(iter(moved.values())) < 6.1
    assert done["placement"]["card"] not in before


def test_two_pawns_share_a_square_and_never_three(art: ConexArt) -> None:
    """A second pawn on a square stands beside the first, both nearer to its centre than to any other."""
    game = new_game(art, 5)
    pawns = list(art.data["pawns"])
    game.stand(pawns[0], 4)
    game.stand(pawns[1], 4)
    track = np.asarray(art.data["board"]["track"], float)
    places = []
    for color in pawns[:2]:
        square, dx, dy = game.pawns[color]
        at = track[4] + [dx, dy]
        assert square == 4
        assert int(np.argmin(np.linalg.norm(track - at, axis=1))) == 4
        places.append(at)
    assert np.linalg.norm(places[0] - places[1]) > 0.5 * game.cell()


@pytest.fixture(scope="module")
def case(art: ConexArt, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conex") / "case"
    write_case(np.random.default_rng([5, 1]), folder, art, ["legal", "legal+2x", "contact"], scale=1)
    return folder


def test_a_case_is_complete_and_consistent(art: ConexArt, case: Path) -> None:
    """Photos are there, quads are the poses seen by the camera, verdicts are those of the exact gaps."""
    truth = json.loads((case / "truth.json").read_text())
    assert len(truth["steps"]) == len(truth["photos"]) - 1 >= 4
    board = truth["board_pose_mm"]
    for photo in truth["photos"]:
        picture = cv2.imread(str(case / photo["photo"]))
        assert picture is not None
        assert list(picture.shape[1::-1]) == truth["camera"]["size"]
        poses = {c["id"]: _inward(c["pose_mm"]) for c in photo["cards"]} | {BOARD: _inward(board)}
        for card in photo["cards"]:
            quad = Polygon(card["quad"])
            assert quad.is_valid
            assert quad.exterior.is_ccw  # as the numbers run with y down: clockwise as seen, no mirror image
            assert 0 <= card["visible"] <= 1
            assert set(card["covered_by"]) <= set(poses)
        placed = photo["placement"]
        if placed is not None and placed["onto"] is not None:
            mine = poses.pop(placed["card"])
            ground = placed["onto"].get("card", BOARD)
            area = np.array(truth["area_mm"]) * [1, -1]
            broken = {g.rule for g in gaps(art, placed["card"], mine, ground, poses, area) if g.mm < 0}
            assert broken == {v["rule"] for v in placed["violations"]} - {"color"}


def _inward(pose: list[float]) -> Pose:
    return pose[0], -pose[1], -float(np.radians(pose[2]))


def test_poses_are_told_with_y_up() -> None:
    """The truth's poses are in mm and degrees, y up, counter-clockwise, and lead back."""
    assert outward((10.0, 20.0, np.pi / 2)) == [10.0, -20.0, -90.0]
    assert _inward(outward((3.0, -4.0, 0.5))) == pytest.approx((3.0, -4.0, 0.5), abs=1e-4)


def test_the_camera_drifts_by_a_touch() -> None:
    """From photo to photo points move by a pixel or a few, not by a card."""
    view = look_at((1280, 720), 65, 900, 15)
    moved = drifted(np.random.default_rng(0), view)
    off = np.linalg.norm(moved.project(AREA / 2) - view.project(AREA / 2), axis=1)
    assert 0 < off.max() < 6

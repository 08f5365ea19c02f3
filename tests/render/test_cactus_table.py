"""Pictures of Cactus: gaps are exact, the truth is that of the contract, and the picture shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from tests.decks.cactus_sets import TUNING, ensure_set
from tests.render.cactus_game import Game, Hung, SetArt
from tests.render.cactus_geometry import Form, Plate, depth_gap, gap, in_view, table_gap
from tests.render.cactus_light import Lamp
from tests.render.cactus_play import Match
from tests.render.cactus_room import front_view
from tests.render.cactus_scene import Canvas
from tests.render.cactus_table import random_view, stand, write_case

SQUARE = Form.of(np.array([[-10.0, -10], [10, -10], [10, 10], [-10, 10]]))
UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def _plate(x: float, y: float, z: float, turn: np.ndarray[Any, Any] | None = None, thickness: float = 4.0) -> Plate:
    R = UPRIGHT if turn is None else turn @ UPRIGHT
    return Plate(SQUARE, np.c_[R, [x, y, z]], thickness)


@pytest.mark.parametrize(
    ("other", "mm"),
    [
        (_plate(23, 0, 0), 3.0),
        (_plate(0, 7, 0), 3.0),
        (_plate(23, 8, 0), 5.0),
        (_plate(23, 8, 0, thickness=8.0), np.hypot(3, 2)),
        (_plate(19, 0, 0), -1.0),
        (_plate(0, 0, 10 + 20 * np.sqrt(0.5), cv2.Rodrigues(np.array([0, np.pi / 4, 0]))[0]), 0.0),
    ],
)  # fmt: skip
def test_the_gap_between_plates_is_measured_in_space(other: Plate, mm: float) -> None:
    """Beside, behind, askew and into one another: the shortest way, by whichever plate is asked first."""
    here = _plate(0, 0, 0)
    assert gap(here, other) == pytest.approx(mm, abs=0.02)
    assert gap(other, here) == pytest.approx(mm, abs=0.02)


def test_edges_that_cross_are_as_near_as_their_nearest_points() -> None:
    """Two plates edge on, one upright and one lying: the way between their edges, which no corner sees."""
    lying = Plate(SQUARE, np.c_[np.eye(3), [0.0, 0, 20]], 2.0)
    turned = cv2.Rodrigues(np.array([np.pi / 4, 0, 0]))[0]
    askew = Plate(SQUARE, np.c_[turned @ np.eye(3), [0.0, 0, 20 + 1 + 3 + 11 * np.sqrt(0.5)]], 2.0)
    assert gap(lying, askew) == pytest.approx(3.0, abs=0.03)
    assert table_gap(lying) == pytest.approx(19.0)


def test_what_crosses_in_view_may_be_apart_in_depth() -> None:
    """Two plates behind one another cross in the picture; the gap in depth is the gap in space."""
    view = front_view((1280, 720), 2.0, 700, 0.2, 0.0, 0.0, np.zeros(3))
    here, behind = _plate(0, 0, 0), _plate(6, 9, 3)
    assert in_view(here, behind, view) == (0.0, True)
    assert depth_gap(here, behind, view) == pytest.approx(5.0, abs=0.4)
    assert gap(here, behind) == pytest.approx(5.0, abs=0.01)
    assert not in_view(here, _plate(40, 0, 0), view)[1]


def test_the_nearer_plate_hides_the_other_and_throws_a_shadow() -> None:
    """The share that shows is what nothing nearer covers, and what a lamp does not reach is darker."""
    lamp = Lamp(np.array([300.0, -900, 600]), 20.0, np.full(3, 0.8), np.zeros(3), 400.0)
    rng = np.random.default_rng(1)
    view = front_view((640, 360), 3.0, 700, 0.1, 0.0, 0.0, np.zeros(3))
    canvas = Canvas.start(rng, view, [lamp], np.full(3, 0.2)).again(view)
    back = canvas.plate(_plate(0, 30, 0), (1, 0, 0), (0.2, 0.2, 0.2))[1]
    front = canvas.plate(_plate(10, 0, 0), (0, 0, 1), (0.2, 0.2, 0.2))[1]
    assert canvas.share(front) == pytest.approx(1.0, abs=0.02)
    assert 0.4 < canvas.share(back) < 0.6
    lit = canvas.light()
    reds = lit[..., 0][canvas.ids == back]
    assert reds.min() < 0.3 * reds.max()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> tuple[SetArt, Path, dict[str, Any]]:
    """One short sequence of a set for tuning."""
    folder = tmp_path_factory.mktemp("cactus")
    art = SetArt.load(ensure_set(folder, TUNING[0]))
    write_case(np.random.default_rng([7, 0]), folder / "case", art, ["near-color", "touch-color", "depth"], 1.0)
    return art, folder / "case", json.loads((folder / "case" / "truth.json").read_text(encoding="utf-8"))


def test_the_truth_has_the_keys_of_the_contract(case: tuple[SetArt, Path, dict[str, Any]]) -> None:
    """Every photograph is there and tells of cacti, pieces, contacts, supply, claims and penalties."""
    _, folder, truth = case
    for photo in truth["photos"]:
        assert (folder / photo["photo"]).is_file()
        assert {"cacti", "pieces", "contacts", "placed", "moved", "fallen", "violations", "claims"} <= set(photo)
        assert {"penalties", "totals", "supply", "fallen_pieces", "event"} <= set(photo)
        assert len(photo["cacti"]) == 5
        lefts = [c["pose"][0][3] for c in photo["cacti"]]
        assert lefts == sorted(lefts)
        if "second" in photo:
            assert (folder / photo["second"]["photo"]).is_file()
    assert truth["photos"][0]["placed"] is None
    assert all(p["placed"] in {q["id"] for q in p["pieces"]} for p in truth["photos"][1:])
    assert any("second" in p for p in truth["photos"])


def test_contacts_are_those_of_the_true_poses(case: tuple[SetArt, Path, dict[str, Any]]) -> None:
    """Gaps follow from the poses; nothing that is told runs into anything; a touching pair breaks a rule."""
    art, _, truth = case
    for photo in truth["photos"]:
        plates = {p["id"]: Plate(art.forms[p["id"]], np.array(p["pose"]), art.thickness) for p in photo["pieces"]}
        names = list(plates)
        for i, a in enumerate(names):
            assert all(gap(plates[a], plates[b]) > -0.02 for b in names[i + 1 :])
        for c in photo["contacts"]:
            if c["b"] is not None:
                assert gap(plates[c["a"]], plates[c["b"]]) == pytest.approx(c["gap_mm"], abs=0.03)
            if c["verdict"] == "touching" and photo["placed"] in (c["a"], c["b"]):
                assert sorted(n for n in (c["a"], c["b"]) if n) in [sorted(v["pieces"]) for v in photo["violations"]]


def test_outlines_lie_on_the_pieces_in_the_picture(case: tuple[SetArt, Path, dict[str, Any]]) -> None:
    """Inside the outline of a piece that is wholly seen the picture is of one colour, and of another around it."""
    _, folder, truth = case
    checked = 0
    for photo in truth["photos"][:3]:
        lab = cv2.cvtColor(np.asarray(cv2.imread(str(folder / photo["photo"]))), cv2.COLOR_BGR2Lab).astype(float)
        for p in photo["pieces"]:
            inner, outer = Polygon(p["outline"]).buffer(-2.5), Polygon(p["outline"]).buffer(4)
            if p["visible"] < 0.99 or inner.is_empty:
                continue
            x0, y0, x1, y1 = (int(v) for v in outer.bounds)
            grid = [(x, y) for x in range(x0, x1 + 1, 2) for y in range(y0, y1 + 1, 2)]
            inside = np.array([lab[y, x] for x, y in grid if inner.contains(Point(x, y))])
            around = np.array(
                [
                    lab[y, x]
                    for x, y in grid
                    if outer.contains(Point(x, y)) and not Polygon(p["outline"]).buffer(1.5).contains(Point(x, y))
                ]
            )
            if len(inside) < 8:
                continue
            checked += 1
            assert np.median(np.linalg.norm(inside[:, 1:] - np.median(inside[:, 1:], axis=0), axis=1)) < 9
            assert np.linalg.norm(np.median(inside, axis=0) - np.median(around, axis=0)) > 5
    assert checked > 5


def test_a_hung_piece_rests_on_something(tmp_path: Path) -> None:
    """What is proposed touches the cactus or a piece there, and runs into none."""
    art = SetArt.load(ensure_set(tmp_path, TUNING[1]))
    rng = np.random.default_rng(3)
    game = Game(rng, art, stand(rng, art))
    view = random_view(rng, game.cacti)
    assert view.size_px[0] in (1280, 1920)
    cactus = next(iter(game.cacti))
    for name in art.basics[:4]:
        local = next(iter(game.proposals(name, cactus, tries=200)))
        plate = game.placed(name, cactus, local)
        nearest = min(gap(plate, game.plate(n)) for n in (cactus, *game.on(cactus)))
        assert 0 <= nearest < 0.05
        game.hung[name] = Hung(name, cactus, local)


@pytest.mark.parametrize("event", ["base", "table", "legal"])
def test_an_event_is_what_it_says(event: str, tmp_path: Path) -> None:
    """On the base, on the table beside its cactus, or on neither: the true gaps agree with the event that was asked."""
    art = SetArt.load(ensure_set(tmp_path, TUNING[2]))
    rng = np.random.default_rng(5)
    cacti = stand(rng, art)
    match = Match(Game(rng, art, cacti), random_view(rng, cacti))
    cactus = next(iter(cacti))
    found = 0
    for name in art.basics[:6]:
        local = match.find(event, name, cactus)
        if local is None:
            continue
        found += 1
        plate = match.game.placed(name, cactus, local)
        base, table = match.game.low(name, cactus, plate)
        assert (base < 0.1) == (event == "base")
        assert (table < 0.1) == (event == "table")
        others = [n for n in cacti if n != cactus]
        assert gap(plate, match.game.plate(cactus)) < min(gap(plate, match.game.plate(n)) for n in others)
    assert found

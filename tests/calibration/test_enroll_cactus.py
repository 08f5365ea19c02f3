"""A copy of Cactus is learned from photographs of its pieces laid flat."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from shapely.affinity import rotate
from shapely.geometry import LineString, Point, Polygon

from calibration.capture.cactus import deck as deck_cactus
from calibration.capture.cactus.deck import enroll_cactus
from calibration.capture.cactus.foot import standing
from calibration.capture.cactus.pieces import find_pieces
from calibration.capture.cactus.plate_scale import find_target
from calibration.capture.cactus.plate_view import PlateView
from calibration.capture.cactus.shapes import sort_shapes
from calibration.capture.deck import Enrolled, Example, Photo, Wishes, save_enrolled
from calibration.sheets.target import target_picture
from scoring.deck import CactusDeck, parse_deck
from vision.cactus.cactus_set import load_cactus_set

Array = NDArray[np.float64]
COLOURS = {
    "red": (200, 50, 45),
    "yellow": (235, 190, 60),
    "blue": (50, 95, 185),
    "pink": (225, 130, 185),
    "lime": (150, 195, 60),
}
PX_PER_MM = 3.0


def _shapes() -> dict[str, Array]:
    """Five outlines that differ, in mm."""
    t = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    star = np.where(np.arange(10) % 2 == 0, 17, 7)[:, None] * np.stack(
        [np.cos(np.arange(10) * np.pi / 5), np.sin(np.arange(10) * np.pi / 5)], 1
    )
    return {
        "disc": 13 * np.stack([np.cos(t), np.sin(t)], 1),
        "bar": np.array([[-20, -5], [20, -5], [20, 5], [-20, 5.0]]),
        "ell": np.array([[-14, -14], [-4, -14], [-4, 6], [14, 6], [14, 16], [-14, 16.0]]),
        "star": star,
        "wedge": np.array([[-18, 10], [18, 10], [0, -14.0]]),
    }


def _cactus() -> Array:
    """A trunk of 80 mm with an arm, y upward from its cut end."""
    return np.array(
        [
            [-7, 0],
            [7, 0],
            [7, 40],
            [22, 40],
            [22, 62],
            [14, 62],
            [14, 50],
            [7, 50],
            [5, 76],
            [0, 80],
            [-5, 76],
            [-7, 70.0],
        ]
    )


def _photo(rng: np.random.Generator, laid: list[tuple[str, Array]]) -> tuple[NDArray[np.uint8], dict[str, Array]]:
    """Pieces apart on grey paper seen from straight above, and their outlines in px."""
    rgb = np.full((690, 1080, 3), (178, 176, 170), np.float32)
    rgb *= np.linspace(0.92, 1.05, 1080, dtype=np.float32)[None, :, None]
    where = {}
    for k, (name, outline) in enumerate(laid):
        a = rng.uniform(0, 2 * np.pi)
        turned = outline @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) * PX_PER_MM
        if rng.random() < 0.5:
            turned = turned * [-1, 1]
        step = 215 if len(laid) > 3 else 330
        middle = np.array([step / 2 + step * (k % 5), 115 + 230 * (k // 5 + (step > 215))])
        at = turned - (turned.min(0) + turned.max(0)) / 2 + middle
        colour = COLOURS.get(name.split("-")[-1], (70, 130, 80))
        cv2.fillPoly(rgb, [np.round(at * 16).astype(np.int32)], tuple(map(float, colour)), cv2.LINE_AA, 4)
        where[name] = at
    seen = cv2.GaussianBlur(rgb, (0, 0), 0.8) + rng.normal(0, 2, rgb.shape)
    return np.clip(seen, 0, 255).astype(np.uint8), where


@pytest.fixture(scope="module")
def laid() -> tuple[list[Photo], Wishes, list[dict[str, Array]]]:
    """Photos of twenty-five pieces and three cacti of different lengths, an example of each kind, and what is where."""
    rng = np.random.default_rng(3)
    pieces = [(f"{s}-{c}", o) for s, o in _shapes().items() for c in COLOURS]
    order = rng.permutation(len(pieces))
    batches = [[pieces[i] for i in order[:13]], [pieces[i] for i in order[13:]]]
    batches.append([(f"cactus {k}", _cactus() * v) for k, v in enumerate((1.0, 0.9, 0.8))])
    photos, truth = [], []
    examples: dict[str, Example] = {}
    for n, batch in enumerate(batches):
        rgb, where = _photo(rng, batch)
        photos.append(Photo(f"{n}.jpg", rgb))
        truth.append(where)
        for name, at in where.items():
            p = Polygon(at).representative_point()
            shape, _, colour = name.partition("-")
            for word in (colour, shape) if colour else ():
                examples.setdefault(word, Example(word, n, (float(p.x), float(p.y))))
    return photos, Wishes((59, 92), tuple(examples.values()), {}, 80.0), truth


@pytest.fixture(scope="module")
def copy(laid: tuple[list[Photo], Wishes, list[dict[str, Array]]]) -> tuple[Enrolled, list[dict[str, Array]]]:
    """The same as it was read."""
    photos, wishes, truth = laid
    return enroll_cactus(photos, wishes, lambda _: None), truth


def test_pieces_are_outlined_once_whatever_is_said_of_cacti(
    laid: tuple[list[Photo], Wishes, list[dict[str, Array]]],
    copy: tuple[Enrolled, list[dict[str, Array]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a height of a cactus the same photos are read again: it is another height, and all pieces are as before."""
    before = copy[0].parts
    monkeypatch.setattr(deck_cactus, "outline_pieces", lambda *_: pytest.fail("outlined again"))
    short = next(p.id for p in before if p.group == "cacti" and max(y for _, y in p.fields["outline"]) < 70)
    again = enroll_cactus(laid[0], replace(laid[1], answers={short: {"height_mm": 61.0}}), lambda _: None).parts
    assert [p.fields for p in again if p.group == "pieces"] == [p.fields for p in before if p.group == "pieces"]
    assert max(y for _, y in next(p for p in again if p.id == short).fields["outline"]) == pytest.approx(61.0, abs=0.5)


def test_every_piece_is_found_with_colour_and_shape(copy: tuple[Enrolled, list[dict[str, Array]]]) -> None:
    """Colours and shapes are grouped and named by one example each, and outlines are where the pieces are."""
    enrolled, truth = copy
    for n, where in enumerate(truth[:2]):
        for name, at in where.items():
            true = Polygon(at)
            best = max(
                enrolled.parts,
                key=lambda p: max(
                    (
                        true.intersection(Polygon(s["outline"]).buffer(0)).area
                        for s in p.sightings
                        if s["photo"] == f"{n}.jpg"
                    ),
                    default=0.0,
                ),
            )
            outline = Polygon(best.sightings[0]["outline"]).buffer(0)
            assert true.intersection(outline).area / true.union(outline).area > 0.93, name
            assert f"{best.fields['shape']}-{best.fields['color']}" == name


def test_cacti_stand_on_their_cut_end(copy: tuple[Enrolled, list[dict[str, Array]]]) -> None:
    """Their height is what the person said, and the outline begins at the base."""
    enrolled, _ = copy
    cacti = [p for p in enrolled.parts if p.group == "cacti"]
    assert len(cacti) == 3
    heights = sorted(float(np.array(c.fields["outline"])[:, 1].max()) for c in cacti)
    assert heights == pytest.approx([64, 72, 80], abs=1.5)
    for c in cacti:
        assert np.array(c.fields["outline"])[:, 1].min() == pytest.approx(0, abs=0.3)


def test_what_was_read_is_a_set(copy: tuple[Enrolled, list[dict[str, Array]]], tmp_path: Path) -> None:
    """The folder can be judged with, and what is missing of the game is told."""
    enrolled, _ = copy
    save_enrolled(enrolled, tmp_path)
    deck = parse_deck(json.loads((tmp_path / "deck.json").read_text()), "deck.json")
    assert isinstance(deck, CactusDeck)
    assert len(deck.shapes) == 5
    assert len(load_cactus_set(tmp_path).pieces) == 25
    assert any("25" in r and "35" in r for r in enrolled.remarks)


def test_mirrored_piece_is_of_the_same_shape() -> None:
    """A piece that lies on its face is no other shape; one that is like none is special."""
    shapes = _shapes()
    outlines = [shapes["ell"], shapes["ell"] * [-1, 1], shapes["ell"] @ np.array([[0, 1], [-1, 0.0]]), shapes["bar"]]
    kinds, _ = sort_shapes(outlines, [0, 1, 2, 0], 5)
    assert kinds.tolist() == [0, 0, 0, -1]


def test_a_finer_photo_tells_outlines_in_its_own_pixels() -> None:
    """What is found on a photo of many pixels lies where it does on that photo."""
    shapes = _shapes()
    rgb, where = _photo(np.random.default_rng(5), [("disc-red", shapes["disc"]), ("bar-blue", shapes["bar"])])
    fine = np.asarray(cv2.resize(rgb, None, fx=2.5, fy=2.5, interpolation=cv2.INTER_CUBIC), np.uint8)
    found = find_pieces(fine)
    assert found.zoom < 1
    middles = [found.in_photo(o).mean(0) for o in found.traced.outer]
    for at in where.values():
        true = (np.array(Polygon(at).centroid.coords[0]) + 0.5) * 2.5 - 0.5
        assert min(float(np.hypot(*(m - true))) for m in middles) < 2.5


def test_a_printed_target_beside_pieces_tells_their_scale() -> None:
    """Its squares measure the plane of the faces, which lie a little nearer, and no part of it is taken for a piece."""
    shapes = _shapes()
    rgb, _ = _photo(np.random.default_rng(5), [("disc-red", shapes["disc"]), ("bar-blue", shapes["bar"])])
    sheet = np.repeat(target_picture(2.0)[..., None], 3, axis=2)
    rgb[60 : 60 + len(sheet), 480 : 480 + sheet.shape[1]] = sheet
    found = find_pieces(rgb)
    assert len(found) == 2
    assert found.target is not None
    middle = found.traced.middle
    above = PlateView(middle, 0.0, 900.0, middle)
    assert found.target.mm_per_px(above) == pytest.approx(1 / 2.0, rel=0.003)
    nearer = PlateView(middle, 0.02, 900.0, middle)
    assert found.target.mm_per_px(nearer) == pytest.approx(1 / 2.04, rel=0.003)
    assert find_target(np.full((90, 120, 3), 200, np.uint8)) is None


@pytest.mark.parametrize("turn", [0, 75, 190])
def test_no_arm_is_taken_for_the_cut_end(turn: float) -> None:
    """A line that leans on a long arm is longer than the end, but the outline leaves it little by little."""
    trunk = LineString([(0, 0), (0, 200)]).buffer(17, cap_style="flat").union(Point(0, 200).buffer(17))
    for side in (-1, 1):
        bow = [(side * 70 * np.sin(a), 130 - 70 * np.cos(a)) for a in np.linspace(0, 1.6, 30)]
        trunk = trunk.union(LineString([*bow, (side * 71, 190)]).buffer(11))
    points = np.array(rotate(trunk, turn, origin=(0, 0)).segmentize(1.0).exterior.coords)[:-1] * [1, -1]
    upright = standing(points + 500)
    assert np.ptp(upright, axis=0) == pytest.approx([164, 217], abs=4)
    assert abs(upright[upright[:, 1] < 10][:, 0]).max() == pytest.approx(17, abs=2)

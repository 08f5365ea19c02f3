"""The playing area's border in drawn pictures: a table's edge, a mat, a line; proposed only where it is seen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from shapely.geometry import Polygon

from tests.render.scene import Sensor, Table, View, look_at
from vision.area import propose_area
from vision.camera import CameraModel
from vision.plane import Plane

Array = NDArray[np.float64]
BOARD = np.array([[-60, -60], [60, -60], [60, 60], [-60, 60]], float)
CARD = np.array([[-29, -45], [29, -45], [29, 45], [-29, 45]], float)
AREA = np.array([[-250, -150], [255, -160], [250, 155], [-245, 150]], float)


def _plane(view: View) -> Plane:
    dist = np.array([view.k1, view.k2, 0, 0, 0])
    return Plane(CameraModel(view.size_px, view.K, dist), view.homography(), 0.0)


def _along(polygon: Array, n: int = 12) -> Array:
    t = np.linspace(0, 1, n, endpoint=False)[:, None]
    return np.concatenate([a + (b - a) * t for a, b in zip(polygon, np.roll(polygon, -1, 0), strict=True)])


def _grain(rng: np.random.Generator, shape: tuple[int, int], rgb: tuple[float, float, float], amount: float) -> Array:
    lines = cv2.resize(rng.standard_normal((shape[0] // 3, 12)).astype(np.float32), shape[::-1])
    return np.clip(np.array(rgb) * (1 + amount * lines[..., None]), 0, 1)


def table_of(
    kind: str,
    area: Array = AREA,
    cards: tuple[tuple[float, float], ...] = ((-110.0, 30.0), (120.0, -60.0)),
    *,
    tilt: float = 12.0,
    k1: float = -0.05,
    distance: float = 650.0,
    seed: int = 0,
) -> tuple[NDArray[np.uint8], Plane, list[Array], Array, Array]:
    """A picture, its plane, the cards' and the board's outlines and the true area, in px."""
    rng = np.random.default_rng(seed)
    view = look_at((960, 600), 55, distance, tilt_deg=tilt, around_deg=30, k1=k1)
    table = Table.start(rng, view, _grain(rng, (600, 960), (0.42, 0.3, 0.2), 0.15).astype(np.float32))

    def canvas(mm: Array) -> Array:
        return table.to_canvas(view.ideal(mm))

    if kind in ("edge", "mat"):
        inside = (0.12, 0.12, 0.13) if kind == "edge" else (0.1, 0.35, 0.25)
        table.cover(canvas(area), inside, 0.1)
    elif kind == "line":
        for a, b in zip(area, np.roll(area, -1, 0), strict=True):
            u = (b - a) / np.linalg.norm(b - a) * 3
            side = np.array([-u[1], u[0]])
            table.cover(canvas(np.array([a - u - side, b + u - side, b + u + side, a - u + side])), (0.1, 0.12, 0.3))
    pieces = []
    for x, y in cards:
        mm = CARD + [x, y]
        table.cover(canvas(mm), (0.75, 0.15, 0.18), 0.05)
        pieces.append(view.project(mm))
    table.cover(canvas(BOARD), (0.9, 0.88, 0.82), 0.03)
    rgb, _ = table.finish(rng, Sensor(noise=4, blur=0.8, jpeg=85))
    return rgb, _plane(view), pieces, view.project(BOARD), view.project(_along(area))


def overlap(a: Array, b: Array) -> float:
    """Intersection over union of two polygons."""
    p, q = Polygon(a).buffer(0), Polygon(b).buffer(0)
    return float(p.intersection(q).area / p.union(q).area)


@pytest.mark.parametrize("kind", ["edge", "mat", "line"])
@pytest.mark.parametrize(("tilt", "k1"), [(0.0, 0.0), (25.0, -0.12)])
def test_a_border_is_proposed(kind: str, tilt: float, k1: float) -> None:
    """A table against the floor, a mat, a line drawn round the game; through a bent lens too."""
    rgb, plane, pieces, board, area = table_of(kind, tilt=tilt, k1=k1, distance=680)
    found = propose_area(rgb, plane, pieces, board)
    assert found is not None
    assert overlap(found, area) > 0.95


def test_cut_corners_are_kept() -> None:
    """A mat with eight sides."""
    octagon = np.array(
        [[-210, -150], [210, -150], [250, -110], [250, 110], [210, 150], [-210, 150], [-250, 110], [-250, -110]], float
    )
    rgb, plane, pieces, board, area = table_of("mat", octagon)
    found = propose_area(rgb, plane, pieces, board)
    assert found is not None
    assert overlap(found, area) > 0.97


@pytest.mark.parametrize("kind", ["edge", "line"])
def test_a_card_across_the_border_is_passed_over(kind: str) -> None:
    """A card that reaches beyond the area does not bend its side."""
    rgb, plane, pieces, board, area = table_of(kind, cards=((-110.0, 30.0), (100.0, 135.0)))
    found = propose_area(rgb, plane, pieces, board)
    assert found is not None
    assert overlap(found, area) > 0.94


def test_cards_may_part_the_table() -> None:
    """A chain of cards from one side to the other does not make two areas of it."""
    chain = tuple((100.0, y) for y in (-125.0, -65.0, 0.0, 65.0, 110.0))
    rgb, plane, pieces, board, area = table_of("edge", cards=chain)
    found = propose_area(rgb, plane, pieces, board)
    assert found is not None
    assert overlap(found, area) > 0.94


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_proposed_where_there_is_no_border(seed: int) -> None:
    """A table that goes on beyond the picture, grain and all."""
    rgb, plane, pieces, board, _ = table_of("none", seed=seed)
    assert propose_area(rgb, plane, pieces, board) is None


def test_nothing_is_proposed_where_a_side_is_out_of_the_picture() -> None:
    """Three sides are no area."""
    wide = AREA + np.array([[0, 0], [300, 0], [300, 0], [0, 0]])
    rgb, plane, pieces, board, _ = table_of("edge", wide)
    assert propose_area(rgb, plane, pieces, board) is None


def test_without_pieces_nothing_is_proposed() -> None:
    """Where no card lies, nothing tells which of the picture's borders is meant."""
    rgb, plane, *_ = table_of("mat")
    assert propose_area(rgb, plane, []) is None


def test_cards_alone_and_no_plane_will_do() -> None:
    """Without a board, and on the picture itself where no plane is known."""
    rgb, _, pieces, board, area = table_of("mat", tilt=5.0, k1=0.0)
    found = propose_area(rgb, None, [*pieces, board])
    assert found is not None
    assert overlap(found, area) > 0.95

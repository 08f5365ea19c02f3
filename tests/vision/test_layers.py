"""Which card lies on which, and what others hide of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import points
from shapely.geometry import Polygon

from tests.render.conex_geometry import ConexArt, Pose
from tests.render.scene import Laid, Sensor
from tests.vision.plain_photo import CARD, GAME, PlainPhoto, box, photograph
from vision.cards.contour import Fit
from vision.cards.edges import outline_edges
from vision.cards.layers import hidden_points, order_of, visible_samples
from vision.cards.rectify import Pyramid
from vision.deck import DeckAppearance, LookSet
from vision.plane import Plane
from vision.types import Quad

NONE = np.zeros(0, bool)


@dataclass(frozen=True, eq=False)
class Known:
    """A card on its edges that lies exactly where it lies."""

    looks: LookSet
    fit: Fit
    look: int
    shown: Quad
    belongs: float = 1.0

    def quad(self, plane: Plane) -> Quad:
        return self.shown


def known(photo: PlainPhoto, deck: DeckAppearance) -> tuple[list[str], list[Known]]:
    """Faces and cards of a photograph."""
    looks = deck.sets[0]
    number = {v.id: i for i, v in enumerate(looks.looks)}
    cards = []
    for name, c in photo.cards.items():
        fit = Fit(photo.pose(name), np.eye(3), 1.0, 0.1, NONE, NONE, np.zeros((0, 2)))
        cards.append(Known(looks, fit, number[name], c.quad_px))
    return list(photo.cards), cards


def told(photo: PlainPhoto, deck: DeckAppearance) -> set[tuple[str, str]]:
    names, cards = known(photo, deck)
    return {(names[a], names[b]) for a, b in order_of(Pyramid(photo.rgb), photo.plane, cards)}


def rectangle(pose: NDArray[np.float64], grow: float = 0.0) -> Polygon:
    return Polygon(box(Laid("", *pose, CARD, np.zeros((4, 2))))).buffer(grow, join_style="mitre")


def turned(local: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + pose[:2])


# ---- who lies on whom ------------------------------------------------------------------------------------------------


def test_who_lies_on_whom(game: PlainPhoto, conex: DeckAppearance) -> None:
    """Every pair that overlaps by more than a square centimetre is told the right way; cards apart never."""
    got = told(game, conex)
    assert got >= game.covers(120)
    assert got <= game.covers()


def test_laid_the_other_way_round(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """The same cards at the same places, laid in the reverse order: every pair is told the other way."""
    photo = photograph(conex_art, GAME[::-1])
    got = told(photo, conex)
    assert got >= photo.covers(120)
    assert got <= photo.covers()
    assert len(got) >= 3


def test_the_order_of_the_list_does_not_matter(game: PlainPhoto, conex: DeckAppearance) -> None:
    """Cards listed backwards give the same pairs under their new numbers."""
    names, cards = known(game, conex)
    pairs = order_of(Pyramid(game.rgb), game.plane, cards[::-1])
    assert {(names[::-1][a], names[::-1][b]) for a, b in pairs} == told(game, conex)


def test_under_glare(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """A lamp over the shared places adds light: what is told is right, and most of it still is told."""
    photo = photograph(conex_art, sensor=Sensor(blur=0.6, noise=2.0))
    y, x = np.mgrid[0:540, 0:960]
    glare = sum(
        90 * np.exp(-(((x - u) ** 2 + (y - v) ** 2) / 60.0**2)) for u, v in ((245, 270), (680, 195), (750, 320))
    )
    lit = PlainPhoto(
        np.clip(photo.rgb + np.asarray(glare)[..., None], 0, 255).astype(np.uint8),
        photo.view,
        photo.laid,
        photo.visible,
    )
    got = told(lit, conex)
    assert got <= photo.covers()
    assert len(got & photo.covers(120)) >= 2


def test_where_both_look_the_same_nothing_is_told(conex_art: ConexArt, conex: DeckAppearance) -> None:
    """Two cards of one ground overlap where neither has print: nobody can see which is above; none is said to be."""
    pair: tuple[tuple[str, Pose], ...] = (("C28", (0.0, -30.0, 0.0)), ("C30", (0.0, 30.0, 0.0)))
    photo = photograph(conex_art, pair, None, layered=False, shadow=(0.0, 0.0, 0.0))
    assert photo.covers(1000) == {("C30", "C28")}
    shared = rectangle(photo.pose("C28")).intersection(rectangle(photo.pose("C30")))
    for name, _ in pair:
        for region in conex_art.regions(name):
            local = np.array(region["region"]) - np.array(CARD) / 2
            assert not Polygon(turned(local, photo.pose(name))).intersects(shared.buffer(3))
    assert told(photo, conex) == set()


def test_one_card_or_none_has_no_order(game: PlainPhoto, conex: DeckAppearance) -> None:
    """It takes two."""
    _, cards = known(game, conex)
    for few in ([], cards[:1]):
        assert order_of(Pyramid(game.rgb), game.plane, few) == ()


# ---- what is hidden --------------------------------------------------------------------------------------------------

POSES = np.array([[0.0, 0.0, 0.3], [35.0, 40.0, 1.4], [-50.0, 30.0, -0.8]])
COVERS = ((1, 0), (2, 0))
"""Two cards lie on the first one."""


def test_points_under_another_card_are_hidden() -> None:
    """All points of the lower card that lie under an upper one, or right at its edge, and no others."""
    model = outline_edges(CARD, 3.0)
    hidden = hidden_points(POSES, [CARD] * 3, [model] * 3, COVERS)
    assert not hidden[1].any()
    assert not hidden[2].any()
    at = points(turned(model.points_mm, POSES[0]))
    under = np.logical_or(*(rectangle(POSES[k]).contains(at) for k in (1, 2)))
    near = np.logical_or(*(rectangle(POSES[k], 1.6).contains(at) for k in (1, 2)))
    assert under.any()
    assert hidden[0][under].all()
    assert not hidden[0][~near].any()
    assert 0.1 < hidden[0].mean() < 0.9


def test_samples_under_another_card_are_not_clear(conex: DeckAppearance) -> None:
    """The same on the fine grid of the face: 0 under the upper cards, 1 elsewhere, in printed orientation."""
    looks = conex.sets[0]
    clear = visible_samples(POSES, [looks] * 3, COVERS)
    for k in (1, 2):
        np.testing.assert_array_equal(clear[k], 1)
    rows, columns = looks.fine.shape
    assert clear[0].shape == (rows, columns)
    c, r = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
    local = (np.stack([c.ravel(), r.ravel()], -1) - 0.5) * np.array(CARD)
    at = points(turned(local, POSES[0]))
    under = np.logical_or(*(rectangle(POSES[k]).contains(at) for k in (1, 2)))
    near = np.logical_or(*(rectangle(POSES[k], 1.6).contains(at) for k in (1, 2)))
    assert not clear[0].ravel()[under].any()
    assert clear[0].ravel()[~near].all()
    assert under.any()


def test_without_covers_all_is_open(conex: DeckAppearance) -> None:
    """Overlapping or not: only what is said to lie above hides anything."""
    model = outline_edges(CARD, 3.0)
    assert not np.concatenate(hidden_points(POSES, [CARD] * 3, [model] * 3, ())).any()
    assert all(v.all() for v in visible_samples(POSES, [conex.sets[0]] * 3, ()))

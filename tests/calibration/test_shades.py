"""The deck's colours in today's light: told as they are seen, and those that run into each other are named."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.shades import card_shades, piece_shades
from vision.cactus.cactus_set import CactusSet, PieceLook
from vision.cactus.upright import HungPiece, Rigid
from vision.deck import load_appearance
from vision.types import Detection
from webui.sight.cameras.known_camera import colour_names
from webui.sight.decks.folders import bundled_deck, read_deck

WARM = np.array([0.95, 0.8, 0.55])


def test_cards_tell_the_colours_that_lie_there() -> None:
    """Each element by its own cards, in the light of now; a hidden card and a face without a name tell nothing."""
    folder = bundled_deck("rox")
    deck, names = load_appearance(folder), colour_names(read_deck(folder))
    chosen = [look for look in deck.looks if look.kind == "face"][::12]
    table, laid = np.full((500, 1400, 3), 90, np.uint8), []
    for n, look in enumerate(chosen):
        face = cv2.resize(look.colour, (150, 230), interpolation=cv2.INTER_AREA)
        x = 30 + 260 * n
        table[100:330, x : x + 150] = face
        quad = np.array([[x, 100], [x + 150, 100], [x + 150, 330], [x, 330]]) - 0.5
        laid.append(Detection(quad, look.id, 0.99))
    lit = np.asarray(table * WARM, np.uint8)
    shades = card_shades(lit, laid, deck, names)
    assert {s.name for s in shades} == {names[look.id] for look in chosen}
    for s in shades:
        np.testing.assert_allclose(s.seen, np.array(s.known) * WARM, atol=22)
        assert s.alike == ()
    hidden = [Detection(d.quad_px, d.face, 0.99, visible=0.4) for d in laid]
    assert card_shades(lit, hidden, deck, names) == ()
    assert card_shades(lit, laid, deck, {}) == ()


@pytest.mark.parametrize(("blue", "alike"), [(1.0, ()), (0.04, ("orange",))])
def test_colours_that_run_into_each_other_are_named(blue: float, alike: tuple[str, ...]) -> None:
    """A lamp without blue makes pink and orange one colour; in daylight they are two."""
    colors = {"pink": (235.0, 110.0, 170.0), "orange": (240.0, 115.0, 20.0)}
    square = np.array([[0.0, 0], [20, 0], [20, 20], [0, 20]])
    pieces = tuple(PieceLook(f"{name}-1", name, "bar", square) for name in colors)
    picture: NDArray[np.uint8] = np.zeros((200, 400, 3), np.uint8)
    hung = []
    for n, (name, color) in enumerate(colors.items()):
        x = 40 + 200 * n
        picture[50:120, x : x + 70] = color
        outline = np.array([[x, 50], [x + 69, 50], [x + 69, 119], [x, 119]], float)
        lies = Rigid(np.eye(3), np.zeros(3))
        hung.append(HungPiece(f"{name}-1", "K1", False, lies, outline, 1.0, 0.99, 0.3, 2.0))
    lit = np.asarray(picture * np.array([1, 1, blue]), np.uint8)
    known = CactusSet(colors, 4.0, pieces, (), (50.0, 12.0, 50.0))
    shades = {s.name: s for s in piece_shades(lit, hung, known)}
    assert shades["pink"].known == colors["pink"]
    assert shades["pink"].alike == alike
    assert [s for s in piece_shades(lit, hung[:1], known) if s.alike] == []

"""The bundled set of Cactus: complete, original in every shape, told apart by everybody, and as its script draws it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from shapely import affinity
from shapely.geometry import LineString, Polygon

from calibration.art import cactus_proxy
from calibration.art.cactus_shapes import BASIC, CACTI
from calibration.art.canvas import rgb
from calibration.art.colours import DEFICIENCIES, lab
from calibration.art.silhouettes import Silhouette
from scoring.deck import CactusDeck, parse_deck
from vision.cactus.cactus_set import load_cactus_set

PROXY = Path(cactus_proxy.__file__).parents[1] / "decks" / "cactus-proxy"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def data() -> Json:
    """Its `deck.json`."""
    read: Json = json.loads((PROXY / "deck.json").read_text(encoding="utf-8"))
    return read


@pytest.fixture(scope="module")
def deck(data: Json) -> CactusDeck:
    """The set as the rules see it."""
    parsed = parse_deck(data, "deck.json")
    assert isinstance(parsed, CactusDeck)
    return parsed


def test_set_is_complete(deck: CactusDeck) -> None:
    """25 basic pieces, one of each colour and shape; ten specials, two of each colour; five cacti."""
    basics = [p for p in deck.pieces.values() if not p.special]
    assert {(p.color, p.shape) for p in basics} == set(itertools.product(deck.colors, deck.shapes))
    assert len(basics) == 25
    colors = [deck.pieces[n].color for n in deck.specials]
    assert sorted(colors) == sorted([*deck.colors] * 2)
    assert list(deck.cacti) == ["K1", "K2", "K3", "K4", "K5"]
    assert len(load_cactus_set(PROXY).pieces) == 35


def test_colours_are_steps_of_lightness_for_all_eyes(deck: CactusDeck) -> None:
    """Any two colours of pieces differ by 10 of 100 in lightness or more, whatever colours a person cannot see."""
    for deficiency in (None, *DEFICIENCIES):
        steps = [float(lab(rgb(c), deficiency)[0]) for c in deck.colors.values()]
        assert min(abs(a - b) for a, b in itertools.combinations(steps, 2)) > 10


def test_shapes_are_told_apart_however_they_hang(deck: CactusDeck) -> None:
    """Turned or flipped in any way, no basic shape covers three quarters of what it and another cover together."""
    forms = {p.shape: Polygon(p.outline) for p in deck.pieces.values() if not p.special}
    for a, b in itertools.combinations(forms.values(), 2):
        for flip in (1, -1):
            other = affinity.scale(b, flip, 1, origin=(0, 0))
            for angle in range(0, 360, 10):
                turned = affinity.rotate(other, angle, origin=(0, 0))
                assert a.intersection(turned).area < 0.75 * a.union(turned).area


def test_pieces_can_be_cut_and_hung(deck: CactusDeck) -> None:
    """No piece is larger than 46 mm or has a part thinner than 2 mm; none falls apart when it is shaved."""
    for piece in deck.pieces.values():
        form = Polygon(piece.outline)
        assert form.is_valid
        assert max(deck.size_mm(piece.id)) < 46
        shaved = form.buffer(-0.7)
        assert shaved.geom_type == "Polygon", piece.id
        assert shaved.area > 0.4 * form.area


def test_cacti_stand(deck: CactusDeck) -> None:
    """Each foot is at least 14 mm wide, within its base, and the middle of the cactus's weight above the base."""
    for cactus in deck.cacti.values():
        form = Polygon(cactus.outline)
        foot = [x for x, y in cactus.outline if y == 0]
        assert max(foot) - min(foot) >= 14
        assert max(map(abs, foot)) < deck.base.width_mm / 2 - 3
        assert abs(form.centroid.x) < deck.base.width_mm / 2 - 10
        assert 65 < max(y for _, y in cactus.outline) < 95


def test_faces_and_spines_lie_on_their_cactus(data: Json) -> None:
    """Every engraved line stays inside the outline, and each cactus has two eyes and a mouth before its spines."""
    for cactus in data["cacti"]:
        form = Polygon(cactus["outline"])
        assert len(cactus["marks"]) > 8
        for mark in cactus["marks"]:
            assert form.buffer(-0.5).contains(LineString(mark))
        x, y = cactus["face"]
        face = np.concatenate([np.array(m) for m in cactus["marks"][:3]])
        assert np.hypot(*(face - [x, y]).T).max() < 8


@pytest.mark.parametrize("name", ["bow", "K5"])
def test_script_draws_the_outlines_in_the_folder(name: str, deck: CactusDeck) -> None:
    """The script and the folder have not parted ways: the same outlines to a tenth of a millimetre."""
    if name in BASIC:
        drawn, kept = BASIC[name]().outline(), deck.pieces[f"{name}-blue"].outline
    else:
        drawn, kept = CACTI[name]().outline(centred=False), deck.cacti[name].outline
    assert Polygon(drawn).symmetric_difference(Polygon(kept)).area < 0.05 * Polygon(kept).length


def test_picture_of_the_set_shows_it(data: Json) -> None:
    """The flat picture that the set names has the five colours of pieces and of cacti in it."""
    shown = cv2.cvtColor(np.asarray(cv2.imread(str(PROXY / data["sheet"]))), cv2.COLOR_BGR2RGB).astype(int)
    for colour in (*data["colors"].values(), *(c["color"] for c in data["cacti"])):
        assert (np.abs(shown - np.array(rgb(colour))).max(2) < 3).sum() > 4000


def test_silhouettes_are_true_to_size() -> None:
    """A bar of 20 by 6 mm and a disc are as large as they say; what is in two parts is refused."""
    bar = Polygon(Silhouette().bar([(-7, 0), (7, 0)], 6.0).outline())
    assert bar.bounds == pytest.approx((-10, -3, 10, 3), abs=0.1)
    assert bar.area == pytest.approx(14 * 6 + np.pi * 9, rel=0.02)
    ring = Silhouette().disc(5, 5, 8).disc(5, 5, 4, away=True)
    assert Polygon(ring.outline()).area == pytest.approx(np.pi * 64, rel=0.01)
    assert Polygon(Silhouette(low_mm=-15).disc(0, 0, 6).above(0).outline(centred=False)).bounds[1] == 0
    with pytest.raises(ValueError, match="one part"):
        Silhouette().disc(-9, 0, 5).disc(9, 0, 5).outline()

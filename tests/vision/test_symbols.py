"""The second opinion: the symbols round the edge, read one by one, against what the deck says of the face."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.rox_table import DeckArt
from tests.render.scene import Sensor
from tests.render.staged import photograph, rows
from vision.cards.face_bank import face_bank
from vision.cards.faces import lay_flat
from vision.cards.rectify import Pyramid, face_to_px
from vision.cards.symbols import SymbolReader, symbol_reader
from vision.deck import DeckAppearance, load_appearance


@pytest.fixture(scope="module")
def reader(small: DeckAppearance) -> SymbolReader:
    found = symbol_reader(small.sets[0])
    assert found is not None
    return found


def test_symbols_are_found_round_the_edge(reader: SymbolReader, small: DeckAppearance) -> None:
    """Sixteen places, none of them on the stone, each held by an element of the deck on every face."""
    assert len(reader.slots) == 16
    assert len({tuple(s) for s in reader.slots}) == 16
    height, width = small.sets[0].fine.shape
    from_middle = np.abs((reader.slots + 0.5) / [height, width] - 0.5).max(1)
    assert from_middle.min() > 0.3
    for look, holds in zip(small.sets[0].looks, reader.holds, strict=True):
        if look.kind == "face":
            counts = {e: int((holds == i).sum()) for i, e in enumerate(reader.elements)}
            assert counts == {e: look.edge.get(e, 0) for e in reader.elements}
        else:
            assert (holds == -1).all()


def test_the_decks_own_faces_are_read_right(reader: SymbolReader, small: DeckAppearance) -> None:
    """Every face says sixteen times what the deck says, and never anything else."""
    whole = np.ones(small.sets[0].fine.shape, np.float32)
    for i, look in enumerate(small.sets[0].looks):
        if look.kind != "face":
            continue
        opinion = reader.read(look.fine, whole, i)
        assert (opinion.read, opinion.agree, opinion.disagree) == (16, 16, 0)
        assert opinion.counts == {e: n for e, n in look.edge.items() if n}


def test_a_wrong_name_is_contradicted(reader: SymbolReader, small: DeckAppearance) -> None:
    """The face of one card under the name of another: about as many disagree as differ, and the counts stay true."""
    whole = np.ones(small.sets[0].fine.shape, np.float32)
    looks = small.sets[0].looks
    for i, j in ((0, 1), (10, 44), (59, 3)):
        differ = int((reader.holds[i] != reader.holds[j]).sum())
        opinion = reader.read(looks[i].fine, whole, j)
        assert opinion.agree == 16 - differ
        assert opinion.disagree >= 0.8 * differ
        assert opinion.counts == {e: n for e, n in looks[i].edge.items() if n}


def test_hidden_symbols_are_not_read(reader: SymbolReader, small: DeckAppearance) -> None:
    """Only what can be seen has an opinion; with nothing to see there is none."""
    height, width = small.sets[0].fine.shape
    mask = np.ones((height, width), np.float32)
    mask[height // 2 :] = 0
    opinion = reader.read(small.sets[0].looks[0].fine, mask, 0)
    assert opinion.read == int((reader.slots[:, 0] < height // 2).sum())
    assert opinion.read == opinion.agree == sum(opinion.counts.values())
    nothing = reader.read(small.sets[0].looks[0].fine, np.zeros_like(mask), 0)
    assert (nothing.read, nothing.agree, nothing.disagree, nothing.counts) == (0, 0, 0, {})


def test_photographed_symbols_are_counted(reader: SymbolReader, small: DeckAppearance, small_art: DeckArt) -> None:
    """In a warm, noisy photograph the counts of each card are those of its face."""
    names = [f"R{n:02d}" for n in range(1, 61, 10)]
    sensor = Sensor(gain=(1.1, 0.95, 0.75), noise=3, blur=0.6, jpeg=80)
    photo = photograph(small_art, rows(names, 3, (60, 75)), region_mm=(260, 160), sensor=sensor)
    layer = face_bank(small.sets[0]).fine
    whole = np.ones(layer.grid.shape, np.float32)
    for name in names:
        look = next(i for i, v in enumerate(small.sets[0].looks) if v.id == name)
        patch = Pyramid(photo.rgb).patch(face_to_px(photo.named[name].quad_px, layer.grid), layer.grid.shape)
        opinion = reader.read(lay_flat(patch, layer, look, whole).flat, whole, look)
        assert opinion.agree >= 15
        assert opinion.disagree == 0


def test_the_bundled_deck_has_a_second_opinion(bundled: DeckAppearance) -> None:
    """The deck that families print can be read symbol by symbol."""
    faces = next(s for s in bundled.sets if any(v.kind == "face" for v in s.looks))
    found = symbol_reader(faces)
    assert found is not None
    assert len(found.slots) == 16


def test_no_opinion_without_symbols(colour_deck: object) -> None:
    """A deck of few faces, or one whose faces show no symbols, gives no reader rather than a guessing one."""
    deck = load_appearance(colour_deck)  # type: ignore[arg-type]
    assert symbol_reader(deck.sets[0]) is None

"""How large a learned set of Cactus is: by what lies beside it, or by a person's ruler."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from calibration.capture.cactus.outlines import Outlined, StandingCacti
from calibration.capture.cactus.pieces import Found
from calibration.capture.cactus.plate_view import SideSigns, Traced
from calibration.capture.cactus.scale import cacti_among, cacti_on, settle_scale
from calibration.capture.cactus.shapes import sort_shapes
from calibration.capture.cactus.sizes import asked_sizes, asked_whole, contradictions, measured, row_of, stated_height
from calibration.capture.deck import Part
from scoring.errors import RefereeError
from webui.commands.enroll import summary

SQUARE = [[0.0, 0.0], [30.0, 0.0], [30.0, 40.0], [0.0, 40.0]]
SMALL = [[0.0, 0.0], [15.0, 0.0], [15.0, 20.0], [0.0, 20.0]]
TALL = [[-5.0, 0.0], [5.0, 0.0], [5.0, 80.0], [-5.0, 80.0]]


def _part(name: str, group: str, outline: list[list[float]]) -> Part:
    seen = ({"photo": "a/00.jpg", "outline": outline},)
    return Part(name, group, {"id": name, "outline": outline}, seen)


PARTS = [_part("one", "pieces", SQUARE), _part("two", "pieces", SMALL), _part("K1", "cacti", TALL)]


def _measured(**said: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows = [row_of(p.sightings) for p in PARTS]
    return measured([(p.group, p.fields) for p in PARTS], [said.get(p.id, {}) for p in PARTS], rows)


def test_one_measured_piece_tells_the_size_of_all_pieces_and_of_no_cactus() -> None:
    """The longest is measured from end to end; the others are larger by as much."""
    fields, own = _measured(one={"length_mm": 60})
    assert fields[1]["outline"] == [[0, 0], [18, 0], [18, 24], [0, 24]]
    assert fields[2]["outline"] == TALL
    assert own == {}
    fields, _ = _measured(K1={"height_mm": 88})
    assert max(y for _, y in fields[2]["outline"]) == 88
    assert fields[0]["outline"] == SQUARE


def test_base_and_thickness_are_the_whole_sets() -> None:
    """They are said of one cactus, and stand in the deck once."""
    base = {"width_mm": 50.0, "height_mm": 9.0, "depth_mm": 20.0}
    fields, own = _measured(K1={"base": base, "thickness_mm": 3})
    assert own == {"base": base, "thickness_mm": 3.0}
    assert "base" not in fields[2]


@pytest.mark.parametrize("wrong", [0, "40", True, None, float("nan"), -3])
def test_what_is_no_size_is_refused(wrong: Any) -> None:
    """So that no set is kept at a size that cannot be."""
    with pytest.raises(RefereeError):
        _measured(one={"length_mm": wrong})
    with pytest.raises(RefereeError):
        _measured(K1={"base": {"width_mm": wrong, "height_mm": 9, "depth_mm": 20}})


def test_the_longest_piece_and_the_tallest_cactus_are_asked_about() -> None:
    """One question each."""
    asked = asked_sizes(PARTS, ("length_mm", "height_mm", "base"))
    assert [p.asks for p in asked] == [("length_mm",), (), ("height_mm", "base")]


def test_heights_that_contradict_each_other_are_told() -> None:
    """By more than two rulers can differ that are read to half a millimetre; of one cactus, stated twice, as well."""
    parts = [*PARTS, *(_part(f"K{n}", "cacti", [[x, y * s] for x, y in TALL]) for n, s in ((2, 0.9), (3, 0.8)))]
    tallest = stated_height(parts, 80.0)
    assert contradictions(parts, {}) == contradictions(tallest, {"K2": {"height_mm": 72.0}}) == []
    assert contradictions(tallest, {"K2": {"height_mm": 72.9}}) == [], "both are read to half a millimetre"
    (told,) = contradictions(tallest, {"K2": {"height_mm": 73.2}, "K3": {"height_mm": 64.0}})
    assert told == "the heights stated of K1 and K2 contradict each other by 1.7%: measure again"
    (told,) = contradictions(tallest, {"K1": {"height_mm": 82.0}})
    assert told == "80 mm were stated for the tallest cactus, and 82 mm for K1, which is: measure again"
    (told,) = contradictions(parts, {"one": {"length_mm": 50.0}, "two": {"length_mm": 27.0}})
    assert "lengths stated of one and two" in told


def test_a_cactus_far_smaller_than_the_others_is_asked_about() -> None:
    """It may be a part of one; cacti that are only unlike each other are not, and pieces never."""
    parts = [*PARTS, *(_part(f"K{n}", "cacti", [[x, y * s] for x, y in TALL]) for n, s in ((2, 0.9), (3, 0.8)))]
    assert [p.asks for p in asked_whole(parts)] == [()] * 5
    small = [*parts, _part("K4", "cacti", [[x / 4, y / 4] for x, y in TALL])]
    asked = asked_whole(small)
    assert [(p.id, p.asks) for p in asked if p.asks] == [("K4", ("whole",))]
    assert asked[-1].answered({"K4": {"whole": True}}).asks == ()
    second = asked_sizes(asked, ("second",))
    assert "height_mm" not in second[-1].asks, "a part of a cactus tells no height"
    fields, _ = measured([("cacti", {"outline": TALL, "whole": True})], [{}], [row_of(())])
    assert fields == [{"outline": TALL}], "the deck has no such field"


def test_two_heights_tell_how_a_photo_of_cacti_was_taken() -> None:
    """What lies between them on the photo grows by what lies between; the one far from the tallest is asked about."""
    parts = []
    for name, down, tall in (("K1", 100.0, 80.0), ("K2", 400.0, 70.0), ("K3", 250.0, 60.0)):
        outline = [[-5.0, 0.0], [5.0, 0.0], [5.0, tall], [-5.0, tall]]
        seen = ({"photo": "03.jpg", "outline": [[0, down], [9, down], [9, down]]},)
        parts.append(Part(name, "cacti", {"id": name, "outline": outline}, seen))
    parts = stated_height(asked_sizes(parts, ("second",)), 80.0)
    assert [p.asks for p in parts] == [(), ("height_mm",), ()]
    rows = [row_of(p.sightings) for p in parts]
    fields, _ = measured([(p.group, p.fields) for p in parts], [{}, {"height_mm": 77.0}, {}], rows)
    heights = [max(y for _, y in f["outline"]) for f in fields]
    assert heights == pytest.approx([80.0, 77.0, 60 * 1.1**0.5], abs=0.02)
    assert all("height_mm" not in f for f in fields)


def _found(sizes: list[float], hues: list[float]) -> Found:
    """Squares of these sides in a row, and their tints."""
    box = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    outer = tuple(box * s + [200 * i, 0] for i, s in enumerate(sizes))
    labs = tuple(np.array([50.0, h, 0]) for h in hues)
    empty = np.zeros((4, 4, 3), np.float32)
    traced = Traced(
        (2000, 1000), empty, empty, empty, empty, np.zeros((4, 4), np.uint8), outer, np.zeros((len(outer), 3))
    )
    nothing = SideSigns(np.zeros((0, 2)), np.zeros((0, 2)), np.arange(3.0), np.zeros((0, 3)))
    masks = tuple((np.zeros((2, 2), np.uint8), (0, 0)) for _ in outer)
    return Found(labs, labs, masks, (None,) * len(outer), traced, nothing, 1.0, None, (1.0,) * len(outer))


def test_the_cactus_that_tells_most_is_asked_about_beside_the_tallest_one() -> None:
    """Where nothing tells which that is, it is the one farthest down the photo."""
    shorter = [[[x, y * share + down] for x, y in TALL] for share, down in ((0.8, 300.0), (0.7, 100.0))]
    parts = [*PARTS, *(_part(f"K{n}", "cacti", o) for n, o in enumerate(shorter, 2))]
    ways: list[tuple[list[str], str]] = [([], "K2"), (["K3"], "K3"), (["K1"], "K2")]
    for telling, name in ways:
        shown = [replace(p, fields={**p.fields, "outline": TALL}) if p.id == "K1" else p for p in parts]
        shown = [replace(p, fields={**p.fields, "outline": SMALL}) if p.id in ("K2", "K3") else p for p in shown]
        assert [p.id for p in asked_sizes(shown, ("second",), telling) if p.asks] == [name]


def test_a_piece_beside_the_cacti_is_none_of_them() -> None:
    """Cacti are of one hue and much larger; pieces by themselves are no cacti."""
    assert cacti_among(_found([160, 40, 150, 170], [-40, 60, -42, -38])) == [0, 2, 3]
    assert cacti_among(_found([160, 150, 170], [-40, -42, -38])) == [0, 1, 2]
    assert cacti_among(_found([40, 42, 38, 41], [-40, 60, -42, 10])) == []
    assert cacti_among(_found([160, 40], [-40, 60])) == []


def test_a_photo_of_all_cacti_on_a_coloured_table_is_told_by_counting() -> None:
    """Where their hues are far apart; not where a part is missing, another photo has as many, or hues tell."""
    pieces, cacti = _found([40.0] * 7, [-40, 60] * 3 + [10]), _found([50, 60, 70], [-40, 60, 10])
    assert cacti_on([pieces, cacti], 3, 7) == [[], [0, 1, 2]]
    assert cacti_on([pieces, cacti], 3, 8) == [[], []]
    assert cacti_on([pieces, cacti, cacti], 3, 10) == [[], [], []]
    green = _found([160, 40, 150, 170], [-40, 60, -42, -38])
    assert cacti_on([green, cacti], 3, 4) == [[0, 2, 3], []]


def _read(*grown: float) -> Outlined:
    return Outlined(
        (), (), np.zeros(0, np.intp), np.zeros(0), 0.8, np.zeros(2), 3.5, {}, {}, tuple(("a sheet", g) for g in grown)
    )


def _stand(scale: float | None, *mm_per_px: float) -> StandingCacti:
    return StandingCacti(
        (), (np.array([[0, 0], [0, 320.0]]),), 3.5, scale, tuple(("a sheet", mm) for mm in mm_per_px), True, None
    )


def test_pieces_beside_a_cactus_of_known_height_tell_their_size() -> None:
    """Nothing is asked then; without them the longest piece is."""
    told = settle_scale(_read(), [_stand(4.0)], 88.0)
    assert told.grown == pytest.approx(1.1)
    assert told.asks == ()
    assert settle_scale(_read(), [_stand(None)], 88.0).asks == ("length_mm",)
    assert settle_scale(_read(), [_stand(None)], None).asks == ("length_mm", "height_mm")


def test_a_target_tells_all_and_how_far_a_stated_height_agrees() -> None:
    """A height that cannot be with it is remarked."""
    told = settle_scale(_read(1.08), [_stand(4.0)], None)
    assert told.asks == ()
    assert told.mm_per_px == pytest.approx((0.27,))
    off = settle_scale(_read(1.0), [_stand(4.0, 0.25)], 88.0)
    assert any("88 mm were stated" in r for r in off.remarks)
    assert off.mm_per_px == pytest.approx((0.275,))
    assert not any("were stated" in r for r in settle_scale(_read(1.0), [_stand(4.0, 0.25)], 80.5).remarks)


def test_a_piece_on_two_photos_is_one_piece() -> None:
    """It has the number of one form of its own; alike pieces on one photo are two."""
    disc = 13 * np.stack([np.cos(np.linspace(0, 6.2, 60)), np.sin(np.linspace(0, 6.2, 60))], 1)
    bar = np.array([[-20, -5], [20, -5], [20, 5], [-20, 5.0]])
    kinds, _ = sort_shapes([disc, bar, disc * 1.3], [0, 1, 0], 5, [0, 0, 1])
    assert kinds.tolist() == [5, -1, 5]
    kinds, _ = sort_shapes([disc, bar, disc * 1.3], [0, 1, 0], 5, [0, 0, 0])
    assert kinds.tolist() == [-1, -1, -1]


def test_a_terminal_is_told_in_two_lines_what_was_read() -> None:
    """How much of each sort, and how much on each photo."""
    assert summary(PARTS) == ["2 pieces, 1 cacti read", "00.jpg: 3"]

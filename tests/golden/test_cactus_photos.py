"""Labelled sequences of Cactus, drawn here and by another renderer, judged by the command itself."""

from __future__ import annotations

import contextlib
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shapely.geometry import Polygon

from webui.cli import DONE, main

SAMPLES = Path(__file__).parents[2] / "sample_images"
LABELS = [*sorted((SAMPLES / "golden").glob("cactus-*/truth.json")), SAMPLES / "cactus-with-a-fall.json"]
READABLE = 0.6
"""Share of a hung piece that must be seen for its name to be asked of the eye."""
Json = dict[str, Any]


def name_of(label: Path) -> str:
    return label.parent.name if label.name == "truth.json" else label.stem


@cache
def pairs(label: Path) -> list[tuple[Json, Json]]:
    """Each photo's truth, and what `referee judge cactus` prints of it."""
    truth = json.loads(label.read_text(encoding="utf-8"))
    photos = [str(label.parent / photo["photo"]) for photo in truth["photos"]]
    deck = SAMPLES / "decks" / truth["deck"]
    given = ["--deck", str(deck)] if deck.is_dir() else []
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["judge", "cactus", *given, *photos]) == DONE
    return list(zip(truth["photos"], map(json.loads, out.getvalue().splitlines()), strict=True))


def overlap(a: Any, b: Any) -> float:
    p, q = Polygon(a).buffer(0), Polygon(b).buffer(0)
    return float(p.intersection(q).area / p.union(q).area)


@pytest.mark.parametrize("label", LABELS, ids=name_of)
def test_what_hangs_is_named_on_its_cactus_where_it_hangs(label: Path) -> None:
    """Every piece that can be seen, outlined to a hair; nothing of the supply or the background is taken for one."""
    shared = []
    for truth, told in pairs(label):
        assert [c["id"] for c in told["cacti"]] == [c["id"] for c in truth["cacti"]]
        seen = {p["id"]: p for p in told["pieces"]}
        assert set(seen) <= {p["id"] for p in truth["pieces"]}
        for piece in truth["pieces"]:
            if piece["visible"] >= READABLE:
                assert seen[piece["id"]]["cactus"] == piece["cactus"], piece["id"]
                shared.append(overlap(seen[piece["id"]]["outline"], piece["outline"]))
    assert float(np.median(shared)) > 0.93
    assert min(shared) > 0.7


@pytest.mark.parametrize("label", LABELS, ids=name_of)
def test_bases_are_where_they_stand(label: Path) -> None:
    """The front of each base, within a twentieth of its width."""
    for truth, told in pairs(label):
        for a, b in zip(told["cacti"], truth["cacti"], strict=True):
            width = float(np.linalg.norm(np.subtract(b["base"][1], b["base"][0])))
            assert np.linalg.norm(np.subtract(a["base"], b["base"]), axis=1).max() < 0.05 * width


@pytest.mark.parametrize("label", LABELS, ids=name_of)
def test_turns_are_read_and_no_call_on_a_contact_is_wrong(label: Path) -> None:
    """What was hung, what was moved for it, what fell, what that earns and costs; a contact may be unsure at most."""
    for truth, told in pairs(label):
        assert told["placed"] == truth["placed"]
        assert sorted(told["fallen"]) == sorted(truth["fallen"])
        assert sum(c["flowers"] for c in told["claims"]) == sum(c["flowers"] for c in truth["claims"])
        assert sum(c["flowers"] for c in told["penalties"]) == sum(c["flowers"] for c in truth["penalties"])
        calls = {(frozenset((c["a"], c["b"])), c["kind"]): c["verdict"] for c in told["contacts"]}
        for contact in truth["contacts"]:
            if not contact["close"]:
                key = (frozenset((contact["a"], contact["b"])), contact["kind"])
                assert calls.get(key, "clear") in (contact["verdict"], "unsure"), key
        broken = {(v["rule"], tuple(sorted(v["pieces"]))) for v in told["violations"]}
        assert broken <= {(v["rule"], tuple(sorted(v["pieces"]))) for v in truth["violations"]}


def test_certain_contacts_are_called() -> None:
    """Not all is left unsure: most contacts of these photos are called as they are."""
    calls = [
        (c["verdict"], {(frozenset((d["a"], d["b"])), d["kind"]): d["verdict"] for d in told["contacts"]}, c)
        for label in LABELS
        for truth, told in pairs(label)
        for c in truth["contacts"]
        if not c["close"]
    ]
    right = [
        said.get((frozenset((c["a"], c["b"])), c["kind"]), "clear") == call
        for call, said, c in calls
        if not (c["overlap_in_view"] and call == "clear")
    ]
    assert np.mean(right) > 0.85
    assert {call for call, _, _ in calls} == {"touching", "clear"}


def test_the_sample_sequence_shows_a_contact_put_right_and_a_fall() -> None:
    """Four photos: how it was, a contact of equal colours, the same put right with its reward, and a fall."""
    photos = [truth for truth, _ in pairs(LABELS[-1])]
    assert [[v["rule"] for v in p["violations"]] for p in photos] == [[], ["same-color"], [], []]
    assert photos[2]["moved"]
    assert len(photos[3]["fallen"]) == 1


def test_the_demonstration_is_followed_turn_by_turn() -> None:
    """The bundled recording, frame by frame: each piece hung, put right or knocked down is told, nothing else."""
    demo = Path(__file__).parents[2] / "webui" / "demo"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["watch", "cactus", "--source", str(demo / "cactus.mp4")]) == DONE
    told = [event for event in map(json.loads, out.getvalue().splitlines()) if event["event"] == "turn"]
    moves = json.loads((demo / "cactus-truth.json").read_text(encoding="utf-8"))["moves"]
    assert [(e["turn"]["placed"], e["turn"]["moved"], e["turn"]["fallen"]) for e in told] == [
        (m.get("placed"), [m["moved"]] if "moved" in m else [], m["fallen"]) for m in moves
    ]
    for event, move in zip(told, moves, strict=True):
        assert -1.5 < event["at_s"] - move["at_s"] < 2.0
        assert {p["id"]: p["cactus"] for p in event["turn"]["pieces"]} == move["hung"]

"""What keeps a copy from being played with is said of the card, in words, where it is put right."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

import pytest

from tests.webui.conftest import Table
from webui import create_app
from webui.owncopy.copying import Copyist
from webui.owncopy.own_copy import CopyPart, CopyStage, OwnCopy
from webui.sight.copies.deck import unplayable

ELEMENTS = ("fire", "water", "earth", "air", "magic")


def _deck(edges: Mapping[int, Mapping[str, int]]) -> tuple[dict[str, Any], tuple[CopyPart, ...]]:
    """Eight cards with nine symbols round their edges, but for some; the third one is no part of the game."""
    parts = tuple(
        CopyPart(
            n,
            f"R{n + 1:02d}",
            "faces",
            {
                "id": f"R{n + 1:02d}",
                "image": f"{n}.jpg",
                "center": ELEMENTS[n % 5],
                "edge": edges.get(n, {"fire": 6, "water": 3}),
            },
            out=n == 2,
        )
        for n in range(8)
    )
    faces = [dict(p.fields) for p in parts if not p.out]
    size = {"card_mm": [59, 92], "corner_radius_mm": 3, "elements": list(ELEMENTS)}
    return {"format": 1, "game": "rox", "name": "Ours", **size, "faces": faces}, parts


class _Read:
    """A copy that was read, with what a person said of its edges."""

    def __init__(self) -> None:
        self.edges: dict[int, Mapping[str, int]] = {}

    def copies(self) -> tuple[OwnCopy, ...]:
        return ()

    def copy(self, key: str) -> OwnCopy | None:
        deck, parts = _deck(self.edges)
        why, fault = unplayable(deck, parts)
        return OwnCopy(key, "Ours", "rox", CopyStage.READ, photos=("00.jpg",), parts=parts, unplayable=why, fault=fault)

    def answer_all(self, key: str, stated: Mapping[int, Mapping[str, Any]]) -> None:
        self.edges |= {part: fields["edge"] for part, fields in stated.items() if "edge" in fields}


@pytest.mark.parametrize(
    ("edge", "words"),
    [
        ({"fire": 10, "water": 7}, "R07: 17 symbols are counted round its edge, the other cards have 9."),
        ({"fire": 4, "water": 4, "air": 1}, "R07: these are there equally often, 4 each: fire, water."),
        ({}, "R07: no symbols are counted round its edge."),
    ],
)
def test_a_wrong_count_is_said_in_words_with_the_way_to_the_card(
    table: Table, edge: Mapping[str, int], words: str
) -> None:
    """The page names the card and links to it, its editor says the same, and neither speaks of keys of a file."""
    read = _Read()
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], copyist=cast(Copyist, read)))
    assert "No match can be played" not in table.client.get("/copies/ours").text
    read.edges[6] = edge
    page = table.client.get("/copies/ours").text
    assert words in page
    assert "faces[" not in page
    save = page[page.index('id="save"') :]
    assert save.index('href="/copies/ours/part/6"') < save.index("</section>")
    assert words in table.client.get("/copies/ours/part/6").text
    assert words not in table.client.get("/copies/ours/part/5").text


def test_fault_of_another_field_names_the_field() -> None:
    """The entry of the deck leads back to the part, though others before it are left out."""
    deck, parts = _deck({})
    deck["faces"][4]["center"] = "cheese"
    _, fault = unplayable(deck, parts)
    assert fault == (5, "center")
    deck["elements"] = ["fire"]
    why, fault = unplayable(deck, parts)
    assert why
    assert fault is None

"""What a person answers about the parts of their copy in a file: all of it is understood, or that is said."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration.capture.cactus.sizes import BASE, HEIGHT, LENGTH, THICKNESS, WHOLE
from calibration.capture.conex.deck import PAWNS, STARS
from calibration.capture.deck import ALL, AS_LAID, AS_READ, CENTER, EDGE, TOP, Json, Part
from scoring.errors import RefereeError
from webui.cli import complain
from webui.commands.answer_kinds import unlike
from webui.commands.enroll_said import read_said

_NAMED_MAX = 12
_SHOWN_MAX = 60
FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "rox": {"faces": ("id", "center", "edge"), "scoring": ("id", "value")},
    "conex": {
        "faces": ("id", "color", "symbol", "corners"),
        "board": ("size_mm", "spaces", "track", "goal", STARS, PAWNS),
    },
    "cactus": {
        "pieces": ("id", "color", "shape", "special", "outline", LENGTH, BASE, THICKNESS),
        "cacti": ("id", "color", "outline", HEIGHT, BASE, THICKNESS, WHOLE),
    },
    "any": {},
}
"""What a person can state of the parts of a game, by their group; faces without meaning may be told anything."""
_OF_ALL = {TOP: AS_LAID, EDGE: AS_READ, CENTER: AS_READ}
_ALL_IN: Mapping[str, Collection[str]] = {"rox": (EDGE, CENTER), "conex": (TOP,)}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def read_answers(path: Path | None, game: str) -> dict[str, dict[str, Any]]:
    """Ids and what is so of them; raises RefereeError where a part of this game has no such field."""
    if path is None:
        return {}
    answers = read_said(path, finite=True)
    for key, said in answers.items():
        fields = _OF_ALL if key == ALL else FIELDS[game].get(key) or {f for own in FIELDS[game].values() for f in own}
        _check_fields(f"{path}: {key}", said, fields, game)
        for field, value in () if key == ALL else said.items():
            wanted = unlike(field, value) if game != "any" or field == "id" else ""
            if wanted:
                raise RefereeError(f"{path}: {key}: {field}: {_short(value)} is no answer; write {wanted}")
        for field, value in said.items() if key == ALL else ():
            if value != _OF_ALL.get(field, value):
                raise RefereeError(f'{path}: {key}: {field}: {value!r} is no answer; write "{_OF_ALL[field]}"')
            if field not in _ALL_IN.get(game, ()):
                complain(f"{path}: {key}: {field}: changes nothing in {game}; leave it out")
        if not said:
            complain(f"{path}: {key}: states nothing; write fields into the braces, or leave it out")
    return answers


def check_answers(
    path: Path | None, game: str, answers: Mapping[str, Mapping[str, Any]], parts: Sequence[Part], deck: Json
) -> None:
    """Raise RefereeError where an answer is of nothing that was read, or states what such a part has not.

    Parameters
    ----------
    path, answers
        The file, and what it says.
    game, parts, deck
        What was read.
    """
    known = {p.id: p for p in parts}
    for key, said in answers.items():
        if key == ALL:
            continue
        if key not in known:
            there = ", ".join([*known][:_NAMED_MAX]) + (" and more" if len(known) > _NAMED_MAX else "")
            raise RefereeError(f"{path}: {key}: nothing of this id was read; there are {there}. Nothing was written")
        _check_fields(f"{path}: {key}", said, FIELDS[game].get(known[key].group, ()), game)
        for field, why in _senseless(known[key], said, deck) if game != "any" else ():
            raise RefereeError(f"{path}: {key}: {field}: {why}. Nothing was written")


def _senseless(part: Part, said: Mapping[str, Any], deck: Json) -> Iterator[tuple[str, str]]:
    """Fields of an answer that can mean nothing beside what was read, and why."""
    for field, value in said.items():
        for sort, name in _kinds_named(part, field, value):
            if sort in deck and name not in deck[sort]:
                named = ", ".join(map(str, deck[sort]))
                yield field, f"{_short(name)} is none of {named}; write one of them, or name it with --examples"
    if part.group == "cacti" and not _COLOUR.fullmatch(said.get("color", "#000000")):
        yield "color", f'{_short(said["color"])} is no colour of a cactus; write one such as "#2f8f3a"'
    if "special" in said and said["special"] != (said.get("shape", part.fields["shape"]) is None):
        yield "special", "a special piece is one without a shape; state its shape instead, null where it has none"
    if "goal" in said and said["goal"] >= len(part.fields.get("track", ())):
        yield "goal", f"{said['goal']} is no square of the track, which has {len(part.fields.get('track', ()))}"


def _kinds_named(part: Part, field: str, value: Any) -> list[tuple[str, str]]:
    """The kinds that an answer names, each with the list of the deck in which it must stand."""
    if field == CENTER:
        return [("elements", value)]
    if field == EDGE:
        return [("elements", name) for name in value]
    if field == "color" and part.group != "cacti":
        return [("colors", value)]
    if field in ("corners", "spaces"):
        return [("colors", one["color"]) for one in value]
    return []


def _check_fields(where: str, said: Mapping[str, Any], fields: Collection[str], game: str) -> None:
    for field in said:
        if field == "image":
            raise RefereeError(f"{where}: image is no answer, pictures are named by enroll; leave it out")
        if field not in fields and game != "any":
            raise RefereeError(f"{where}: has no {field!r}; what can be stated is {', '.join(sorted(fields))}")


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"

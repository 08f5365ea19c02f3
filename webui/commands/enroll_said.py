"""What a person says of their copy in files: examples of kinds, and answers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.capture.cactus.sizes import BASE, HEIGHT, LENGTH, THICKNESS
from calibration.capture.deck import ALL, AS_LAID, AS_READ, CENTER, EDGE, TOP, Example, Part, Photo
from scoring.errors import RefereeError
from webui.cli import complain
from webui.commands.answer_kinds import unlike

_FAR_PX = 1e6
_NEAR_PX = 3.0
_NAMED_MAX = 12
_SHOWN_MAX = 60
FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "rox": {"faces": ("id", "center", "edge"), "scoring": ("id", "value")},
    "conex": {
        "faces": ("id", "color", "symbol", "corners"),
        "board": ("id", "size_mm", "spaces", "track", "goal", "stars"),
    },
    "cactus": {
        "pieces": ("id", "color", "shape", "special", "outline", LENGTH, BASE, THICKNESS),
        "cacti": ("id", "color", "outline", HEIGHT, BASE, THICKNESS),
    },
    "any": {},
}
"""What a person can state of the parts of a game, by their group; faces without meaning may be told anything."""
_OF_ALL = {TOP: AS_LAID, EDGE: AS_READ, CENTER: AS_READ}
_NAMED_GROUPS = ("faces", "pieces")


def read_examples(path: Path | None, given: Sequence[Path], photos: Sequence[Photo]) -> tuple[Example, ...]:
    """Examples of kinds.

    Parameters
    ----------
    path
        The file, if there is one.
    given
        Every photo that was named.
    photos
        Those that could be read.

    Raises
    ------
    RefereeError
        If the file cannot be used, if what it calls a photo may be either of two, or if a pixel lies outside of it.
    """
    if path is None:
        return ()
    number = {Path(p.name): i for i, p in reversed(list(enumerate(photos)))}
    out = []
    for name, entry in _read(path).items():
        photo, at = entry.get("photo"), entry.get("at")
        is_pixel = (
            isinstance(at, list) and len(at) == 2 and all(isinstance(v, int | float) and abs(v) < _FAR_PX for v in at)
        )
        if not isinstance(photo, str) or not isinstance(at, list) or not is_pixel:
            raise RefereeError(f'{path}: {name}: write {{"photo": "00.jpg", "at": [x, y]}}')
        meant = _meant(photo, given, f"{path}: {name}")
        if meant not in number:
            complain(f"{path}: {name}: no photo {photo} among those given")
            continue
        height, width = photos[number[meant]].rgb.shape[:2]
        if not (0 <= at[0] < width and 0 <= at[1] < height):
            raise RefereeError(
                f"{path}: {name}: {at} lies outside of {photo}, which has {width} x {height} pixels; "
                "write a pixel that shows it"
            )
        out.append(Example(name, number[meant], (float(at[0]), float(at[1]))))
    return tuple(out)


def beside_all(examples: Sequence[Example], photos: Sequence[Photo], parts: Sequence[Part]) -> list[str]:
    """What to say of examples that show nothing which could give them a meaning."""
    out = []
    for example in examples:
        photo = photos[example.photo].name
        outlines = [
            np.asarray(s.get("quad", s.get("outline")), np.float32)
            for p in parts
            if p.group in _NAMED_GROUPS
            for s in p.sightings
            if s["photo"] == photo
        ]
        if all(cv2.pointPolygonTest(o, example.at_px, True) < -_NEAR_PX for o in outlines):
            x, y = example.at_px
            out.append(
                f"{example.name}: no card or piece of the game was found at [{x:g}, {y:g}] of {photo}; "
                "this example names nothing: write a pixel on one"
            )
    return out


def read_answers(path: Path | None, game: str) -> dict[str, dict[str, Any]]:
    """Ids and what is so of them; raises RefereeError where a part of this game has no such field."""
    if path is None:
        return {}
    answers = _read(path, finite=True)
    for key, said in answers.items():
        fields = _OF_ALL if key == ALL else {f for some in FIELDS[game].values() for f in some}
        _check_fields(f"{path}: {key}", said, fields, game)
        for field, value in () if key == ALL else said.items():
            wanted = unlike(field, value) if game != "any" or field == "id" else ""
            if wanted:
                raise RefereeError(f"{path}: {key}: {field}: {_short(value)} is no answer; write {wanted}")
        for field, value in said.items() if key == ALL else ():
            if value != _OF_ALL.get(field, value):
                raise RefereeError(f'{path}: {key}: {field}: {value!r} is no answer; write "{_OF_ALL[field]}"')
    return answers


def check_answers(
    path: Path | None, game: str, answers: Mapping[str, Mapping[str, Any]], parts: Sequence[Part]
) -> None:
    """Raise RefereeError where an answer is of nothing that was read, or states what such a part has not."""
    group = {p.id: p.group for p in parts}
    for key, said in answers.items():
        if key == ALL:
            continue
        if key not in group:
            known = ", ".join([*group][:_NAMED_MAX]) + (" and more" if len(group) > _NAMED_MAX else "")
            raise RefereeError(f"{path}: {key}: nothing of this id was read; there are {known}. Nothing was written")
        _check_fields(f"{path}: {key}", said, FIELDS[game].get(group[key], ()), game)


def _check_fields(where: str, said: Mapping[str, Any], fields: Collection[str], game: str) -> None:
    for field in said:
        if field == "image":
            raise RefereeError(f"{where}: image is no answer, pictures are named by enroll; leave it out")
        if field not in fields and game != "any":
            raise RefereeError(f"{where}: has no {field!r}; what can be stated is {', '.join(sorted(fields))}")


def _meant(photo: str, given: Sequence[Path], where: str) -> Path | None:
    """The photo of that path; where none has it, the one that is called so in whatever folder."""
    if Path(photo) in given:
        return Path(photo)
    alike = list(dict.fromkeys(p for p in given if p.name == Path(photo).name))
    if len(alike) > 1:
        raise RefereeError(f"{where}: {photo} may be {' or '.join(map(str, alike))}; write the one that is meant")
    return alike[0] if alike else None


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def _read(path: Path, *, finite: bool = False) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        json.dumps(data, ensure_ascii=False, allow_nan=not finite).encode()  # half a letter can be in no file
    except (OSError, ValueError, RecursionError) as error:
        raise RefereeError(f"{path}: cannot be read as JSON ({error}); mend or leave it out") from None
    if not isinstance(data, dict) or not all(isinstance(v, dict) for v in data.values()):
        raise RefereeError(f"{path}: is no list of names; write an object of objects in braces")
    return data

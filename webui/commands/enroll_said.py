"""Examples of kinds that a person gives in a file, and how such files are read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.capture.deck import Example, Part, Photo
from calibration.whole_file import NO_FILE, is_endless
from scoring.errors import RefereeError
from webui.cli import complain
from webui.commands.photo_names import could_mean, short_names

_FAR_PX = 1e6
_NEAR_PX = 3.0
_LONGEST = 32
_NOT_IN_NAMES = frozenset(",/\\+")
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
        If the file cannot be used, if a name cannot be one of a deck, if what it calls a photo may be either of two, or
        if a pixel lies outside of it.
    """
    if path is None:
        return ()
    number = {Path(p.name): i for i, p in reversed(list(enumerate(photos)))}
    out = []
    for name, entry in read_said(path).items():
        if not name.strip() or len(name) > _LONGEST or not name.isprintable() or set(name) & _NOT_IN_NAMES:
            # it goes into the names of faces and pieces
            raise RefereeError(
                f"{path}: {json.dumps(name)}: write a name of 1 to {_LONGEST} letters, none a comma, slash or plus"
            )
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


def _meant(photo: str, given: Sequence[Path], where: str) -> Path | None:
    """The photo that an entry names, None where it is not given; raises RefereeError where it may be either of two."""
    alike = could_mean(photo, given)
    if len(alike) > 1:
        names = short_names(map(str, given))
        shown = " or ".join(names[str(p)] for p in alike)
        raise RefereeError(f"{where}: {photo} may be {shown}: write it with its folder, as it stands here")
    return alike[0] if alike else None


def read_said(path: Path, *, finite: bool = False) -> dict[str, Any]:
    """What such a file says of each name; raises RefereeError where it cannot be used."""
    if is_endless(path):
        raise RefereeError(f"{path}: {NO_FILE}; name a file or leave it out")
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
        json.dumps(data, ensure_ascii=False, allow_nan=not finite).encode()  # half a letter can be in no file
    except (OSError, ValueError, RecursionError) as error:
        raise RefereeError(f"{path}: cannot be read as JSON ({error}); mend or leave it out") from None
    if not isinstance(data, dict) or not all(isinstance(v, dict) for v in data.values()):
        raise RefereeError(f"{path}: is no list of names; write an object of objects in braces")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """What stands in braces; raises ValueError where two entries have one name, of which only the last would count."""
    twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is written twice")
    return dict(pairs)

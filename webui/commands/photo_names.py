"""Photographs as a person names them: two folders may hold photos of one name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def short_names(photos: Iterable[str]) -> Mapping[str, str]:
    """For each path the shortest end of it that no other one has: its name, or as many folders before it as it takes.

    `could_mean` finds the photo by it.
    """
    paths = {photo: Path(photo).parts for photo in photos}

    def short(own: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> Path:
        ends = (n for n in range(1, len(own)) if all(other[-n:] != own[-n:] for other in others))
        return Path(*own[-next(ends, len(own)) :])

    return {p: str(short(own, [o for o in paths.values() if o != own])) for p, own in paths.items()}


def could_mean(written: str, given: Iterable[Path]) -> list[Path]:
    """The photos that somebody may have meant: the one of that path, else those whose path ends so.

    Where none does, those that are called so in whatever folder.
    """
    path, photos = Path(written), list(dict.fromkeys(given))
    if path in photos:
        return [path]
    parts = path.parts
    ending = [p for p in photos if parts and p.absolute().parts[-len(parts) :] == parts]
    return ending or [p for p in photos if p.name == path.name]

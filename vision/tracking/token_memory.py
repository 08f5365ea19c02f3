"""Pawns, stars and dice over the looks: what an arm hides stays where it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, Point, Token, TokenKind
from vision.tracking.drift import Motion
from vision.tracking.evidence import Evidence
from vision.types import Quad

_REACH = 0.1
"""Half the side of the place that a token takes, as a share of a card's side."""
_SAME = 0.5
"""A token that moved by less than this share of its place's half side stands where it stood."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A token with its place in the present picture.

    `sure` is whether it was seen twice, or came where something happened: else it may have been imagined.
    """

    token: Token
    at_px: tuple[float, float]
    sure: bool = True


class TokenMemory:
    """The tokens of one table, at most one of a kind and name."""

    def __init__(self) -> None:
        self._known: dict[tuple[TokenKind, str], Standing] = {}
        self._begun = False

    def follow(self, motion: Motion) -> None:
        """The picture moved."""
        self._known = {k: replace(s, at_px=_at(motion([s.at_px]))) for k, s in self._known.items()}

    def update(
        self,
        tokens: Sequence[tuple[Token, tuple[float, float]]],
        names: Mapping[str, str],
        to_mm: Callable[[NDArray[np.float64]], Sequence[Point]],
        evidence: Evidence,
        side_px: float,
        gone: Callable[[str], bool] = lambda key: False,
    ) -> tuple[Standing, ...]:
        """Take in the tokens of a look, in its own names and with their places in the picture.

        Parameters
        ----------
        tokens
            What was found, and where in the picture.
        names
            Lasting names of the cards by the look's own.
        to_mm
            From the picture to the lasting map.
        evidence
            What changed in the picture.
        side_px
            Side of a card in the picture.
        gone
            Whether the card of a lasting name is no longer on the table.

        Returns
        -------
        tuple of Standing
            Everything that stands on the table, in a lasting order.
        """
        found: dict[tuple[TokenKind, str], Standing] = {}
        half = _REACH * side_px
        for token, at_px in tokens:
            on = token.on if token.on in (None, BOARD) else names.get(str(token.on))
            sure = not self._begun or evidence.touched(_place(at_px, half))
            new = Standing(replace(token, on=on, at=_mm(to_mm, at_px, token.at)), at_px, sure)
            kind = (token.kind, "" if token.kind is TokenKind.DIE else token.name)
            if kind in found and found[kind].token.confidence >= token.confidence:
                continue
            found[kind] = self._steady(self._known.get(kind), new, evidence, half)
        for kind, old in self._known.items():
            if old.token.on not in (None, BOARD) and gone(str(old.token.on)):
                continue  # it went with its card
            if kind not in found and _stays(old, frozenset(names.values()), evidence, half):
                found[kind] = replace(old, token=replace(old.token, at=_mm(to_mm, old.at_px, old.token.at)))
        self._known = dict(sorted(found.items()))
        self._begun = True
        return tuple(self._known.values())

    def _steady(self, old: Standing | None, new: Standing, evidence: Evidence, half: float) -> Standing:
        """A token that nobody touched is what its surer look says that it is."""
        if old is None or np.hypot(*np.subtract(old.at_px, new.at_px)) > _SAME * half:
            return new
        if old.token.confidence <= new.token.confidence or evidence.touched(_place(new.at_px, half)):
            return replace(new, sure=True)
        return Standing(replace(old.token, at=new.token.at), new.at_px)


def _stays(old: Standing, cards: frozenset[str], evidence: Evidence, half: float) -> bool:
    """Whether a token that was not found is still there: its place did not change, or an arm lies over it.

    On a card that is seen nothing small is overlooked: the card's face shows where it is not.
    """
    place = _place(old.at_px, half)
    if evidence.reached(place):
        return old.sure
    return old.sure and old.token.on not in cards and not evidence.touched(place)


def _place(at_px: tuple[float, float], half: float) -> Quad:
    return np.array(at_px) + half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def _at(points: NDArray[np.float64]) -> tuple[float, float]:
    return float(points[0, 0]), float(points[0, 1])


def _mm(to_mm: Callable[[NDArray[np.float64]], Sequence[Point]], at_px: tuple[float, float], known: Point) -> Point:
    """Where a place lies on the map; as it was known where there is no map."""
    return next(iter(to_mm(np.array([at_px]))), known)

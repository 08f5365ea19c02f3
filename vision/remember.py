"""Whoever keeps the pieces from one settled picture to the next: one memory a kind of game."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from vision.board_side import with_board_side
from vision.scene import Observation, SceneModel
from vision.tracking.change import Change
from vision.tracking.settled import Settled
from vision.tracking.tracker import Tracker
from vision.types import Failure, Rgb


class Memory(Protocol):
    """The only step of vision that remembers."""

    def update(
        self,
        observation: Observation,
        change: Change | None = None,
        picture: Rgb | None = None,
        *,
        alone: bool = False,
    ) -> Settled:
        """Take in one observation of the table at rest; see `vision.tracking.tracker.Tracker.update`."""
        ...

    def expect(self, model: SceneModel, seen: Observation) -> SceneModel:
        """What the next picture is looked at with, after that observation was taken in."""
        ...

    def settle(self, second: Observation, picture: Rgb | None = None) -> Settled | Failure | None:
        """Take in the same table as another camera sees it; None where that tells nothing, or why it is another one."""
        ...


class CardMemory:
    """The memory of cards on a table, on which they are laid to stay where there is a board."""

    def __init__(self, model: SceneModel) -> None:
        self._lasting = model.deck is not None and model.deck.board is not None
        self._tracker = Tracker(lasting=self._lasting, area_px=model.area_px)
        self._side: tuple[float, float] | None = None

    def update(
        self,
        observation: Observation,
        change: Change | None = None,
        picture: Rgb | None = None,
        *,
        alone: bool = False,
    ) -> Settled:
        """See `Memory`."""
        board = observation.table.board
        if board is not None and self._side not in (None, board.size_mm):
            self._tracker.forget_map()  # what was drawn on it was of another scale
        self._side = self._side if board is None else board.size_mm
        return self._tracker.update(observation, change, picture, alone=alone)

    def expect(self, model: SceneModel, seen: Observation) -> SceneModel:
        """Each picture tells a little of the lens, which stays the same, where the board lies, and how large it is."""
        if not self._lasting:
            return model
        if model.camera is None and seen.plane is not None and seen.plane.lens is not None:
            model = replace(model, lens=seen.plane.lens.loosened())
        if seen.side is not None and model.deck is not None:
            # measured once it stays, so that one map lasts
            model = replace(model, deck=with_board_side(model.deck, seen.side))
        return model if seen.board is None else replace(model, board_px=seen.board.quad_px)

    def settle(self, second: Observation, picture: Rgb | None = None) -> Settled | None:
        """Cards lie flat: a second view tells nothing new of them."""
        return None


def memory_of(model: SceneModel) -> Memory:
    """A new memory for what is on the table."""
    if model.cactus is not None:
        from vision.cactus.memory import CactusMemory  # here, because cards need nothing of it

        return CactusMemory(model.cactus, model.area_px)
    return CardMemory(model)

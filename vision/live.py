"""The live pipeline: frames become settled tables.

Every frame gets a glance; only a table that has just come to rest, or whose reading was doubtful, is looked at
closely, because that costs a hundred times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from scoring.errors import RefereeError
from scoring.table import BOARD
from vision.remember import memory_of
from vision.scene import Observation, SceneModel
from vision.sources.source import Source, SourceState
from vision.tracking.change import Change
from vision.tracking.gate import Disturbance, Gate, Glance, Trouble, Word
from vision.tracking.settled import Settled
from vision.types import Failure, Frame, Standing

Observe = Callable[[Frame, SceneModel], Observation | Failure]

LOOK_AGAIN_S = 0.25
"""Time between two looks at a table whose reading is doubtful."""
RETRY_S = 1.0
"""... and between two looks at a picture in which nothing could be understood."""
LOOKS_MAX = 4
"""After so many looks at one table the reading is as good as it gets."""


def observe_any(frame: Frame, model: SceneModel) -> Observation | Failure:
    """The close look at whatever is on the table."""
    if model.cactus is not None:
        from vision.cactus.observe import observe_cactus

        return observe_cactus(frame, model)
    from vision.observe import observe  # here, because it loads the recognition network

    return observe(frame, model)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one frame told.

    Parameters
    ----------
    word
        State of the live picture in a word.
    frame
        The frame.
    settled
        The table as it was last understood; kept as long as nothing moves, else None.
    fresh
        True where this frame was looked at closely.
    final
        True on the frame after which the reading needs no further look: the moment to judge it.
    observation
        What was seen in this frame, where it was looked at closely.
    disturbance
        What happened to the picture as a whole, or None.
    trouble
        Why the frame is of no use, or None.
    failure
        Why a close look gave nothing, or None.
    standing
        Whether what lies on the table agrees with the calibration of the camera, as far as it was last told.
    """

    word: Word
    frame: Frame
    settled: Settled | None = None
    fresh: bool = False
    final: bool = False
    observation: Observation | None = None
    disturbance: Disturbance | None = None
    trouble: Trouble | None = None
    failure: Failure | None = None
    standing: Standing = Standing.UNKNOWN


class Eye:
    """Looks at the frames of one table, in their order.

    Parameters
    ----------
    model
        What is known of deck, camera and playing area.
    observe
        The close look; `observe_any` unless another is given.
    """

    def __init__(self, model: SceneModel, observe: Observe | None = None) -> None:
        self.model = model
        self._observe = observe or observe_any
        self._gate = Gate()
        self._memory = memory_of(model)
        self._standing = Standing.UNKNOWN
        self.reset()

    def reset(self) -> None:
        """Forget what the picture was like, as after the source was lost; the pieces are remembered."""
        self._gate.reset()
        self._looks = 0
        self._next_look_s = float("inf")
        self._change: Change | None = None
        self._settled: Settled | None = None

    def look(self, frame: Frame) -> Look:
        """Take in the next frame of a moving picture."""
        glance = self._gate.see(frame)
        if glance.word is not Word.SETTLED:
            self._next_look_s = float("inf")
            self._settled = None
        elif glance.fresh:
            self._looks = 0
            self._next_look_s = frame.at_s
            self._change = glance.change
        if frame.at_s >= self._next_look_s:
            return self._close_look(frame, glance)
        told = Look(glance.word, frame, self._settled, standing=self._standing)
        return replace(told, disturbance=glance.disturbance, trouble=glance.trouble)

    def read(self, frame: Frame) -> Look:
        """Take in a picture that was taken for itself, whatever moved before."""
        seen = self._observe(frame, self.model)
        if isinstance(seen, Failure):
            return Look(Word.LOOKING, frame, fresh=True, failure=seen, standing=self._standing)
        self._recheck(seen)
        self._settled = self._memory.update(seen, picture=frame.rgb, alone=True)
        self.model = self._memory.expect(self.model, seen)
        told = Look(Word.SETTLED, frame, self._settled, fresh=True, final=True, observation=seen)
        return replace(told, standing=self._standing)

    def second(self, frame: Frame) -> Look:
        """Take in the table of the newest picture as it looks from another place, with whatever camera.

        The look is that of the newest picture, with what both pictures together settle of it; a failure where the
        second one cannot be used.
        """
        seen = self._observe(frame, replace(self.model, camera=None, table=None, area_px=None, stage=None, strange=()))
        settled = None if isinstance(seen, Failure) else self._memory.settle(seen, frame.rgb)
        if isinstance(seen, Failure) or not isinstance(settled, Settled):
            nothing = Failure("no second view", "it shows nothing more")
            failure = next((f for f in (seen, settled) if isinstance(f, Failure)), nothing)
            return Look(Word.LOOKING, frame, fresh=True, failure=failure)
        if self._settled is not None:
            self._settled = settled
        return Look(Word.SETTLED, frame, settled, fresh=True, final=True, observation=seen)

    def _close_look(self, frame: Frame, glance: Glance) -> Look:
        seen = self._observe(frame, self.model)
        self._looks += 1
        if not isinstance(seen, Failure):
            self._recheck(seen)
        told = Look(glance.word, frame, fresh=True, disturbance=glance.disturbance, standing=self._standing)
        if isinstance(seen, Failure):
            self._next_look_s = frame.at_s + RETRY_S
            return replace(told, failure=seen)
        self._settled = self._memory.update(seen, self._change, frame.rgb)
        self.model = self._memory.expect(self.model, seen)
        self._gate.accept([self._settled.quads_px[key] for key in self._settled.seen if key != BOARD])
        again = self._settled.doubtful and self._looks < LOOKS_MAX
        self._next_look_s = frame.at_s + LOOK_AGAIN_S if again else float("inf")
        return replace(told, settled=self._settled, final=not again, observation=seen)

    def _recheck(self, seen: Observation) -> None:
        """Note whether the calibration still holds; what was contradicted twice in a row is given up for good."""
        if seen.standing is Standing.UNKNOWN:
            return
        if seen.standing is self._standing:
            if seen.standing is Standing.MOVED:
                self.model = replace(self.model, table=None)
            elif seen.standing is Standing.LENS:
                self.model = replace(self.model, table=None, camera=None)
        self._standing = seen.standing


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One turn of the pipeline: how the source is doing, and what its next frame told where one came.

    `error` is the one line about a picture that could not be read.
    """

    state: SourceState
    look: Look | None = None
    error: str | None = None


def watch(source: Source, eye: Eye, timeout_s: float = 0.5) -> Iterator[Turn]:
    """One `Turn` for every frame, and one whenever none came for `timeout_s`; ends with the source."""
    lost = False
    while True:
        try:
            frame = source.read(timeout_s)
        except RefereeError as error:
            yield Turn(source.state, error=error.message)
            continue
        if frame is not None:
            lost = False
            yield Turn(SourceState.CONNECTED, eye.read(frame) if source.stills else eye.look(frame))
            continue
        state = source.state
        if state is SourceState.ENDED:
            return
        if state is SourceState.LOST and not lost:
            eye.reset()
        lost = state is SourceState.LOST
        yield Turn(state)

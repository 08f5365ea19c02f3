"""The live pipeline: frames of a source become settled tables.

Every frame gets a glance; only a table that has just come to rest, or whose reading was doubtful, is looked at
closely, because that costs a hundred times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scoring.errors import RefereeError
from vision.gate import Change, Disturbance, Gate, Glance, Trouble, Word
from vision.sources import Source, SourceState
from vision.tracker import Settled, Tracker
from vision.types import Failure, Frame, Observation, SceneModel

Observe = Callable[[Frame, SceneModel], Observation | Failure]

LOOK_AGAIN_S = 0.25
"""Time between two looks at a table whose reading is doubtful."""
LOOKS_MAX = 4
"""After so many looks at one table the reading is as good as it gets."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one turn of the pipeline gave.

    Parameters
    ----------
    state
        How the source is doing.
    word
        State of the live picture in a word.
    frame
        The frame, or None where none came.
    settled
        The table, where this frame was looked at closely and understood; else None.
    final
        True where `settled` needs no further look: the moment to judge it.
    observation
        What was seen in the frame, where it was looked at closely.
    disturbance
        What happened to the picture as a whole, or None.
    trouble
        Why the frame is of no use, or None.
    failure
        Why a close look gave nothing, or None.
    """

    state: SourceState
    word: Word
    frame: Frame | None = None
    settled: Settled | None = None
    final: bool = False
    observation: Observation | None = None
    disturbance: Disturbance | None = None
    trouble: Trouble | None = None
    failure: Failure | None = None


class Eye:
    """Looks at one source.

    Parameters
    ----------
    source
        Where the frames come from; it stays the caller's to close.
    model
        What is known of deck, camera and playing area.
    observe
        The close look; `vision.observe.observe` unless another is given.
    """

    def __init__(self, source: Source, model: SceneModel, observe: Observe | None = None) -> None:
        if observe is None:
            from vision.observe import observe as observe_frame  # here, because it loads the recognition network

            observe = observe_frame
        self.source = source
        self.model = model
        self._observe = observe
        self._gate = Gate()
        self._tracker = Tracker()
        self._looks = 0
        self._next_look_s = float("inf")
        self._change: Change | None = None
        self._lost = False

    def looks(self, timeout_s: float = 1.0) -> Iterator[Look]:
        """One `Look` for every frame, and one whenever none came for `timeout_s`; ends with the source."""
        while True:
            look = self.look(timeout_s)
            if look.frame is None and look.state is SourceState.ENDED:
                return
            yield look

    def look(self, timeout_s: float = 1.0) -> Look:
        """Wait for the next frame and take it in."""
        try:
            frame = self.source.read(timeout_s)
        except RefereeError as error:
            return Look(self.source.state, Word.LOOKING, failure=Failure("unreadable", error.message))
        if frame is None:
            state = self.source.state
            if state is SourceState.LOST and not self._lost:
                # Whatever comes back may look at another table.
                self._gate.reset()
                self._next_look_s = float("inf")
                self._lost = True
            return Look(state, Word.NO_CAMERA if state is SourceState.LOST else Word.LOOKING)
        self._lost = False
        if self.source.stills:
            return self._close_look(frame, Glance(Word.SETTLED, fresh=True))
        glance = self._gate.see(frame)
        if glance.word is not Word.SETTLED:
            self._next_look_s = float("inf")
        elif glance.fresh:
            self._looks = 0
            self._next_look_s = frame.at_s
            self._change = glance.change
        if frame.at_s >= self._next_look_s:
            return self._close_look(frame, glance)
        return Look(SourceState.CONNECTED, glance.word, frame, disturbance=glance.disturbance, trouble=glance.trouble)

    def _close_look(self, frame: Frame, glance: Glance) -> Look:
        seen = self._observe(frame, self.model)
        self._looks += 1
        settled = None
        again = True
        if isinstance(seen, Observation):
            settled = self._tracker.update(seen, self._change)
            self._gate.accept([settled.quads_px[key] for key in settled.seen])
            again = settled.doubtful
        again &= self._looks < LOOKS_MAX and not self.source.stills
        self._next_look_s = frame.at_s + LOOK_AGAIN_S if again else float("inf")
        return Look(
            SourceState.CONNECTED,
            glance.word,
            frame,
            settled,
            settled is not None and not again,
            seen if isinstance(seen, Observation) else None,
            glance.disturbance,
            glance.trouble,
            seen if isinstance(seen, Failure) else None,
        )

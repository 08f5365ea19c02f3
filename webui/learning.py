"""What the page asks of whoever learns the camera: injected, so that the page needs no word of vision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from webui.texts import mark


class Stage(StrEnum):
    """How far a lesson is."""

    IDLE = "idle"
    SHOW = "show"
    LAY = "lay"
    LOOK = "look"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as the page tells it.

    Parameters
    ----------
    stage
        How far it is.
    views, wanted
        Good views so far, and how many there should be.
    found
        Whether the newest picture shows the target.
    problem
        Why it failed: a key of `PROBLEMS`.
    advice
        English sentences, see `ADVICE`.
    """

    stage: Stage = Stage.IDLE
    views: int = 0
    wanted: int = 0
    found: bool = False
    problem: str = ""
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the camera that gives the pictures now.

    Parameters
    ----------
    name
        What the calibration is called.
    grade
        A key of `GRADES`.
    error_px
        By how much points are off on average.
    made_at
        When it was learned, ISO 8601; empty where that is not known.
    size_px
        Width and height of the pictures of then.
    table
        Whether the table's plane was learned too.
    spots
        Place in the picture, and by how much the model misses it, all in px.
    kept
        Whether it can be forgotten here: a file named on the command line cannot.
    doubt
        How the table contradicts it, or empty; a key of `webui.texts.HINTS`.
    white
        Red, green and blue of what was white, from 0 to 255; None where nothing white was seen.
    light
        What there was to be mended in that light: of `ADVICE`.
    """

    name: str
    grade: str
    error_px: float
    made_at: str
    size_px: tuple[int, int]
    table: bool
    spots: tuple[tuple[float, float, float, float], ...] = ()
    kept: bool = True
    doubt: str = ""
    white: tuple[int, int, int] | None = None
    light: tuple[str, ...] = ()


class Teacher(Protocol):
    """Learns the camera while its pictures come. For Flask's threads."""

    @property
    def lesson(self) -> Lesson:
        """How far the lesson is."""
        ...

    def known(self) -> Known | None:
        """What is known of the camera that gives the pictures now; None where nothing is."""
        ...

    def begin(self, what: str) -> None:
        """Begin a lesson by the ``target``, or by the ``table`` as it lies; one that is on ends.

        Raises
        ------
        RefereeError
            Where no camera sends pictures.
        """
        ...

    def stop(self) -> None:
        """End the lesson without keeping anything."""
        ...

    def forget(self) -> None:
        """Forget what is kept of the camera that gives the pictures now."""
        ...

    def described(self) -> bytes:
        """What is kept of the camera that gives the pictures now, as a file of JSON; empty where there is none."""
        ...

    def target(self, paper: str) -> bytes:
        """The printed target as a PDF; raises RefereeError for a paper that is not known."""
        ...


GRADES = {
    "good": mark("good"),
    "usable": mark("usable: measured distances count as less sure"),
    "poor": mark("not good enough"),
}

PROBLEMS = {
    "too-few-views": mark(
        "Too few different views of the target: tilt it, and bring it to the corners of the picture."
    ),
    "no-solution": mark("The views contradict each other. Lay the target on something flat and stiff, and try again."),
    "too-few-cards": mark("Too few whole cards are read. Lay at least four apart, face up, in good light."),
    "no-cacti": mark("The cacti are not found. Stand them up in front of the camera."),
    "no-picture": mark("No picture comes from the camera."),
    "poor": mark("It would make distances worse than no calibration, so nothing was kept."),
    "not-kept": mark("It could not be kept: the folder of this program's data cannot be written."),
    "error": mark("That failed because of an error in the program. Nothing was changed."),
}

ADVICE = (
    mark("The points do not fit well: lay the target quite flat, hold the camera still and avoid blur."),
    mark("The pieces do not fit well: lay them quite flat, none on another, and avoid blur."),
    mark("Parts of the picture never showed the target: bring it to the corners and edges as well."),
    mark("Parts of the picture showed no piece: spread them over the whole picture."),
    mark("The focal length is uncertain: tilt the target more, to different sides."),
    mark(
        "The focal length is uncertain: let the camera look down at a slant, add photos from other sides, "
        "or use the printed target."
    ),
    mark("The cacti do not fit well: let nobody touch them, hold the camera still and avoid blur."),
    mark("Parts of the picture showed no cactus: bring the camera nearer, so that they fill the picture."),
    mark("The focal length is uncertain: add photos from other sides, or use the printed target."),
    mark("What lies on the table does not lie quite flat: straighten it, and keep the camera still."),
    mark("White looks dark grey: switch on a lamp that does not shine into the lens."),
    mark("White is burnt out: turn the lamp away, or lower the camera's exposure."),
    mark("The light is warm: colours are read against the card's white; daylight or a white lamp is surer."),
    mark("The light is bluish: colours are read against the card's white; a second lamp makes it surer."),
    mark("The light is greenish: switch the camera's white balance to automatic."),
)
"""What `calibration` may advise, word for word, so that it is translated."""

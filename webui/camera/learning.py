"""What the page asks of whoever learns the camera: injected, so that the page needs no word of vision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from scoring.table import Point
from webui.table.area import rescaled
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
    error_px
        By how much points were off, where a lesson failed for that; 0 elsewhere.
    what
        What is learned: of `LESSONS`.
    """

    stage: Stage = Stage.IDLE
    views: int = 0
    wanted: int = 0
    found: bool = False
    problem: str = ""
    advice: tuple[str, ...] = ()
    error_px: float = 0.0
    what: str = ""


LESSONS = ("target", "table", "plane", "white")
"""What can be learned: lens and table by the printed target, or by what lies there; the table alone; the light."""


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
    table_px
        By how much the table is off on average; 0 where it was not learned.
    grid
        Lines of a pattern of squares on the table, each of points in px; empty where the table is not known.
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
    table_px: float = 0.0
    grid: tuple[tuple[Point, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class DeckShade:
    """A colour of the deck: its name, its red, green and blue as known and as seen now, and which look like it."""

    name: str
    known: tuple[int, int, int]
    seen: tuple[int, int, int]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """What else was set up at the camera's table, whether the lens is known or not.

    Parameters
    ----------
    camera
        What the camera is called.
    seats
        Who sits at which side of the picture.
    area, area_size
        Corners of the playing area in px, and the width and height of the pictures that they are in; empty and None
        where none was drawn.
    white
        Red, green and blue of what was white, from 0 to 255; None where nothing white was seen.
    seen_on
        What white was seen on, of `SEEN_ON`.
    light
        What there was to be mended in that light: of `ADVICE`.
    kept
        Whether it outlasts the program; where nothing was set up yet, whether there is a camera to keep it for.
    shades
        The deck's colours in today's light, as they were measured last; not kept.
    stands
        Whether the camera certainly stands as it did when the area was drawn.
    """

    camera: str = ""
    seats: Mapping[str, str] = field(default_factory=dict)
    area: tuple[Point, ...] = ()
    area_size: tuple[int, int] | None = None
    white: tuple[int, int, int] | None = None
    seen_on: str = ""
    light: tuple[str, ...] = ()
    kept: bool = False
    shades: tuple[DeckShade, ...] = ()
    stands: bool = False

    def area_in(self, size: tuple[int, int] | None) -> tuple[Point, ...]:
        """The playing area in px of a picture of that size; empty where that has another shape."""
        if not self.area or size is None or self.area_size is None:
            return ()
        return tuple((round(x, 1), round(y, 1)) for x, y in rescaled(self.area, self.area_size, size) or ())


GRID_MM = 50
"""Side of a square of `Known.grid`."""


class Teacher(Protocol):
    """Learns the camera while its pictures come. For Flask's threads."""

    @property
    def lesson(self) -> Lesson:
        """How far the lesson is."""
        ...

    def known(self) -> Known | None:
        """What is known of the camera that gives the pictures now; None where nothing is."""
        ...

    def place(self) -> Place:
        """What else was set up where the camera that gives the pictures now stands."""
        ...

    def sit(self, seats: Mapping[str, str]) -> None:
        """Keep who sits where.

        Raises
        ------
        RefereeError
            Where no camera sends pictures, or where it is held but could not be kept for another day.
        """
        ...

    def agree(self, area: tuple[Point, ...], size: tuple[int, int]) -> None:
        """Keep the playing area, in px of pictures of that size; raises RefereeError as `sit`."""
        ...

    def point_at_white(self, x: float, y: float) -> str:
        """Take what is white at that place, both as shares of the picture.

        Returns
        -------
        str
            Empty, or a key of `WHITE_DOUBTS` where it was taken and may be none, or one of `PROBLEMS` where it was not
            taken.

        Raises
        ------
        RefereeError
            As `sit`.
        """
        ...

    def begin(self, what: str) -> None:
        """Begin a lesson, of `LESSONS`; one that is on ends.

        Raises
        ------
        RefereeError
            Where no camera sends pictures, or where a single photo is all there is to learn from.
        """
        ...

    def stop(self, patience_s: float = 2.0) -> None:
        """End the lesson without keeping anything; so long its last look is waited for."""
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


TITLES = {
    "camera": mark("Camera"),
    "lens": mark("Lens"),
    "table": mark("Table"),
    "cacti": mark("Cacti"),
    "seats": mark("Seats"),
    "area": mark("Playing area"),
    "white": mark("Light and colours"),
    "done": mark("Done"),
}
"""The steps of setting up, by their keys."""

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
    "other-shape": mark("The picture has another shape than when the lens was learned: learn the lens again."),
    "no common plane": mark("What lies there does not lie flat on one table: lay it flat, none on another."),
    "no-white": mark("Nothing white is seen for sure. Tap on something white in the picture, paper for example."),
    "mirrored": mark(
        "The colour chart is seen as in a mirror: switch mirroring off in the camera or in its program. Nothing "
        "is judged rightly in a mirrored picture."
    ),
    "no-lens": mark("First the lens, then the table: go back one step."),
    "no-picture": mark(
        "No new picture comes: switch the webcam on, or let a phone be the camera. A single photo is not enough."
    ),
    "single-photo": mark(
        "There is only a single photo, and a lens is learned from pictures that go on coming: plug a webcam in, or let "
        "a phone be the camera. Nothing is lost without it: each photo is judged for itself."
    ),
    "white-tinted": mark(
        "That is not white: it is tinted otherwise than the cards or pieces say white is in this light. Tap on plain "
        "white paper, or let it be found."
    ),
    "poor": mark("It would make distances worse than no calibration, so nothing was kept."),
    "not-kept": mark("It could not be kept: the folder of this program's data cannot be written."),
    "held": mark(
        "It holds until the program ends, but could not be kept: the folder of this program's data cannot be written."
    ),
    "error": mark("That failed because of an error in the program. Nothing was changed."),
}

WHITE_DOUBTS = {
    "white-whiter": mark(
        "It was taken, but something else in the picture is brighter and of another tint: is it plain white, and "
        "not in a shadow? If not, tap on something else."
    ),
    "white-coloured": mark(
        "It was taken, but it looks coloured, and nothing in the picture tells whether the lamp or the paper is: make "
        "sure that it is plain white paper. Cards on the table would tell."
    ),
}
"""What may be wrong with what was tapped on as white."""

SEEN_ON = {
    "colour-chart": mark("the colour chart"),
    "target": mark("the printed target"),
    "cards": mark("the cards"),
    "paper": mark("what you tapped on"),
}
"""What white was seen on."""

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
    mark("The light is warm: colours are read against what is white; daylight or a white lamp is surer."),
    mark("The light is bluish: colours are read against what is white; daylight or a white lamp is surer."),
    mark("The light is greenish: switch the camera's white balance to automatic."),
)
"""What `calibration` may advise, word for word, so that it is translated."""

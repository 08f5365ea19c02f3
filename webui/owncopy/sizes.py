"""Sizes that a person reads from a ruler: what can hardly be so is told with what is usual, and asked again."""

from __future__ import annotations

import math
from collections.abc import Mapping

from scoring.usual_sizes import BASE, BOARD, CACTUS, CARD, PIECE, THICKNESS, Usual
from webui.inputs import BadInputError, Form
from webui.services import words
from webui.texts import mark

SIZES: Mapping[str, tuple[str, Usual]] = {
    "length": (mark("Length of the piece"), PIECE),
    "height": (mark("Height of the cactus"), CACTUS),
    "cactus": (mark("Tallest cactus over its base"), CACTUS),
    "base-width": (mark("Width of the base"), BASE["width_mm"]),
    "base-height": (mark("Height of the base"), BASE["height_mm"]),
    "base-depth": (mark("Depth of the base"), BASE["depth_mm"]),
    "thickness": (mark("Thickness"), THICKNESS),
    "size": (mark("Side of the board"), BOARD),
    "card-width": (mark("Shorter side of a card"), CARD),
    "card-height": (mark("Longer side of a card"), CARD),
}
"""What each field of a form measures, and what is usual there."""
HARDLY = mark(
    "%(what)s: “%(said)s” can hardly be in millimetres."
    " About %(usual)s mm are usual; %(least)s to %(most)s mm are taken."
)
_LETTERS_MAX = 8


class UnlikelySizeError(BadInputError):
    """A size that can hardly be; says which field, and what was sent."""

    def __init__(self, field: str, said: str) -> None:
        usual = SIZES[field][1]
        super().__init__(
            f"The field {field} must be a number of millimetres from {usual.least_mm:g} to {usual.most_mm:g}; "
            f"about {usual.mm:g} are usual."
        )
        self.field, self.said = field, said

    @property
    def told(self) -> str:
        """The same in the reader's words."""
        return hardly(self.field, self.said[:_LETTERS_MAX])


def size_mm(form: Form, field: str, default: float | None = None) -> float:
    """A size in mm, the default where none is sent; raises UnlikelySizeError."""
    sent = form.get(field, "").strip()
    if not sent and default is not None:
        return default
    try:
        mm = float(sent.replace(",", ".")) if len(sent) <= _LETTERS_MAX else math.nan
    except ValueError:
        mm = math.nan
    if not SIZES[field][1].holds(mm):
        raise UnlikelySizeError(field, sent)
    return mm


def hardly(field: str, said: str) -> str:
    """In the reader's words, that a size can hardly be so, and what is usual."""
    what, usual = SIZES[field]
    mm = {"usual": usual.mm, "least": usual.least_mm, "most": usual.most_mm}
    return words().gettext(HARDLY) % {
        "what": words().gettext(what),
        "said": said,
        **{k: f"{v:g}".replace(".", words().gettext(mark("."))) for k, v in mm.items()},
    }


def limits(field: str) -> dict[str, object]:
    """What a page's script must know of a size to tell a slip before it is sent."""
    usual = SIZES[field][1]
    return {"least": usual.least_mm, "most": usual.most_mm, "hardly": hardly(field, "{said}")}

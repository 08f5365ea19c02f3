"""Setting up the camera: what it sees, and what would make it see better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flask import Blueprint, render_template

from webui.services import services, words
from webui.snapshot import CardSeen, Snapshot
from webui.texts import mark

calibrate = Blueprint("calibrate", __name__)

SIDE_LEAST_PX = 50.0
"""Shorter side of a card below which it is read no more for sure."""
SIDE_GOOD_PX = 80.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the referee needs, whether it is given (``legal``, ``uncertain``, ``violation``), and in words."""

    call: str
    text: str


@calibrate.get("/camera")
def camera() -> str:
    """The live picture with checks and hints."""
    snapshot = services().runner.board.snapshot
    return render_template("camera.html", checks=checks(snapshot), source=snapshot.camera.state, snapshot=snapshot)


def checks(snapshot: Snapshot) -> list[Check]:
    """What can be said of the camera's place and light from what it sees now."""
    t = words()
    if snapshot.state == "no-camera":
        return [
            Check(
                "violation",
                t.gettext(mark("No picture comes. Is the camera plugged in and not used by another program?")),
            )
        ]
    found = [Check("legal", t.gettext(mark("A picture comes.")))]
    trouble = {
        "dark": mark("It is too dark. Switch on a lamp that does not shine into the lens."),
        "bright": mark("It is too bright. Turn the lamp away."),
        "blurred": mark("The picture is out of focus. Clean the lens, or move the camera."),
    }.get(snapshot.hint)
    found.append(
        Check("violation", t.gettext(trouble))
        if trouble
        else Check("legal", t.gettext(mark("Light and focus will do.")))
    )
    known = [c for c in snapshot.cards if c.face is not None and c.kind != "board"]
    if not known:
        found.append(
            Check("uncertain", t.gettext(mark("No card is read yet. Lay some cards face up and take your hands away.")))
        )
        return found
    text = t.ngettext("%(num)d card is read.", "%(num)d cards are read.", len(known)) % {"num": len(known)}
    found.append(Check("legal", text))
    least = min(_short_side(c) for c in known)
    size = mark("The smallest card is %(px)d pixels wide.")
    call = "legal" if least >= SIDE_GOOD_PX else "uncertain" if least >= SIDE_LEAST_PX else "violation"
    advice = "" if call == "legal" else " " + t.gettext(mark("Bring the camera nearer, or set it to a finer picture."))
    found.append(Check(call, t.gettext(size) % {"px": round(least)} + advice))
    return found


def _short_side(card: CardSeen) -> float:
    return min(math.dist(card.quad[i], card.quad[i - 1]) for i in range(4))

"""What the routes need, handed to the application when it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from flask import current_app, g

from scoring.deck import Deck
from webui import texts
from webui.camera.choosing import Chooser
from webui.camera.learning import Teacher
from webui.camera.phone_camera import PhoneCamera
from webui.log.store import Store
from webui.owncopy.copying import Copyist
from webui.security import Door
from webui.table.runner import Runner


class Art(Protocol):
    """Pictures of the deck that this table plays with."""

    def has(self, face: str) -> bool:
        """Whether there is a picture of that face."""
        ...

    def card(self, face: str) -> tuple[bytes, str] | None:
        """A face's picture, small enough for a page, and its MIME type; None for an unknown face."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Services:
    """The program behind the page.

    Parameters
    ----------
    store
        The log; routes only read it.
    runner
        Carries out what is asked.
    art
        Pictures of the deck on this table.
    door
        Who may come in.
    addresses
        Where other devices reach the page, best first; empty where they cannot.
    program
        Name of this start of the program, so that an open page notices a restart.
    phone
        Takes the pictures of a phone that is the camera; None where a recording is played.
    secure
        Addresses, best first, at which a phone's browser gives its camera to the page; empty where there is none.
    teacher
        Learns the camera; None where a recording is played.
    copyist
        Learns copies of games; None where the demonstration is played.
    chooser
        Lets another camera give the pictures; None where a recording is played.
    lead
        Tells the command that starts the program so that phones can come, with what is played now; empty where
        nobody knows how it was started.
    """

    store: Store
    runner: Runner
    art: Art
    door: Door
    addresses: Sequence[str]
    program: str
    phone: PhoneCamera | None = None
    secure: Sequence[str] = ()
    teacher: Teacher | None = None
    copyist: Copyist | None = None
    chooser: Chooser | None = None
    lead: Callable[[], str] = str

    @property
    def deck(self) -> Deck:
        """The deck on this table, for new matches."""
        return self.runner.deck.deck


def services() -> Services:
    """The services of the running application."""
    return cast(Services, current_app.extensions["referee"])


def words() -> texts.Translations:
    """The catalogue of the reader's language."""
    return texts.translations(g.get("language", "en"))

"""What the page asks of whoever knows the cameras of this computer: injected, so that the page opens none itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webui.texts import mark


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A camera that may be chosen.

    Parameters
    ----------
    key
        What names it in a form and in the address of its picture.
    name
        What the system calls it, whatever its number is today.
    here
        Whether it gives the pictures now.
    """

    key: str
    name: str
    here: bool = False


class Chooser(Protocol):
    """Lets another camera give the pictures. For Flask's threads."""

    def choices(self) -> Sequence[CameraChoice]:
        """The cameras that this computer has, and whatever else gives the pictures now."""
        ...

    def picture(self, key: str) -> bytes | None:
        """A small JPEG of what a camera shows now; None where it gives none, or is used by another program."""
        ...

    def choose(self, key: str) -> None:
        """Take a camera of `choices` from now on; raises RefereeError where it is not there any more."""
        ...

    def open(self, address: str) -> None:
        """Take a network camera or a video file from now on; raises RefereeError where no picture comes."""
        ...


CHOICE_REFUSALS = (
    mark("This camera is not there any more. Plug it in again, and look once more."),
    mark("No picture came from there, so the camera before stays. Is it switched on, free, and the right one?"),
    mark("This is neither a camera, a video file nor an address that begins with http://, https:// or rtsp://."),
    mark("This is a folder of pictures or a single one, and no moving picture. Send photos by “Judge a photo”."),
)
"""What `webui.sight.cameras.chooser` may refuse, word for word, so that it is translated."""

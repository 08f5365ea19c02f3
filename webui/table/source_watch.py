"""How the source of pictures is doing, as the match at the table sees it."""

from __future__ import annotations

from webui.shown.snapshot import CameraView
from webui.table.picture import LivePicture
from webui.table.seeing import Source

SILENT_S = 4.0
"""A camera that is connected and gives no picture for so long counts as gone."""


class SourceWatch:
    """See the module.

    Parameters
    ----------
    source
        The camera or a recording, or None where only photos are judged.
    picture
        The newest picture.
    patient
        Whether its silence means nothing: a demonstration's recording waits for a slow computer.
    """

    def __init__(self, source: Source | None, picture: LivePicture, *, patient: bool) -> None:
        self._source = source
        self._picture = picture
        self._patient = patient
        self._was_lost = False
        self.came = False
        """Whether any picture came."""
        self.taken_over = False
        """Whether people have taken over from a recording: it plays on for nobody."""

    @property
    def state(self) -> str:
        """``connected``, ``lost`` or ``ended``; a recording that people have taken over from has ended."""
        return "ended" if self._source is None or self.taken_over else str(self._source.state)

    @property
    def lost(self) -> bool:
        """Whether a source that should send pictures sends none."""
        if self._source is None or self.state == "ended":
            return False
        age = self._picture.age_s
        return self._source.state == "lost" or (age is not None and age > SILENT_S and not self._patient)

    @property
    def absent(self) -> bool:
        """Whether there is no camera, and never was one: only photos are judged."""
        return self._source is None or (self._source.state == "lost" and not self.came)

    @property
    def blind(self) -> bool:
        """Whether no picture of the source can be judged."""
        return self.taken_over or self.lost

    @property
    def still(self) -> str:
        """The hint where no other picture is to be expected: ``photo``, ``ended``, ``taken-over`` or empty."""
        if self.absent:
            return "photo"
        if self.state != "ended":
            return ""
        return "taken-over" if self.taken_over else "ended"

    @property
    def view(self) -> CameraView:
        """What the page tells of it; frames are counted in hundreds, for a page need not be told of every one."""
        if self._source is None or self.absent:
            return CameraView("none", 0)
        live = self.state == "connected" and not self.lost and self._picture.of_camera
        return CameraView(self.state, self._source.dropped // 100 * 100, live)

    def just_lost(self) -> bool:
        """Whether it was lost since this was asked last."""
        before, self._was_lost = self._was_lost, self.lost
        return self._was_lost and not before

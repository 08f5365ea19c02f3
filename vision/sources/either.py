"""Two sources in one: the pictures that a phone sends while they come, else those of the camera."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from vision.sources.newest import PushedSource
from vision.sources.source import Source, SourceState
from vision.types import Frame


class EitherSource(Source):
    """A phone may take the camera's place at any moment and leave it again.

    Parameters
    ----------
    camera
        The camera at the table, or None where there is none.
    phone
        What a phone sends; it counts as gone where nothing came for a while.
    clock
        Seconds, monotonic: both sources tell the time by it.
    """

    live = True

    def __init__(self, camera: Source | None, phone: PushedSource, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(phone.name if camera is None else camera.name)
        self._camera = camera
        self._phone = phone
        self._clock = clock
        self._opened_s = clock()
        self._count = 0

    @property
    def by_phone(self) -> bool:
        """Whether a phone is the camera now."""
        return self._phone.state is SourceState.CONNECTED

    @property
    def state(self) -> SourceState:
        camera = self._camera
        return self._phone.state if self.by_phone or camera is None else camera.state

    @property
    def dropped(self) -> int:
        # A frame of the camera that nobody reads because a phone took its place was not dropped for want of time.
        camera = self._camera
        return self._phone.dropped if self.by_phone or camera is None else camera.dropped

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame; its `source` tells whose it is."""
        camera = self._camera
        source = self._phone if self.by_phone or camera is None else camera
        frame = source.read(timeout_s)
        if frame is None:
            return None
        self._count += 1
        return replace(frame, at_s=self._clock() - self._opened_s, index=self._count - 1)

    def change(self, camera: Source) -> None:
        """Another camera takes the place of the one at the table, and of the phone until that sends anew.

        The one before is let go of; its pictures, and the time, go on without a jump back.
        """
        before, self._camera = self._camera, camera
        self.name = camera.name
        self._phone.rest()
        if before is not None:
            before.close()

    def close(self) -> None:
        self._phone.close()
        if self._camera is not None:
            self._camera.close()

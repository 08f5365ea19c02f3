"""What can go wrong around a match. A broken rule is a value (see `scoring.verdicts`), never an exception."""

from __future__ import annotations


class RefereeError(Exception):
    """Something that the person at the table can mend; the message is one clear sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class DeckError(RefereeError):
    """A deck folder that cannot be used.

    Parameters
    ----------
    file
        The file at fault, as the person named it.
    key
        The key at fault, written as a path: ``faces[3].edge``.
    mend
        What is wrong and what to write instead.
    """

    def __init__(self, file: str, key: str, mend: str) -> None:
        super().__init__(f"{file}: {key}: {mend}" if key else f"{file}: {mend}")
        self.file = file
        self.key = key
        self.mend = mend


class LogError(RefereeError):
    """A stored event that cannot be read, or a log whose events do not follow each other."""

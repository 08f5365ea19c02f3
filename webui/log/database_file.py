"""The file that a database is kept in: whether it is still the one that was opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """A file as it was when the database was opened.

    Parameters
    ----------
    path
        Where it lies.
    device, number
        What the system calls it, whatever its name.
    """

    path: Path
    device: int
    number: int

    @classmethod
    def of(cls, url: str) -> DatabaseFile | None:
        """The file behind an address; None for a server, or where the address names no plain file."""
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite" or not parsed.database:
            return None
        path = Path(parsed.database)
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(path.absolute(), found.st_dev, found.st_ino)

    @property
    def is_there(self) -> bool:
        """Whether the file of that name is still this one: what is written to a moved file is found by nobody."""
        try:
            found = self.path.stat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (self.device, self.number)

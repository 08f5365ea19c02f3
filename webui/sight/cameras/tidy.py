"""What programs that were killed left in the user's folder, swept away when the next one starts."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from calibration.whole_file import sweep
from webui.paths import calibrations_folder, decks_folder
from webui.sight.cameras.kept_notes import notes_folder

AGE_S = 3600.0
"""A deck that is being written is younger."""


def tidy() -> None:
    """Sweep the folders of what was learned of cameras and decks; what cannot be removed stays."""
    for folder in (calibrations_folder(), notes_folder()):
        sweep(folder, own=True)
    for left in decks_folder().glob(".*.new"):
        if _is_old(left):
            shutil.rmtree(left, ignore_errors=True)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > AGE_S
    except OSError:
        return False

"""`referee calibrate` and `referee sheet`: the camera, and what is printed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from calibration.intrinsics import MOST_VIEWS, Calibration, collect_views, estimate_camera
from calibration.profile import Profile, save_profile
from calibration.sheets import write_sheet, write_svg, write_target
from scoring.errors import RefereeError
from vision.photos import load_photo
from vision.sources import SourceState, open_source
from vision.types import Rgb
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.scene import bundled_deck, tell

EVERY_S = 0.5
"""Of a moving picture one frame in so long is looked at: the target is carried about meanwhile."""
FRAMES_MAX = 4 * MOST_VIEWS
CAMERA_PATIENCE_S = 5.0


def calibrate(args: argparse.Namespace) -> int:
    """Learn a camera's lens from pictures of the printed target."""
    if not args.photos and args.source is None:
        raise RefereeError("no pictures; give photos of the printed target, or a camera with --source")
    pictures = _Pictures(args)
    views, rejected = collect_views(pictures)
    found = estimate_camera(views, rejected)
    for picture in found.rejected if isinstance(found, Calibration) else rejected:
        complain(f"{picture.name}: left out: {picture.reason}")
    if not isinstance(found, Calibration):
        raise RefereeError(f"the camera cannot be learned: {found.detail}")
    # A network camera's address may hold its password, and a bug report holds this file.
    save_profile(Profile.of(found, re.sub(r"//[^/]*@", "//", args.source or "")), args.out)
    for line in (found.summary(), *found.advice()):
        complain(line)
    tell(
        {
            "calibration": str(args.out),
            "grade": str(found.grade),
            "error_px": round(found.error_px, 3),
            "coverage": round(found.coverage, 3),
            "used": list(found.used),
        }
    )
    return pictures.status


class _Pictures:
    """Named pictures of the target: the photos, then frames of the source."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._photos: list[Path] = args.photos
        self._source: str | None = args.source
        self.status = DONE

    def __iter__(self) -> Iterator[tuple[str, Rgb]]:
        for path in tqdm(self._photos, file=sys.stderr, unit="photo", disable=not sys.stderr.isatty()):
            try:
                yield str(path), load_photo(path)
            except RefereeError as error:
                complain(error)
                self.status = UNUSABLE
        if self._source is not None:
            yield from self._frames(self._source)

    def _frames(self, spec: str) -> Iterator[tuple[str, Rgb]]:
        with open_source(spec) as source:
            if source.live:
                complain("show the target from all sides and in all corners of the picture, and hold it still often")
            next_s, count = 0.0, 0
            while count < FRAMES_MAX:
                frame = source.read(CAMERA_PATIENCE_S)
                if frame is None:
                    if source.state is not SourceState.ENDED:
                        raise RefereeError(f"{spec}: no picture comes; check the camera and its number")
                    return
                if frame.at_s >= next_s or source.stills:
                    next_s = frame.at_s + EVERY_S
                    count += 1
                    yield f"{spec} at {frame.at_s:.1f} s", frame.rgb


def sheet(args: argparse.Namespace) -> int:
    """Write a PDF to print, true to scale, or an SVG for a laser cutter."""
    out = args.out or Path(f"{args.what}.{'svg' if args.svg else 'pdf'}")
    if args.svg and args.what != "cactus":
        raise RefereeError(f"{args.what}: only cactus is cut by laser; leave out --svg to get a PDF")
    if args.what == "target":
        pages = write_target(out, args.paper)
    else:
        deck = args.deck or bundled_deck(args.what)
        if args.deck is None and not deck.is_dir():
            raise RefereeError(f"{args.what}: no deck to print comes with this version; name your own with --deck DIR")
        if args.svg:
            tell({"sheet": str(out), "size_mm": list(write_svg(args.what, deck, out))})
            return DONE
        pages = write_sheet(args.what, deck, out, args.paper, args.backs)
    tell({"sheet": str(out), "pages": pages})
    return DONE

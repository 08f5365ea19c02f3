"""`referee calibrate`: learn a camera, its table and today's light, and keep them under a name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from calibration.grades import Grade
from calibration.intrinsics import LEAST_VIEWS, MOST_VIEWS
from calibration.lesson import ENOUGH_VIEWS, HOLD_S, Learned, TableLesson, TargetLesson, summary
from calibration.profile import Profile, load_profile, save_profile
from calibration.shelf import file_of, forget, load_all, save_named
from scoring.errors import RefereeError
from vision.sources.masked import masked
from vision.sources.photos import load_photo
from vision.sources.source import Source, SourceState
from vision.sources.sources import open_source
from vision.types import Failure, Frame, Rgb
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.replaced import kept_before
from webui.commands.scene import observer, open_model, tell
from webui.paths import calibrations_folder, can_be_written, check_leads_somewhere
from webui.sight.cameras.known_camera import identity, plain_name
from webui.sight.decks.folders import read_deck

EVERY_S = 0.15
"""Of a moving picture one frame in so long is looked at: the target is carried about meanwhile."""
TABLE_EVERY_S = 3.0
"""... and where cards are looked at, which takes longer."""
FRAMES_MAX = 16 * MOST_VIEWS
TABLES_MAX = 8
LIVE_TABLES = 3
CAMERA_PATIENCE_S = 5.0
LAY_PATIENCE_S = 60.0


def calibrate(args: argparse.Namespace) -> int:
    """Learn, or tell or forget what was learned."""
    if args.list or args.forget is not None:
        return _shelf(args)
    if not args.photos and args.source is None and args.table is None:
        raise RefereeError(
            f"no pictures; give photos of the printed target, at least {LEAST_VIEWS} from different sides, "
            f"{ENOUGH_VIEWS} are better, or a camera with --source; without a target name what lies on the table with "
            "--game: one photo is enough where the camera looks at a slant and so tells its focal length, three from "
            "different sides are better"
        )
    if args.out is None and args.name is not None:
        file_of(calibrations_folder(), args.name)  # a name that cannot be kept is told before the work
    if args.out is not None:
        check_leads_somewhere(args.out)
        if args.out.is_dir():
            raise RefereeError(f"{args.out}: is a folder; name a file in it with --out")
    place = calibrations_folder() if args.out is None else Path(args.out).parent
    if not can_be_written(place):
        raise RefereeError(f"{place}: cannot be written; name a file elsewhere with --out FILE")
    pictures = _Pictures(args)
    learned = _by_table(args, pictures) if args.game or args.deck else _by_target(args, pictures)
    used, left_out = learned.calibration.used, learned.calibration.rejected
    for picture in left_out:
        complain(f"{picture.name}: left out: {picture.reason}")
    complain(_how_many(len(used), len(used) + len(left_out), by_target=not (args.game or args.deck)))
    for line in (summary(learned), *learned.advice):
        complain(line)
    if learned.grade is Grade.POOR:
        raise RefereeError("nothing is kept: this would make distances worse than no calibration; do as said and again")
    file = _keep(args, learned)
    complain(f"kept in {file}")
    tell(_told(learned, file))
    return pictures.status


def _how_many(used: int, all_: int, *, by_target: bool) -> str:
    """How many pictures the result rests on, and whether more of them would help."""
    told = f"{used} of {all_} pictures used"
    if by_target and used < ENOUGH_VIEWS:
        return f"{told}; {ENOUGH_VIEWS} of the target from different sides make it surer"
    if not by_target and used < LIVE_TABLES:
        return f"{told}; {LIVE_TABLES} of the table from different sides make it surer"
    return told


def _by_target(args: argparse.Namespace, pictures: _Pictures) -> Learned:
    lesson = TargetLesson()
    for name, rgb in pictures.photos():
        lesson.add(name, rgb)
    if args.source is not None:
        _watch_target(lesson, args.source)
    if args.table is not None:
        failed = lesson.lay(str(args.table), load_photo(args.table))
        if failed is not None:
            raise RefereeError(f"{args.table}: {failed.detail}; the target must lie on the table there, seen whole")
    found = lesson.finish()
    if isinstance(found, Failure):
        for picture in lesson.rejected:
            complain(f"{picture.name}: left out: {picture.reason}")
        raise RefereeError(f"the camera cannot be learned: {found.detail}; without the target: --game GAME")
    if found.table is None and not args.photos:
        complain("the table itself was not learned: nothing lay still on it; the lens is kept")
    return found


def _watch_target(lesson: TargetLesson, spec: str) -> None:
    """Look at the target in a moving picture until it was seen from enough sides and lies on the table."""
    with open_source(spec) as source:
        if source.stills:
            for frame in _frames(source, spec, 0.0, FRAMES_MAX):
                lesson.add(f"{masked(spec)} at {frame.at_s:.1f} s", frame.rgb)
            return
        if source.live:
            complain(
                "show the target from all sides and in all corners of the picture, tilt it, and hold it still often"
            )
        told, laid_s = 0, float("inf")
        for frame in _frames(source, spec, EVERY_S, FRAMES_MAX):
            lesson.watch(f"{masked(spec)} at {frame.at_s:.1f} s", frame.rgb, frame.at_s, HOLD_S if source.live else 0.0)
            if source.live and len(lesson.views) != told:
                told = len(lesson.views)
                complain(f"{told} good views")
                if lesson.enough and laid_s == float("inf"):
                    laid_s = frame.at_s
                    complain("enough; now lay the target flat on the table and take your hands away")
            if lesson.table is not None and source.live:
                return
            if frame.at_s - laid_s > LAY_PATIENCE_S:
                return


def _by_table(args: argparse.Namespace, pictures: _Pictures) -> Learned:
    from webui.bootstrap import chosen_deck

    folder = args.deck or chosen_deck(args.game)
    deck = read_deck(folder)
    if args.game and deck.game != args.game:
        raise RefereeError(f"{folder}: this is a deck of {deck.game}; give one of {args.game}")
    plain = argparse.Namespace(area=None, calibration=None)
    lesson = TableLesson(open_model(folder, plain, deck.game), observer())
    what = "cacti" if deck.game == "cactus" else "cards"
    for name, rgb in pictures.photos():
        complain(f"{name}: {lesson.add(name, rgb)} {what}")
    if args.source is not None:
        with open_source(args.source) as source:
            if source.live:
                complain(f"looking at the {what} on the table; keep your hands away")
            most = LIVE_TABLES if source.live else TABLES_MAX
            for frame in _frames(source, args.source, TABLE_EVERY_S, most):
                name = f"{masked(args.source)} at {frame.at_s:.1f} s"
                complain(f"{name}: {lesson.add(name, frame.rgb)} {what}")
    if args.table is not None:
        lesson.add(str(args.table), load_photo(args.table))
    found = lesson.finish()
    if isinstance(found, Failure):
        raise RefereeError(
            f"the camera cannot be learned: {found.detail}; looked for the {what} of {deck.name} ({folder}), "
            "if yours are others name their folder with --deck DIR"
        )
    return found


def _keep(args: argparse.Namespace, learned: Learned) -> Path:
    camera = identity(args.source) if args.source is not None else ""
    name = args.name or plain_name(camera) or "camera"
    # A network camera's address may hold its password, and a bug report holds this file.
    source = masked(args.source or "")
    profile = learned.profile(name, camera, source, datetime.now(UTC).astimezone())
    if args.out is not None:
        with kept_before(args.out, force=args.force):
            save_profile(profile, args.out)
        return Path(args.out)
    file = file_of(calibrations_folder(), name)
    with kept_before(file, force=args.force or _is_of(file, camera)):
        return save_named(calibrations_folder(), profile)


def _is_of(file: Path, camera: str) -> bool:
    """Whether a calibration in a file is of that camera, so that a newer one takes its place.

    Photos do not tell by which camera they were taken: nobody knows that it was the same.
    """
    if not camera:
        return False
    try:
        return load_profile(file).camera_id == camera
    except RefereeError:
        return False


def _told(learned: Learned, file: Path) -> dict[str, object]:
    c = learned.calibration
    out: dict[str, object] = {
        "calibration": str(file),
        "grade": str(learned.grade),
        "error_px": round(c.error_px, 3),
        "coverage": round(c.coverage, 3),
        "focal_sigma": round(c.focal_sigma, 5),
        "used": list(c.used),
        "table": None if learned.table is None else {"residual_px": round(learned.table.residual_px, 3)},
        "white": None if learned.light is None else list(learned.light.white),
    }
    return out


def _shelf(args: argparse.Namespace) -> int:
    if args.forget is not None:
        tell({"forgotten": str(forget(calibrations_folder(), args.forget))})
    damaged: list[RefereeError] = []
    if args.list:
        for profile in load_all(calibrations_folder(), damaged.append):
            tell(_listed(profile))
    for error in damaged:
        complain(error)
    return UNUSABLE if damaged else DONE


def _listed(profile: Profile) -> dict[str, object]:
    return {
        "name": profile.name,
        "camera": profile.camera_id,
        "made_at": profile.made_at,
        "grade": str(profile.grade),
        "error_px": round(profile.error_px, 3),
        "size_px": list(profile.camera.size_px),
        "table": profile.table is not None,
    }


@dataclass(slots=True)
class _Pictures:
    """The photos of the command line; `status` tells whether all of them could be read."""

    args: argparse.Namespace
    status: int = DONE

    def photos(self) -> Iterator[tuple[str, Rgb]]:
        for path in tqdm(self.args.photos, file=sys.stderr, unit="photo", disable=not sys.stderr.isatty()):
            try:
                yield str(path), load_photo(path)
            except RefereeError as error:
                complain(error)
                self.status = UNUSABLE


def _frames(source: Source, spec: str, every_s: float, most: int) -> Iterator[Frame]:
    next_s, count = 0.0, 0
    while count < most:
        frame = source.read(CAMERA_PATIENCE_S)
        if frame is None:
            if source.state is not SourceState.ENDED:
                raise RefereeError(f"{masked(spec)}: no picture comes; check the camera and its number")
            return
        if frame.at_s >= next_s or source.stills:
            next_s = frame.at_s + every_s
            count += 1
            yield frame

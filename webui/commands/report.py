"""`referee report`: one zip for a bug report, told part by part before it is sent."""

from __future__ import annotations

import argparse
import errno
from collections.abc import Iterator, Sequence
from pathlib import Path

from calibration.shelf import file_of
from calibration.whole_file import writing
from scoring.errors import RefereeError
from webui.cli import DONE, complain
from webui.commands.records import find_match, open_store
from webui.commands.scene import tell
from webui.log.archive import write_archive
from webui.owncopy.words import game_word
from webui.paths import calibrations_folder, copies_folder
from webui.report.bundle import (
    CALIBRATION,
    FRAMES,
    MATCH,
    PHOTOS,
    Part,
    copy_parts,
    in_words,
    is_bundle,
    versions,
    write_bundle,
)
from webui.sight.cameras.known_camera import KnownCameras, read_calibration
from webui.sight.cameras.set_up import as_file
from webui.sight.copies.places import files_in
from webui.sight.copies.shelf import KEY, Shelf

SEND = "attach it to your bug report, where you got this program from"
FRAMES_MAX = 5
"""Frames of a live source that go into a report."""


def report(args: argparse.Namespace) -> int:
    """Pack versions, calibration, the match's log with its pictures, given photos and copies into one zip."""
    _check_place(args)
    try:
        parts = list(_parts(args))
        sizes = {part.name: part.size for part in parts}
        for part in parts:
            complain(f"{in_words(sizes[part.name]):>9}  {part.name}: {part.what.replace('%(name)s', part.of)}")
        _offer(args.copy)
    except OSError as error:
        raise RefereeError(f"{error.filename or args.out}: {error.strerror}; check the name and the folder") from error
    if args.dry_run:
        complain("nothing was written; without --dry-run this is what the report holds")
        tell({"report": None, "files": list(sizes), "bytes": sizes})
        return DONE
    try:
        with writing(args.out) as file:
            write_bundle(parts, file)
    except OSError as error:
        if error.filename in {str(part.data) for part in parts if isinstance(part.data, Path)}:
            raise RefereeError(f"{error.filename}: cannot be read ({error.strerror}); leave it out") from error
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        mend = "free some space, or name" if full else "name"
        raise RefereeError(
            f"{args.out}: cannot be written ({error.strerror or error}); {mend} a file in another folder with --out"
        ) from error
    size = in_words(args.out.stat().st_size)
    complain(f"wrote {args.out} ({size}); nothing is sent: look at it, then {SEND}")
    tell({"report": str(args.out), "files": list(sizes), "bytes": sizes})
    return DONE


def _check_place(args: argparse.Namespace) -> None:
    """Nothing is replaced but an earlier report, and no file by a report that holds it."""
    out: Path = args.out
    if not out.is_file():
        return
    for path in (*args.photos, args.calibration, args.source):
        if path is not None and Path(path).is_file() and out.samefile(path):
            raise RefereeError(f"{out}: goes into the report and would be lost; name another file with --out")
    if out.stat().st_size and not is_bundle(out):
        raise RefereeError(f"{out}: is there and is no report; name another file with --out")


def _parts(args: argparse.Namespace) -> Iterator[Part]:
    yield versions()
    calibration = _calibration(args)
    if calibration is not None:
        yield calibration
    for n, path in enumerate(args.photos):
        if path.exists() and not path.is_file():  # a folder has no bytes, a device no end
            raise RefereeError(f"{path}: is no file; name photos")
        yield Part(f"photos/{n:02d}-{path.name}", PHOTOS, path)
    yield from _match(args)
    for key in args.copy:
        if not (files := files_in(copies_folder() / key) if KEY.fullmatch(key) else {}):
            raise RefereeError(f"{key}: there is no such copy; there is {', '.join(_copies()) or 'none'}")
        yield from copy_parts(key, key, _game_of(key), files)
    if args.source is not None:
        yield from _frames(args.source)


def _calibration(args: argparse.Namespace) -> Part | None:
    """The file that was named; else what is kept of the source's camera, without what earlier releases kept of it."""
    if args.calibration is not None:
        return _named(Path(args.calibration))
    profile = KnownCameras().of(args.source) if args.source is not None else None
    if profile is None:
        return None
    return Part(f"calibration/{file_of(calibrations_folder(), profile.name).name}", CALIBRATION, as_file(profile))


def _copies() -> dict[str, int]:
    """The copies that were begun, and how many bytes their files are."""
    folders = [f for f in sorted(copies_folder().glob("*")) if KEY.fullmatch(f.name)]
    return {f.name: sum(p.stat().st_size for p in files_in(f).values()) for f in folders if files_in(f)}


def _game_of(key: str) -> str:
    """Of which game a copy is; empty where that cannot be read any more."""
    known = Shelf(copies_folder).load(key)
    return str(known["game"]) if known is not None else ""


def _offer(packed: Sequence[str]) -> None:
    """Tell which copies do not go into the report, and how they would."""
    for key, size in _copies().items():
        if key not in packed:
            game = _game_of(key)
            of = f" of {game_word(game)}" if game else ""
            mend = f"--copy {key} packs its photos and answers too"
            complain(f"{in_words(size):>9}  your copy {key}{of} is left out; {mend}")


def _named(given: Path) -> Part:
    """A file of `calibrate`, or what is kept under a name; one that is damaged goes as it is."""
    if given.exists() and not given.is_file():  # a folder has no bytes, a pipe no end
        raise RefereeError(f"{given}: is no file; name one that `calibrate` wrote, or its name")
    try:
        profile = read_calibration(given)
    except RefereeError:
        return Part(f"calibration/{given.name}", CALIBRATION, given)
    return Part(f"calibration/{given.stem}.json", CALIBRATION, as_file(profile))


def _match(args: argparse.Namespace) -> Iterator[Part]:
    """The named match; the newest one where there is any."""
    with open_store(args) as store:
        if args.match is None and not store.matches():
            return
        match = find_match(store, args.match)
        yield Part(f"match-{match.id}.jsonl", MATCH, "".join(write_archive(store, match.id)).encode())


def _frames(source: str) -> Iterator[Part]:
    import cv2

    from vision.sources.masked import masked
    from vision.sources.sources import open_source

    with open_source(source) as opened:
        for n in range(FRAMES_MAX):
            frame = opened.read(5.0)
            if frame is None:
                complain(f"{masked(source)}: {'no' if n == 0 else 'no more'} frames came; the report goes without them")
                return
            # PNG, because the report is about pixels.
            _, data = cv2.imencode(".png", cv2.cvtColor(frame.rgb, cv2.COLOR_RGB2BGR))
            yield Part(f"frames/{n:02d}.png", FRAMES, data.tobytes())

"""`referee rejudge`, `export`, `import`, `matches` and `report`: what was recorded."""

from __future__ import annotations

import argparse
import io
import json
import platform
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from scoring.codec import to_json
from scoring.errors import RefereeError
from scoring.events import decode
from scoring.match import rejudge as judge_again
from webui.archive import ArchiveError, write_archive
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.scene import read_deck, tell
from webui.desk import take_in as add_match
from webui.paths import default_database
from webui.store import MatchRecord, Store, StoreError, UnknownMatchError

FRAMES = 5
"""Frames of a live source that go into a report."""


@contextmanager
def open_store(args: argparse.Namespace) -> Iterator[Store]:
    """The database that the arguments name; what is wrong with it is said in one line."""
    try:
        store = Store(args.database or default_database())
    except StoreError as error:
        raise RefereeError(str(error)) from error
    try:
        yield store
    except StoreError as error:
        raise RefereeError(str(error)) from error
    finally:
        store.close()


def find_match(store: Store, name: str | None) -> MatchRecord:
    """The match of that name, or the newest; raises RefereeError naming what there is."""
    known = sorted(store.matches(), key=lambda match: match.created_at)
    if name is None:
        if not known:
            raise RefereeError("no match is recorded yet; start one with: referee play rox")
        return known[-1]
    try:
        return store.record(name)
    except UnknownMatchError:
        there = ", ".join(match.id for match in known[-5:]) or "none"
        raise RefereeError(f"{name}: no such match; the newest here: {there}") from None


def rejudge(args: argparse.Namespace) -> int:
    """Run today's rules over the recorded tables and print what differs, a JSON object for each ruling."""
    with open_store(args) as store:
        match = find_match(store, args.match)
        events = [decode(dict(stored.body)) for stored in store.events(match.id)]
    deck = read_deck(args.deck) if args.deck else None
    try:
        differences = judge_again(events, deck)
    except RefereeError:
        raise
    except Exception as error:  # a log that was tampered with may hold numbers that no geometry can work with
        why = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise RefereeError(f"{match.id}: cannot be judged again ({why}); it was damaged or changed") from error
    for difference in differences:
        parts = {
            part: {
                "recorded": to_json(getattr(difference.recorded, part)),
                "now": to_json(getattr(difference.now, part)),
            }
            for part in difference.parts
        }
        tell(
            {
                "match": match.id,
                "round": difference.round,
                "step": difference.step,
                "at": difference.at,
                "differs": parts,
            }
        )
    return DONE


def matches(args: argparse.Namespace) -> int:
    """List the recorded matches, the newest last."""
    with open_store(args) as store:
        found = sorted(store.matches(), key=lambda m: m.created_at)
        if not found:
            complain("no match has been recorded yet; play one: referee play rox")
        for match in found:
            tell({"match": match.id, "game": match.game, "title": match.title, "created_at": match.created_at})
    return DONE


def export(args: argparse.Namespace) -> int:
    """Write one match as JSON Lines."""
    with open_store(args) as store:
        match = find_match(store, args.match)
        lines = write_archive(store, match.id, with_pictures=not args.no_pictures)
        if args.out is None:
            sys.stdout.writelines(lines)
            return DONE
        with _writing(args.out) as file:
            file.writelines(lines)
    return DONE


def take_in(args: argparse.Namespace) -> int:
    """Read exported matches into the database; those that can be read are."""
    status = DONE
    with open_store(args) as store:
        for path in args.files:
            try:
                with path.open(encoding="utf-8") as file:
                    record = add_match(store, file)
            except (ArchiveError, RefereeError, UnicodeError) as error:
                complain(f"{path}: {str(error).rstrip('.')}; give a file that `referee export` wrote")
                status = UNUSABLE
                continue
            except OSError as error:
                complain(f"{path}: cannot be read ({error.strerror}); check the name and the folder")
                status = UNUSABLE
                continue
            tell({"match": record.id, "game": record.game, "title": record.title, "created_at": record.created_at})
    return status


def report(args: argparse.Namespace) -> int:
    """Pack versions, calibration, the match's log with its pictures, and given photos into one zip."""
    try:
        # Put in its place when it is whole: a file that was there before is not lost to a report that fails.
        with (
            tempfile.NamedTemporaryFile(dir=args.out.parent, prefix=f".{args.out.name}.") as unfinished,
            zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as bundle,
        ):
            bundle.writestr("versions.json", json.dumps(_versions(), indent=1))
            for name, path in _given_files(args):
                bundle.write(path, name)
            _add_match(bundle, args)
            if args.source is not None:
                _add_frames(bundle, args.source)
            names = bundle.namelist()
            bundle.close()
            unfinished.seek(0)
            with args.out.open("wb") as file:
                shutil.copyfileobj(unfinished, file)
    except OSError as error:
        raise RefereeError(f"{error.filename or args.out}: {error.strerror}; check the name and the folder") from error
    complain(
        f"wrote {args.out}; it holds the players' names and pictures of the table, "
        "and your photos whole, with the place and time that a phone writes into them: look before you send it"
    )
    tell({"report": str(args.out), "files": names})
    return DONE


def _given_files(args: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    if args.calibration is not None:
        yield f"calibration/{args.calibration.name}", args.calibration
    for n, path in enumerate(args.photos):
        yield f"photos/{n:02d}-{path.name}", path


def _add_match(bundle: zipfile.ZipFile, args: argparse.Namespace) -> None:
    """The named match; the newest one where there is any."""
    with open_store(args) as store:
        if args.match is None and not store.matches():
            return
        match = find_match(store, args.match)
        bundle.writestr(f"match-{match.id}.jsonl", "".join(write_archive(store, match.id)))


def _add_frames(bundle: zipfile.ZipFile, source: str) -> None:
    import cv2

    from vision.sources import open_source

    with open_source(source) as opened:
        for n in range(FRAMES):
            frame = opened.read(5.0)
            if frame is None:
                complain(f"{source}: {'no' if n == 0 else 'no more'} frames came; the report goes without them")
                return
            # PNG, because the report is about pixels.
            _, data = cv2.imencode(".png", cv2.cvtColor(frame.rgb, cv2.COLOR_RGB2BGR))
            bundle.writestr(f"frames/{n:02d}.png", data.tobytes())


def _versions() -> dict[str, object]:
    wanted = metadata.requires("table-referee") or [] if _installed("table-referee") else []
    names = ["table-referee", "opencv-python-headless", *(line.split(";")[0] for line in wanted if "extra" not in line)]
    packages = {}
    for line in names:
        name = line.split("[")[0].split(">")[0].split("=")[0].split("<")[0].strip()
        if _installed(name):
            packages[name] = metadata.version(name)
    return {"python": sys.version, "platform": platform.platform(), "packages": packages}


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


@contextmanager
def _writing(path: Path) -> Iterator[io.TextIOBase]:
    try:
        with path.open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise RefereeError(f"{path}: cannot be written ({error.strerror}); name another file") from error

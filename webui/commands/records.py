"""`referee rejudge`, `export`, `import` and `matches`: what was recorded."""

from __future__ import annotations

import argparse
import io
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from calibration.whole_file import NO_FILE, is_endless, writing
from scoring.codec import to_json
from scoring.errors import RefereeError
from scoring.events import Event, RoundEdited, Ruled, Undone, decode
from scoring.match import rejudge as judge_again
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.replaced import kept_before
from webui.commands.scene import tell
from webui.log.archive import ArchiveError, write_archive
from webui.log.database import StoreError
from webui.log.store import MatchRecord, Store, UnknownMatchError
from webui.paths import default_database
from webui.sight.decks.folders import read_deck
from webui.table.desk import take_in as add_match


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
    if not differences:
        complain(_nothing_differs(match.game, events))
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


def _nothing_differs(game: str, events: Sequence[Event]) -> str:
    """How much was judged again, in one line."""
    undone = {event.undoes for event in events if isinstance(event, Undone)}
    judged = {e.round for e in events if isinstance(e, Ruled | RoundEdited) and e.step not in undone}
    if not judged:
        return "nothing was judged in this match yet, so nothing differs"
    what = "round" if game == "rox" else "turn"
    return f"{len(judged)} {what}{'s' * (len(judged) != 1)} judged again, nothing differs"


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
    """Write one match as JSON Lines; into a file of its own where they would fill a terminal."""
    with open_store(args) as store:
        match = find_match(store, args.match)
        lines = write_archive(store, match.id, with_pictures=not args.no_pictures)
        if args.out is None and not sys.stdout.isatty():
            sys.stdout.writelines(lines)
            return DONE
        out = args.out or _free_name(match.id)
        with kept_before(out, force=args.force), _writing(out) as file:
            file.writelines(lines)
        if args.out is None:
            print(f"written: {out}")
    return DONE


def _free_name(match: str) -> Path:
    """A file in this folder for what nobody wants to read in a terminal; none that is there is written over."""
    names = (f"{match}{f'-{n}' * (n > 1)}.jsonl" for n in itertools.count(1))
    return next(path for path in map(Path, names) if not path.exists())


def take_in(args: argparse.Namespace) -> int:
    """Read exported matches into the database; those that can be read are."""
    status = DONE
    with open_store(args) as store:
        for path in args.files:
            try:
                record = _take_file(store, path)
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


def _take_file(store: Store, path: Path) -> MatchRecord:
    if is_endless(path):
        raise ArchiveError(NO_FILE)
    with path.open(encoding="utf-8") as file:
        return add_match(store, file)


@contextmanager
def _writing(path: Path) -> Iterator[io.TextIOBase]:
    try:
        with writing(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8")
            yield text
            text.detach()
    except OSError as error:
        raise RefereeError(f"{path}: cannot be written ({error.strerror}); name another file") from error

"""The command `referee`: reads the arguments and hands over to the command's own module.

Nothing heavy is imported before the arguments are understood.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring.deck import GAMES as GAME_NAMES
from scoring.errors import RefereeError
from vision.sources.addresses import completed
from webui.paths import own_deck

DONE, UNUSABLE, INTERRUPTED = 0, 2, 130
"""Exit status: all is done; arguments, deck or a photo cannot be used; stopped from the keyboard."""

Point = tuple[float, float]
Area = tuple[Point, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv
        Arguments without the program's name; None takes those of the process.

    Returns
    -------
    int
        Exit status.
    """
    # A program that was started with closed outputs has none: what is said then goes nowhere, and nothing fails.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the process ends it
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the process ends it
    parser = build_parser()
    args = parser.parse_args(argv)
    args.argv = tuple(sys.argv[1:] if argv is None else argv)
    # Set before OpenCV is loaded: its own lines on standard error name no file and no mend.
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    try:
        return run(args)
    except RefereeError as error:
        complain(error)
        return UNUSABLE
    except ImportError as error:
        if ".so" not in str(error):
            raise
        complain(f"a system library is missing ({error}); on Debian or Ubuntu: apt-get install libgl1 libglib2.0-0")
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our lines has seen enough. Python would complain once more while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        where = error.filename or "the output"
        complain(f"{where}: cannot be read or written ({error.strerror or error}); check the place and its free space")
        return UNUSABLE


def run(args: argparse.Namespace) -> int:
    """Carry out parsed arguments; raises RefereeError where they cannot be used."""
    module, _, name = args.run.partition(":")
    command: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(module), name)
    return command(args)


def complain(what: object) -> None:
    """One line on standard error."""
    print("referee:", " ".join(str(what).split()), file=sys.stderr, flush=True)


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="referee", description="Looks at a real table, judges the cards by the rules, and keeps the score."
    )
    parser.set_defaults(argv=())
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_photo_commands(commands)
    _add_live_commands(commands)
    _add_camera_commands(commands)
    _add_match_commands(commands)
    return parser


Commands = argparse._SubParsersAction  # argparse has no public name for it


def _add_photo_commands(commands: Commands[argparse.ArgumentParser]) -> None:
    judge = _add(commands, "judge", "webui.commands.photos:judge", "judge settled photographs")
    _game(judge)
    _scene(judge)
    _house_rules(judge)
    judge.add_argument(
        "--second",
        metavar="PHOTO",
        type=Path,
        help="cactus: the table of the last photo from another place; it settles what may touch",
    )
    judge.add_argument("photos", metavar="PHOTO", nargs="+", type=Path, help="JPEG, PNG, HEIC, WebP or TIFF")

    cards = _add(commands, "cards", "webui.commands.photos:cards", "find the cards in any photograph")
    cards.add_argument(
        "--deck", metavar="DIR", type=own_deck, help="name the cards of this deck; default: outlines only"
    )
    _scene(cards, deck=False)
    cards.add_argument("photos", metavar="PHOTO", nargs="+", type=Path, help="JPEG, PNG, HEIC, WebP or TIFF")


def _add_live_commands(commands: Commands[argparse.ArgumentParser]) -> None:
    watch = _add(commands, "watch", "webui.commands.live:watch", "watch a table and print what happens")
    _game(watch)
    _scene(watch)
    _house_rules(watch)
    watch.add_argument(
        "--source",
        metavar="SRC",
        type=completed,
        required=True,
        help="camera number, video file, folder of pictures, or http(s)/rtsp address",
    )
    watch.add_argument("--realtime", action="store_true", help="play a video file as a camera would")

    play = _add(commands, "play", "webui.commands.live:play", "watch a table and keep the match on a page")
    _game(play)
    _scene(play)
    play.add_argument(
        "--source",
        metavar="SRC",
        type=completed,
        help="as for watch; default: the camera chosen last on the page, or the first",
    )
    play.add_argument(
        "--secure-port",
        type=_port,
        default=8443,
        help="with --host: https for phones that are to be the camera; default: 8443; 0 takes any that is free",
    )
    _page(play)

    demo = _add(commands, "demo", "webui.commands.live:demo", "play the bundled recording, nothing to set up")
    demo.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        default="rox",
        choices=GAME_NAMES,
        help=f"{', '.join(GAME_NAMES)}; default: rox",
    )
    _page(demo)


def _add_camera_commands(commands: Commands[argparse.ArgumentParser]) -> None:
    calibrate = _add(commands, "calibrate", "webui.commands.calibrate:calibrate", "learn a camera, its table and light")
    calibrate.add_argument(
        "photos",
        metavar="PHOTO",
        nargs="*",
        type=Path,
        help="photos of the printed target, at least 5 from different sides, 10 are better; "
        "or with --game or --deck of what is played with on the table: 1, better 3",
    )
    calibrate.add_argument(
        "--source", metavar="SRC", type=completed, help="take the pictures from this camera or recording"
    )
    calibrate.add_argument(
        "--game",
        metavar="GAME",
        choices=GAME_NAMES,
        help="learn from the cards or cacti themselves, without the target",
    )
    calibrate.add_argument(
        "--deck", metavar="DIR", type=own_deck, help="... of this deck; default: the one `play` goes on with"
    )
    calibrate.add_argument(
        "--table", metavar="PHOTO", type=Path, help="the photo in which the target lies on the table, camera in place"
    )
    calibrate.add_argument("--name", metavar="NAME", help="keep it under this name; default: the camera's own")
    calibrate.add_argument("--out", metavar="FILE", type=Path, help="write this file; default: kept for this camera")
    _force(calibrate)
    calibrate.add_argument("--list", action="store_true", help="tell what is kept")
    calibrate.add_argument("--forget", metavar="NAME", help="remove what is kept under this name")

    enroll = _add(commands, "enroll", "webui.commands.enroll:enroll", "learn a deck from photos of your own copy")
    enroll.add_argument("game", metavar="GAME", choices=(*GAME_NAMES, "any"), help=f"{', '.join(GAME_NAMES)}, any")
    enroll.add_argument("--out", metavar="DIR", type=Path, required=True, help="the deck folder to write")
    enroll.add_argument("--force", action="store_true", help="write over the deck that is in that folder")
    enroll.add_argument("--card-mm", metavar=("W", "H"), nargs=2, type=float, help="size of a card; default: 59 92")
    enroll.add_argument("--cactus-height", metavar="MM", type=float, help="height of the tallest cactus over its base")
    enroll.add_argument("--board", metavar="PHOTO", type=Path, help="conex: a photo of the board and the stars")
    enroll.add_argument(
        "--examples", metavar="FILE", type=Path, help="JSON: a name to a pixel of a photo that shows it"
    )
    enroll.add_argument("--answers", metavar="FILE", type=Path, help="JSON: an id to fields that are so")
    enroll.add_argument("photos", metavar="PHOTO", nargs="+", type=Path, help="cards or pieces laid apart")

    sheet = _add(commands, "sheet", "webui.commands.sheet:sheet", "write a PDF to print, true to scale")
    sheet.add_argument(
        "what",
        metavar="WHAT",
        choices=(*GAME_NAMES, "target"),
        help="a game: its deck and all that belongs to it; target: what calibrate needs",
    )
    sheet.add_argument("--deck", metavar="DIR", type=own_deck, help="print this deck; default: the bundled one")
    sheet.add_argument("--paper", choices=("A4", "Letter"), default="A4")
    sheet.add_argument("--backs", action="store_true", help="a page of backs behind each, for both sides of the paper")
    sheet.add_argument("--svg", action="store_true", help="cactus: write an SVG for a laser cutter instead of a PDF")
    sheet.add_argument("--out", metavar="FILE", type=Path, help="default: WHAT.pdf, or WHAT.svg")
    _force(sheet)


def _add_match_commands(commands: Commands[argparse.ArgumentParser]) -> None:
    rejudge = _add(
        commands, "rejudge", "webui.commands.records:rejudge", "judge a recorded match again and tell what differs"
    )
    rejudge.add_argument("match", metavar="MATCH", nargs="?", help="default: the newest")
    rejudge.add_argument("--deck", metavar="DIR", type=own_deck, help="judge by this deck instead of the recorded one")
    _database(rejudge)

    export = _add(commands, "export", "webui.commands.records:export", "write a match as JSON Lines")
    export.add_argument("match", metavar="MATCH", nargs="?", help="default: the newest")
    export.add_argument(
        "--out", metavar="FILE", type=Path, help="default: standard output; at a terminal MATCH.jsonl in this folder"
    )
    _force(export)
    export.add_argument("--no-pictures", action="store_true", help="leave the evidence pictures out")
    _database(export)

    take_in = _add(commands, "import", "webui.commands.records:take_in", "read exported matches")
    take_in.add_argument("files", metavar="FILE", nargs="+", type=Path, help="what `referee export` wrote")
    _database(take_in)

    matches = _add(commands, "matches", "webui.commands.records:matches", "list the recorded matches")
    _database(matches)

    report = _add(commands, "report", "webui.commands.report:report", "pack one zip for a bug report")
    report.add_argument("photos", metavar="PHOTO", nargs="*", type=Path, help="pictures that went wrong")
    report.add_argument("--match", metavar="MATCH", help="default: the newest")
    report.add_argument("--calibration", metavar="FILE", type=Path, help="pack this file of `calibrate` too")
    report.add_argument("--copy", metavar="NAME", action="append", default=[], help="pack this learned copy too")
    report.add_argument("--source", metavar="SRC", type=completed, help="take some frames of this source too")
    report.add_argument("--dry-run", action="store_true", help="only tell what would be in it")
    report.add_argument(
        "--out", metavar="FILE", type=Path, default=Path("referee-report.zip"), help="default: referee-report.zip"
    )
    _database(report)


def _force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="keep no copy of another file that is replaced")


def _add(commands: Commands[argparse.ArgumentParser], name: str, run: str, what: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.set_defaults(run=run)
    return parser


def _game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", choices=GAME_NAMES, help=", ".join(GAME_NAMES))


def _scene(parser: argparse.ArgumentParser, *, deck: bool = True) -> None:
    if deck:
        parser.add_argument(
            "--deck", metavar="DIR", type=own_deck, help="deck folder; default: the bundled printable deck"
        )
    parser.add_argument(
        "--area",
        metavar='"x,y x,y x,y ..."',
        type=parse_area,
        help="playing area in pixels; default: the whole picture",
    )
    parser.add_argument(
        "--calibration", metavar="FILE", type=Path, help="what `referee calibrate` learned: a file, or its name"
    )


def _house_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--min-row", type=int, choices=(2, 3), help="rox: cards that a row needs to count; default: 3")
    parser.add_argument(
        "--exact", action="store_true", help="conex: the card must cover exactly the region of its corner"
    )


def _page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets phones in; default: this computer only")
    parser.add_argument("--port", type=_port, default=8000, help="default: 8000; 0 takes any that is free")
    _database(parser)


def _database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--database", metavar="URL", help="any SQLAlchemy address; default: a file of this user")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 0 (any) to 65535")
    return int(text)


AREA_MAX = 200
"""Corners of a playing area: more is no outline that somebody drew, and each side is held against every other."""


def parse_area(text: str) -> Area:
    """Corners of a playing area, as in ``"0,0 1919,0 1919,1079"``."""
    try:
        points = tuple((float(x), float(y)) for x, y in (point.split(",") for point in text.split()))
    except ValueError:
        points = ()
    said = repr(text if len(text) <= 80 else f"{text[:77]}...")
    if len(points) > AREA_MAX:
        raise argparse.ArgumentTypeError(f"{said} has {len(points)} corners; give at most {AREA_MAX}")
    if len(points) < 3 or not all(abs(v) < 1e6 for point in points for v in point):
        raise argparse.ArgumentTypeError(f'{said} is no area; give three or more corners like "0,0 1919,0 1919,1079"')
    sides = list(zip(points, (*points[1:], points[0]), strict=True))
    if abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in sides)) < 2 or any(
        _cross(*a, *b) for i, a in enumerate(sides) for b in sides[:i]
    ):
        raise argparse.ArgumentTypeError(f"{said} encloses nothing or crosses itself; give the corners in order")
    return points


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two sides cross, each inside the other."""

    def turn(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


def _version() -> str:
    try:
        return importlib.metadata.version("table-referee")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    sys.exit(main())

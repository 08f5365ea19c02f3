"""`referee sheet`: what is printed."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.sheets.sheets import write_sheet, write_svg, write_target
from scoring.errors import RefereeError
from webui.cli import DONE
from webui.commands.replaced import kept_before
from webui.commands.scene import tell
from webui.sight.decks.folders import bundled_deck


def sheet(args: argparse.Namespace) -> int:
    """Write a PDF to print, true to scale, or an SVG for a laser cutter."""
    out = args.out or Path(f"{args.what}.{'svg' if args.svg else 'pdf'}")
    if args.svg and args.what != "cactus":
        raise RefereeError(f"{args.what}: only cactus is cut by laser; leave out --svg to get a PDF")
    deck = args.deck or bundled_deck(args.what)
    if args.what != "target" and args.deck is None and not deck.is_dir():
        raise RefereeError(f"{args.what}: no deck to print comes with this version; name your own with --deck DIR")
    told: dict[str, object] = {"sheet": str(out)}
    with kept_before(out, force=args.force):
        if args.what == "target":
            told["pages"] = write_target(out, args.paper)
        elif args.svg:
            told["size_mm"] = list(write_svg(args.what, deck, out))
        else:
            told["pages"] = write_sheet(args.what, deck, out, args.paper, args.backs)
    tell(told)
    return DONE
